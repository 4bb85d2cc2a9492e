"""What schemathesis cannot know: which ids there are, and how protobuf is written.

Without this nearly every request would end at a 404. A quarter of the requests keep what was generated.
"""

import os
import zlib
from urllib.parse import urlencode

import schemathesis
from hypothesis import strategies
from schemathesis.core.parameters import ParameterLocation

from carillon_client import APP, CALLBACK, PAGE_KEY, PAGE_SECRET, SENDER, TESTER, USER, Carillon

carillon = Carillon(
    os.environ["CARILLON_URL"],
    {role: os.environ[f"CARILLON_{role.upper()}"] for role in ("agent", "admin", "publisher", "channels", "sender", "tester", "supporter")},
    os.environ["CARILLON_SERVICE_ACCOUNT"],
)
IDENTITY = os.environ["CARILLON_IDENTITY"]

# An empty check-in, and one with the version and a type of device (fields 14 and 4).
schemathesis.openapi.media_type(
    "application/x-protobuf",
    strategies.sampled_from([b"", b"\x70\x03", b"\x70\x03\x22\x02\x60\x03"]) | strategies.binary(max_size=64),
)


@schemathesis.serializer("application/x-protobuf")
def protobuf(context, value):
    return value if isinstance(value, bytes) else str(value).encode()


def put(case, **parameters):
    for name, value in parameters.items():
        if name in case.path_parameters:
            case.path_parameters[name] = value


def put_body(case, **members):
    if isinstance(case.body, dict):
        case.body = {**case.body, **members}


def about_chat(case):
    service = carillon.started()[0]
    put(case, service=service)
    if "{file}" in case.path:
        put(case, file=carillon.file(f"/genesys/1/service/{service}/ixn/chat"))
    case.headers["gms_user"] = USER


def about_agent_chat(case):
    chat = carillon.chat() if case.path.endswith("/join") else carillon.joined()
    put(case, chat=chat)
    if "{file}" in case.path:
        put(case, file=carillon.file(f"/agent/1/chats/{chat}", "agent"))


def about_device(case):
    owner, device = carillon.device()
    put(case, id=device)
    if case.path.startswith("/devices/") and "gms_user" in case.headers:
        case.headers["gms_user"] = owner


def about_canned_reply(case):
    put(case, id=carillon.canned_reply() if case.method == "DELETE" else carillon.kept_reply())
    if isinstance(case.body, dict) and "shortcut" in case.body:
        # One that is there already is another matter.
        put_body(case, shortcut=carillon.new("a"))


def about_letter(case):
    if case.path.endswith("/replay"):
        # Of a device that has none: the few that there are have their own cases.
        put_body(case, device="none")
        return
    # Of those few that there are, the first ones are left to be dropped.
    letter = carillon.dead_letter(behind=4 if case.method == "POST" else 0)
    if letter is not None:
        if "{number}" in case.path:
            put(case, device=letter["device"], producer=letter["producer"], number=letter["number"])
        else:
            put(case, device=letter["device"], producer=letter["id"])


def about_redaction(case):
    if case.method == "POST":
        # Files are written anew for each: a few are enough.
        if number(case) % 24 == 1:
            put_body(case, subject=carillon.subject())
    else:
        put(case, id=carillon.redaction())


def about_story(case):
    """Of one customer, entity or message: whichever the case names, of a chat that there is."""
    if not isinstance(case.query, dict):
        return
    asked = next((name for name in ("subject", "entity", "message") if name in case.query), "subject")
    others = {name: value for name, value in case.query.items() if name not in ("subject", "entity", "message")}
    service = carillon.service()
    values = {"subject": service, "entity": f"chat:{service}", "message": f"{service}/1"}
    case.query = {**others, asked: values[asked]}


def about_history(case):
    if isinstance(case.query, dict):
        case.query["entity"] = f"chat:{carillon.service()}"
        for bound in ("at", "from", "to"):
            if bound in case.query:
                case.query[bound] = "1000000"


def about_queue(case):
    letter = carillon.dead_letter(behind=0)
    if letter is not None:
        put(case, id=letter["device"])


def about_access(case):
    put(case, id=carillon.access_token())


def about_token(case):
    token = carillon.registration()
    put(case, token=token, project="demo")
    if case.path.endswith("/topicSubscriptions") and isinstance(case.query, dict):
        case.query.setdefault("topic_name", "news")


def about_message(case):
    put(case, project="demo")
    if not isinstance(case.body, dict):
        return
    token = carillon.registration()
    if case.path.startswith("/v1/"):
        message = case.body.get("message")
        others = {} if not isinstance(message, dict) else message
        others = {name: value for name, value in others.items() if name not in ("topic", "condition", "fid")}
        put_body(case, message={**others, "token": token})
    elif case.media_type == "application/json":
        others = {n: v for n, v in case.body.items() if n not in ("registration_ids", "condition")}
        case.body = {**others, "to": token}
    else:
        put_body(case, registration_id=token)


def about_grant(case):
    put_body(case, grant_type="urn:ietf:params:oauth:grant-type:jwt-bearer", assertion=carillon.grant())


def about_batch(case):
    put_body(case, registration_tokens=[carillon.registration(), "no-such-token"])


def about_group(case):
    name, key = carillon.group()
    if case.method == "GET":
        case.query["notification_key_name"] = name
    elif isinstance(case.body, dict) and case.body.get("operation") == "create":
        put_body(case, notification_key_name=carillon.new("group"), registration_ids=[carillon.registration()])
    else:
        put_body(case, notification_key_name=name, notification_key=key, registration_ids=[carillon.registration()])


def about_subscription(case):
    put(case, token=carillon.page())


