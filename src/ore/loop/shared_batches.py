"""`SharedBatches`: what readers at one place of a log get, made once for all of them."""

from collections.abc import Sequence
from typing import Final

from ore.event import Entry
from ore.loop.wanted import Wanted

__all__ = ["SharedBatches"]

KEPT: Final = 8


class SharedBatches(dict[tuple[int, Wanted], Sequence[Entry]]):
    """Batches by the place where they begin, or by the inverted number behind which they do; until the log changes."""

    at: tuple[int, int] = (0, 0)
    """The state of the log that they are of: how often something was dropped, and the last number."""

    def make_room(self) -> None:
        """Another one comes: when there are many, the others go."""
        if len(self) >= KEPT:
            self.clear()
