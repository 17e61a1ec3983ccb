"""`Pace`: how often the readers of a session get what waits."""

import asyncio
from typing import Final

__all__ = ["Pace"]

READER_S: Final = 0.000_5
"""What each reader of a session adds to the time between two pieces: with this, writing to all of them takes at most
about a tenth of a core, however many there are (a piece to a socket was measured at 30 to 50 microseconds)."""

LONGEST_S: Final = 0.1
"""What nobody waits longer than: a tenth of a second still looks like writing."""


class Pace:
    """The readers of one session; they get what waits together, the more there are the less often.

    A piece that comes after a pause goes out at once. What comes behind it goes
    out when the beat is over, all of it in one piece that is made once for all
    who stood at the same place.
    """

    __slots__ = ("_waiting", "readers")

    def __init__(self) -> None:
        self.readers = 0
        """How many there are."""
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def beat_s(self) -> float:
        """Seconds between two pieces."""
        return min(self.readers * READER_S, LONGEST_S)

    def beat(self) -> asyncio.Future[None]:
        """Done when it is time for the next piece, or when whoever waits for it says so; all go on together."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_later(self.beat_s, self._go_on)
        future: asyncio.Future[None] = loop.create_future()
        self._waiting.append(future)
        return future

    def _go_on(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
