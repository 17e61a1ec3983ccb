"""`RunClock`: the time a message works, without the time it waits for people."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["RunClock"]


class RunClock:
    """Calls back once a message has worked for so long.

    Args:
        limit_s: Seconds of work; `None` never calls back.
        over: Called then.
    """

    __slots__ = ("_handle", "_left_s", "_over", "_waiting")

    def __init__(self, limit_s: float | None, over: Callable[[], object]) -> None:
        self._left_s = limit_s
        self._over = over
        self._waiting = 0
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Count from now on."""
        if self._left_s is not None and self._handle is None:
            self._handle = asyncio.get_running_loop().call_later(self._left_s, self._over)

    def stop(self) -> None:
        """Count no more."""
        if self._handle is not None:
            loop = asyncio.get_running_loop()
            self._left_s = max(self._handle.when() - loop.time(), 0.0)
            self._handle.cancel()
            self._handle = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count while the block lasts; several may last at once."""
        self._waiting += 1
        self.stop()
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self.start()
