"""A server for the check of its description, and the things in it that requests are about."""

import concurrent.futures
import contextlib
import http.server
import json
import os
import re
import signal
import subprocess
import threading
import time
import uuid

import jwt
import requests

USER = "openapi-user"
SENDER = "1234567890"
TESTER = "5550001"
CALLBACK = "callback-voice"
APP = "openapi-app"

# What a page that has subscribed to pushes has: a point on P-256, and sixteen bytes.
PAGE_KEY = "BDd3_hVL9fZi9Ybo2UUzA284WG5FZR30_95YeZJsiApwXKpNcF1rRPF3foIiBHXRdJI2Qhumhf6_LFTeZaNndIo"
PAGE_SECRET = "xS03Fi5ErfTNH_l9WHE9Ig"


class Receiver(http.server.ThreadingHTTPServer):
    """Where pushes go."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), ReceiverHandler)
        self.refuses = False
        self.url = f"http://127.0.0.1:{self.server_port}/push"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.shutdown()


class ReceiverHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(500 if self.server.refuses else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def server(program, directory, push_url):
    """Starts `carillon serve` with tokens for every role; gives what speaks to it and its log, and ends it."""
    data = os.path.join(directory, "data")
    os.makedirs(data)
    configuration = os.path.join(directory, "carillon.yaml")
    with open(configuration, "w") as file:
        file.write(
            f"""
server:
  host: 127.0.0.1
  data_directory: {data}
push:
  pushEnabled: comet, customhttp, httpcb
  customhttp.url: {push_url}
service.request-chat:
  _type: builtin
service.{CALLBACK}:
  _type: ors
  _max_queued_callbacks_per_service: 100000
  _max_request_by_time_bucket: 100000
