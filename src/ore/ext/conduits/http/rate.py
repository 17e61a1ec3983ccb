"""`Rate`: how many requests may change something, in the long run and at once."""

from collections.abc import Callable

from ore.errors import LimitError
from ore.ext.conduits.http.problem import Problem

__all__ = ["Rate"]


class Rate:
    """A bucket that fills by the second; each request takes one out of it.

    Args:
        per_s: How many come in again each second.
        burst: How many it holds.
        clock: Seconds, from anywhere on.
    """

    def __init__(self, per_s: float, burst: int, clock: Callable[[], float]) -> None:
        self._per_s = per_s
        self._burst = burst
        self._clock = clock
        self._left = float(burst)
        self._at = clock()

    def take(self) -> None:
        """Take one.

        Raises:
            Problem: There is none; 429, with the seconds until there is.
        """
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._per_s)
        self._at = now
        if self._left < 1:
            wait_s = max(1, round((1 - self._left) / self._per_s + 0.5))
            raise Problem(
                429,
                LimitError.code,
                f"rate: expected at most {self._per_s:g} changes a second",
                headers={"Retry-After": str(wait_s)},
                retryable=True,
            )
        self._left -= 1
