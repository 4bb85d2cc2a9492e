"""App servers: messages to devices, topics, conditions and groups, in the words of FCM's HTTP v1."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

from ._async import AsyncTransport
from ._blocking import Transport
from ._http import Call, encoded, text
from .errors import InvalidArgument, MalformedResponse

Json = Dict[str, Any]


def message(*, token: Optional[str] = None, topic: Optional[str] = None, condition: Optional[str] = None,
            data: Optional[Mapping[str, str]] = None, title: Optional[str] = None, body: Optional[str] = None,
            collapse_key: Optional[str] = None, ttl: Optional[float] = None,
            high_priority: Optional[bool] = None) -> Json:
    """A message for exactly one of `token`, `topic` and `condition`. `ttl` in seconds."""
    target = {name: value for name, value in
              (("token", token), ("topic", topic), ("condition", condition)) if value is not None}
    if len(target) != 1:
        raise InvalidArgument("one of token, topic and condition")
    content: Json = dict(target)
    if data is not None:
        content["data"] = dict(data)
    if title is not None or body is not None:
        pairs = (("title", title), ("body", body))
        content["notification"] = {name: value for name, value in pairs if value is not None}
    android: Json = {}
    if collapse_key is not None:
        android["collapse_key"] = collapse_key
    if ttl is not None:
        android["ttl"] = f"{ttl:g}s"
    if high_priority is not None:
        android["priority"] = "HIGH" if high_priority else "NORMAL"
    if android:
        content["android"] = android
    return content


def _send(project: str, content: Json, dry_run: bool) -> Call:
    return Call.json(
        "POST", f"/v1/projects/{encoded(project)}/messages:send", {"message": content, "validate_only": dry_run})


def _name(answer: Any) -> str:
    name = text(answer, "name")
    if not name:
        raise MalformedResponse("no name of a message")
    return name


def _topic(token: str, topic: str, method: str) -> Call:
    return Call.json(method, f"/iid/v1/{encoded(token)}/rel/topics/{encoded(topic)}", {} if method == "POST" else None)


class Sender:
    """An app server, for threads. `key`: of `carillon token create NAME --role sender`.

    >>> Sender("https://push.example.com", key).send(message(token=token, data={"score": "5x1"}))

    After an error that `is_uncertain` the message may be on its way: with a `collapse_key` sending it again replaces
    it.
    """

    def __init__(self, url: str, key: str, project: str = "carillon", alternatives: Sequence[str] = (),
                 timeout: float = 10.0) -> None:
        self._project = project
        self._transport = Transport(url, alternatives, {"Authorization": f"Bearer {key}"}, timeout)

    def __enter__(self) -> "Sender":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def send(self, content: Json, dry_run: bool = False) -> str:
        """The name of the message, once it is in the journal."""
        return _name(self._transport.json(_send(self._project, content, dry_run)))

    def subscribe(self, token: str, topic: str) -> None:
        self._transport.json(_topic(token, topic, "POST"))

    def unsubscribe(self, token: str, topic: str) -> None:
        self._transport.json(_topic(token, topic, "DELETE"))


class AsyncSender:
    """The same for asyncio."""

    def __init__(self, url: str, key: str, project: str = "carillon", alternatives: Sequence[str] = (),
                 timeout: float = 10.0) -> None:
        self._project = project
        self._transport = AsyncTransport(url, alternatives, {"Authorization": f"Bearer {key}"}, timeout)

    async def __aenter__(self) -> "AsyncSender":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    async def close(self) -> None:
        await self._transport.close()

    async def send(self, content: Json, dry_run: bool = False) -> str:
        return _name(await self._transport.json(_send(self._project, content, dry_run)))

    async def subscribe(self, token: str, topic: str) -> None:
        await self._transport.json(_topic(token, topic, "POST"))

    async def unsubscribe(self, token: str, topic: str) -> None:
        await self._transport.json(_topic(token, topic, "DELETE"))
