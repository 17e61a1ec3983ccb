"""`BlockNote`: what the event log remembers of an open block."""

from ore.event import EventContext

__all__ = ["BlockNote"]


class BlockNote:
    """Where a block's fragments stand in the log.

    Attributes:
        epoch: The epoch in which it began.
        context: The envelope of its fragments.
        numbers: The place of each fragment, in step with the block's `parts`.
        dropped: The last place that was let go; fragments up to it are only in the block.
    """

    __slots__ = ("context", "dropped", "epoch", "numbers")

    def __init__(self, epoch: int, context: EventContext) -> None:
        self.epoch = epoch
        self.context = context
        self.numbers: list[int] = []
        self.dropped = 0
