"""Requests for asyncio, over its own streams."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Awaitable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar

from ._http import (CONNECT_SECONDS, IDLE_CONNECTIONS_MAXIMUM, Address, Answer, Call, ResponseParser, Servers, checked)
from .errors import ConnectionClosed, Stopped, TimedOut, Unreachable

T = TypeVar("T")
Connection = Tuple[asyncio.StreamReader, asyncio.StreamWriter]


class AsyncTransport:
    """Kept-alive connections to whichever of several servers serves. For one event loop."""

    def __init__(self, url: str, alternatives: Sequence[str], headers: Mapping[str, str], timeout: float) -> None:
        self._servers = Servers(url, alternatives)
        self._headers = dict(headers)
        self._timeout = timeout
        self._idle: Dict[Address, List[Connection]] = {}
        self._is_closed = False

    async def answer(self, call: Call, timeout: Optional[float] = None) -> Answer:
        async def ask(address: Address) -> Answer:
            return checked(await self._within(timeout or self._timeout, self._ask(address, call)))
        return await self._servers.answer_async(ask)

    async def json(self, call: Call) -> Any:
        return (await self.answer(call)).accepted().json

    async def stream(self, call: Call, silence: float) -> AsyncIterator[bytes]:
        """The pieces of an answer that does not end, as they come."""
        async def begin(address: Address) -> Tuple[Connection, ResponseParser, List[bytes]]:
            return await self._within(self._timeout, self._begin(address, call))
        connection, parser, pieces = await self._servers.answer_async(begin)
        try:
            for piece in pieces:
                yield piece
            while not parser.is_complete:
                for piece in await self._within(silence, self._receive(connection, parser)):
                    yield piece
        finally:
            connection[1].close()

    async def close(self) -> None:
        self._is_closed = True
        for connections in self._idle.values():
            for _, writer in connections:
                writer.close()
        self._idle.clear()

    @staticmethod
    async def _within(seconds: float, work: Awaitable[T]) -> T:
        try:
            return await asyncio.wait_for(work, seconds)
        except asyncio.TimeoutError as failure:
            raise TimedOut("no answer in time") from failure

    async def _begin(self, address: Address, call: Call) -> Tuple[Connection, ResponseParser, List[bytes]]:
        connection = await self._open(address)
        try:
            parser = ResponseParser(keep_body=False)
            await self._send(connection, call.encode(address, self._headers))
            pieces: List[bytes] = []
            while not parser.has_head or parser.status != 200 and not parser.is_complete:
                pieces += await self._receive(connection, parser)
            if parser.status != 200:
                Answer(parser.status, parser.headers, b"".join(pieces)).accepted()
            return connection, parser, pieces
        except BaseException:
            connection[1].close()
            raise

    async def _ask(self, address: Address, call: Call) -> Answer:
        data = call.encode(address, self._headers)
        connection = await self._take(address)
        parser = ResponseParser()
        try:
            await self._send(connection, data)
            while not parser.is_complete:
                await self._receive(connection, parser)
        except BaseException:
            # Cancelled, too: what this connection still brings is an answer to nobody.
            connection[1].close()
            raise
        idle = self._idle.setdefault(address, [])
        if parser.is_reusable and not self._is_closed and len(idle) < IDLE_CONNECTIONS_MAXIMUM:
            idle.append(connection)
        else:
            connection[1].close()
        return parser.answer()

    async def _take(self, address: Address) -> Connection:
        if self._is_closed:
            raise Stopped("the client was closed")
        idle = self._idle.get(address, [])
        while idle:
            reader, writer = idle.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        return await self._open(address)

    async def _open(self, address: Address) -> Connection:
        security = address.security
        opening = asyncio.open_connection(
            address.host, address.port, ssl=security, server_hostname=address.host if security else None)
        try:
            return await asyncio.wait_for(opening, min(self._timeout, CONNECT_SECONDS))
        except (OSError, asyncio.TimeoutError) as failure:
            raise Unreachable(f"{address.authority}: {failure}") from failure

    @staticmethod
    async def _send(connection: Connection, data: bytes) -> None:
        try:
            connection[1].write(data)
            await connection[1].drain()
        except OSError as failure:
            raise ConnectionClosed(str(failure)) from failure

    @staticmethod
    async def _receive(connection: Connection, parser: ResponseParser) -> List[bytes]:
        try:
            data = await connection[0].read(65_536)
        except OSError as failure:
            raise ConnectionClosed(str(failure)) from failure
        if data:
            return parser.feed(data)
        parser.end()
        if not parser.is_complete:
            raise ConnectionClosed("the answer ended too early")
        return []
