"""`Pace`: when the screen is drawn."""

import time
from collections.abc import Callable
from typing import Final

from textual.message_pump import MessagePump
from textual.timer import Timer

__all__ = ["Pace"]

_FRAME_S: Final = 0.06
_SHARE: Final = 5
"""A frame begins no sooner than so many times what the last one took of the processor, with all that the library does
for it: a fifth of a core."""

_LONGEST_S: Final = 0.25
"""Nobody waits longer than that, whatever else was worked on meanwhile."""

_AT_ONCE_S: Final = 0.001


class Pace:
    """Lets a screen be drawn once for all that comes until then, and never too often.

    Args:
        pump: Whose timers are used.
        draw: Draws it.
        clock: Seconds, to tell when it was drawn last.
    """

    def __init__(
        self, pump: MessagePump, draw: Callable[[], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._pump = pump
        self._draw = draw
        self._clock = clock
        self._timer: Timer | None = None
        self._next_s = 0.0
        self._worked_s = time.thread_time()

    @property
    def is_due(self) -> bool:
        """Whether something is still to be drawn."""
        return self._timer is not None

    def soon(self) -> None:
        """Have it drawn when it is time."""
        if self._timer is None and self._pump.is_running:
            wait_s = max(self._next_s - self._clock(), _AT_ONCE_S)
            self._timer = self._pump.set_timer(wait_s, self._draw)

    def at_once(self) -> None:
        """Have it drawn whether or not it is time: somebody pressed a key and waits for what it does."""
        self._forget()
        self._next_s = 0.0
        self.soon()

    def begin(self) -> float:
        """It is being drawn; seconds of the processor since the last time."""
        self._forget()
        worked_s, self._worked_s = time.thread_time() - self._worked_s, time.thread_time()
        return worked_s

    def end(self, worked_s: float) -> None:
        """It was drawn.

        Args:
            worked_s: What `begin` said.
        """
        self._next_s = self._clock() + min(max(_FRAME_S, worked_s * _SHARE), _LONGEST_S)

    def _forget(self) -> None:
        """What was waited for is there, or need not be waited for."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
