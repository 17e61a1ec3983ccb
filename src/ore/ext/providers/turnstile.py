"""`Turnstile`: lets a number in at once, first come first served."""

import asyncio
import threading
from collections import deque

__all__ = ["Turnstile"]


class Turnstile:
    """Places for so many at once, shared by any number of event loops and threads.

    Whoever waits is let in in the order of arrival. One that is cancelled
    while it waits, or just as it is let in, gives its place to the next.

    Args:
        places: How many there are.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._lock = threading.Lock()

    @property
    def free(self) -> int:
        """Places that nobody has."""
        return self._free

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    async def enter(self) -> None:
        """Wait for a place; whoever got one gives it back with `leave`."""
        with self._lock:
            if self._free > 0:  # then nobody waits
                self._free -= 1
                return
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not self._withdraw(turn):  # it was let in meanwhile
                self.leave()
            raise

    def leave(self) -> None:
        """Give the place to whoever has waited longest."""
        with self._lock:
            while self._waiting:
                turn = self._waiting.popleft()
                try:
                    turn.get_loop().call_soon_threadsafe(_let_in, turn)
                except RuntimeError:  # its loop is closed, and nobody waits any more
                    continue
                return
            self._free += 1

    def _withdraw(self, turn: "asyncio.Future[None]") -> bool:
        with self._lock:
            if turn not in self._waiting:
                return False
            self._waiting.remove(turn)
            return True


def _let_in(turn: "asyncio.Future[None]") -> None:
    if not turn.done():
        turn.set_result(None)