def about_page(case):
    put(case, project="demo")
    token = carillon.page_registration()
    web = {"endpoint": f"{carillon.url}/wp/{token}", "p256dh": PAGE_KEY, "auth": PAGE_SECRET}
    if case.path == "/fcm/connect/subscribe":
        put_body(
            case, endpoint=web["endpoint"], encryption_key=PAGE_KEY, encryption_auth=PAGE_SECRET,
            authorized_entity=SENDER)
    else:
        put_body(case, web=web)


def about_own_topic(case):
    token = carillon.registration(IDENTITY)
    if case.method == "POST":
        put_body(case, token=token, topic="news")
    else:
        case.query.update(token=token, topic="news")


def about_callback(case):
    put(case, name=CALLBACK)
    if "id" in case.path_parameters:
        put(case, id=carillon.callback())


def about_callback_work(case):
    action = case.path.rsplit("/", 1)[1]
    make = {"ended": carillon.talking, "available": carillon.callback}.get(action, carillon.served)
    put(case, id=make())


def about_cancelling(case):
    put_body(case, ids=[carillon.callback(), "no-such-callback"])


def about_stored(case):
    # With POST, the last part of these two paths is a life time.
    if case.path != "/genesys/1/storage/{id}" or case.method != "POST":
        put(case, id=carillon.stored())
    if case.method != "POST":
        put(case, key="file" if "/binary/" in case.path else "text")


def about_filled(case):
    put(case, service=carillon.filled(), key="file" if "/binary/" in case.path else "text")


def about_request(case):
    put(case, id=str(carillon.request()))
    if isinstance(case.query, dict) and case.path.endswith("/show_many"):
        case.query["ids" if "tickets" in case.path else "tokens"] = str(carillon.request())


def about_support_device(case):
    if case.method == "DELETE":
        put(case, identifier=carillon.support_device())


def about_app(case):
    put(case, client=APP, appId=APP, id="1")
    if case.path.startswith("/access/"):
        case.headers["Client-Identifier"] = APP


def about_upload(case):
    put(case, token=carillon.attachment() if case.method == "GET" else carillon.upload())


# The first of these beginnings that a path has.
SUBJECTS = [
    ("/genesys/1/service/callback/", about_callback),
    ("/genesys/1/admin/callback/cancel", about_cancelling),
    ("/genesys/1/notification/subscription/", lambda case: put(case, id=carillon.subscription())),
    ("/genesys/1/storage/custom/", lambda case: None),
    ("/genesys/1/storage/", about_stored),
    ("/agent/1/callbacks/", about_callback_work),
    ("/agent/1/canned/", about_canned_reply),
    ("/genesys/1/service/{service}/ixn/chat/", about_chat),
    ("/genesys/1/service/{service}/ixn/chat", lambda case: put(case, service=carillon.service())),
    ("/genesys/1/service/{service}/storage", about_filled),
    ("/genesys/1/service/{service}/", lambda case: put(case, service=carillon.callback())),
    ("/genesys/1/service/{service}", lambda case: put(case, service="request-chat")),
    ("/agent/1/chats/", about_agent_chat),
    ("/admin/1/devices/", about_device),
    ("/admin/1/dead-letters/", about_letter),
    ("/admin/1/redactions", about_redaction),
    ("/admin/1/timeline", about_story),
    ("/admin/1/journal/state", about_history),
    ("/admin/1/journal/diff", about_history),
    ("/admin/1/queues/", about_queue),
    ("/admin/1/tokens/", about_access),
    ("/admin/1/senders/", lambda case: put(case, sender=TESTER)),
    ("/devices/1/", about_device),
    ("/gcm/send", about_message),
    ("/fcm/send/", about_subscription),
    ("/fcm/send", about_message),
    ("/v1/projects/{project}/messages:send", about_message),
    ("/gcm/notification", about_group),
    ("/fcm/notification", about_group),
    ("/token", about_grant),
    ("/iid/v1:batch", about_batch),
    ("/iid/", about_token),
    ("/v1/projects/{project}/registrations/{token}/", about_token),
    ("/v1/projects/{project}/registrations", about_page),
    ("/fcm/connect/subscribe", about_page),
    ("/wp/", about_subscription),
    ("/device/1/topics", about_own_topic),
    ("/access/sdk/", about_app),
    ("/api/private/mobile_sdk/settings/", about_app),
    ("/admin/1/support/", about_app),
    ("/api/mobile/push_notification_devices", about_support_device),
    ("/api/mobile/requests", about_request),
    ("/api/v2/requests", about_request),
    ("/api/v2/tickets", about_request),
    ("/api/mobile/uploads/", about_upload),
    ("/api/v2/uploads/", about_upload),
    ("/attachments/token/", about_upload),
]


def number(case):
    """The same for the same request: chance must not make a run different from the next."""
    headers = sorted((name, str(value)) for name, value in case.headers.items() if name != "Authorization")
    return zlib.crc32(repr((case.path, case.path_parameters, case.query, headers, case.body)).encode())


def shorten(case):
    """A target that is too long is answered with 414 before its operation is found: the document's introduction says so."""
    if isinstance(case.query, dict) and len(urlencode(case.query, doseq=True, errors="replace")) > 7_000:
        case.query = {name: value[:300] if isinstance(value, str) else value for name, value in case.query.items()}


@schemathesis.hook
def before_call(context, case, kwargs):
    shorten(case)
    fill = next((fill for beginning, fill in SUBJECTS if case.path.startswith(beginning)), None)
    if fill is None or number(case) % 4 == 0:
        return
    components = case.meta.components if case.meta else {}
    spoiled = components.get(ParameterLocation.PATH)
    if spoiled is None or spoiled.mode.is_positive:
        fill(case)
