"""A customer's chat, for asyncio; `Chat` is the same for threads."""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, AsyncIterator, Coroutine, Dict, Iterator, List, Mapping, Optional, Sequence, TypeVar

from ._async import AsyncTransport
from ._http import Call, elements, encoded, integer, member, text
from .errors import (CarillonError, Ended, InvalidArgument, InvalidState, MalformedResponse, OutboxFull, Refused,
                     Stopped, Unsuccessful)

RECOVERY_ATTEMPTS_MAXIMUM = 8
SENT_IDS_MAXIMUM = 1_000
HOLD_SECONDS = 30.0
#: Beyond this the server's advice is not followed: a lie of a proxy must not put the client to sleep.
HOLD_SECONDS_MAXIMUM = 600.0
INTERVAL_SECONDS_MAXIMUM = 60.0

T = TypeVar("T")


@dataclass(frozen=True)
class ChatEvent:
    """One event of a transcript, as the customer sees it. Spec: GMS 5.1."""

    #: 1, 2, 3, … without gaps within a chat.
    position: int
    #: `Message.Text`, `Notice.Joined`, …
    type: str
    nickname: str
    text: str
    #: Whole seconds since the chat's start.
    seconds: int
    #: `CLIENT`, `AGENT`, `SUPERVISOR` or `EXTERNAL`.
    party: str


@dataclass(frozen=True)
class ChatMessage:
    """The "chat response" object: the reply to every operation, and what a notification carries. Spec: GMS 3.5."""

    session: str
    is_over: bool
    #: The number of the last event contained in or preceding this message.
    position: int
    events: List[ChatEvent]

    @staticmethod
    def parse(value: Any) -> "ChatMessage":
        session, state = text(value, "chatSessionId"), text(value, "chatIxnState")
        position = integer(value, "transcriptPosition", -1)
        if not session or position < 0 or state not in ("CONNECTED", "TRANSCRIPT", "DISCONNECTED"):
            raise MalformedResponse("no chat response")
        tuples = elements(value, "transcriptToShow")
        events = []
        for index, each in enumerate(tuples):
            if len(elements(each)) < 5:
                raise MalformedResponse("an event that is no tuple of five")
            kind, nickname, said, seconds, party = ("" if part is None else str(part) for part in each[:5])
            # A message at position p with n tuples holds the events p−n+1 … p. Spec: GMS 5.2.
            number = position - len(tuples) + 1 + index
            events.append(ChatEvent(number, kind, nickname, said, integer({"s": seconds}, "s"), party))
        return ChatMessage(session, state == "DISCONNECTED", position, events)


@dataclass(frozen=True)
class ChatOptions:
    """How a chat reaches its server."""

    url: str
    #: The user's key. Whoever knows it reads the user's chats: make it long and random.
    user_key: str
    service: str = "request-chat"
    #: Where standbys serve once one has taken the server's place, in the order in which they are tried.
    alternatives: Sequence[str] = ()
    #: Proves that the user is `user_key`, where the server asks for that.
    user_token: Optional[str] = None
    #: Of a request other than the held connect.
    timeout: float = 10.0
    #: Between attempts: a step more after each failure, up to a maximum.
    pause: float = 1.0
    pause_maximum: float = 60.0
    #: How long a request whose answer did not come is given to arrive all the same, until a message that the transcript
    #: does not show is sent again. What stands on the way and holds a request for longer can make it come twice.
    settle: float = 3.0
    outbox_maximum: int = 10_000

    def headers(self) -> Dict[str, str]:
        headers = {"gms_user": self.user_key}
        if self.user_token is not None:
            headers["Authorization"] = f"Bearer {self.user_token}"
        return headers

    def delay(self, failures: int) -> float:
        return min(self.pause * failures, self.pause_maximum)


@dataclass
class _Entry:
    """A text that waits to be sent, or is on its way."""

    id: str
    text: str
    done: "asyncio.Future[int]"
    #: The last event that was known before an attempt of which nobody knows what became; None: there is none.
    tried_after: Optional[int] = None
    tried_at: float = 0.0


