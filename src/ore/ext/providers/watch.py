"""`Watch`: one timer of a loop for all answers that are awaited there."""

import asyncio
import contextvars
from math import inf
from typing import Protocol

__all__ = ["Watch", "Watched"]


class Watched(Protocol):
    """What has to be looked at from time to time."""

    def look(self, now_s: float) -> float | None:
        """See what is due, and say when to look again, by the loop's clock; `None` for never."""
        ...


class Watch:
    """Looks at what is watched when it asked for that, never earlier.

    Answers come and go all the time and hardly ever reach a limit, so none has
    a timer of its own. The one that there is has a context of its own, since
    that of whoever wound it would be kept until it rings.
    """

    __slots__ = ("_at_s", "_loop", "_timer", "_watched")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._watched: dict[Watched, float] = {}
        self._at_s = inf
        self._timer: asyncio.TimerHandle | None = None

    def add(self, one: Watched, at_s: float) -> None:
        """Look at it then."""
        self._watched[one] = at_s
        if at_s < self._at_s:
            self._wind(at_s)

    def drop(self, one: Watched) -> None:
        """Look at it no more."""
        self._watched.pop(one, None)

    def _wind(self, at_s: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._at_s = at_s
        self._timer = self._loop.call_at(at_s, self._ring, context=contextvars.Context())

    def _ring(self) -> None:
        self._at_s, self._timer, now_s = inf, None, self._loop.time()
        for one, at_s in tuple(self._watched.items()):
            again_s = at_s if at_s > now_s else one.look(now_s)
            if again_s is None:
                self._watched.pop(one, None)
            elif one in self._watched:
                self._watched[one] = again_s
        earliest_s = min(self._watched.values(), default=inf)
        if earliest_s < self._at_s:
            self._wind(earliest_s)
