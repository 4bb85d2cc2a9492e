"""An app server on slixmpp (CCS, XMPP): sends, and takes what devices send upstream and the receipts.

Usage: gcm_ccs_slixmpp.py --ccs HOST:PORT --sender ID --key KEY [--ca FILE] [--ack yes|no]

Prints {"online": true} after a login, {"received": JSON} for everything in a <gcm/>, {"error": XML} for a stanza error,
{"refused": true} for a failed login, {"offline": REASON}. Upstream messages and receipts are acknowledged at once
unless `--ack no`. Commands, JSON lines on standard input:
  {"do": "send", "json": {…}, "times"?: N}   each gets a message_id of its own if N is given
  {"do": "ack", "json": {"to", "message_id"}}
  {"do": "raw", "text": XML}   {"do": "disconnect"}   {"do": "connect"}
"""

import asyncio
import json
import uuid
from xml.sax.saxutils import escape

from json_lines import address, arguments, commands_async, say

options = arguments(__doc__, "ccs", "sender", "key", ack="yes")

from slixmpp import ClientXMPP
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

GCM = "{google:mobile:data}gcm"


class AppServer(ClientXMPP):
    def __init__(self):
        super().__init__(f"{options.sender}@gcm.googleapis.com", options.key)
        self.enable_direct_tls, self.enable_starttls = True, False
        self.ca_certs = options.ca
        self.add_event_handler("session_start", lambda _: say(online=True))
        self.add_event_handler("connection_failed", lambda error: say(offline=str(error)))
        self.add_event_handler("failed_all_auth", lambda _: self.refused())
        self.add_event_handler("disconnected", lambda reason: say(offline=str(reason or "")))
        self.register_handler(Callback("gcm", MatchXPath(f"{{{self.default_ns}}}message/{GCM}"), self.take))

    def refused(self):
        say(refused=True)
        self.disconnect()

    def take(self, stanza):
        if stanza["type"] == "error":
            return say(error=str(stanza))
        content = json.loads(stanza.xml.find(GCM).text)
        say(received=content)
        # Upstream messages have no type; acks and nacks are answers themselves.
        if options.ack == "yes" and content.get("message_type", "receipt") == "receipt":
            self.write({"to": content["from"], "message_id": content["message_id"], "message_type": "ack"})

    def write(self, content):
        text = escape(json.dumps(content))
        self.send_raw(f'<message><gcm xmlns="google:mobile:data">{text}</gcm></message>')


async def main():
    server = AppServer()
    server.connect(*address(options.ccs))
    async for command in commands_async():
        match command["do"]:
            case "send" if "times" in command:
                for _ in range(command["times"]):
                    server.write(command["json"] | {"message_id": uuid.uuid4().hex})
            case "send":
                server.write(command["json"])
            case "ack":
                server.write(command["json"] | {"message_type": "ack"})
            case "raw":
                server.send_raw(command["text"])
            case "disconnect":
                await server.disconnect()
            case "connect":
                server.connect(*address(options.ccs))
    await server.disconnect()


asyncio.run(main())