class AsyncChat:
    """Starts a chat, stays connected, goes to the background and comes back without losing an event.

    >>> async with AsyncChat(ChatOptions(url, user_key)) as chat:
    ...     await chat.start(firstName="Mia")
    ...     await chat.send("Hello")
    ...     async for event in chat.events():
    ...         print(event.nickname, event.text)

    Every event comes through `events` once and in order. A lost connection is taken up again with growing pauses; an
    unknown session (402) shakes hands anew. What is sent waits until it stands in the transcript, one message after the
    other; where an answer was lost the transcript is asked, so that none is sent twice.
    """

    def __init__(self, options: ChatOptions) -> None:
        self.options = options
        self.service_id: Optional[str] = None
        self.session: Optional[str] = None
        #: The last event that has come.
        self.position = 0
        self.phase = "idle"
        self._transport = AsyncTransport(options.url, options.alternatives, options.headers(), options.timeout)
        self._events: "asyncio.Queue[Optional[ChatEvent]]" = asyncio.Queue()
        self._outbox: "OrderedDict[str, _Entry]" = OrderedDict()
        self._sent: "OrderedDict[str, int]" = OrderedDict()
        self._sent_position = 0
        self._is_start_tried = False
        self._client_id: Optional[str] = None
        self._advice: Dict[str, Any] = {}
        self._next_id = 1
        self._announced = 0
        self._recoveries = 0
        self._connecting: Optional["asyncio.Task[None]"] = None
        self._recovering: Optional["asyncio.Task[None]"] = None
        self._draining: Optional["asyncio.Task[None]"] = None

    async def __aenter__(self) -> "AsyncChat":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    # Coming and going

    async def start(self, **fields: str) -> ChatMessage:
        """Starts the chat and connects to its events. After an error it may be called again: nothing is started twice.

        `fields`: `firstName`, `subject`, `push_notification_type`, …, and attached data.
        """
        if self.phase != "idle":
            raise InvalidState("the chat was started already")
        if self.service_id is None:
            created = await self._transport.json(
                Call.form(f"/genesys/1/service/{encoded(self.options.service)}", {}))
            self.service_id = text(created, "_id")
            if not self.service_id:
                self.service_id = None
                raise MalformedResponse("no service id")
        was_tried, self._is_start_tried = self._is_start_tried, True
        try:
            reply = await self._operation("", {"notify_by": "comet", **fields})
        except Refused as error:
            if error.status == 409 and was_tried:
                # The answer to an earlier attempt was lost: it has started.
                reply = await self._refresh(0)
            else:
                if not error.may_pass:
                    self.service_id, self._is_start_tried = None, False
                raise
        self.session = reply.session
        self.phase = "foreground"
        self._accept(reply, is_notification=False)
        self._connect()
        self._drain()
        return reply

    async def enter_background(self) -> None:
        """Tells the server that nobody looks: it keeps the chat and pushes from now on. If that does not get through,
        the chat is in the background all the same, and the server notices by itself."""
        if self.phase != "foreground":
            raise InvalidState("the chat is not in the foreground")
        self.phase = "background"
        await self._stop_connecting()
        await self._disconnect()

    async def return_to_foreground(self) -> None:
        """Shakes hands anew and takes up what was missed."""
        if self.phase == "background":
            self.phase = "foreground"
            self._connect()
            self._drain()

    async def end(self) -> None:
        """Ends the chat for both sides."""
        self._accept(await self._operation("disconnect", {}), is_notification=False)

    async def close(self) -> None:
        """Lets go of everything without a word: the server takes it for silent loss."""
        for task in (self._draining, self._recovering):
            if task is not None:
                task.cancel()
        await self._stop_connecting()
        await self._transport.close()
        for entry in self._outbox.values():
            if not entry.done.done():
                entry.done.set_exception(Stopped("the chat was closed"))
        self._outbox.clear()
        self._events.put_nowait(None)

    # What is said

    async def events(self) -> AsyncIterator[ChatEvent]:
        """What happens, once each and in order; ends when the chat does. One reader."""
        while (event := await self._events.get()) is not None:
            yield event

    def enqueue(self, message: str, id: Optional[str] = None) -> "asyncio.Future[int]":
        """Says something; the future has the position of its event once it stands in the transcript. Under an `id` of
        one's own the same message may be handed in again, and is said once."""
        if not message:
            raise InvalidArgument("a message without text")
        name = id or str(uuid.uuid4())
        done: "asyncio.Future[int]" = asyncio.get_running_loop().create_future()
        # Nobody may wait for it.
        done.add_done_callback(lambda future: future.cancelled() or future.exception())
        if name in self._sent:
            done.set_result(self._sent[name])
            return done
        if name in self._outbox:
            return self._outbox[name].done
        if self.phase == "ended":
            raise Ended("the chat is over")
        if len(self._outbox) >= self.options.outbox_maximum:
            raise OutboxFull(f"{len(self._outbox)} messages wait")
        # What is compared with the transcript must be what was sent.
        sendable = message.encode(errors="replace").decode()
        self._outbox[name] = _Entry(name, sendable, done)
        self._drain()
        return done

    async def send(self, message: str, id: Optional[str] = None) -> int:
        """Says something; returns the position of its event. Cancelled, it is said all the same."""
        return await asyncio.shield(self.enqueue(message, id))

    async def typing(self, started: bool, preview: str = "") -> None:
        fields = {"message": preview} if preview else {}
        self._accept(await self._operation("startTyping" if started else "stopTyping", fields), is_notification=False)

    async def update_data(self, data: Mapping[str, str]) -> None:
        """Merges into the attached data; an empty value removes its name."""
        self._accept(await self._operation("updateData", data), is_notification=False)

    async def transcript(self) -> List[ChatEvent]:
        """All that was said."""
        return (await self._refresh(0)).events

    # Events

    def _accept(self, message: ChatMessage, is_notification: bool) -> None:
        """Hands on what is new. What comes twice is dropped; events after a gap wait until it is closed."""
        if self.phase == "ended":
            return
        news = [event for event in message.events if event.position > self.position]
        has_gap = news[0].position != self.position + 1 if news else message.position > self.position
        if has_gap:
            # What is missing before a reply is on its way; what a notification lacks nothing else will bring.
            if is_notification or message.is_over:
                self._recover(message.position)
            return
        for event in news:
            self._events.put_nowait(event)
        self.position = max(self.position, message.position)
        if message.is_over:
            self._over()

    def _over(self) -> None:
        self.phase = "ended"
        self._events.put_nowait(None)
        self._drain()

    def _recover(self, target: int) -> None:
        self._announced = max(self._announced, target)
        self._recoveries += 1
        if self._recovering is None or self._recovering.done():
            self._recovering = asyncio.ensure_future(self._recover_now())

    async def _recover_now(self) -> None:
        for failures in range(RECOVERY_ATTEMPTS_MAXIMUM):
            await asyncio.sleep(self.options.delay(failures))
            # In the background only what is known to be missing is asked for: the return brings the rest.
            if self.phase == "ended" or self.phase == "background" and self.position >= self._announced:
                break
            asked = self._recoveries
            try:
                self._accept(await self._refresh(self.position), is_notification=False)
            except CarillonError:
                continue
            # Whoever asked meanwhile may have lost what came behind this answer.
            if asked == self._recoveries and self.position >= self._announced:
                break
        self._announced = self.position

    # The Comet session

    def _connect(self) -> None:
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.ensure_future(self._run())

    async def _stop_connecting(self) -> None:
        task, self._connecting = self._connecting, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _run(self) -> None:
        failures = 0
        has_been_linked = False
        has_just_linked = False
        while self.phase == "foreground":
            is_linking = self._client_id is None
            try:
                if is_linking:
                    await self._link()
                    # Between two sessions something may have been lost that no notification repeats.
                    if has_been_linked:
                        self._recover(self.position)
                    has_been_linked = True
                else:
                    await self._hold()
                failures = 0
                has_just_linked = is_linking
            except CarillonError as error:
                failures += 1
                # A session that the server has forgotten is replaced at once, but not one only just given out.
                if not is_linking and self._client_id is None and failures == 1 and not has_just_linked:
                    failures = 0
                has_just_linked = False
                # What was in an answer that is lost the server repeats a few times only.
                if not is_linking and error.is_uncertain:
                    self._recover(self.position)
                wait = (error.retry_after or 0.0) if isinstance(error, Refused) else 0.0
                await asyncio.sleep(max(self.options.delay(failures), wait))
            if self._advice.get("reconnect") == "none":
                return
        if self.phase == "ended":
            await self._disconnect()

    async def _link(self) -> None:
        """Handshake; then subscription and first connect in one request, so that the catch-up comes with its answer."""
        self._advice = {}
        shaken, = await self._exchange(self.options.timeout, self._request(
            "/meta/handshake", version="1.0", supportedConnectionTypes=["long-polling"]))
        client = text(shaken, "clientId")
        self._settle(shaken)
        if not client:
            raise MalformedResponse("a handshake without a clientId")
        replies = await self._exchange(
            self.options.timeout, {"channel": "/meta/subscribe", "clientId": client, "subscription": "/_genesys"},
            self._request("/meta/connect", clientId=client, connectionType="long-polling", advice={"timeout": 0}))
        for reply in replies:
            self._settle(reply)
        self._client_id = client

    async def _hold(self) -> None:
        """One connect, held by the server until there is news or its time is up."""
        held = integer(self._advice, "timeout", int(HOLD_SECONDS * 1_000)) / 1_000
        reply, = await self._exchange(
            min(held, HOLD_SECONDS_MAXIMUM) + self.options.timeout,
            self._request("/meta/connect", clientId=self._client_id, connectionType="long-polling"))
        self._settle(reply)
        interval = min(integer(self._advice, "interval") / 1_000, INTERVAL_SECONDS_MAXIMUM)
        if interval > 0:
            await asyncio.sleep(interval)

    async def _disconnect(self) -> None:
        client, self._client_id = self._client_id, None
        if client is not None:
            await self._exchange(self.options.timeout, self._request("/meta/disconnect", clientId=client))

    def _request(self, channel: str, **members: Any) -> Dict[str, Any]:
        # As text inside `ext`, the form that the first clients used. Spec: GMS 4.5.
        return {"channel": channel, **members, "ext": {"transcriptPosition": str(self.position)}}

    def _settle(self, reply: Dict[str, Any]) -> None:
        """Takes over the advice of a reply, and a session that the server does not know any more out of use."""
        advice = member(reply, "advice")
        if isinstance(advice, dict):
            # The time-out stands until a new one comes: it is told once a session.
            kept = {"timeout": self._advice["timeout"]} if "timeout" in self._advice else {}
            self._advice = {**kept, **advice}
        if member(reply, "successful") is True:
            return
        if text(reply, "error").startswith("402:") or text(advice, "reconnect") == "handshake":
            self._client_id = None
        raise Unsuccessful(text(reply, "error") or text(reply, "channel"))

    async def _exchange(self, timeout: float, *requests: Dict[str, Any]) -> List[Dict[str, Any]]:
        """Sends the requests as one array, hands on the events of the answer, and returns the reply to each."""
        for request in requests:
            request["id"] = str(self._next_id)
            self._next_id += 1
        answer = await self._transport.answer(Call.json("POST", "/genesys/cometd", list(requests)), timeout)
        messages = answer.accepted().json
        if not isinstance(messages, list):
            raise MalformedResponse("no array of Bayeux messages")
        replies: Dict[str, Dict[str, Any]] = {}
        for message in messages:
            if isinstance(member(message, "successful"), bool):
                replies[str(member(message, "id"))] = message
            elif text(message, "channel") == "/_genesys":
                self._notified(member(member(message, "data"), "message"))
        missing = [request["channel"] for request in requests if request["id"] not in replies]
        if missing:
            raise MalformedResponse(f"no reply to {missing[0]}")
        return [replies[request["id"]] for request in requests]

    def _notified(self, value: Any) -> None:
        try:
            message = ChatMessage.parse(value)
        except MalformedResponse:
            # Notifications of other kinds come on the same channel.
            return
        # A user may have several chats, all on the one channel.
        if message.session == self.session:
            self._accept(message, is_notification=True)

    # The outbox

    def _drain(self) -> None:
        if self.phase != "idle" and self._outbox and (self._draining is None or self._draining.done()):
            self._draining = asyncio.ensure_future(self._drain_now())

    async def _drain_now(self) -> None:
        failures = 0
        while self._outbox:
            entry = next(iter(self._outbox.values()))
            try:
                await self._transmit(entry)
                failures = 0
            except CarillonError as error:
                failures += 1
                wait = (error.retry_after or 0.0) if isinstance(error, Refused) else 0.0
                await asyncio.sleep(max(self.options.delay(failures), wait))

    async def _transmit(self, entry: _Entry) -> None:
        """Sends a message, or finds out what became of an attempt. Afterwards it is done with, unless this raises or
        the attempt has not settled: then it is to be called again."""
        if entry.tried_after is not None:
            found = await self._find(entry, entry.tried_after)
            if found is not None:
                self._finish(entry, found)
                return
            rest = entry.tried_at + self.options.settle - time.monotonic()
            if rest > 0 and self.phase != "ended":
                await asyncio.sleep(min(rest, self.options.delay(1)))
                return
            entry.tried_after = None
        if self.phase == "ended":
            self._fail(entry, Ended("the chat is over"))
            return
        entry.tried_after = max(self.position, self._sent_position)
        try:
            reply = await self._operation("send", {"message": entry.text})
        except CarillonError as error:
            entry.tried_at = time.monotonic()
            if error.is_uncertain:
                raise
            entry.tried_after = None
            if error.may_pass or not isinstance(error, Refused) or error.status == 401:
                raise
            await self._refused(entry, error)
            return
        self._accept(reply, is_notification=False)
        self._finish(entry, reply.position)

    async def _refused(self, entry: _Entry, error: Refused) -> None:
        """The server will never take it; perhaps because the chat is over."""
        if error.status == 404:
            self._over()
        elif error.status == 400:
            try:
                self._accept(await self._refresh(self.position), is_notification=False)
            except CarillonError:
                pass
        self._fail(entry, Ended("the chat is over") if self.phase == "ended" else error)

    async def _find(self, entry: _Entry, after: int) -> Optional[int]:
        """Where it stands in the transcript behind what was known before the attempt."""
        try:
            shown = await self._refresh(after)
        except Refused as error:
            if error.status != 404:
                raise
            self._over()
            return None
        self._accept(shown, is_notification=False)
        for event in shown.events:
            if (event.position > after and event.party == "CLIENT" and event.type == "Message.Text"
                    and event.text == entry.text):
                return event.position
        return None

    def _finish(self, entry: _Entry, position: int) -> None:
        del self._outbox[entry.id]
        self._sent_position = max(self._sent_position, position)
        self._sent[entry.id] = position
        if len(self._sent) > SENT_IDS_MAXIMUM:
            self._sent.popitem(last=False)
        if not entry.done.done():
            entry.done.set_result(position)

    def _fail(self, entry: _Entry, error: CarillonError) -> None:
        del self._outbox[entry.id]
        if not entry.done.done():
            entry.done.set_exception(error)

    # The wire

    async def _refresh(self, after: int) -> ChatMessage:
        return await self._operation("refresh", {"transcriptPosition": str(after)})

    async def _operation(self, name: str, fields: Mapping[str, str]) -> ChatMessage:
        if self.service_id is None:
            raise InvalidState("the chat has not been started")
        path = f"/genesys/1/service/{encoded(self.service_id)}/ixn/chat" + (f"/{name}" if name else "")
        return ChatMessage.parse(await self._transport.json(Call.form(path, fields)))


