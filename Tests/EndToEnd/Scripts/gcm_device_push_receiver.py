"""A device on push-receiver: the older registration (connect/subscribe), and never an ack while it is connected.

Usage: gcm_device_push_receiver.py --server URL --mcs HOST:PORT --credentials FILE [--ca FILE] [--sender ID]

Prints {"token": TOKEN, "new": BOOL}, {"notification": {…}, "id": PERSISTENT ID} for each message, decrypted by the
library, and {"closed": TEXT} when the connection is gone (it does not come back by itself). FILE keeps the identity and
the ids received, which it names in its next login: that is its only ack. The certificate must be good for
mtalk.google.com. Ends when standard input does; may be killed at any time.
"""

import json
import os
import pathlib
import socket
import ssl
import sys
import threading
import types

from json_lines import address, arguments, say

options = arguments(__doc__, "server", "mcs", "credentials", sender="1234567890")

# Its generated protobuf code is of 2018.
os.environ["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


def generate_pair(kind, curve):
    """A key pair as oscrypto's, which does not load beside OpenSSL 3.0.10 or newer: it knows one digit there."""

    def as_oscrypto(der):
        return types.SimpleNamespace(asn1=types.SimpleNamespace(dump=lambda: der))

    private = ec.generate_private_key(ec.SECP256R1())
    encoding = serialization.Encoding.DER
    public = private.public_key().public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
    secret = private.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return as_oscrypto(public), as_oscrypto(secret)


sys.modules["oscrypto"] = types.ModuleType("oscrypto")
sys.modules["oscrypto.asymmetric"] = types.SimpleNamespace(generate_pair=generate_pair)

from push_receiver import push_receiver

push_receiver.CHECKIN_URL = options.server + "/checkin"
push_receiver.REGISTER_URL = options.server + "/c2dm/register3"
push_receiver.FCM_SUBSCRIBE = options.server + "/fcm/connect/subscribe"
push_receiver.FCM_ENDPOINT = options.server + "/fcm/send"


class EndingSocket(ssl.SSLSocket):
    """Says that the connection has ended: the library would read nothing from it for ever, as fast as it can."""

    def recv(self, *arguments):
        data = super().recv(*arguments)
        if not data:
            raise ConnectionError("closed by the server")
        return data


ssl.SSLContext.sslsocket_class = EndingSocket
connect = socket.create_connection


def connect_to(wanted, *others, **named):
    """/etc/hosts for one process, with ports."""
    return connect(address(options.mcs) if wanted == ("mtalk.google.com", 5228) else wanted, *others, **named)


socket.create_connection = connect_to


def listen(credentials, received):
    def notified(_context, notification, stanza):
        received.append(stanza.persistent_id)
        keep(credentials, received)
        say(notification=notification, id=stanza.persistent_id)

    try:
        push_receiver.listen(credentials, notified, list(received))
    except Exception as error:
        say(closed=f"{type(error).__name__}: {error}")


def keep(credentials, received):
    new = path.with_suffix(".new")
    new.write_text(json.dumps({"credentials": credentials, "received": received}))
    new.replace(path)


path = pathlib.Path(options.credentials)
known = json.loads(path.read_text()) if path.exists() else None
credentials = known["credentials"] if known else push_receiver.register(sender_id=int(options.sender))
received = known["received"] if known else []
keep(credentials, received)
say(token=credentials["fcm"]["token"], new=known is None)
threading.Thread(target=listen, args=(credentials, received), daemon=True).start()
sys.stdin.read()
