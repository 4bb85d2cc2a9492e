"""Takes events out of a `text/event-stream`. Spec: HTML, server-sent events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, List, Optional

from .errors import MalformedResponse

LINE_BYTES_MAXIMUM = 4 * 1024 * 1024


@dataclass(frozen=True)
class AgentEvent:
    """Something has happened: `line`, `waiting`, `ended`, `callback`, …; `reset` says that events were lost."""

    name: str
    data: Any
    id: Optional[str]


class EventParser:
    def __init__(self) -> None:
        self.last_id: Optional[str] = None
        self._waiting = bytearray()
        self._name = "message"
        self._data: List[str] = []

    def feed(self, piece: bytes) -> List[AgentEvent]:
        self._waiting += piece
        if len(self._waiting) > LINE_BYTES_MAXIMUM:
            raise MalformedResponse("a line without end")
        events = []
        while (end := self._waiting.find(b"\n")) >= 0:
            line = self._waiting[:end].rstrip(b"\r").decode(errors="replace")
            del self._waiting[:end + 1]
            event = self._line(line)
            if event is not None:
                events.append(event)
        return events

    def _line(self, line: str) -> Optional[AgentEvent]:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if line:
            if name == "id":
                self.last_id = value
            elif name == "event":
                self._name = value
            elif name == "data":
                self._data.append(value)
            return None
        event, data = self._name, "\n".join(self._data)
        self._name, self._data = "message", []
        try:
            return AgentEvent(event, json.loads(data), self.last_id) if data else None
        except (ValueError, RecursionError):
            return None
