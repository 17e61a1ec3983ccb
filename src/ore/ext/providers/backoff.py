"""`Backoff`: how often a request is made again, and how long to wait before."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

__all__ = ["Backoff"]

_SHORTEST_S = 0.1
"""What a server's "at once" comes to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How often, and how long to wait; the defaults are the original's.

    Attributes:
        attempts: Requests in all; 1 never repeats one.
        first_s: Seconds before the second one.
        cap_s: Seconds that any wait has at most, also when the server asks for more.
        factor: What each wait is longer than the one before.
        jitter: Share of a wait by which it is longer or shorter at random, so
            that many who failed together do not come back together.
        within_s: Seconds since the first request after which none is repeated:
            whoever waited through a long limit is told, and not made to wait again.
        clock: Seconds that only go forward.
        sleep: Waits; a cancellation ends it.
        uniform: A random number between two.
    """

    attempts: int = 3
    first_s: float = 0.5
    cap_s: float = 30.0
    factor: float = 2.0
    jitter: float = 0.5
    within_s: float = 120.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    uniform: Callable[[float, float], float] = random.uniform

    def wait_s(self, attempt: int, asked_s: float | None) -> float:
        """Seconds to wait after an attempt, counted from 1.

        Args:
            asked_s: What the server asked for; it is waited for as it is, within the cap.
        """
        if asked_s is not None:
            return min(max(asked_s, _SHORTEST_S), self.cap_s)
        wait_s = self.first_s * self.factor ** (attempt - 1)
        return min(wait_s * self.uniform(1 - self.jitter, 1 + self.jitter), self.cap_s)
