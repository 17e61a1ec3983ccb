"""`Progress`: says at a terminal what takes longer than a second, and takes it back."""

import asyncio
import os
import sys
from types import TracebackType
from typing import Final, Self

from ore.cli.terminal import inert, is_terminal

__all__ = ["Progress"]

SILENT_S: Final = 1.0
"""Seconds in which nobody asks what is going on."""


class Progress:
    """A line on standard error while something takes its time: what it is, and for how many seconds already.

    Only people at a terminal that can take a line back see it; nothing of it
    stays. Needs a running loop, and does not hold it up.

    Args:
        what: Such as `asking the store`.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._began_s = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._shown = False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, what: str | None = None) -> None:
        """Begin to count, anew when it counts already."""
        self.stop()
        if what is not None:
            self._what = what
        if is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb":
            loop = asyncio.get_running_loop()
            self._began_s = loop.time()
            self._timer = loop.call_later(SILENT_S, self._show)

    def stop(self) -> None:
        """Take the line back; before anything else is written."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._shown:
            self._shown = False
            self._write("\r\x1b[K")

    def _show(self) -> None:
        loop = asyncio.get_running_loop()
        self._shown = True
        self._write(f"\r\x1b[K… {inert(self._what)} ({loop.time() - self._began_s:.0f} s)")
        self._timer = loop.call_later(1.0, self._show)

    @staticmethod
    def _write(text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):  # nobody reads it any more
            return
