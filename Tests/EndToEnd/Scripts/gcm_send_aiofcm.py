"""An app server on aiofcm (CCS, XMPP), which keeps up to 1000 messages unanswered on a connection.

Usage: gcm_send_aiofcm.py --ccs HOST:PORT --sender ID --key KEY [--ca FILE] [--connections N]

Each line of standard input is a send with the fields of aiofcm.Message (device_token, data, notification, priority,
message_id, time_to_live, collapse_key); {"many": N, …} sends it N times at once, each with a message_id of its own.
For each send one line comes out, in the order of the answers: {"id", "status", "description"} or {"exception": CLASS,
"id"}. Ends when standard input has and all answers are there.
"""

import asyncio
import logging

from json_lines import address, arguments, commands_async, say

options = arguments(__doc__, "ccs", "sender", "key", connections="1")

from aiofcm import FCM, Message
from aiofcm.connection import FCMXMPPConnection
from aioxmpp import security_layer
from cryptography.x509 import DNSName, SubjectAlternativeName


def is_name_of(certificate, hostname):
    """aioxmpp's own check asks pyOpenSSL and ssl for functions that are no longer there."""
    extensions = certificate.to_cryptography().extensions
    names = extensions.get_extension_for_class(SubjectAlternativeName).value
    return hostname in names.get_values_for_type(DNSName)


security_layer.check_x509_hostname = is_name_of
logging.getLogger("aiofcm").setLevel(logging.CRITICAL)
FCMXMPPConnection.FCM_HOST, FCMXMPPConnection.FCM_PORT = address(options.ccs)


async def send(service, message):
    try:
        answer = await service.send_message(message)
        say(id=answer.message_id, status=answer.status, description=answer.description)
    except Exception as error:
        say(exception=type(error).__name__, id=message.message_id)


async def main():
    service = FCM(int(options.sender), options.key, max_connections=int(options.connections), max_connection_attempts=2)
    say(ready=True)
    sends = []
    async for command in commands_async():
        for _ in range(command.pop("many", 1)):
            sends.append(asyncio.create_task(send(service, Message(**command))))
    await asyncio.gather(*sends)
    service.pool.close()


asyncio.run(main())
