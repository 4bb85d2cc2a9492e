"""Two apps on aiocometd-ng that publish and subscribe on channels of their own.

Usage: comet_channels.py URL TRANSPORT

Goes through what an application does with channels and ends with status 1, and a line that says why, as soon as
something is not as it should be. Prints {"done": COUNT} at its end: how many messages it has received.
"""

import asyncio
import sys

from aiocometd_ng import Client, ConnectionType
from aiocometd_ng.exceptions import AiocometdException, ServerError

from json_lines import say


def expect(found, wanted, what):
    if found != wanted:
        say(failed=f"{what}: {found!r} in place of {wanted!r}")
        sys.exit(1)


async def refusal(act):
    """What the server says against it; nil if it does not mind."""
    try:
        await act
    except ServerError as error:
        return error.error
    return None


async def main(url, transport):
    # Its watch over the connection does not run on today's Python; the connection itself is kept up without it.
    options = dict(connection_types=[ConnectionType(transport)], connection_timeout=0)
    async with Client(url, **options) as reader, Client(url, **options) as writer:
        expect(reader.connection_type.value, transport, "transport")
        for channel in ["/news/**", "/news/sport", "/news/*"]:
            await reader.subscribe(channel)
        expect(reader.subscriptions, {"/news/**", "/news/sport", "/news/*"}, "subscriptions")

        count = 200
        for number in range(count):
            reply = await writer.publish("/news/sport", {"number": number, "text": "Tor für Köln ⚽"})
            expect(reply["successful"], True, "reply to a publish")
            expect("data" in reply, False, "data in the reply to a publish")
        for number in range(count):
            message = await asyncio.wait_for(reader.receive(), 20)
            expect(message["channel"], "/news/sport", "channel")
            expect(message["data"], {"number": number, "text": "Tor für Köln ⚽"}, "data, one copy each, in order")
            expect({"clientId", "id"} & set(message), set(), "what is the publisher's own")

        await writer.publish("/news/a/b", [None, 1.5, "x" * 50_000])
        message = await asyncio.wait_for(reader.receive(), 20)
        expect(message["data"], [None, 1.5, "x" * 50_000], "a large message")

        # A publisher hears itself if it is subscribed.
        await writer.subscribe("/news/own")
        await writer.publish("/news/own", "mine")
        expect((await asyncio.wait_for(writer.receive(), 20))["data"], "mine", "its own message")
        expect((await asyncio.wait_for(reader.receive(), 20))["data"], "mine", "the same message")

        await reader.unsubscribe("/news/**")
        await reader.unsubscribe("/news/*")
        await writer.publish("/news/a/b", "nobody's")
        await writer.publish("/news/sport", "last")
        expect((await asyncio.wait_for(reader.receive(), 20))["data"], "last", "after it has unsubscribed")

        expect(await refusal(writer.publish("/closed", 1)), "403::publish_denied", "publish on a closed channel")
        expect(await refusal(reader.subscribe("/closed")), "403::subscribe_denied", "subscribe to a closed channel")
        expect(await refusal(reader.subscribe("/news/*/x")), "403::subscription_invalid", "no pattern")
        expect(await refusal(reader.unsubscribe("/unknown")), "400::channel_missing", "unsubscribe from nothing")
        expect(reader.pending_count, 0, "messages too many")
    say(done=count + 3)


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except (AiocometdException, OSError, asyncio.TimeoutError) as error:
        say(failed=repr(error))
        sys.exit(1)
