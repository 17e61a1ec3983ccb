"""`ScriptedProvider`: plays answers from a list, and holds the world still where told."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from ore.artifact import Artifact, Restart, StopReason, ToolCall, ToolCallDelta, Usage
from ore.errors import ProviderError
from ore.ledger import State, Turn
from ore.models import Spec
from ore.provider import BATCH_LIMIT, Batch, Option

__all__ = ["Invocation", "Item", "ScriptedProvider"]

Item = Artifact | Sequence[Artifact] | asyncio.Event | BaseException
"""An artifact, artifacts that arrive together, an event that is waited for, or
an exception that is raised."""


class Invocation:
    """What one inference was asked.

    Attributes:
        turns: The turns as the provider saw them.
        spec: The spec.
        options: The options.
    """

    __slots__ = ("options", "spec", "turns")

    def __init__(self, turns: Sequence[Turn], spec: Spec, options: Sequence[Option]) -> None:
        self.turns = turns
        self.spec = spec
        self.options = options


class ScriptedProvider:
    """A provider without a model.

    Each inference takes the next list. A missing `StopReason` is `tool_use`
    after calls and `stop` otherwise.

    Args:
        calls: One list of items for each inference.
        repeat: Whether the lists begin again after the last one.
        name: The provider's name.

    Attributes:
        invocations: What was asked, in order.
        closed: How many inferences were closed before their end.
    """

    def __init__(self, *calls: Sequence[Item], repeat: bool = False, name: str = "scripted") -> None:
        self._calls = [_planned(call) for call in calls]
        self._repeat = repeat
        self._name = name
        self._next = 0
        self.invocations: list[Invocation] = []
        self.closed = 0

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Play the next list.

        Raises:
            ProviderError: There is no list left, or the script says so.
        """
        self.invocations.append(Invocation(state.turns, spec, options))
        ended = False
        try:
            for step in self._take():
                if type(step) is tuple:
                    yield step
                elif isinstance(step, asyncio.Event):
                    await step.wait()
                else:
                    ended = True
                    raise step
            ended = True
        finally:
            self.closed += not ended

    def _take(self) -> "Sequence[_Step]":
        count = len(self._calls)
        if self._next == count and self._repeat:
            self._next = 0
        if self._next >= count:
            raise ProviderError(
                f"the script has {count} answers and inference {len(self.invocations)} wants another",
                provider=self._name,
            )
        self._next += 1
        return self._calls[self._next - 1]


_Step = Any
"""A batch as it is given, an event that is waited for, or an exception that is raised."""


def _planned(items: Sequence[Item]) -> Sequence[_Step]:
    """What an inference does, one step after the other, made once: playing it costs no looking."""
    plan: list[_Step] = []
    reason: Any = "stop"
    for item in items:
        if isinstance(item, asyncio.Event | BaseException):
            plan.append(item)
            continue
        batch: Batch = (item,) if isinstance(item, Artifact) else tuple(item)
        reason = _reason(batch, reason)
        if reason is not None and Usage in map(type, batch):
            plan.append((StopReason(reason=reason),))
            reason = None
        plan += [batch[start : start + BATCH_LIMIT] for start in range(0, len(batch), BATCH_LIMIT)]
    if reason is not None:
        plan.append((StopReason(reason=reason),))
    return plan


def _reason(batch: Sequence[Artifact], reason: str | None) -> str | None:
    """What the missing stop reason would be; `None` once one came."""
    for artifact in batch:
        if isinstance(artifact, StopReason):
            reason = None
        elif isinstance(artifact, Restart):
            reason = "stop"
        elif isinstance(artifact, ToolCall | ToolCallDelta) and reason is not None:
            reason = "tool_use"
    return reason