channels.news:
  patterns: /news/**
  subscribe: anyone
support.app.{APP}:
  integration: webhook
  webhook_url: {push_url}
  test: true
push.provider.{APP}:
  webhooks.allow_private: 127.0.0.1
"""
        )

    def token(name, role, *more):
        command = [program, "token", "create", "--name", name, "--role", role, "--data-directory", data, *more]
        return re.search(r"car_\S+", subprocess.run(command, check=True, capture_output=True, text=True).stdout)[0]

    tokens = {
        "agent": token("agent", "supervisor"),
        "admin": token("operator", "admin"),
        "publisher": token("backend", "publisher"),
        "channels": token("channels", "channels"),
        "sender": token("shop", "sender", "--sender", SENDER, "--project", "demo"),
        "tester": token("tester", "sender", "--sender", TESTER, "--test-mode"),
    }
    log = os.path.join(directory, "server.log")
    with open(log, "w") as output:
        process = subprocess.Popen(
            [program, "serve", "--config", configuration, "--port", "0"], stdout=output, stderr=subprocess.STDOUT
        )
    try:
        url = address(process, log)
        account = os.path.join(directory, "service-account.json")
        token("account", "sender", "--sender", "777", "--service-account", account, "--server", url)
        yield Carillon(url, tokens, account), log
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def address(process, log):
    """Where the server is ready, once it says so."""
    for _ in range(300):
        with open(log) as file:
            for line in file:
                with contextlib.suppress(ValueError):
                    record = json.loads(line)
                    if "is ready on" in record.get("message", "") and record.get("address"):
                        return "http://127.0.0.1:" + record["address"].rsplit(":", 1)[1]
        if process.poll() is not None:
            break
        time.sleep(0.1)
    with open(log) as file:
        raise SystemExit("the server did not become ready:\n" + file.read()[-2000:])


class Carillon:
    """Makes what a request needs to find: a chat to talk in, a device to push to."""

    def __init__(self, url, tokens, account):
        """`account` is the file of a service account."""
        self.url = url
        self.tokens = tokens
        self.account = account
        self.session = requests.Session()
        self.count = 0
        self.erasure = None
        self.reply = None
        self.is_signing_in = False

    def call(self, method, path, role=None, **more):
        headers = more.pop("headers", {})
        if role:
            headers["Authorization"] = f"Bearer {self.tokens[role]}"
        response = self.session.request(method, self.url + path, headers=headers, timeout=60, **more)
        if role == "supporter" and response.status_code == 401 and not self.is_signing_in:
            # A generated request has ended their sign-in.
            self.is_signing_in = True
            try:
                headers["Authorization"] = f"Bearer {self.supporter()}"
            finally:
                self.is_signing_in = False
            response = self.session.request(method, self.url + path, headers=headers, timeout=60, **more)
        if not response.ok:
            raise RuntimeError(f"{method} {path}: {response.status_code} {response.text[:300]}")
        return response.json() if response.content else None

    def new(self, name):
        self.count += 1
        return f"{name}-{os.getpid()}-{self.count}"

    # Chats

    def service(self):
        return self.call("POST", "/genesys/1/service/request-chat", json={"order": "7"})["_id"]

    def started(self, user=USER):
        service = self.service()
        chat = self.call(
            "POST", f"/genesys/1/service/{service}/ixn/chat", headers={"gms_user": user}, json={"subject": "Order"}
        )
        return service, chat["chatSessionId"]

    def chat(self):
        """A chat that waits for an agent."""
        return self.started()[1]

    def joined(self):
        """A chat that the agent of this check is in."""
        chat = self.chat()
        self.call("POST", f"/agent/1/chats/{chat}/join", "agent", json={"nickname": "Agent K"})
        return chat

    def file(self, chat, role=None):
        """A file that was sent in a chat: by an agent, or by its customer."""
        headers = {"Content-Type": "text/plain"} if role else {"Content-Type": "text/plain", "gms_user": USER}
        return self.call("POST", f"{chat}/file?name=a.txt", role, data=b"bytes", headers=headers)["id"]

    def canned_reply(self):
        """One of the agent's own."""
        return self.call("POST", "/agent/1/canned", "agent", json={"shortcut": self.new("r"), "text": "Hello"})["id"]

    def kept_reply(self):
        """One that stays: an agent may have so many and no more."""
        if self.reply is None:
            self.reply = self.canned_reply()
        return self.reply

    # Callbacks

    def callback(self):
        """A callback that waits for an agent."""
        order = {"_customer_number": "+49 30 555010", "_wait_for_agent": "true"}
        return self.call("POST", f"/genesys/1/service/callback/{CALLBACK}", json=order)["_id"]

    def served(self):
        """A callback that the agent of this check is held for."""
        callback = self.callback()
        self.call("POST", f"/agent/1/callbacks/{callback}/available", "agent")
        return callback

    def talking(self):
        callback = self.served()
        self.call("POST", f"/agent/1/callbacks/{callback}/connected", "agent")
        return callback

    # Support requests

    def supporter(self):
        """The access token of somebody who asks for support, and has a device."""
        user = {"user": {"sdk_guid": str(uuid.uuid4())}}
        answer = self.call("POST", "/access/sdk/anonymous", headers={"Client-Identifier": APP}, json=user)
        self.tokens["supporter"] = answer["authentication"]["access_token"]
        self.support_device()
        return self.tokens["supporter"]

    def support_device(self):
        order = {"identifier": self.new("phone"), "device_type": "android", "locale": "en"}
        self.call("POST", "/api/mobile/push_notification_devices", "supporter", json={"push_notification_device": order})
        return order["identifier"]

    def request(self):
        order = {"subject": "Order", "comment": {"body": "Where is it?"}}
        return self.call("POST", "/api/v2/requests", "supporter", json={"request": order})["request"]["id"]

    def upload(self):
        answer = self.call("POST", "/api/v2/uploads?filename=a.txt", "supporter", data=b"bytes")
        return answer["upload"]["token"]

    def attachment(self):
        """A file that is in a comment."""
        token = self.upload()
        order = {"subject": "Order", "comment": {"body": "Look", "uploads": [token]}}
        self.call("POST", "/api/v2/requests", "supporter", json={"request": order})
        return token

    # Notifications, storage

    def subscription(self):
        details = {"type": "comet", "deviceId": USER}
        order = {"subscriberId": self.new("app"), "filter": "orders.*", "notificationDetails": details}
        return self.call("POST", "/genesys/1/notification/subscription", json=order)["id"]

    def stored(self):
        """A text and a file."""
        parts = {"text": (None, "hello"), "file": ("a.txt", b"bytes", "text/plain")}
        return self.call("POST", "/genesys/1/storage/600", files=parts)["id"]

    def filled(self):
        """An instance with a text and a file."""
        service = self.service()
        parts = {"text": (None, "hello"), "file": ("a.txt", b"bytes", "text/plain")}
        self.call("POST", f"/genesys/1/service/{service}/storage", files=parts)
        return service

    # Customers

    def subject(self):
        """A customer who can be erased."""
        user = self.new("user")
        self.started(user)
        return user

    def redaction(self):
        """An erasure that is done: one for all, since each writes files anew."""
        if self.erasure is None:
            self.erasure = self.erase()
        return self.erasure

    def erase(self):
        return self.call("POST", "/admin/1/redactions", "admin", json={"subject": self.subject()})["id"]

    def access_token(self):
        """The id of a token that may be revoked."""
        order = {"name": self.new("agent"), "role": "agent"}
        return self.call("POST", "/admin/1/tokens", "admin", json=order)["id"]

    # Devices and pushes

    def device(self):
        """A customer, and that customer's device."""
        owner = self.new("owner")
        return owner, self.owned_device(owner)

    def owned_device(self, owner):
        order = {"type": "customhttp", "identifier": self.new("device"), "owner": owner}
        return self.call("POST", "/admin/1/devices", "admin", json=order)["id"]

    def push(self):
        return self.call("POST", f"/admin/1/devices/{self.device()[1]}/pushes", "admin", json={"body": "Hello"})

    def make_dead_letters(self, receiver, count):
        """Pushes that have failed: they take seconds, so they are made at once, and before all else."""
        receiver.refuses = True
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            pushes = [pool.submit(self.push) for _ in range(count)]
            # A courier whose receiver says nothing but 500 gives up, until it is told to try again.
            while concurrent.futures.wait(pushes, 0.5).not_done:
                self.call("POST", "/admin/1/lanes/reset", "admin")
        receiver.refuses = False
        outcomes = [push.result()["outcome"] for push in pushes]
        if "failed" not in outcomes:
            raise RuntimeError(f"no push has failed: {outcomes}")

    def dead_letter(self, behind):
        """One of those that are left, behind so many; None at the end."""
        return next(iter(self.call("GET", "/admin/1/dead-letters", "admin")[behind:]), None)

    # Messages

    def identity(self):
        known = self.call("POST", "/device/1/checkin", json={})
        return f"AidLogin {known['id']}:{known['securityToken']}"

    def registration(self, identity=None, **more):
        form = {"app": self.new("com.example.app"), "senders": [SENDER], **more}
        headers = {"Authorization": identity or self.identity()}
        return self.call("POST", "/device/1/register", headers=headers, json=form)["token"]

    def page_registration(self):
        return self.registration(subtype="wp:https://a.test/#1", platform="CHROME")

    def page(self):
        """A registration that a page can be pushed to."""
        token = self.page_registration()
        web = {"endpoint": f"{self.url}/wp/{token}", "p256dh": PAGE_KEY, "auth": PAGE_SECRET}
        self.call("POST", "/v1/projects/demo/registrations", json={"web": web})
        return token

    def grant(self):
        """What the service account signs to get an access token."""
        with open(self.account) as file:
            account = json.load(file)
        now = int(time.time())
        claims = {"iss": account["client_email"], "aud": account["token_uri"], "iat": now, "exp": now + 600}
        return jwt.encode(claims, account["private_key"], "RS256", {"kid": account["private_key_id"]})

    def group(self):
        name = self.new("group")
        change = {"operation": "create", "notification_key_name": name, "registration_ids": [self.registration()]}
        key = self.call("POST", "/gcm/notification", "sender", json=change)["notification_key"]
        return name, key
