"""`Wanted`: which events a reader wants."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ore.artifact import Block, Delta, tag_of
from ore.event import Entry

__all__ = ["EVERYTHING", "Wanted"]


class Wanted(NamedTuple):
    """Which events a reader wants; values that are equal share their batches."""

    kinds: frozenset[str] = frozenset()
    deltas: bool = True

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


EVERYTHING: Final = Wanted()
"""What most readers want."""
