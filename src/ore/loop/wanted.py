"""`Wanted`: which events a reader wants."""

from collections.abc import Sequence

from ore.artifact import Block, Delta, tag_of
from ore.event import Entry

__all__ = ["Wanted"]


class Wanted:
    """Which events a reader wants; values that are equal share their batches."""

    __slots__ = ("_hash", "deltas", "kinds")

    def __init__(self, kinds: frozenset[str] = frozenset(), *, deltas: bool = True) -> None:
        self.kinds = kinds
        self.deltas = deltas
        self._hash = hash((kinds, deltas))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wanted) and self.kinds == other.kinds and self.deltas == other.deltas

    def __hash__(self) -> int:
        return self._hash

    def takes(self, entry: Entry) -> bool:
        """Whether a reader gets this event."""
        if self.kinds:
            return entry.kind in self.kinds
        return self.deltas or not isinstance(entry.event, Delta)

    def takes_delta(self, block: Block) -> bool:
        """Whether a reader gets the fragments of a block."""
        return tag_of(block.kind) in self.kinds if self.kinds else self.deltas

    def select(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Those that a reader gets; the very sequence when it gets all."""
        if self.kinds:
            kinds = self.kinds
            return [entry for entry in entries if entry.kind in kinds]
        return entries if self.deltas else [entry for entry in entries if not isinstance(entry.event, Delta)]
