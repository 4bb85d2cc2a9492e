"""A stand-in for Firebase Cloud Messaging: the OAuth token endpoint, HTTP v1, and the old /fcm/send.

Says {"ready": PORT, "account": path of the service-account file, "rows": {name: registration token}, ...} and one line
for each request. A registration token out of `rows` gets that answer; every other one is taken. Commands, each answered
with {"ruled": true}:
  {"rules": [{"path": "/token", "status": 503, "body": {...}, "headers": {...}, "times": 1}]}   the next such requests
  {"forget_tokens": true}   access tokens given out so far are worth nothing
  {"expires_in": 60, "now": 1700000000}
"""
import argparse
import json
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from apns import Authority, answer, private_pem, read_body, run, say

PROJECT, EMAIL, KEY_ID, API_KEY = "demo-project", "push@demo-project.example", "key-1", "AIza-legacy-key"
SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
FCM_ERROR = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
NOT_A_TOKEN = "The registration token is not a valid FCM registration token"


def error(code, status, message="", fcm=None, details=()):
    details = ([{"@type": FCM_ERROR, "errorCode": fcm}] if fcm else []) + list(details)
    return code, {"error": {"code": code, "status": status, "message": message, "details": details}}


def field(name):
    return {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [{"field": name}]}


def quota(subject):
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"subject": subject}]}


# name: (status, body, headers)
V1_ROWS = {
    "bad-request": (*error(400, "INVALID_ARGUMENT", "Invalid value", None, [field("message.android.ttl")]), {}),
    "bad-token": (*error(400, "INVALID_ARGUMENT", NOT_A_TOKEN, "INVALID_ARGUMENT", [field("message.token")]), {}),
    "bad-argument": (*error(400, "INVALID_ARGUMENT", "Message too big", "INVALID_ARGUMENT"), {}),
    "third-party": (*error(401, "UNAUTHENTICATED", "Auth error", "THIRD_PARTY_AUTH_ERROR"), {}),
    "unauthenticated": (*error(401, "UNAUTHENTICATED", "Invalid credentials"), {}),
    "sender": (*error(403, "PERMISSION_DENIED", "SenderId mismatch", "SENDER_ID_MISMATCH"), {}),
    "forbidden": (*error(403, "PERMISSION_DENIED", "API is not enabled"), {}),
    "unregistered": (*error(404, "NOT_FOUND", "Requested entity was not found.", "UNREGISTERED"), {}),
    "not-found": (404, "<html>404</html>", {}),
    "quota": (*error(429, "RESOURCE_EXHAUSTED", "Quota exceeded", "QUOTA_EXCEEDED", [quota("project:demo")]), {}),
    "quota-after": (
        *error(429, "RESOURCE_EXHAUSTED", "Quota exceeded", "QUOTA_EXCEEDED"), {"retry-after": "120"}),
    "device-rate": (*error(429, "RESOURCE_EXHAUSTED", "Device message rate exceeded", "QUOTA_EXCEEDED"), {}),
    "topic-rate": (
        *error(429, "RESOURCE_EXHAUSTED", "Quota exceeded", "QUOTA_EXCEEDED", [quota("topic:news")]), {}),
    "internal": (*error(500, "INTERNAL", "Internal error", "INTERNAL"), {}),
    "unavailable": (*error(503, "UNAVAILABLE", "Try later", "UNAVAILABLE"), {"retry-after": "7"}),
    "gateway": (502, "<html>502</html>", {}),
}
LEGACY_ERRORS = [
    "NotRegistered", "InvalidRegistration", "MismatchSenderId", "InvalidPackageName", "MessageTooBig",
    "InvalidDataKey", "InvalidTtl", "Unavailable", "InternalServerError", "DeviceMessageRateExceeded",
    "TopicsMessageRateExceeded",
]
LEGACY_STATUSES = {"status-400": 400, "status-401": 401, "status-404": 404, "status-500": 500, "status-503": 503}


