"""A subscription that decrypts with http_ece: the receiving half of Web Push, of somebody else's making.

The ready line has `p256dh` and `auth`. Each command is a message in base64url, `{"version": "aesgcm" | "aes128gcm",
"body": …}` with `salt` and `dh` for aesgcm, as the headers have them; answered by `{"plain": <base64url>}` or `{"problem":
…}`.
"""

import base64
import json
import os
import sys

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


def encode(data):
    return base64.urlsafe_b64encode(data).decode()


def say(**line):
    print(json.dumps(line), flush=True)


key = ec.generate_private_key(ec.SECP256R1())
secret = os.urandom(16)
point = key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
say(ready=0, p256dh=encode(point), auth=encode(secret))

for line in sys.stdin:
    try:
        command = json.loads(line)
        # As the Firebase clients read the headers: padding is not forgiven.
        parts = {name: base64.urlsafe_b64decode(command[name]) for name in ("salt", "dh") if name in command}
        body = base64.urlsafe_b64decode(command["body"])
        plain = http_ece.decrypt(body, private_key=key, auth_secret=secret, version=command["version"], **parts)
        say(plain=encode(plain))
    except Exception as error:
        say(problem=repr(error))
