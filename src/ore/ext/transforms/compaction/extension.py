"""`Compaction`: an agent whose conversations may go on for ever."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ore.agent import AgentSpec
from ore.cognitive import Pattern
from ore.ext.transforms.compaction.automatic import Compacting
from ore.ext.transforms.compaction.recall import with_recall
from ore.ext.transforms.compaction.settings import CompactionSettings
from ore.ext.transforms.compaction.showing import show
from ore.ledger import State
from ore.loop import Transform

__all__ = ["Compaction", "compaction_of"]


class Compaction:
    """Makes an agent compact its conversations; given to `Agent(extensions=…)`, or called with an `AgentSpec`.

    What was compacted stays in the ledger, in its place; a model is shown a
    summary instead, or outputs of tools in part. It holds for an agent only
    while it has this.

    Args:
        settings: When, and how far.
    """

    def __init__(self, settings: CompactionSettings | None = None) -> None:
        self.settings = settings or CompactionSettings()

    def __call__(self, spec: AgentSpec) -> AgentSpec:
        """The agent with it; what it had before comes behind."""
        inner = spec.pattern
        pattern: Callable[[], Pattern] = (
            (lambda: Compacting(inner(), self.settings)) if self.settings.automatic else inner
        )
        transforms: Sequence[Transform] = (_Shown(self), *spec.transforms)
        return replace(spec, transforms=transforms, tools=with_recall(spec.tools), pattern=pattern)


class _Shown:
    """The transform, by which an agent is known to have it."""

    def __init__(self, compaction: Compaction) -> None:
        self.compaction = compaction
        self.__name__ = "compaction"

    def __call__(self, state: State) -> State:
        return show(state)


def compaction_of(spec: AgentSpec) -> Compaction | None:
    """The compaction that an agent has; `None` when it has none."""
    inner = (getattr(item, "__wrapped__", item) for item in spec.transforms)
    return next((item.compaction for item in inner if isinstance(item, _Shown)), None)