class FCM:
    def __init__(self, public_key):
        self.public_key = public_key
        self.rules = []
        self.tokens = set()
        self.issued = 0
        self.sent = 0
        self.expires_in = 3599
        self.fixed_now = None

    def command(self, line):
        self.rules += line.get("rules", [])
        self.expires_in = line.get("expires_in", self.expires_in)
        self.fixed_now = line.get("now", self.fixed_now)
        if line.get("forget_tokens"):
            self.tokens.clear()

    def now(self):
        return self.fixed_now if self.fixed_now is not None else time.time()

    def rule(self, path):
        for rule in self.rules:
            if path.startswith(rule.get("path", "/")):
                rule["times"] = rule.get("times", 1) - 1
                if rule["times"] <= 0:
                    self.rules.remove(rule)
                return rule["status"], rule.get("body", {}), rule.get("headers", {})
        return None

    def oauth(self, headers, body):
        def denied(why):
            return 400, {"error": "invalid_grant", "error_description": why}, {}

        if headers.get("content-type") != "application/x-www-form-urlencoded":
            return denied("content type")
        form = dict(urllib.parse.parse_qsl(body))
        if form.get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer":
            return denied("grant type")
        assertion = form.get("assertion", "")
        try:
            if jwt.get_unverified_header(assertion) != {"alg": "RS256", "typ": "JWT", "kid": KEY_ID}:
                return denied("header")
            claims = jwt.decode(
                assertion, self.public_key, algorithms=["RS256"],
                options={"verify_aud": False, "verify_exp": False, "verify_iat": False})
        except jwt.PyJWTError as problem:
            return denied(str(problem))
        if claims["iss"] != EMAIL or claims["scope"] != SCOPE or not claims["aud"].endswith("/token"):
            return denied("claims")
        if claims["exp"] - claims["iat"] != 3600 or abs(claims["iat"] - self.now()) > 300:
            return denied("times")
        self.issued += 1
        token = f"ya29.{self.issued}"
        self.tokens.add(token)
        return 200, {"access_token": token, "expires_in": self.expires_in, "token_type": "Bearer"}, {}

    def send_v1(self, headers, body):
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or token not in self.tokens:
            return V1_ROWS["unauthenticated"]
        if headers.get("content-type") != "application/json; charset=utf-8":
            return V1_ROWS["bad-argument"]
        message = json.loads(body)["message"]
        if set(json.loads(body)) - {"validate_only", "message"}:
            return V1_ROWS["bad-request"]
        if set(message) - {"token", "fid", "topic", "condition", "data", "notification", "android", "apns"}:
            return V1_ROWS["bad-request"]
        if len({"token", "fid", "topic", "condition"} & set(message)) != 1:
            return V1_ROWS["bad-argument"]
        data = message.get("data", {})
        if any(not isinstance(value, str) for value in data.values()):
            return V1_ROWS["bad-request"]
        if any(key in ("from", "message_type") or key.startswith(("google", "gcm")) for key in data):
            return V1_ROWS["bad-argument"]
        if set(message.get("notification", {})) - {"title", "body", "image"}:
            return V1_ROWS["bad-request"]
        size = sum(len(key.encode()) + len(value.encode()) for key, value in data.items())
        size += sum(len(key.encode()) + len(value.encode()) for key, value in message.get("notification", {}).items())
        if size > (4096 if "token" in message or "fid" in message else 2048):
            return V1_ROWS["bad-argument"]
        if row := V1_ROWS.get(message.get("token")):
            return row
        self.sent += 1
        return 200, {"name": f"projects/{PROJECT}/messages/{self.sent}"}, {}

    def send_legacy(self, headers, body):
        if headers.get("authorization") != f"key={API_KEY}":
            return 401, "", {}
        message = json.loads(body)
        to = message.get("to", "")
        if to in LEGACY_STATUSES:
            status = LEGACY_STATUSES[to]
            return status, "", {"retry-after": "9"} if status == 503 else {}
        self.sent += 1
        if to.startswith("/topics/") or "condition" in message:
            return 200, {"message_id": self.sent}, {}
        if to in LEGACY_ERRORS:
            results, success = [{"error": to}], 0
        elif to == "old-token":
            results, success = [{"message_id": f"0:{self.sent}", "registration_id": "new-token"}], 1
        else:
            results, success = [{"message_id": f"0:{self.sent}"}], 1
        return 200, {
            "multicast_id": 1, "success": success, "failure": 1 - success, "canonical_ids": 0, "results": results}, {}

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return
        body = (await read_body(receive)).decode()
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        path = scope["path"]
        reply = self.rule(path)
        if reply is None and path == "/token":
            reply = self.oauth(headers, body)
        elif reply is None and path == f"/v1/projects/{PROJECT}/messages:send":
            reply = self.send_v1(headers, body)
        elif reply is None and path in ("/fcm/send", "/gcm/send"):
            reply = self.send_legacy(headers, body)
        status, content, more = reply or (404, "<html>404</html>", {})
        say(path=path, version=scope["http_version"], headers=headers, body=body, status=status)
        text = content if isinstance(content, str) else json.dumps(content)
        await answer(send, status, text.encode(), list(more.items()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--directory", required=True)
    arguments = parser.parse_args()
    authority = Authority(arguments.directory)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    fcm = FCM(key.public_key())
    hello = {
        "private_key": private_pem(key).decode(), "client_email": EMAIL, "private_key_id": KEY_ID, "project": PROJECT,
        "api_key": API_KEY, "legacy_errors": LEGACY_ERRORS,
    }
    run(fcm, authority, hello, fcm.command)


if __name__ == "__main__":
    main()
