"""Requests for threads."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

from ._http import (CONNECT_SECONDS, IDLE_CONNECTIONS_MAXIMUM, Address, Answer, Call, ResponseParser, Servers, checked)
from .errors import ConnectionClosed, Stopped, TimedOut, Unreachable


class Transport:
    """Kept-alive connections to whichever of several servers serves. For any number of threads."""

    def __init__(self, url: str, alternatives: Sequence[str], headers: Mapping[str, str], timeout: float) -> None:
        self._servers = Servers(url, alternatives)
        self._headers = dict(headers)
        self._timeout = timeout
        self._idle: Dict[Address, List[socket.socket]] = {}
        self._lock = threading.Lock()
        self._is_closed = False

    def answer(self, call: Call) -> Answer:
        return self._servers.answer(lambda address: checked(self._ask(address, call)))

    def json(self, call: Call) -> Any:
        return self.answer(call).accepted().json

    def stream(self, call: Call, silence: float) -> Iterator[bytes]:
        """The pieces of an answer that does not end, as they come."""
        connection, parser, pieces = self._servers.answer(lambda address: self._begin(address, call))
        try:
            yield from pieces
            while not parser.is_complete:
                yield from self._receive(connection, parser, time.monotonic() + silence)
        finally:
            connection.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            for connections in self._idle.values():
                for connection in connections:
                    connection.close()
            self._idle.clear()

    def _begin(self, address: Address, call: Call) -> Tuple[socket.socket, ResponseParser, List[bytes]]:
        deadline = time.monotonic() + self._timeout
        connection = self._open(address)
        try:
            parser = ResponseParser(keep_body=False)
            self._send(connection, call.encode(address, self._headers), deadline)
            pieces: List[bytes] = []
            while not parser.has_head or parser.status != 200 and not parser.is_complete:
                pieces += self._receive(connection, parser, deadline)
            if parser.status != 200:
                Answer(parser.status, parser.headers, b"".join(pieces)).accepted()
            return connection, parser, pieces
        except BaseException:
            connection.close()
            raise

    def _ask(self, address: Address, call: Call) -> Answer:
        deadline = time.monotonic() + self._timeout
        data = call.encode(address, self._headers)
        connection = self._take(address)
        parser = ResponseParser()
        try:
            self._send(connection, data, deadline)
            while not parser.is_complete:
                self._receive(connection, parser, deadline)
        except BaseException:
            connection.close()
            raise
        self._give(address, connection, parser)
        return parser.answer()

    def _take(self, address: Address) -> socket.socket:
        with self._lock:
            if self._is_closed:
                raise Stopped("the client was closed")
            idle = self._idle.get(address, [])
            while idle:
                connection = idle.pop()
                if _is_quiet(connection):
                    return connection
                connection.close()
        return self._open(address)

    def _give(self, address: Address, connection: socket.socket, parser: ResponseParser) -> None:
        with self._lock:
            idle = self._idle.setdefault(address, [])
            if parser.is_reusable and not self._is_closed and len(idle) < IDLE_CONNECTIONS_MAXIMUM:
                idle.append(connection)
                return
        connection.close()

    def _open(self, address: Address) -> socket.socket:
        try:
            connection = socket.create_connection((address.host, address.port), min(self._timeout, CONNECT_SECONDS))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            security = address.security
            if security is None:
                return connection
            try:
                return security.wrap_socket(connection, server_hostname=address.host)
            except BaseException:
                connection.close()
                raise
        except OSError as failure:
            raise Unreachable(f"{address.authority}: {failure}") from failure

    @staticmethod
    def _send(connection: socket.socket, data: bytes, deadline: float) -> None:
        try:
            connection.settimeout(max(deadline - time.monotonic(), 0.001))
            connection.sendall(data)
        except socket.timeout as failure:
            raise TimedOut("the request was not taken") from failure
        except OSError as failure:
            raise ConnectionClosed(str(failure)) from failure

    @staticmethod
    def _receive(connection: socket.socket, parser: ResponseParser, deadline: float) -> List[bytes]:
        try:
            # One deadline for all of it: who trickles bytes would otherwise never be done.
            rest = deadline - time.monotonic()
            if rest <= 0:
                raise TimedOut("the answer does not end")
            connection.settimeout(rest)
            data = connection.recv(65_536)
        except socket.timeout as failure:
            raise TimedOut("no answer in time") from failure
        except OSError as failure:
            raise ConnectionClosed(str(failure)) from failure
        if data:
            return parser.feed(data)
        parser.end()
        if not parser.is_complete:
            raise ConnectionClosed("the answer ended too early")
        return []


def _is_quiet(connection: socket.socket) -> bool:
    """Whether a kept connection is still there: what the server has closed has its end to be read."""
    try:
        connection.settimeout(0)
        connection.recv(1)
        return False
    except (BlockingIOError, InterruptedError, ssl.SSLWantReadError):
        return True
    except OSError:
        return False
