"""`Interrupts`: what Ctrl-C does."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ore.cli.status import INTERRUPTED

__all__ = ["Interrupts"]


class Interrupts:
    """Counts SIGINT, so that an answer can be stopped and kept.

    The first one stops the running message; when none runs, and at the second
    one, the command itself is cancelled, which still closes the session. The
    third one ends the process at once.

    Attributes:
        happened: Whether there was one since the command, or the message, began.
    """

    def __init__(self) -> None:
        self.happened = False
        self._stop: Callable[[], bool] | None = None
        self._count = 0
        self._task: asyncio.Task[object] | None = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take SIGINT over, also where whoever started the command had it ignored."""
        self._task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        try:
            loop.add_signal_handler(signal.SIGINT, self._interrupt)
        except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            yield
            return
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    @contextmanager
    def stopping(self, stop: Callable[[], bool]) -> Iterator[None]:
        """While a message runs: how to stop it; says whether there was something to stop."""
        self._stop, self._count, self.happened = stop, 0, False
        try:
            yield
        finally:
            self._stop = None

    def _interrupt(self) -> None:
        self.happened = True
        self._count += 1
        if self._count > 2:
            os._exit(INTERRUPTED)
        stopped = self._count == 1 and self._stop is not None and self._stop()
        if not stopped and self._task is not None:
            self._task.cancel()
