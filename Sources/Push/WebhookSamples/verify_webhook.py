"""Is a webhook genuine? Standard Webhooks, with Python's standard library alone.

    verify_webhook.py SECRET ID TIMESTAMP SIGNATURE < BODY
"""

import base64
import hashlib
import hmac
import re
import sys
import time

TOLERANCE_SECONDS = 300


def is_genuine(secret, identifier, timestamp, signatures, body):
    """`body`: the bytes as they came, before anything has read them as JSON."""
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    code = hmac.new(key, f"{identifier}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(code).decode()
    return any(hmac.compare_digest(expected.encode(), each.encode()) for each in signatures.split(" "))


if __name__ == "__main__":
    genuine = is_genuine(*sys.argv[1:5], sys.stdin.buffer.read())
    print("genuine" if genuine else "not genuine")
    sys.exit(0 if genuine else 1)
