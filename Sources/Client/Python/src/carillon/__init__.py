"""Client of Carillon for back ends: agents, app servers, callbacks, chats, webhooks.

Each client comes twice: for threads (`AgentClient`, `Sender`, `Callbacks`, `Chat`) and for asyncio (`Async…`).
Neither needs more than the standard library. What fails raises a `CarillonError`.
"""

from ._events import AgentEvent
from .agent import AgentClient, AsyncAgentClient
from .callbacks import AsyncCallbacks, Callbacks
from .chat import AsyncChat, Chat, ChatEvent, ChatMessage, ChatOptions
from .errors import (CarillonError, ConnectionClosed, Ended, InvalidAddress, InvalidArgument, InvalidSignature,
                     InvalidState, MalformedResponse, OutboxFull, Refused, Stopped, TimedOut, Unreachable, Unsuccessful)
from .sending import AsyncSender, Sender, message
from .webhooks import WebhookVerifier

__all__ = [
    "AgentClient", "AgentEvent", "AsyncAgentClient", "AsyncCallbacks", "AsyncChat", "AsyncSender", "Callbacks",
    "CarillonError", "Chat", "ChatEvent", "ChatMessage", "ChatOptions", "ConnectionClosed", "Ended", "InvalidAddress",
    "InvalidArgument", "InvalidSignature", "InvalidState", "MalformedResponse", "OutboxFull", "Refused", "Sender",
    "Stopped", "TimedOut", "Unreachable", "Unsuccessful", "WebhookVerifier", "message",
]
