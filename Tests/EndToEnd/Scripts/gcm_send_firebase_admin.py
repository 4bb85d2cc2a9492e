"""An app server on firebase-admin (HTTP v1), with a service account: the JWT grant, then sends and topics.

Usage: gcm_send_firebase_admin.py --server URL --service-account FILE [--ca FILE]

The key file's token_uri must be the server's. A line of standard input is one of
  {"do": "send", "message": M, "dry_run"?: true}           {"id": NAME}
  {"do": "each", "messages": [M, …], "dry_run"?: true}     {"success": N, "failure": N, "results": [NAME or ERROR, …]}
  {"do": "each_async", …}                                  the same by its asynchronous client
  {"do": "subscribe" | "unsubscribe", "tokens": [T, …], "topic": NAME}
                                                           {"success": N, "failure": N, "errors": {INDEX: REASON}}
M has the fields of messaging.Message; `notification`, `android` and `webpush` are objects with
theirs. What the library raises
comes out as {"exception": CLASS, "code", "status", "text"}, and so does each ERROR.
"""

import asyncio

from json_lines import arguments, commands, say

options = arguments(__doc__, "server", "service-account")

import firebase_admin
from firebase_admin import credentials, messaging
from firebase_admin.messaging import AndroidConfig, AndroidNotification, Message, Notification, WebpushConfig

app = firebase_admin.initialize_app(credentials.Certificate(options.service_account))
service = messaging._get_messaging_service(app)
for url in ["_fcm_url", "_fcm_topic_url"]:
    setattr(service, url, getattr(service, url).replace("https://fcm.googleapis.com", options.server))


def message(fields):
    if "notification" in fields:
        fields["notification"] = Notification(**fields["notification"])
    if "android" in fields:
        if "notification" in fields["android"]:
            fields["android"]["notification"] = AndroidNotification(**fields["android"]["notification"])
        fields["android"] = AndroidConfig(**fields["android"])
    if "webpush" in fields:
        fields["webpush"] = WebpushConfig(**fields["webpush"])
    return Message(**fields)


def described(error):
    response = getattr(error, "http_response", None)
    status = response.status_code if response is not None else None
    return {"exception": type(error).__name__, "code": getattr(error, "code", None), "status": status,
            "text": str(error)}


def each(batch):
    results = [one.message_id if one.success else described(one.exception) for one in batch.responses]
    return {"success": batch.success_count, "failure": batch.failure_count, "results": results}


def topics(result):
    errors = {error.index: error.reason for error in result.errors}
    return {"success": result.success_count, "failure": result.failure_count, "errors": errors}


async def main():
    # One event loop for all: the asynchronous client keeps its connections.
    for command in commands():
        dry_run = command.get("dry_run", False)
        try:
            match command["do"]:
                case "send":
                    say(id=messaging.send(message(command["message"]), dry_run))
                case "each":
                    say(**each(messaging.send_each([message(one) for one in command["messages"]], dry_run)))
                case "each_async":
                    messages = [message(one) for one in command["messages"]]
                    say(**each(await messaging.send_each_async(messages, dry_run)))
                case "subscribe":
                    say(**topics(messaging.subscribe_to_topic(command["tokens"], command["topic"])))
                case "unsubscribe":
                    say(**topics(messaging.unsubscribe_from_topic(command["tokens"], command["topic"])))
        except Exception as error:
            say(**described(error))


say(ready=True)
asyncio.run(main())
