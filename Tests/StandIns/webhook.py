"""A receiver of webhooks that verifies Standard Webhooks signatures.

Settings: {"secrets": ["whsec_…", …], "public_key": "<base64 of an Ed25519 public key>"}. The log line's `verified` names
what held: "v1:0" for the first secret, "v1a" for the key; `signatures` counts what the header listed.
"""

import base64
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from post_server import Service


class Receiver(Service):
    secrets = []
    public_key = None

    def command(self, command):
        self.secrets = command.get("secrets", self.secrets)
        self.public_key = command.get("public_key", self.public_key)

    def answer(self, request):
        headers, body = request["headers"], request["body"]
        listed = headers.get("webhook-signature", "").split()
        verified = []
        for index, secret in enumerate(self.secrets):
            try:
                Webhook(secret).verify(body, headers, json_parse=False)
                verified.append(f"v1:{index}")
            except (WebhookVerificationError, ValueError):
                pass
        if self.public_key:
            key = Ed25519PublicKey.from_public_bytes(base64.b64decode(self.public_key))
            text = f"{headers.get('webhook-id')}.{headers.get('webhook-timestamp')}.".encode() + body
            for signature in listed:
                if signature.startswith("v1a,"):
                    try:
                        key.verify(base64.b64decode(signature[4:]), text)
                        verified.append("v1a")
                    except InvalidSignature:
                        pass
        return 200, {}, "thank you", {"verified": verified, "signatures": len(listed)}


Receiver().run()
