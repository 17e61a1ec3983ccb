"""Hooks of a Step, and the small protocols that it satisfies."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from ore.artifact import Artifact
from ore.ledger import Role, State, Turn
from ore.models import Spec
from ore.provider import Option, Provider

__all__ = ["Before", "Transform", "TurnExecutor", "TurnRunner", "TurnSubmitter"]

Transform = Callable[[State], State]
"""Changes what a provider sees, never the history; gets what the one before it
returned. May raise: then the message fails before any inference."""

Before = Callable[[State], Awaitable[None]]
"""Called before each inference, with the ledger, when every call has its result:
the place where turns enter that the inference shall see, such as messages that
steer. One that raises fails the message."""


class TurnRunner(Protocol):
    """Runs one inference."""

    async def turn(self, state: State, spec: Spec, provider: Provider, *options: Option) -> Turn:
        """Ask `provider` once and return the turn that was recorded."""
        ...


class TurnSubmitter(Protocol):
    """Records a turn without inference."""

    async def submit(self, state: State, role: Role, *artifacts: Artifact) -> Turn:
        """Record the turn and run the handlers over it."""
        ...


class TurnExecutor(TurnRunner, TurnSubmitter, Protocol):
    """Both."""
