"""`Scope`: the budgets that the running message counts for."""

import asyncio
import weakref
from contextvars import ContextVar
from typing import Any, Final

import msgspec

from ore.ext.observe.budget.budget import Budget

__all__ = ["NOWHERE", "SCOPE", "Scope", "this_task"]


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """The budgets that the running message counts for.

    Attributes:
        message: Whose it is: thread and message.
        line: Its own and those around it, outermost first.
        task: A weak reference to the one that works on it.
    """

    message: tuple[str | None, str | None] | None = None
    line: tuple[Budget, ...] = ()
    task: Any = None

    def covers(self, message: tuple[str | None, str | None]) -> bool:
        """Whether work for a message counts here: it is the one, or it joined it, which its own task does."""
        if self.message is None or self.message[0] != message[0]:
            return False
        return self.message == message or (self.task is not None and self.task() is asyncio.current_task())


NOWHERE: Final = Scope()

SCOPE: ContextVar[Scope] = ContextVar("ore.ext.observe.budget", default=NOWHERE)
"""That of the running message, which what works inside its calls inherits."""


def this_task() -> Any:
    """A weak reference to the running task; `None` where none runs."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs here
        return None
    return weakref.ref(task) if task is not None else None
