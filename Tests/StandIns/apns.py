"""A stand-in for Apple's push service: HTTP/2 over TLS, and what the real one checks before it looks at the device.

Says {"ready": PORT, "key": path of the .p8, "rows": {reason: device token}, ...} and one line for each request. A
device token out of `rows` gets that answer; every other one gets 200. Commands, each answered with {"ruled": true}:
  {"rules": [{"status": 403, "reason": "ExpiredProviderToken", "headers": {...}, "times": 1}]}   the next requests
  {"now": 1700000000}   the time of Apple's clock from now on
"""
import argparse
import asyncio
import datetime
import email.utils
import json
import os
import socket
import ssl
import sys
import threading
import time
import uuid

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from hypercorn.asyncio import serve
from hypercorn.config import Config

TEAM, KEY_ID, TOPIC, PASSWORD = "TEAM123456", "KEY1234567", "com.example.chat", "open sesame"
UNREGISTERED_SINCE = 1_700_000_000_123
SUFFIXES = {
    "alert": "", "background": "", "voip": ".voip", "location": ".location-query", "complication": ".complication",
    "fileprovider": ".pushkit.fileprovider", "liveactivity": ".push-type.liveactivity", "pushtotalk": ".voip-ptt",
    "widgets": ".push-type.widgets", "controls": ".push-type.controls", "mdm": "",
}
ROWS = [
    (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (400, "BadCollapseId"), (400, "BadExpirationDate"),
    (400, "BadMessageId"), (400, "BadPriority"), (400, "InvalidPushType"), (400, "PayloadEmpty"),
    (400, "DuplicateHeaders"), (400, "MissingDeviceToken"), (400, "BadTopic"), (400, "MissingTopic"),
    (400, "TopicDisallowed"), (400, "IdleTimeout"), (403, "ExpiredProviderToken"), (403, "InvalidProviderToken"),
    (403, "MissingProviderToken"), (403, "Forbidden"), (403, "BadCertificate"), (403, "BadCertificateEnvironment"),
    (403, "BadEnvironmentKeyIdInToken"), (403, "UnrelatedKeyIdInToken"), (404, "BadPath"), (405, "MethodNotAllowed"),
    (410, "Unregistered"), (410, "ExpiredToken"), (413, "PayloadTooLarge"), (429, "TooManyRequests"),
    (429, "TooManyProviderTokenUpdates"), (500, "InternalServerError"), (503, "ServiceUnavailable"), (503, "Shutdown"),
    (400, "SomethingNew"), (500, "SomethingElse"),
]


def say(**line):
    print(json.dumps(line), flush=True)


class Authority:
    """A certification authority that lives as long as the directory."""

    def __init__(self, directory):
        self.directory = directory
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Stand-in CA")])
        self.certificate = self._sign(self.name, self.key.public_key(), [
            (x509.BasicConstraints(ca=True, path_length=0), True),
            (x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), False)])
        self.write("ca.pem", self.certificate.public_bytes(serialization.Encoding.PEM))

    def _sign(self, name, public_key, extensions):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder().subject_name(name).issuer_name(self.name).public_key(public_key)
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=2)))
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(self.key, hashes.SHA256())

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def issue(self, name, usage):
        """Writes NAME.pem and NAME.key."""
        key = ec.generate_private_key(ec.SECP256R1())
        # No address: a client may take that for the name, and a wrong name is to be noticed.
        names = [x509.DNSName("localhost")]
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        certificate = self._sign(
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key.public_key(),
            [(x509.SubjectAlternativeName(names), False), (x509.ExtendedKeyUsage([usage]), False), (issuer, False)])
        self.write(name + ".pem", certificate.public_bytes(serialization.Encoding.PEM))
        self.write(name + ".key", private_pem(key))
        return key, certificate


def private_pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


async def read_body(receive):
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


async def answer(send, status, body=b"", headers=()):
    fields = [(name.encode(), value.encode()) for name, value in headers]
    await send({"type": "http.response.start", "status": status, "headers": fields})
    await send({"type": "http.response.body", "body": body})


def run(app, authority, hello, command, need_client_certificate=False):
    """Serves until standard input closes; `command` gets each line of it."""
    authority.issue("server", ExtendedKeyUsageOID.SERVER_AUTH)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    config = Config()
    config.bind = [f"fd://{listener.fileno()}"]
    config.certfile, config.keyfile = authority.path("server.pem"), authority.path("server.key")
    config.alpn_protocols = ["h2", "http/1.1"]
    config.errorlog = config.accesslog = None
    config.graceful_timeout = 0.1
    config.include_date_header = False
    config.keep_alive_max_requests = 1_000_000
    # Else it closes what has rested for five seconds: a busy machine may keep a test waiting for longer.
    config.keep_alive_timeout = 3600
    if need_client_certificate:
        config.ca_certs, config.verify_mode = authority.path("ca.pem"), ssl.CERT_REQUIRED

    def listen_to_commands():
        for line in sys.stdin:
            command(json.loads(line))
            say(ruled=True)
        os._exit(0)

    async def main():
        hello_line = {"ready": listener.getsockname()[1], "ca": authority.path("ca.pem"), **hello}
        threading.Thread(target=listen_to_commands, daemon=True).start()
        say(**hello_line)
        await serve(app, config, shutdown_trigger=asyncio.Event().wait, mode="asgi")

    asyncio.run(main())


