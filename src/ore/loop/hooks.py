"""Hooks of a Step, and the small protocols that it satisfies."""

from collections.abc import Callable, Sequence
from typing import Protocol

from ore.artifact import Artifact
from ore.ledger import Draft, Role, State, Turn
from ore.models import Spec
from ore.provider import Option, Provider

__all__ = ["Before", "Transform", "TurnExecutor", "TurnRunner", "TurnSubmitter"]

Transform = Callable[[State], State]
"""Changes what a provider sees, never the history; gets what the one before it
returned. May raise: then the message fails before any inference."""

Before = Callable[[State], Sequence[Draft]]
"""Asked before each inference for turns that enter the ledger first, such as
messages that steer. Must not block."""


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
