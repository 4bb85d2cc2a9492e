"""Customers, by plain HTTP as their apps would do it: chats with Comet, callbacks, support requests."""

import http.client
import json
import threading
import uuid
from urllib.parse import urlencode

from server import Failed, request


class Customer:
    """One chat of one user; `come` opens a Comet session, whose long polls a thread keeps going."""

    def __init__(self, server, name="Guest", subject="Order", device=None, user=None, **data):
        self.server = server
        self.user = user or f"user-{uuid.uuid4()}"
        self.texts, self.position = [], 0
        self.here = None
        self.id = self.call("POST", "/genesys/1/service/request-chat")["_id"]
        self.path = f"/genesys/1/service/{self.id}/ixn/chat"
        fields = {"notify_by": "comet", "firstName": name, "subject": subject} | data
        if device:
            fields |= {"push_notification_type": "customhttp", "push_notification_deviceid": device}
        self.call("POST", self.path, form=fields)

    def call(self, method, path, body=None, **more):
        return self.server.ask(method, path, body, by=None, headers={"gms_user": self.user} | more.pop("headers", {}), **more)

    def say(self, text):
        self.call("POST", f"{self.path}/send", form={"message": text})

    def type(self, text):
        self.call("POST", f"{self.path}/startTyping", form={"message": text})

    def file(self, name, content, kind):
        return self.call("POST", f"{self.path}/file?{name_query(name)}", content, headers={"Content-Type": kind})

    def get(self, path):
        return request(self.server.port, "GET", path, headers={"gms_user": self.user})

    def transcript(self):
        return self.call("GET", f"{self.path}/refresh?transcriptPosition=0")["transcriptToShow"]

    def come(self):
        """To the foreground: a handshake, then one held poll after the other."""
        self.here = Session(self)

    def leave(self):
        """To the background, saying what has come."""
        here, self.here = self.here, None
        here.end()

    def heard(self, text):
        return self.texts.count(text)


class Session:
    """A Comet session. What comes stands in its customer's `texts`."""

    def __init__(self, customer):
        self.customer = customer
        self.is_over = False
        self.ready = threading.Event()
        self.handshake()
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()
        if not self.ready.wait(10):
            raise Failed("the Comet session did not begin")

    def comet(self, *messages, seconds=60):
        body = json.dumps(messages).encode()
        headers = {"gms_user": self.customer.user, "Content-Type": "application/json"}
        answer = request(self.customer.server.port, "POST", "/genesys/cometd", body, headers, seconds=seconds)
        if answer.status != 200:
            raise ConnectionError(f"{answer.status} {answer.text}")
        for message in answer.json:
            if not message["channel"].startswith("/meta/"):
                self.came(message["data"])
        return next((one for one in answer.json if one["channel"].startswith("/meta/")), {})

    def handshake(self):
        said = {"channel": "/meta/handshake", "version": "1.0", "supportedConnectionTypes": ["long-polling"],
                "ext": {"transcriptPosition": str(self.customer.position)}}
        self.client = self.comet(said)["clientId"]
        self.comet({"clientId": self.client, "channel": "/meta/subscribe", "subscription": "/_genesys"})

    def connect(self):
        return self.comet({"clientId": self.client, "channel": "/meta/connect", "connectionType": "long-polling"})

    def follow(self):
        while not self.is_over:
            try:
                if not self.connect().get("successful"):
                    return
                self.ready.set()
            except (OSError, http.client.HTTPException):  # the server is away
                if not self.is_over:
                    threading.Event().wait(0.2)

    def came(self, data):
        message = data.get("message", data)
        self.customer.position = int(message.get("transcriptPosition", self.customer.position))
        for kind, _, text, *_ in message.get("transcriptToShow", []):
            if kind == "Message.Text":
                self.customer.texts.append(text)

    def end(self):
        self.is_over = True
        position = str(self.customer.position)
        self.comet({"clientId": self.client, "channel": "/meta/disconnect", "ext": {"transcriptPosition": position}})


class Requester:
    """An app made with Zendesk's Support SDK, and its user."""

    def __init__(self, server, name="Ann"):
        self.server = server
        answer = server.ask("POST", "/access/sdk/anonymous", {"user": {"sdk_guid": str(uuid.uuid4()), "name": name}},
                            by=None, headers={"Client-Identifier": "demo"})
        self.headers = {"Authorization": f"Bearer {answer['authentication']['access_token']}"}

    def ask(self, subject, text, uploads=()):
        comment = {"body": text, "uploads": list(uploads)}
        made = self.server.ask("POST", "/api/v2/requests.json", {"request": {"subject": subject, "comment": comment}},
                               by=None, headers=self.headers)
        return made["request"]["id"]

    def upload(self, name, content, kind):
        made = self.server.ask("POST", f"/api/v2/uploads.json?{name_query(name, 'filename')}", content, by=None,
                               headers=self.headers | {"Content-Type": kind})
        return made["upload"]["token"]

    def comments(self, number):
        got = self.server.ask("GET", f"/api/v2/requests/{number}/comments.json", by=None, headers=self.headers)
        return [comment["body"] for comment in got["comments"]]


def order_callback(server, subject, number="+4930555010", **fields):
    """The id of a callback that an app has ordered, as soon as possible."""
    order = {"_customer_number": number, "subject": subject, "_device_os": "customhttp",
             "_device_notification_id": f"phone-{uuid.uuid4()}"} | fields
    headers = {"gms_user": f"user-{uuid.uuid4()}"}
    return server.ask("POST", "/genesys/1/service/callback/callback-voice", order, by=None, headers=headers)["_id"]


def name_query(name, parameter="name"):
    return urlencode({parameter: name})