class Chat:
    """An `AsyncChat` on a thread of its own, for programs without asyncio. Its methods wait."""

    def __init__(self, options: ChatOptions) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="carillon-chat", daemon=True)
        self._thread.start()
        self._chat: AsyncChat = self._run(self._make(options))
        self._events = self._chat.events()

    def __enter__(self) -> "Chat":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    @staticmethod
    async def _make(options: ChatOptions) -> AsyncChat:
        return AsyncChat(options)

    @property
    def phase(self) -> str:
        return self._chat.phase

    @property
    def position(self) -> int:
        return self._chat.position

    @property
    def session(self) -> Optional[str]:
        return self._chat.session

    def start(self, **fields: str) -> ChatMessage:
        return self._run(self._chat.start(**fields))

    def enter_background(self) -> None:
        self._run(self._chat.enter_background())

    def return_to_foreground(self) -> None:
        self._run(self._chat.return_to_foreground())

    def send(self, message: str, id: Optional[str] = None) -> int:
        return self._run(self._chat.send(message, id))

    def enqueue(self, message: str, id: Optional[str] = None) -> "Future[int]":
        """As `send`, without waiting."""
        return asyncio.run_coroutine_threadsafe(self._chat.send(message, id), self._loop)

    def typing(self, started: bool, preview: str = "") -> None:
        self._run(self._chat.typing(started, preview))

    def update_data(self, data: Mapping[str, str]) -> None:
        self._run(self._chat.update_data(data))

    def transcript(self) -> List[ChatEvent]:
        return self._run(self._chat.transcript())

    def events(self) -> Iterator[ChatEvent]:
        """What happens, once each and in order; ends when the chat does. One reader."""
        while True:
            event = self._run(self._next_event())
            if event is None:
                return
            yield event

    async def _next_event(self) -> Optional[ChatEvent]:
        try:
            return await self._events.__anext__()
        except StopAsyncIteration:
            return None

    def end(self) -> None:
        self._run(self._chat.end())

    def close(self) -> None:
        if not self._loop.is_running():
            return
        self._run(self._chat.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
