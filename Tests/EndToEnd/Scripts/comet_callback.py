"""An app on aiocometd-ng whose callbacks are pushed over Comet.

Usage: comet_callback.py --url URL --user GMS_USER

Tells by JSON lines:
  {"subscribed": true}
  {"push": {"_id": …, "_action": …}, "tag": TAG}   a callback's push
  {"event": TUPLE}                                  an event of a chat
Ends with its standard input.
"""

from json_lines import arguments, commands_async, say

import asyncio

from aiocometd_ng import Client, ConnectionType, Extension

ARGUMENTS = arguments(__doc__, "url", "user")


class User(Extension):
    async def outgoing(self, payload, headers):
        headers["gms_user"] = ARGUMENTS.user

    async def incoming(self, payload, headers=None):
        pass


async def receive(client):
    async for message in client:
        content = message["data"]["message"]
        if "_action" in content:
            say(push=content, tag=message["data"]["tag"])
        else:
            for event in content["transcriptToShow"]:
                say(event=event)


async def main():
    # Its watch over the connection does not run on today's Python; the connection itself is kept up without it.
    options = dict(connection_types=[ConnectionType.LONG_POLLING], extensions=[User()], connection_timeout=0)
    async with Client(ARGUMENTS.url, **options) as client:
        await client.subscribe("/_genesys")
        say(subscribed=True)
        receiving = asyncio.create_task(receive(client))
        async for _ in commands_async():
            pass
        receiving.cancel()


asyncio.run(main())
