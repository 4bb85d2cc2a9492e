"""HTTP without a socket: what is sent, and what comes, in pieces of any size. Spec: RFC 9112."""

from __future__ import annotations

import json
import re
import ssl
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from .errors import CarillonError, InvalidAddress, InvalidArgument, MalformedResponse, Refused, Unreachable

HEAD_BYTES_MAXIMUM = 65_536
BODY_BYTES_MAXIMUM = 16 * 1024 * 1024
CHUNK_LINE_BYTES_MAXIMUM = 1_024
CONNECT_SECONDS = 10.0
IDLE_CONNECTIONS_MAXIMUM = 8
EXCERPT_CHARACTERS = 200

T = TypeVar("T")


@dataclass(frozen=True)
class Address:
    """Where a server listens."""

    host: str
    port: int
    is_secure: bool
    base_path: str

    @staticmethod
    def parse(url: str) -> "Address":
        try:
            parts = urlsplit(url)
            port = parts.port
            host = parts.hostname
        except (ValueError, AttributeError, TypeError) as failure:
            raise InvalidAddress(str(url)) from failure
        if (parts.scheme not in ("http", "https") or not host or port == 0 or parts.query or parts.fragment
                or parts.username is not None or any(character <= " " for character in url)):
            raise InvalidAddress(url)
        is_secure = parts.scheme == "https"
        return Address(host, port or (443 if is_secure else 80), is_secure, parts.path.rstrip("/"))

    @property
    def authority(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == (443 if self.is_secure else 80) else f"{name}:{self.port}"

    @property
    def security(self) -> Optional[ssl.SSLContext]:
        return _security() if self.is_secure else None


@lru_cache(maxsize=1)
def _security() -> ssl.SSLContext:
    """Made once: it reads all authorities of the system."""
    return ssl.create_default_context()


@dataclass
class Call:
    """One request."""

    method: str
    path: str
    body: bytes = b""
    headers: Dict[str, str] = field(default_factory=dict)

    @staticmethod
    def json(method: str, path: str, body: Any = None) -> "Call":
        if body is None:
            return Call(method, path)
        return Call(method, path, json.dumps(body).encode(), {"Content-Type": "application/json"})

    @staticmethod
    def form(path: str, fields: Mapping[str, str]) -> "Call":
        # Half a surrogate pair has no UTF-8.
        body = urlencode(fields, errors="replace").encode()
        return Call("POST", path, body, {"Content-Type": "application/x-www-form-urlencoded"})

    def encode(self, address: Address, headers: Mapping[str, str]) -> bytes:
        lines = [f"{self.method} {address.base_path}{self.path} HTTP/1.1", f"Host: {address.authority}"]
        for name, value in {**headers, **self.headers}.items():
            if not all(" " <= character <= "~" for character in value):
                raise InvalidArgument(f"{name} may have visible ASCII only")
            lines.append(f"{name}: {value}")
        if self.body or self.method in ("POST", "PUT"):
            lines.append(f"Content-Length: {len(self.body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + self.body


def encoded(text: str) -> str:
    """For a path or a query."""
    return quote(text, safe="")


def query(fields: Mapping[str, Any]) -> str:
    """With its question mark; what is None is left out."""
    kept = {name: value for name, value in fields.items() if value is not None}
    return "?" + urlencode(kept) if kept else ""


@dataclass
class Answer:
    """What a server has said."""

    status: int
    headers: Dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        if not self.body:
            return None
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError) as failure:
            raise MalformedResponse("no JSON") from failure

    def accepted(self) -> "Answer":
        """This answer, if its status is one from 200 to 299."""
        if 200 <= self.status < 300:
            return self
        message = None
        try:
            message = member(member(self.json, "error"), "message") or member(self.json, "message")
        except MalformedResponse:
            pass
        if not isinstance(message, str):
            message = self.body.decode(errors="replace")[:EXCERPT_CHARACTERS]
        wait = self.headers.get("retry-after", "")
        has_wait = wait.isascii() and wait.isdigit() and len(wait) < 6
        raise Refused(self.status, message, float(wait) if has_wait else None)


def member(value: Any, name: str) -> Any:
    """None for whatever has no members: what a server or a proxy says may be anything."""
    return value.get(name) if isinstance(value, dict) else None


def members(value: Any) -> Dict[str, Any]:
    """An object, or an error."""
    if not isinstance(value, dict):
        raise MalformedResponse("no object")
    return value


def text(value: Any, name: str, otherwise: str = "") -> str:
    found = member(value, name)
    return found if isinstance(found, str) else otherwise


def integer(value: Any, name: str, otherwise: int = 0) -> int:
    """A number, or text that is one: the server writes positions as text."""
    found = member(value, name)
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) < 19:
        return int(found)
    return otherwise


def elements(value: Any, name: Optional[str] = None) -> List[Any]:
    found = value if name is None else member(value, name)
    return found if isinstance(found, list) else []


