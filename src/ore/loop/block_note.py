"""`BlockNote`: what the event log remembers of a block."""

from array import array
from bisect import bisect_right

from ore.event import EventContext

__all__ = ["BlockNote"]


class BlockNote:
    """Where a block's fragments stand in the log.

    Attributes:
        epoch: The epoch in which it began.
        kind: The kind of its fragments.
        context: The envelope of its fragments, and of what they make.
        numbers: The place of each fragment, in step with the block's `parts` while it is open.
        dropped: The last place that was let go; fragments up to it are only in the block.
    """

    __slots__ = ("context", "dropped", "epoch", "kind", "numbers")

    def __init__(self, epoch: int, kind: str, context: EventContext) -> None:
        self.epoch = epoch
        self.kind = kind
        self.context = context
        self.numbers = array("Q")
        self.dropped = 0

    @property
    def thin(self) -> bool:
        """Whether the log holds none of its fragments any more."""
        return self.numbers[-1] <= self.dropped

    def drop(self, guard: int) -> None:
        """The log lets go of the fragments up to the place `guard`."""
        count = bisect_right(self.numbers, guard)
        if count:
            self.dropped = max(self.dropped, self.numbers[count - 1])
