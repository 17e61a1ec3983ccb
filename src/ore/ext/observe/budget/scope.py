"""`Scope`: the budgets that the running message counts for."""

from contextvars import ContextVar
from typing import Final

import msgspec

from ore.ext.observe.budget.budget import Budget

__all__ = ["NOWHERE", "SCOPE", "Scope"]


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """The budgets that the running message counts for.

    Attributes:
        message: Whose it is: thread and message.
        line: Its own and those around it, outermost first.
    """

    message: tuple[str | None, str | None] | None = None
    line: tuple[Budget, ...] = ()


NOWHERE: Final = Scope()

SCOPE: ContextVar[Scope] = ContextVar("ore.ext.observe.budget", default=NOWHERE)
"""That of the running message, which what works inside its calls inherits."""
