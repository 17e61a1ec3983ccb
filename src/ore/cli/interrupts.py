"""`Interrupts`: what Ctrl-C does, and whoever else ends the command."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from ore.cli.status import INTERRUPTED, ended_by

__all__ = ["Interrupts", "Told"]


class Told(Exception):
    """The command was told to end, and has let go of what it held.

    Attributes:
        number: The signal: SIGTERM, or SIGHUP when the terminal went away.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


_ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else (signal.SIGTERM,)


class Interrupts:
    """Counts SIGINT, so that an answer can be stopped and kept.

    The first one stops the running message; when none runs, and at the second
    one, the command itself is cancelled, which still closes the session. The
    third one ends the process at once.

    SIGTERM and SIGHUP cut what runs, keep what was seen of it, and leave it and
    what waits to the next process that opens the session; the second one ends
    the process at once.

    Attributes:
        happened: Whether there was one since the command, or the message, began.
        told: SIGTERM or SIGHUP, once it came.
    """

    def __init__(self) -> None:
        self.happened = False
        self.told: int | None = None
        self._stop: Callable[[], bool] | None = None
        self._count = 0
        self._task: asyncio.Task[object] | None = None

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take the signals over: SIGINT also where whoever started the command had it ignored.

        Raises:
            Told: SIGTERM or SIGHUP ended what was done meanwhile.
        """
        self._task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        taken = [number for number in _ENDINGS if signal.getsignal(number) is not signal.SIG_IGN]  # as `nohup` has it
        try:
            loop.add_signal_handler(signal.SIGINT, self._interrupt)
            for number in taken:
                loop.add_signal_handler(number, self._end, number)
        except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            yield
            return
        try:
            yield
        except asyncio.CancelledError:
            if self.told is None:
                raise
            raise Told(self.told) from None
        finally:
            for number in (signal.SIGINT, *taken):
                loop.remove_signal_handler(number)

    @contextmanager
    def stopping(self, stop: Callable[[], bool]) -> Iterator[None]:
        """While a message runs: how to stop it; says whether there was something to stop."""
        self._stop, self._count, self.happened = stop, 0, False
        try:
            yield
        finally:
            self._stop = None

    def _end(self, number: int) -> None:
        if self.told is not None:
            os._exit(ended_by(number))
        self.told = number
        if self._task is not None:
            self._task.cancel()

    def _interrupt(self) -> None:
        self.happened = True
        self._count += 1
        if self._count > 2:
            os._exit(INTERRUPTED)
        stopped = self._count == 1 and self._stop is not None and self._stop()
        if not stopped and self._task is not None:
            self._task.cancel()
