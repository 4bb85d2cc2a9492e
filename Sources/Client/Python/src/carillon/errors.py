"""What went wrong between a client and its server."""

from __future__ import annotations

from typing import Optional


class CarillonError(Exception):
    """The root of all that the clients raise."""

    #: The server has certainly done nothing of what it was asked, and may do it later.
    is_undone = False
    #: Nobody knows whether the server has done what it was asked: ask it before trying again.
    is_uncertain = False

    @property
    def may_pass(self) -> bool:
        """Whether the same may succeed later, or at another server."""
        return self.is_undone or self.is_uncertain


class InvalidAddress(CarillonError):
    """A server address that is not ``http://host[:port][/base]`` or ``https://…``."""


class InvalidArgument(CarillonError):
    """An argument that cannot be sent. Nothing was sent."""


class InvalidState(CarillonError):
    """The call does not fit the state of the client, such as `send` to a chat that is over."""


class Unreachable(CarillonError):
    """No connection could be made."""

    is_undone = True


class ConnectionClosed(CarillonError):
    """The connection ended before the answer was complete."""

    is_uncertain = True


class TimedOut(CarillonError):
    """No answer in time."""

    is_uncertain = True


class MalformedResponse(CarillonError):
    """Bytes that are not HTTP, not JSON, or not what the protocol has in this place."""

    is_uncertain = True


class Refused(CarillonError):
    """The server has refused the request, in the words of the message."""

    def __init__(self, status: int, message: str, retry_after: Optional[float] = None) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message
        #: Seconds after which the server wants to be asked again; None if it did not say.
        self.retry_after = retry_after
        # 503 is said before anything is done; of any other failure on the way nobody knows.
        self.is_undone = status in (429, 503)
        self.is_uncertain = status >= 500 and status != 503


class Unsuccessful(CarillonError):
    """A Bayeux reply that is not successful, or an error of FCM."""


class OutboxFull(CarillonError):
    """As many messages wait as the outbox holds."""


class Ended(CarillonError):
    """The chat is over."""


class Stopped(CarillonError):
    """The client was closed."""


class InvalidSignature(CarillonError):
    """A webhook that was not signed with the secret, or too long ago."""
