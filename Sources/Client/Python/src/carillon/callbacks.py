"""Callbacks: ordering them, and doing what their dialogs say. Spec: GMS 9."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

from ._async import AsyncTransport
from ._blocking import Transport
from ._http import Call, elements, encoded, integer, members, query

Json = Dict[str, Any]
_ROOT = "/genesys/1/service"


def _path(service: str, callback: Optional[str] = None) -> str:
    return f"{_ROOT}/callback/{encoded(service)}" + ("" if callback is None else f"/{encoded(callback)}")


def _order(service: str, number: str, fields: Mapping[str, str]) -> Call:
    return Call.json("POST", _path(service), {"_customer_number": number, **fields})


def _availability(service: str, days: int, slots: int) -> Call:
    return Call.json("GET", _path(service) + "/availability" + query({"number-of-days": days, "max-time-slots": slots}))


def _slots(answer: Any) -> Dict[str, int]:
    return {time: integer(answer, time) for time in answer} if isinstance(answer, dict) else {}


def _act(callback: str, action: str) -> Call:
    return Call.json("POST", f"{_ROOT}/{encoded(callback)}/{encoded(action)}", {})


def _headers(user_key: Optional[str]) -> Dict[str, str]:
    return {} if user_key is None else {"gms_user": user_key}


class Callbacks:
    """A customer's callbacks, for threads.

    An order whose answer was lost (`is_uncertain`) may have been taken: `find` tells.
    """

    def __init__(self, url: str, user_key: Optional[str] = None, alternatives: Sequence[str] = (),
                 timeout: float = 10.0) -> None:
        self._transport = Transport(url, alternatives, _headers(user_key), timeout)

    def close(self) -> None:
        self._transport.close()

    def order(self, service: str, number: str, fields: Mapping[str, str] = {}) -> Json:
        """A dialog, with the callback's `_id`. `fields`: options such as `_desired_time`, and attached data."""
        return members(self._transport.json(_order(service, number, fields)))

    def availability(self, service: str, days: int = 7, slots: int = 10) -> Dict[str, int]:
        """Times at which callbacks can be had, with their free places."""
        return _slots(self._transport.json(_availability(service, days, slots)))

    def find(self, service: str, **conditions: str) -> List[Json]:
        return elements(self._transport.json(Call.json("GET", _path(service) + query(conditions))))

    def show(self, service: str, callback: str) -> Json:
        return members(self._transport.json(Call.json("GET", _path(service, callback))))

    def change(self, service: str, callback: str, fields: Mapping[str, str]) -> Json:
        """`_new_desired_time` moves it; an empty value removes a field."""
        return members(self._transport.json(Call.json("PUT", _path(service, callback), dict(fields))))

    def cancel(self, service: str, callback: str) -> None:
        self._transport.json(Call.json("DELETE", _path(service, callback)))

    def act(self, callback: str, action: str) -> Json:
        """The dialog of an action, such as `connect`, `snooze`, or what a push names."""
        return members(self._transport.json(_act(callback, action)))


class AsyncCallbacks:
    """The same for asyncio."""

    def __init__(self, url: str, user_key: Optional[str] = None, alternatives: Sequence[str] = (),
                 timeout: float = 10.0) -> None:
        self._transport = AsyncTransport(url, alternatives, _headers(user_key), timeout)

    async def close(self) -> None:
        await self._transport.close()

    async def order(self, service: str, number: str, fields: Mapping[str, str] = {}) -> Json:
        return members(await self._transport.json(_order(service, number, fields)))

    async def availability(self, service: str, days: int = 7, slots: int = 10) -> Dict[str, int]:
        return _slots(await self._transport.json(_availability(service, days, slots)))

    async def find(self, service: str, **conditions: str) -> List[Json]:
        return elements(await self._transport.json(Call.json("GET", _path(service) + query(conditions))))

    async def show(self, service: str, callback: str) -> Json:
        return members(await self._transport.json(Call.json("GET", _path(service, callback))))

    async def change(self, service: str, callback: str, fields: Mapping[str, str]) -> Json:
        return members(await self._transport.json(Call.json("PUT", _path(service, callback), dict(fields))))

    async def cancel(self, service: str, callback: str) -> None:
        await self._transport.json(Call.json("DELETE", _path(service, callback)))

    async def act(self, callback: str, action: str) -> Json:
        return members(await self._transport.json(_act(callback, action)))
