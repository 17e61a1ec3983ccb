"""`Pace`: no more requests and tokens in a minute than a vendor grants."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from ore.ext.providers.turnstile import Turnstile

__all__ = ["Pace"]

_MINUTE_S: Final = 60.0


class Pace:
    """What was used in the last minute, and when there is room again.

    A request is admitted while fewer requests than `requests` began in the
    last minute and fewer tokens than `tokens` were used in it. What an answer
    costs is known when it has ended, so those that run at once may together
    overshoot the tokens; whoever comes next waits the longer.

    Args:
        requests: In a minute; `None` for any number.
        tokens: In a minute, of prompts and answers; `None` for any number.
        clock: Seconds that only go forward.
        sleep: Waits; a cancellation ends it.
    """

    def __init__(
        self,
        requests: int | None = None,
        tokens: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._requests = requests
        self._tokens = tokens
        self._clock = clock
        self._sleep = sleep
        self._begun: deque[float] = deque()
        self._used: deque[tuple[float, int]] = deque()
        self._lock = threading.Lock()
        self._front = Turnstile(1)

    async def admit(self) -> None:
        """Wait until there is room, in order of arrival, and count a request; a cancelled one counts for nothing."""
        if self._requests is None and self._tokens is None:
            return
        await self._front.enter()
        try:
            while (wait_s := self._wait_s()) > 0:
                await self._sleep(wait_s)
            with self._lock:
                self._begun.append(self._clock())
        finally:
            self._front.leave()

    def use(self, tokens: int) -> None:
        """Count what an answer cost."""
        if self._tokens is not None:
            with self._lock:
                self._used.append((self._clock(), tokens))

    def _wait_s(self) -> float:
        with self._lock:
            now = self._clock()
            while self._begun and self._begun[0] <= now - _MINUTE_S:
                self._begun.popleft()
            while self._used and self._used[0][0] <= now - _MINUTE_S:
                self._used.popleft()
            free_at = max(self._requests_free_at(now), self._tokens_free_at(now))
        return free_at - now

    def _requests_free_at(self, now: float) -> float:
        if self._requests is None or len(self._begun) < self._requests:
            return now
        return self._begun[len(self._begun) - self._requests] + _MINUTE_S

    def _tokens_free_at(self, now: float) -> float:
        """When enough of what was used is more than a minute old."""
        if self._tokens is None:
            return now
        left = sum(tokens for _, tokens in self._used)
        free_at = now
        for used_at, tokens in self._used:
            if left < self._tokens:
                break
            left -= tokens
            free_at = used_at + _MINUTE_S
        return free_at
