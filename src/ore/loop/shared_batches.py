"""`SharedBatches`: what readers at one place of a log get, made once for all of them."""

from collections.abc import Sequence
from typing import Final, Self

from ore.event import Entry
from ore.loop.wanted import Wanted

__all__ = ["SharedBatches"]

KEPT: Final = 8


class SharedBatches(dict[tuple[int, Wanted], Sequence[Entry]]):
    """Batches by the place where they begin, or by the inverted number behind which they do; until the log changes."""

    _at = (0, 0)

    def at(self, generation: int, last: int) -> Self:
        """Those of the log as it is now."""
        at = (generation, last)
        if self._at != at or len(self) >= KEPT:
            self._at = at
            self.clear()
        return self
