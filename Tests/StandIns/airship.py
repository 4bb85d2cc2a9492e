"""Airship's push API, version 3, as far as one push needs it.

Settings: {"app_key": "…", "master_secret": "…"}. Answers like the real one: 401 for other credentials, 406 for another
version, 415 for another type, 404 for another path, 400 with details for a malformed body, else 202.
"""

import base64
import json
import sys

sys.dont_write_bytecode = True  # no __pycache__ among the sources

from post_server import Service

SELECTORS = {"ios_channel", "android_channel", "amazon_channel", "channel", "named_user", "tag", "segment"}
PLATFORMS = {
    "ios": {"alert", "title", "subtitle", "extra", "badge", "sound", "collapse_id", "thread_id", "category", "expiry",
            "content_available", "mutable_content", "interruption_level"},
    "android": {"alert", "title", "extra", "collapse_key", "time_to_live", "delivery_priority"},
}


class Malformed(Exception):
    pass


def check(body):
    """Raises Malformed(path)."""
    push = json.loads(body)
    if set(push) - {"audience", "device_types", "notification", "options"}:
        raise Malformed("push")
    audience = push.get("audience")
    listed = audience.get("or", [audience]) if isinstance(audience, dict) else None
    if not isinstance(listed, list) or not listed or len(audience) != 1:
        raise Malformed("audience")
    for selector in listed:
        if not isinstance(selector, dict) or set(selector) - SELECTORS or len(selector) != 1:
            raise Malformed("audience")
    if not push.get("device_types") or set(push["device_types"]) - set(PLATFORMS):
        raise Malformed("device_types")
    notification = push.get("notification")
    if not isinstance(notification, dict) or not isinstance(notification.get("alert"), str):
        raise Malformed("notification.alert")
    for platform, members in PLATFORMS.items():
        override = notification.get(platform, {})
        if override and platform not in push["device_types"]:
            raise Malformed(f"notification.{platform}")
        for name in override:
            if name not in members:
                raise Malformed(f"notification.{platform}.{name}")
        for name, value in override.get("extra", {}).items():
            if not isinstance(value, str):
                raise Malformed(f"notification.{platform}.extra.{name}")
    for number in (push.get("options", {}).get("expiry"), notification.get("ios", {}).get("expiry")):
        if number is not None and (not isinstance(number, int) or number < 0):
            raise Malformed("options.expiry")


class Airship(Service):
    app_key = "app-key-22-characters."
    master_secret = "secret-22-characters.."

    def command(self, command):
        self.app_key = command.get("app_key", self.app_key)
        self.master_secret = command.get("master_secret", self.master_secret)

    def error(self, status, code, path=None):
        details = {"error": "words that may repeat what was sent", "path": path} if path else {}
        answer = {"ok": False, "error": "Could not parse request body.", "error_code": code, "details": details}
        return status, {}, json.dumps(answer), {}

    def answer(self, request):
        headers = request["headers"]
        wanted = "Basic " + base64.b64encode(f"{self.app_key}:{self.master_secret}".encode()).decode()
        if headers.get("authorization") != wanted:
            return self.error(401, 40101)
        if request["path"] not in ("/api/push", "/api/push/validate"):
            return self.error(404, 40400)
        if request["method"] != "POST":
            return self.error(405, 40500)
        if headers.get("accept") != "application/vnd.urbanairship+json; version=3":
            return self.error(406, 40600)
        if headers.get("content-type") != "application/json":
            return self.error(415, 41500)
        try:
            check(request["body"])
        except Malformed as problem:
            return self.error(400, 40001, str(problem))
        except ValueError:
            return self.error(400, 40000)
        if request["path"].endswith("/validate"):
            return 200, {}, json.dumps({"ok": True}), {}
        push_id = "5cb18dc5-5d4c-4a1b-8ba3-3f0a4c1d2e99"
        return 202, {}, json.dumps({"ok": True, "operation_id": "df6a6b50", "push_ids": [push_id]}), {}


Airship().run()