class APNs:
    def __init__(self, public_key, uses_certificates):
        self.public_key = public_key
        self.uses_certificates = uses_certificates
        self.rules = []
        self.fixed_now = None
        self.last_token = None
        self.last_issue = None
        self.rows = {token_of(index): (status, reason) for index, (status, reason) in enumerate(ROWS)}

    def now(self):
        return self.fixed_now if self.fixed_now is not None else time.time()

    def command(self, line):
        self.rules += line.get("rules", [])
        self.fixed_now = line.get("now", self.fixed_now)

    def provider_token(self, headers):
        text = headers.get("authorization")
        if self.uses_certificates:
            return (403, "InvalidProviderToken") if text else None
        if text is None:
            return 403, "MissingProviderToken"
        if not text.startswith("bearer "):
            return 403, "InvalidProviderToken"
        token = text[len("bearer "):]
        try:
            header = jwt.get_unverified_header(token)
            claims = jwt.decode(token, self.public_key, algorithms=["ES256"], options={"verify_iat": False})
        except jwt.PyJWTError:
            return 403, "InvalidProviderToken"
        if header != {"alg": "ES256", "kid": KEY_ID} or set(claims) != {"iss", "iat"} or claims["iss"] != TEAM:
            return 403, "InvalidProviderToken"
        issue = claims["iat"]
        if type(issue) is not int or issue > self.now() + 300:
            return 403, "InvalidProviderToken"
        if self.now() - issue > 3600:
            return 403, "ExpiredProviderToken"
        if self.last_token not in (None, token) and abs(issue - self.last_issue) < 1200:
            return 429, "TooManyProviderTokenUpdates"
        self.last_token, self.last_issue = token, issue
        return None

    def check(self, method, path, fields, body):
        names = [name for name, _ in fields]
        headers = dict(fields)
        if method != "POST":
            return 405, "MethodNotAllowed"
        if not path.startswith("/3/device/"):
            return 404, "BadPath"
        if wrong := self.provider_token(headers):
            return wrong
        if len(set(names)) != len(names):
            return 400, "DuplicateHeaders"
        kind = headers.get("apns-push-type")
        if kind not in SUFFIXES:
            return 400, "InvalidPushType"
        if not headers.get("apns-topic"):
            return 400, "MissingTopic"
        if headers["apns-topic"] != TOPIC + SUFFIXES[kind]:
            return 400, "TopicDisallowed"
        priority = headers.get("apns-priority")
        if priority not in ("1", "5", "10") or (kind == "background" and priority == "10"):
            return 400, "BadPriority"
        try:
            if str(uuid.UUID(headers["apns-id"])) != headers["apns-id"]:
                return 400, "BadMessageId"
        except (KeyError, ValueError):
            return 400, "BadMessageId"
        expiration = headers.get("apns-expiration", "x")
        if not expiration.isdigit() or int(expiration) > self.now() + 30 * 86400 + 60:
            return 400, "BadExpirationDate"
        if len(headers.get("apns-collapse-id", "").encode()) > 64:
            return 400, "BadCollapseId"
        if len(body) > (5120 if kind == "voip" else 4096):
            return 413, "PayloadTooLarge"
        try:
            aps = json.loads(body)["aps"]
        except (ValueError, KeyError, TypeError):
            return 400, "PayloadEmpty"
        if kind == "background" and aps != {"content-available": 1}:
            return 400, "InvalidPushType"
        device = path[len("/3/device/"):]
        if not device:
            return 400, "MissingDeviceToken"
        if len(device) % 2 or any(digit not in "0123456789abcdefABCDEF" for digit in device):
            return 400, "BadDeviceToken"
        return self.rows.get(device)

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return
        body = await read_body(receive)
        fields = [(name.decode(), value.decode()) for name, value in scope["headers"]]
        fields = [(name, value) for name, value in fields if name not in ("host", "content-length")]
        verdict = self.check(scope["method"], scope["path"], fields, body)
        more = []
        if verdict is None and self.rules:
            rule = self.rules[0]
            rule["times"] = rule.get("times", 1) - 1
            if rule["times"] <= 0:
                self.rules.pop(0)
            verdict = rule["status"], rule.get("reason")
            more = list(rule.get("headers", {}).items())
        status, reason = verdict or (200, None)
        answer_body = {} if reason is None else {"reason": reason}
        if reason == "Unregistered":
            answer_body["timestamp"] = UNREGISTERED_SINCE
        say(path=scope["path"], version=scope["http_version"], connection=scope["client"][1], headers=dict(fields),
            body=body.decode(errors="replace"), status=status, reason=reason)
        await answer(send, status, json.dumps(answer_body).encode() if answer_body else b"",
                     [("apns-id", dict(fields).get("apns-id", "")),
                      ("date", email.utils.formatdate(self.now(), usegmt=True))] + more)


def token_of(index):
    return f"0bad{index:02x}" + "a5" * 29


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--directory", required=True)
    parser.add_argument("--client-certificate", action="store_true")
    arguments = parser.parse_args()
    authority = Authority(arguments.directory)
    key = ec.generate_private_key(ec.SECP256R1())
    client_key, client_certificate = authority.issue("client", ExtendedKeyUsageOID.CLIENT_AUTH)
    store = pkcs12.serialize_key_and_certificates(
        b"client", client_key, client_certificate, None, serialization.BestAvailableEncryption(PASSWORD.encode()))
    apns = APNs(key.public_key(), arguments.client_certificate)
    hello = {
        "key": authority.write("AuthKey.p8", private_pem(key)), "key_id": KEY_ID, "team_id": TEAM, "topic": TOPIC,
        "keystore": authority.write("client.p12", store), "password": PASSWORD,
        "certificate": authority.path("client.pem"), "certificate_key": authority.path("client.key"),
        "rows": {reason: token_of(index) for index, (_, reason) in enumerate(ROWS)},
        "unregistered_since": UNREGISTERED_SINCE,
    }
    run(apns, authority, hello, apns.command, arguments.client_certificate)


if __name__ == "__main__":
    main()
