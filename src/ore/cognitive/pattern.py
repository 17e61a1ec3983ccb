"""`Pattern`: how inferences become an answer."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ore.cognitive.limits import RunLimits
from ore.ledger import Draft, State, Turn
from ore.loop import TurnExecutor
from ore.models import Spec
from ore.provider import Option, Provider

__all__ = ["Check", "Pattern", "Runtime"]

Check = Callable[[Turn | Draft], str | None]
"""Looks at what would be the answer; returns what is wrong with it, for the
model to read, or `None`. Must not block."""


def _nothing_waits() -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What a pattern works with, for one message.

    Attributes:
        step: Runs inferences.
        state: The ledger; its last turn is what has to be answered.
        provider: Who answers.
        spec: How.
        options: Options for each inference.
        limits: How much it may take.
        check: What an answer has to pass.
        waits: Whether a message waits to steer, so that the loop shall go on.
    """

    step: TurnExecutor
    state: State
    provider: Provider
    spec: Spec = field(default_factory=Spec)
    options: Sequence[Option] = ()
    limits: RunLimits = field(default_factory=RunLimits)
    check: Check | None = None
    waits: Callable[[], bool] = _nothing_waits

    def turn(self) -> Awaitable[Turn]:
        """One inference."""
        return self.step.turn(self.state, self.spec, self.provider, *self.options)


class Pattern(Protocol):
    """Made anew for each message, so it may keep what it likes about one.

    Attributes:
        name: Such as `"react"`.
    """

    @property
    def name(self) -> str:
        """Its name, for traces."""
        ...

    async def run(self, runtime: Runtime) -> Turn:
        """Work until there is an answer, and return it.

        Raises:
            Exception: The message fails with it.
        """
        ...

    def ends(self, draft: Draft | Turn) -> bool:
        """Whether `draft` will be the last turn. Pure: it is asked before the turn is recorded."""
        ...