class ResponseParser:
    """Takes one response apart. `keep_body` false: whoever streams takes the pieces that `feed` gives."""

    def __init__(self, keep_body: bool = True) -> None:
        self.status = 0
        self.headers: Dict[str, str] = {}
        self.is_complete = False
        #: The connection may carry another request.
        self.is_reusable = False
        self._keep_body = keep_body
        self._body = bytearray()
        self._waiting = bytearray()
        self._step: Callable[[], bool] = self._head
        self._pieces: List[bytes] = []
        self._left = 0

    @property
    def has_head(self) -> bool:
        return self.status != 0

    def answer(self) -> Answer:
        return Answer(self.status, self.headers, bytes(self._body))

    def feed(self, data: bytes) -> List[bytes]:
        """Takes what has come; the pieces of the body among it."""
        self._waiting += data
        self._pieces = []
        while not self.is_complete and self._step():
            pass
        return self._pieces

    def end(self) -> None:
        """The connection has ended. Whether that was its place, `is_complete` says."""
        if self._step == self._rest:
            self.is_complete = True

    def _line(self, limit: int) -> Optional[bytes]:
        end = self._waiting.find(b"\r\n")
        if end < 0 and len(self._waiting) <= limit:
            return None
        if end < 0 or end > limit:
            raise MalformedResponse("a line without end")
        line = bytes(self._waiting[:end])
        del self._waiting[:end + 2]
        return line

    def _head(self) -> bool:
        end = self._waiting.find(b"\r\n\r\n")
        if end < 0:
            if len(self._waiting) > HEAD_BYTES_MAXIMUM or self._waiting[:5] != b"HTTP/"[:len(self._waiting[:5])]:
                raise MalformedResponse("no HTTP")
            return False
        lines = self._waiting[:end].decode("latin-1").split("\r\n")
        del self._waiting[:end + 4]
        words = lines[0].split(" ", 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not re.fullmatch("[1-5][0-9]{2}", words[1]):
            raise MalformedResponse("no HTTP")
        if words[1].startswith("1"):
            return True
        self.status = int(words[1])
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()
        self.is_reusable = self.headers.get("connection", "").lower() != "close"
        length = self.headers.get("content-length", "")
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            self._step = self._chunk
        elif length.isascii() and length.isdigit() and len(length) < 12:
            self._left = int(length)
            self._step = self._counted
        elif self.status in (204, 304):
            self.is_complete = True
        elif length:
            raise MalformedResponse("a length that is none")
        else:
            self.is_reusable = False
            self._step = self._rest
        return True

    def _take(self, count: int) -> None:
        piece = bytes(self._waiting[:count])
        del self._waiting[:count]
        if self._keep_body:
            self._body += piece
            if len(self._body) > BODY_BYTES_MAXIMUM:
                raise MalformedResponse(f"more than {BODY_BYTES_MAXIMUM} bytes")
        elif piece:
            self._pieces.append(piece)

    def _counted(self) -> bool:
        count = min(self._left, len(self._waiting))
        self._left -= count
        self._take(count)
        self.is_complete = self._left == 0
        return False

    def _rest(self) -> bool:
        self._take(len(self._waiting))
        return False

    def _chunk(self) -> bool:
        line = self._line(CHUNK_LINE_BYTES_MAXIMUM)
        if line is None:
            return False
        try:
            self._left = int(line.split(b";")[0], 16)
        except ValueError as failure:
            raise MalformedResponse("a chunk without a size") from failure
        if self._left < 0:
            raise MalformedResponse("a chunk of less than nothing")
        self._step = self._chunk_bytes if self._left else self._trailer
        return True

    def _chunk_bytes(self) -> bool:
        count = min(self._left, len(self._waiting))
        self._left -= count
        self._take(count)
        if self._left or len(self._waiting) < 2:
            return False
        if self._waiting[:2] != b"\r\n":
            raise MalformedResponse("a chunk without end")
        del self._waiting[:2]
        self._step = self._chunk
        return True

    def _trailer(self) -> bool:
        line = self._line(HEAD_BYTES_MAXIMUM)
        self.is_complete = line == b""
        return line is not None


class Servers:
    """The address of a server, and those at which its standbys serve once they have taken its place.

    One that has certainly done nothing of a request is not asked again: the others are, as many times as there are
    addresses. After any other failure the caller has to know, and the next call asks the next server.
    """

    def __init__(self, url: str, alternatives: Sequence[str]) -> None:
        self.addresses = [Address.parse(each) for each in (url, *alternatives)]
        self._place = 0

    def answer(self, ask: Callable[[Address], T]) -> T:
        failure: Optional[CarillonError] = None
        for _ in self.addresses:
            place = self._place
            try:
                return ask(self.addresses[place])
            except CarillonError as error:
                failure = self._weigh(place, error, failure)
        assert failure is not None
        raise failure

    async def answer_async(self, ask: Callable[[Address], Awaitable[T]]) -> T:
        failure: Optional[CarillonError] = None
        for _ in self.addresses:
            place = self._place
            try:
                return await ask(self.addresses[place])
            except CarillonError as error:
                failure = self._weigh(place, error, failure)
        assert failure is not None
        raise failure

    def _weigh(self, place: int, error: CarillonError, before: Optional[CarillonError]) -> CarillonError:
        """What is told if no other server does better; raises what has to be told at once."""
        if not error.may_pass or isinstance(error, Refused) and error.status == 429:
            raise error
        if self._place == place:
            self._place = (place + 1) % len(self.addresses)
        if not error.is_undone:
            raise error
        return error if before is None or isinstance(before, Unreachable) else before


def checked(answer: Answer) -> Answer:
    """One that is not ready is one that another server may stand in for."""
    return answer.accepted() if answer.status == 503 else answer
