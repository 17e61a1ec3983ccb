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
        begun: Its task has made its first step.
        stops: Its coming has cancelled what ran, which is to be as durable as the message.
        opens: Its first turn is being recorded, or was, before it has a task.
        decided: Its ending is durable; cancelling no longer touches it.
        done: It was decided that it is done, perhaps after somebody cancelled it.
        clearing: Set while it is being taken out of the queue; its value says
            whether that worked.
        ends: Whether a draft will be its last turn; `None` while no pattern runs.
        joined: Messages that steered into it; they end with it.
        before: Id of the turn that was recorded before its first one.
    """

    __slots__ = (
        "before",
        "begun",
        "clearing",
        "context",
        "decided",
        "done",
        "ends",
        "envelope",
        "joined",
        "message",
        "opens",
        "stops",
        "task",
        "ticket",
        "why",
    )

    def __init__(self, message: Message, ticket: Ticket, envelope: EventContext, context: contextvars.Context) -> None:
        self.message = message
        self.ticket = ticket
        self.envelope = envelope
        self.context = context
        self.task: asyncio.Task[None] | None = None
        self.why: Why | None = None
        self.begun = False
        self.stops = False
        self.opens = False
        self.decided = False
        self.done = False
        self.clearing: Latch[bool] | None = None
        self.ends: Callable[[Draft], bool] | None = None
        self.joined: list[Item] = []
        self.before: str | None = None

    @property
    def has_begun(self) -> bool:
        """Whether it can only be cancelled, and not be taken out of the queue any more."""
        return self.task is not None or self.opens or self.message.taken

    @property
    def is_cancellable(self) -> bool:
        """Whether cancelling it would change anything."""
        return self.has_begun and not self.decided and self.why is None

    def cancel(self, why: Why) -> bool:
        """Cancel it while it runs; whether there was something to cancel."""
        if not self.is_cancellable:
            return False
        self.why = why
        if self.task is not None and self.begun:  # else it looks at `why` itself, as its first step
            self.task.cancel()
        return True

    def let_go(self, *, cleared: bool) -> None:
        """Nobody takes it out of the queue any more, because it is out or will run."""
        latch, self.clearing = self.clearing, self.clearing if cleared else None
        if latch is not None:
            latch.set(cleared)
