"""Agents: chats, callbacks, support requests. What each does is said in Sources/Chat/CHAT.md, "For agents"."""

from __future__ import annotations

import asyncio
import time
from typing import Any, AsyncIterator, Dict, Iterator, List, Optional, Sequence

from ._async import AsyncTransport
from ._blocking import Transport
from ._events import AgentEvent, EventParser
from ._http import Answer, Call, elements, encoded, integer, member, members, query
from .errors import CarillonError, Refused

#: The server says something this often; without a word for longer it is taken for gone.
SILENCE_SECONDS = 90.0
PAUSE_SECONDS = 1.0
PAUSE_SECONDS_MAXIMUM = 60.0

Json = Dict[str, Any]


def _act(chat: str, act: str, body: Optional[Json] = None) -> Call:
    return Call.json("POST", f"/agent/1/chats/{encoded(chat)}/{act}", body or {})


def _next(answer: Answer) -> Optional[str]:
    """The path of `</agent/1/chats?after=…>; rel="next"`. Spec: RFC 8288, 3."""
    link = answer.headers.get("link", "")
    return link[1:link.index(">")] if link.startswith("</") and link.endswith('>; rel="next"') else None


def _position(body: Any) -> Optional[int]:
    position = integer(body, "position", -1)
    return None if position < 0 else position


def _lines(body: Any) -> List[Json]:
    if isinstance(body, list):
        return body
    return elements(body, "lines") or elements(body, "transcript") or elements(body, "events")


def _comment(ticket: int, text: str, public: bool) -> Call:
    return Call.json("PUT", f"/api/v2/tickets/{ticket}.json", {"ticket": {"comment": {"body": text, "public": public}}})


def _report(callback: str, word: str, reason: Optional[str]) -> Call:
    body = {} if reason is None else {"reason": reason}
    return Call.json("POST", f"/agent/1/callbacks/{encoded(callback)}/{word}", body)


class _Stream:
    """What is known of an event stream between two of its connections."""

    def __init__(self) -> None:
        self.parser = EventParser()
        self._failures = 0

    def begin(self) -> Call:
        last = self.parser.last_id
        self.parser = EventParser()
        self.parser.last_id = last
        headers = {"Accept": "text/event-stream"}
        if last is not None:
            headers["Last-Event-ID"] = last
        return Call("GET", "/agent/1/events", headers=headers)

    def came(self) -> None:
        self._failures = 0

    def failed(self, error: CarillonError) -> float:
        """Seconds until it is worth trying again."""
        if not error.may_pass:
            raise error
        self._failures += 1
        wait = min(PAUSE_SECONDS * self._failures, PAUSE_SECONDS_MAXIMUM)
        return max(wait, error.retry_after or 0) if isinstance(error, Refused) else wait


def _headers(token: str) -> Dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class AgentClient:
    """An agent's side, for threads.

    >>> agent = AgentClient("https://chat.example.com", token)
    >>> for event in agent.events():
    ...     if event.name == "waiting":
    ...         agent.join(event.data["chatId"], "Anna")
    ...         agent.send(event.data["chatId"], "Good morning")

    Whatever fails raises a `CarillonError`.
    """

    def __init__(self, url: str, token: str, alternatives: Sequence[str] = (), timeout: float = 10.0) -> None:
        self._transport = Transport(url, alternatives, _headers(token), timeout)

    def __enter__(self) -> "AgentClient":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Any operation of `/openapi.json` that an agent's token opens."""
        return self._transport.json(Call.json(method, path, body))

    def list(self, path: str) -> Iterator[Json]:
        """The elements of a list, of all its pages."""
        page: Optional[str] = path
        while page is not None:
            answer = self._transport.answer(Call.json("GET", page)).accepted()
            yield from elements(answer.json)
            page = _next(answer)

    def chats(self, state: str = "own", service: Optional[str] = None) -> Iterator[Json]:
        """`state`: waiting, own, all."""
        return self.list("/agent/1/chats" + query({"state": state, "service": service}))

    def join(self, chat: str, nickname: str, role: str = "AGENT") -> Optional[int]:
        return self._act(chat, "join", {"nickname": nickname, "role": role})

    def send(self, chat: str, text: str) -> Optional[int]:
        """The position of the line; after an error that `is_uncertain` the transcript tells whether it is there."""
        return self._act(chat, "messages", {"text": text})

    def typing(self, chat: str, started: bool) -> Optional[int]:
        return self._act(chat, "typing", {"started": started})

    def push_url(self, chat: str, url: str) -> Optional[int]:
        return self._act(chat, "pushurl", {"url": url})

    def notice(self, chat: str, text: str) -> Optional[int]:
        return self._act(chat, "notice", {"text": text})

    def leave(self, chat: str) -> Optional[int]:
        """The chat stays open for others."""
        return self._act(chat, "leave")

    def end(self, chat: str) -> Optional[int]:
        return self._act(chat, "close")

    def transcript(self, chat: str, after: int = 0) -> List[Json]:
        """The lines after a position, those that only agents see included."""
        return _lines(self.request("GET", f"/agent/1/chats/{encoded(chat)}/transcript?after={after}"))

    def set_ready(self, ready: bool) -> None:
        self.request("PUT", "/agent/1/me", {"ready": ready})

    def callbacks(self, state: str = "waiting") -> Iterator[Json]:
        return self.list("/agent/1/callbacks" + query({"state": state}))

    def report(self, callback: str, word: str, reason: Optional[str] = None) -> Json:
        """`word`: available, accept, release, connected, ended, failed. The callback as it is then."""
        return members(self._transport.json(_report(callback, word, reason)))

    def ticket(self, number: int) -> Json:
        return members(member(self.request("GET", f"/api/v2/tickets/{number}.json"), "ticket"))

    def comments(self, ticket: int) -> List[Json]:
        return elements(self.request("GET", f"/api/v2/tickets/{ticket}/comments.json"), "comments")

    def comment(self, ticket: int, text: str, public: bool = True) -> Json:
        """`public` false: a note that the requester never sees."""
        return members(member(self._transport.json(_comment(ticket, text, public)), "ticket"))

    def events(self) -> Iterator[AgentEvent]:
        """All that this agent may see, from now on. A lost connection is taken up where it ended, with growing pauses;
        ends by raising when the server refuses the token."""
        stream = _Stream()
        while True:
            try:
                for piece in self._transport.stream(stream.begin(), SILENCE_SECONDS):
                    stream.came()
                    yield from stream.parser.feed(piece)
                time.sleep(PAUSE_SECONDS)
            except CarillonError as error:
                time.sleep(stream.failed(error))

    def _act(self, chat: str, act: str, body: Optional[Json] = None) -> Optional[int]:
        return _position(self._transport.json(_act(chat, act, body)))


