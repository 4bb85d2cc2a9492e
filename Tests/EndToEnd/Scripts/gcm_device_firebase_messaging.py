"""A device on firebase-messaging: check-in, register, FCM registration, MCS over TLS, decryption.

Usage: gcm_device_firebase_messaging.py --server URL --mcs HOST:PORT --credentials FILE [--ca FILE] [--sender ID]
         [--project ID] [--key API-KEY] [--ack yes|no]

Prints {"token": TOKEN, "new": BOOL}, {"online": true} after each login, and {"notification": {…}, "id": PERSISTENT ID}
for each message, decrypted by the library. FILE keeps the identity and the ids received, so that another run is the
same device; it names the ids in its login. Ends in order when standard input does; may be killed at any time.
"""

import asyncio
import json
import logging
import pathlib

from json_lines import address, arguments, commands_async, say

options = arguments(
    __doc__, "server", "mcs", "credentials", sender="1234567890", project="test", key="api-key", ack="yes")

from firebase_messaging import FcmPushClient, FcmPushClientConfig, FcmRegisterConfig, fcmpushclient, fcmregister

fcmregister.GCM_CHECKIN_URL = options.server + "/checkin"
fcmregister.GCM_REGISTER_URL = options.server + "/c2dm/register3"
fcmregister.FCM_INSTALLATION = fcmregister.FCM_REGISTRATION = options.server + "/v1/"
fcmregister.FCM_SEND_URL = options.server + "/fcm/send/"
fcmpushclient.MCS_HOST, fcmpushclient.MCS_PORT = address(options.mcs)


class Keeper:
    """What a device has on its disk."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.state = json.loads(self.path.read_text()) if self.path.exists() else {"credentials": None, "received": []}

    def write(self):
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.state))
        new.replace(self.path)

    def keep_credentials(self, credentials):
        self.state["credentials"] = credentials
        self.write()

    def receive(self, notification, identifier, _context):
        # On disk before the library acknowledges: the server forgets the message then.
        self.state["received"].append(identifier)
        self.write()
        say(notification=notification, id=identifier)


class Logins(logging.Handler):
    """The library tells of a login nowhere but in its log."""

    def emit(self, record):
        if record.getMessage().startswith("Successfully logged in"):
            say(online=True)
        elif record.levelno >= logging.WARNING:
            say(log=record.getMessage())


async def main():
    keeper = Keeper(options.credentials)
    new = keeper.state["credentials"] is None
    logger = logging.getLogger("firebase_messaging")
    logger.setLevel(logging.INFO)
    logger.addHandler(Logins())
    logger.propagate = False
    client = FcmPushClient(
        keeper.receive,
        FcmRegisterConfig(options.project, f"1:{options.sender}:web:0", options.key, options.sender),
        keeper.state["credentials"],
        keeper.keep_credentials,
        received_persistent_ids=list(keeper.state["received"]),
        config=FcmPushClientConfig(send_selective_acknowledgements=options.ack == "yes"),
    )
    say(token=await client.checkin_or_register(), new=new)
    await client.start()
    async for _ in commands_async():
        pass
    await client.stop()


asyncio.run(main())
