"""The server that all tests of a run share, and what they all need of it."""

import asyncio
import atexit
import time
import uuid

import server as console
from carillon import AgentClient, ChatOptions

SECONDS = 120
_servers = []


class Server(console.Server):
    def start(self):
        try:
            super().start()
        except console.Failed:
            # It is started beside whatever else the machine does.
            console.until(self.is_ready, "the server", SECONDS)


def end(server):
    if server.process is not None:
        server.__exit__(None)


def shared():
    if not _servers:
        started = Server()
        started.token("anna", "agent")
        started.token("shop", "sender", "--sender", "1234567890")
        atexit.register(end, started)
        started.start()
        _servers.append(started)
    elif _servers[0].process.poll() is not None:
        # A test that has failed has left it dead.
        _servers[0].start()
    return _servers[0]


def url(server):
    return f"http://127.0.0.1:{server.port}"


def agent(server):
    return AgentClient(url(server), server.tokens["anna"], timeout=SECONDS)


def options(address, **more):
    given = {"timeout": 30.0, "pause": 0.02, "pause_maximum": 0.2, "settle": 0.3} | more
    return ChatOptions(address, f"python-{uuid.uuid4()}", **given)


async def until(check, what):
    end = time.monotonic() + SECONDS
    while not check():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {SECONDS} s")
        await asyncio.sleep(0.02)


def texts(events, party="CLIENT"):
    return [event.text for event in events if event.type == "Message.Text" and event.party == party]


class Listening:
    """Reads a chat's events as they come."""

    def __init__(self, chat):
        self.events = []
        self._task = asyncio.ensure_future(self._read(chat))

    async def _read(self, chat):
        async for event in chat.events():
            self.events.append(event)
