"""An app server on pywebpush: encrypted pushes with VAPID to the endpoint that a browser was given.

Usage: gcm_send_webpush.py --server URL [--ca FILE]

Prints {"ready": true, "key": PUBLIC KEY}, the applicationServerKey to subscribe with, made new for this run. A line of
standard input is {"subscription": {"endpoint", "keys"}, "text": TEXT, "ttl"?, "encoding"?: "aes128gcm" | "aesgcm",
"headers"?: {"Topic", "Urgency"}, "claims"?: {…}}, and {"status", "location"} or {"exception", "status", "text"} comes
out. The origin of the endpoint is replaced by the server's: browsers have their maker's built in.
"""

import base64
from urllib.parse import urlsplit

from json_lines import arguments, commands, say

options = arguments(__doc__, "server")

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02
from pywebpush import WebPushException, webpush

vapid = Vapid02()
vapid.generate_keys()
point = vapid.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

say(ready=True, key=base64.urlsafe_b64encode(point).rstrip(b"=").decode())
for command in commands():
    subscription = command["subscription"]
    subscription["endpoint"] = options.server + urlsplit(subscription["endpoint"]).path
    try:
        answer = webpush(
            subscription,
            command.get("text"),
            vapid_private_key=vapid,
            vapid_claims={"sub": "mailto:test@localhost"} | command.get("claims", {}),
            content_encoding=command.get("encoding", "aes128gcm"),
            ttl=command.get("ttl", 0),
            headers=command.get("headers"),
        )
        say(status=answer.status_code, location=answer.headers.get("Location"))
    except WebPushException as error:
        say(exception=type(error).__name__, status=error.status_code, text=error.response.text)
    except Exception as error:
        say(exception=type(error).__name__, text=str(error))
