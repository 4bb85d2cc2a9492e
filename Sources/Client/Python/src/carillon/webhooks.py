"""Webhooks of the server: whether one is genuine. Spec: Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from typing import Mapping, Optional

from .errors import InvalidArgument, InvalidSignature

#: A webhook that was signed longer ago, or later than now, is somebody's copy, or a clock is wrong.
TOLERANCE_SECONDS = 300


class WebhookVerifier:
    """Checks `webhook-id`, `webhook-timestamp` and `webhook-signature` with secrets such as ``whsec_…``.

    While a secret is changed, give both. `webhook-id` is the same however often a webhook comes: drop what you have
    seen.
    """

    def __init__(self, *secrets: str) -> None:
        if not secrets:
            raise InvalidArgument("no secret")
        try:
            self._keys = [base64.b64decode(secret.split("_", 1)[-1], validate=True) for secret in secrets]
        except (binascii.Error, ValueError) as failure:
            raise InvalidArgument("a secret is whsec_ and Base64") from failure

    def verify(self, headers: Mapping[str, str], body: bytes, now: Optional[float] = None) -> str:
        """The webhook's id. `body`: the bytes as they came.

        :raises InvalidSignature: it is not of the server, or not of now.
        """
        fields = {name.lower(): value for name, value in headers.items()}
        identifier = fields.get("webhook-id", "")
        timestamp = fields.get("webhook-timestamp", "")
        if not identifier or not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > 12:
            raise InvalidSignature("no webhook-id or webhook-timestamp")
        if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
            raise InvalidSignature("signed too long ago, or in the future")
        signed = f"{identifier}.{timestamp}.".encode(errors="replace") + body
        listed = fields.get("webhook-signature", "").split(" ")
        for key in self._keys:
            expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
            # All of them are compared, in a time that says nothing of how much was right.
            if sum(hmac.compare_digest(expected.encode(), each.encode(errors="replace")) for each in listed):
                return identifier
        raise InvalidSignature("signed with another secret")