class AsyncAgentClient:
    """The same for asyncio."""

    def __init__(self, url: str, token: str, alternatives: Sequence[str] = (), timeout: float = 10.0) -> None:
        self._transport = AsyncTransport(url, alternatives, _headers(token), timeout)

    async def __aenter__(self) -> "AsyncAgentClient":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def close(self) -> None:
        await self._transport.close()

    async def request(self, method: str, path: str, body: Any = None) -> Any:
        return await self._transport.json(Call.json(method, path, body))

    async def list(self, path: str) -> AsyncIterator[Json]:
        page: Optional[str] = path
        while page is not None:
            answer = (await self._transport.answer(Call.json("GET", page))).accepted()
            for element in elements(answer.json):
                yield element
            page = _next(answer)

    def chats(self, state: str = "own", service: Optional[str] = None) -> AsyncIterator[Json]:
        return self.list("/agent/1/chats" + query({"state": state, "service": service}))

    async def join(self, chat: str, nickname: str, role: str = "AGENT") -> Optional[int]:
        return await self._act(chat, "join", {"nickname": nickname, "role": role})

    async def send(self, chat: str, text: str) -> Optional[int]:
        return await self._act(chat, "messages", {"text": text})

    async def typing(self, chat: str, started: bool) -> Optional[int]:
        return await self._act(chat, "typing", {"started": started})

    async def push_url(self, chat: str, url: str) -> Optional[int]:
        return await self._act(chat, "pushurl", {"url": url})

    async def notice(self, chat: str, text: str) -> Optional[int]:
        return await self._act(chat, "notice", {"text": text})

    async def leave(self, chat: str) -> Optional[int]:
        return await self._act(chat, "leave")

    async def end(self, chat: str) -> Optional[int]:
        return await self._act(chat, "close")

    async def transcript(self, chat: str, after: int = 0) -> List[Json]:
        return _lines(await self.request("GET", f"/agent/1/chats/{encoded(chat)}/transcript?after={after}"))

    async def set_ready(self, ready: bool) -> None:
        await self.request("PUT", "/agent/1/me", {"ready": ready})

    def callbacks(self, state: str = "waiting") -> AsyncIterator[Json]:
        return self.list("/agent/1/callbacks" + query({"state": state}))

    async def report(self, callback: str, word: str, reason: Optional[str] = None) -> Json:
        return members(await self._transport.json(_report(callback, word, reason)))

    async def ticket(self, number: int) -> Json:
        return members(member(await self.request("GET", f"/api/v2/tickets/{number}.json"), "ticket"))

    async def comments(self, ticket: int) -> List[Json]:
        return elements(await self.request("GET", f"/api/v2/tickets/{ticket}/comments.json"), "comments")

    async def comment(self, ticket: int, text: str, public: bool = True) -> Json:
        return members(member(await self._transport.json(_comment(ticket, text, public)), "ticket"))

    async def events(self) -> AsyncIterator[AgentEvent]:
        stream = _Stream()
        while True:
            try:
                async for piece in self._transport.stream(stream.begin(), SILENCE_SECONDS):
                    stream.came()
                    for event in stream.parser.feed(piece):
                        yield event
                await asyncio.sleep(PAUSE_SECONDS)
            except CarillonError as error:
                await asyncio.sleep(stream.failed(error))

    async def _act(self, chat: str, act: str, body: Optional[Json] = None) -> Optional[int]:
        return _position(await self._transport.json(_act(chat, act, body)))
