"""A push service of the web with one subscription of its own: checks VAPID with PyJWT, decrypts with http_ece.

The ready line has `subscription` (without the endpoint's origin, which is `https://HOST:PORT/push`). The log line has
`plain`, the decrypted text, `claims`, and `problem` if there is one; a problem with the token is 403, another one 400.
Settings: {"public_key": "<base64url>"} is the only key that is accepted.
"""

import base64
import os
import sys
import time

import http_ece
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from post_server import Service


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


class Problem(Exception):
    def __init__(self, status, text):
        self.status = status
        super().__init__(text)


class PushService(Service):
    public_key = None

    def __init__(self):
        super().__init__()
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = os.urandom(16)

    def hello(self):
        return {"subscription": {"p256dh": encode(point(self.key.public_key())), "auth": encode(self.secret)}}

    def command(self, command):
        self.public_key = command.get("public_key", self.public_key)

    def claims(self, request):
        headers = request["headers"]
        scheme, _, rest = headers.get("authorization", "").partition(" ")
        if scheme != "vapid":
            raise Problem(401, "scheme")
        parts = dict(part.strip().split("=", 1) for part in rest.split(","))
        if self.public_key and parts["k"] != self.public_key:
            raise Problem(403, "key")
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(parts["k"]))
        scheme = "http" if self.arguments.plain else "https"
        try:
            claims = jwt.decode(
                parts["t"], public, algorithms=["ES256"], audience=f"{scheme}://{headers['host']}",
                options={"require": ["exp", "aud", "sub"]})
        except jwt.InvalidTokenError as error:
            raise Problem(403, f"token: {error}")
        if not isinstance(claims["exp"], int) or claims["exp"] - time.time() > 24 * 3600:
            raise Problem(403, "exp")
        if not Vapid02.verify(headers["authorization"]):
            raise Problem(403, "py_vapid")
        return claims

    def check(self, request):
        claims = self.claims(request)
        headers, body = request["headers"], request["body"]
        if not headers.get("ttl", "").isdigit():
            raise Problem(400, "ttl")
        if headers.get("urgency") not in ("very-low", "low", "normal", "high"):
            raise Problem(400, "urgency")
        topic = headers.get("topic")
        if topic is not None and (len(topic) > 32 or not topic.replace("-", "a").replace("_", "a").isalnum()):
            raise Problem(400, "topic")
        if headers.get("content-encoding") != "aes128gcm":
            raise Problem(400, "encoding")
        if len(body) > 4096:
            raise Problem(413, "size")
        try:
            plain = http_ece.decrypt(body, private_key=self.key, auth_secret=self.secret, version="aes128gcm")
        except Exception as error:
            raise Problem(400, f"decryption: {error}")
        return plain, claims

    def answer(self, request):
        try:
            plain, claims = self.check(request)
        except Problem as problem:
            return problem.status, {}, "", {"problem": str(problem)}
        except Exception as error:
            return 400, {}, "", {"problem": f"unexpected: {error!r}"}
        scheme = "http" if self.arguments.plain else "https"
        location = {"Location": f"{scheme}://{request['headers']['host']}/message/1"}
        return 201, location, "", {"plain": plain.decode(), "claims": claims}


PushService().run()
