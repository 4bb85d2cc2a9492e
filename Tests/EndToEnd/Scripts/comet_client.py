"""An app on aiocometd-ng, a CometD client that none of Carillon's authors wrote.

Usage: comet_client.py URL TRANSPORT GMS_USER

Goes through the stations of an app's life and prints one JSON object a line for each thing that happens, for the test
that started it (what else it prints is the library's):

  {"handshake": CLIENT_ID} {"opened": TRANSPORT} {"subscribed": CHANNEL} {"event": TUPLE, "position": N} …
  {"disconnected": true}    after an event with the text "leave"; then it stops itself until it is sent SIGCONT
  {"opened": TRANSPORT} …   the return
  {"ready-to-freeze": true} after "freeze": the test may now stop the process until its session is gone
  {"closed": true}          after "finish"
"""

import asyncio
import json
import os
import signal
import sys

from aiocometd_ng import Client, ConnectionType, Extension
from aiocometd_ng.exceptions import AiocometdException


def say(**what):
    print(json.dumps(what), flush=True)


class App(Extension):
    """Names the user, adds the transcript position to a disconnect, and reports handshakes and refusals."""

    def __init__(self, user):
        self.user = user
        self.position = 0

    async def outgoing(self, payload, headers):
        headers["gms_user"] = self.user
        for message in payload:
            if message["channel"] == "/meta/disconnect":
                message["ext"] = {"transcriptPosition": str(self.position)}

    async def incoming(self, payload, headers=None):
        for message in payload:
            if message.get("successful") is False:
                say(refused=message.get("error"), channel=message["channel"])
            elif message["channel"] == "/meta/handshake":
                say(handshake=message["clientId"])
            elif message["channel"] == "/meta/subscribe":
                say(subscribed=message["subscription"])


async def receive(client, app, until):
    """Prints events until one has the text `until`; the same event twice is told only once."""
    while True:
        message = await client.receive()
        content = message["data"]["message"]
        tuples = content["transcriptToShow"]
        first = int(content["transcriptPosition"]) - len(tuples) + 1
        texts = []
        for position, event in enumerate(tuples, first):
            if position > app.position:
                say(event=event, position=position)
                app.position = position
                texts.append(event[2])
        if until in texts:
            return


async def main(url, transport, user):
    app = App(user)
    # Its watch over the connection does not run on today's Python; the connection itself is kept up without it.
    options = dict(connection_types=[ConnectionType(transport)], extensions=[app], connection_timeout=0)

    client = Client(url, **options)
    await client.open()
    say(opened=client.connection_type.value)
    await client.subscribe("/_genesys")
    await receive(client, app, "leave")
    await client.close()
    say(disconnected=True)
    os.kill(os.getpid(), signal.SIGSTOP)

    async with Client(url, **options) as client:
        say(opened=client.connection_type.value)
        await client.subscribe("/_genesys")
        await receive(client, app, "freeze")
        say(**{"ready-to-freeze": True})
        await receive(client, app, "finish")
    say(closed=True)


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except (AiocometdException, OSError) as error:
        say(failed=repr(error))
        sys.exit(1)
