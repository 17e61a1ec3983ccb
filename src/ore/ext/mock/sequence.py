"""Calls one after the other, for vendors that never begin a second one before the first one is whole."""

from collections.abc import Iterable, Sequence

from ore.artifact import Artifact, ToolCallDelta
from ore.ext.mock.playing import artifacts_of
from ore.ext.providers.script import Item

__all__ = ["one_after_another"]


def one_after_another(items: Sequence[Item]) -> Sequence[Item]:
    """The same list, in which fragments of another call wait until the one before them is whole.

    Everything else stays where it is; what waits is never overtaken by what follows the calls.
    """
    queue = _Queue(_going_on(list(artifacts_of(items))))
    return [tuple(queue.through(item)) if isinstance(item, Sequence) else item for item in items]


class _Queue:
    """Lets fragments through, those of one call at a time.

    Args:
        goes_on: For each fragment, whether another of its call follows.
    """

    def __init__(self, goes_on: Iterable[bool]) -> None:
        self._goes_on = iter(goes_on)
        self._waiting: list[tuple[ToolCallDelta, bool]] = []
        self._call: int | None = None

    def through(self, batch: Sequence[Artifact]) -> Iterable[Artifact]:
        """What may go, of a batch and of what waits."""
        for artifact in batch:
            if not isinstance(artifact, ToolCallDelta):
                yield artifact
                continue
            self._waiting.append((artifact, next(self._goes_on)))
            yield from self._ready()

    def _ready(self) -> Iterable[ToolCallDelta]:
        place = 0
        while place < len(self._waiting):
            delta, goes_on = self._waiting[place]
            if self._call not in (None, delta.index):
                place += 1
                continue
            del self._waiting[place]
            self._call = delta.index if goes_on else None
            place = place if goes_on else 0  # another call's turn, from its first fragment
            yield delta


def _going_on(artifacts: Sequence[Artifact]) -> Sequence[bool]:
    """For each fragment of a call, whether another of it follows before anything else does."""
    found: list[bool] = []
    following: set[int] = set()
    for artifact in reversed(artifacts):
        if isinstance(artifact, ToolCallDelta):
            found.append(artifact.index in following)
            following.add(artifact.index)
        else:
            following = set()
    return found[::-1]
