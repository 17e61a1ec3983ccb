"""`Item`: a message in this process, from its submission to its ending."""

import asyncio
import contextvars
from collections.abc import Callable
from typing import Literal

from ore.event import EventContext
from ore.ledger import Draft, Message
from ore.session.latch import Latch
from ore.session.outcome import Ticket

__all__ = ["Item", "Why"]

Why = Literal["cancelled", "closed", "shutdown", "limit"]
"""Why a running message is being cancelled; said before it is."""


class Item:
    """A message, its ticket, and the context in which it runs.

    Attributes:
        envelope: What its events carry.
        context: The sender's context variables.
        task: Its task while it runs.
        why: Why it is being cancelled.
        decided: Its ending is durable; cancelling no longer touches it.
        clearing: Set while it is being taken out of the queue; its value says
            whether that worked.
        ends: Whether a draft will be its last turn; `None` while no pattern runs.
        tip: Id of the turn before its first one.
    """

    __slots__ = ("clearing", "context", "decided", "ends", "envelope", "message", "task", "ticket", "tip", "why")

    def __init__(self, message: Message, ticket: Ticket, envelope: EventContext, context: contextvars.Context) -> None:
        self.message = message
        self.ticket = ticket
        self.envelope = envelope
        self.context = context
        self.task: asyncio.Task[None] | None = None
        self.why: Why | None = None
        self.decided = False
        self.clearing: Latch[bool] | None = None
        self.ends: Callable[[Draft], bool] | None = None
        self.tip: str | None = None

    def cancel(self, why: Why) -> bool:
        """Cancel it while it runs; whether there was something to cancel."""
        if self.task is None or self.decided or self.why is not None:
            return False
        self.why = why
        self.task.cancel()
        return True
