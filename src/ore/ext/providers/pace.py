"""`Pace`: no more requests and tokens in a minute than a vendor grants."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from ore.ext.providers.turnstile import Turnstile

__all__ = ["Grant", "Pace"]

_MINUTE_S: Final = 60.0
_LOOK_S: Final = 1.0
"""Seconds after which whoever waits for those that run looks again: they may use less than was expected."""


class Grant:
    """What one request was let in with; its tokens count for a minute from `at_s` on."""

    __slots__ = ("at_s", "tokens")

    def __init__(self, at_s: float, tokens: int) -> None:
        self.at_s = at_s
        self.tokens = tokens


class Pace:
    """What was used in the last minute, and when there is room again.

    A request is admitted while fewer requests than `requests` began in the
    last minute, and the tokens of those together with what it is expected to
    use are no more than `tokens`; one that is larger than that is admitted
    when nothing else counts. So those that run at once stay within the limit
    as far as what was expected of them was right; whoever comes next waits
    for the rest.

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
        self._used: deque[Grant] = deque()
        self._running = 0
        self._lock = threading.Lock()
        self._front = Turnstile(1)

    @property
    def counts_tokens(self) -> bool:
        """Whether tokens are limited at all."""
        return self._tokens is not None

    async def admit(self, tokens: int = 0) -> Grant:
        """Wait until there is room, in order of arrival, and count a request; a cancelled one counts for nothing.

        Args:
            tokens: What it is expected to use.
        """
        if self._requests is None and self._tokens is None:
            return Grant(0.0, 0)
        await self._front.enter()
        try:
            while (wait_s := self._wait_s(tokens)) > 0:
                await self._sleep(min(wait_s, _LOOK_S) if self._running else wait_s)
            return self._count(tokens)
        finally:
            self._front.leave()

    def settle(self, grant: Grant, tokens: int) -> None:
        """Count what a request really used; what is more than was expected counts from now on."""
        if self._tokens is None:
            return
        with self._lock:
            self._running -= 1
            more = tokens - grant.tokens
            if more > 0:
                self._used.append(Grant(self._clock(), more))
            else:
                grant.tokens = tokens

    def _count(self, tokens: int) -> Grant:
        grant = Grant(self._clock(), tokens)
        with self._lock:
            if self._requests is not None:
                self._begun.append(grant.at_s)
            if self._tokens is not None:
                self._used.append(grant)
                self._running += 1
        return grant

    def _wait_s(self, tokens: int) -> float:
        with self._lock:
            now = self._clock()
            while self._begun and self._begun[0] <= now - _MINUTE_S:
                self._begun.popleft()
            while self._used and self._used[0].at_s <= now - _MINUTE_S:
                self._used.popleft()
            free_at = max(self._requests_free_at(now), self._tokens_free_at(now, tokens))
        return free_at - now

    def _requests_free_at(self, now: float) -> float:
        if self._requests is None or len(self._begun) < self._requests:
            return now
        return self._begun[len(self._begun) - self._requests] + _MINUTE_S

    def _tokens_free_at(self, now: float, tokens: int) -> float:
        """When enough of what was used is more than a minute old."""
        if self._tokens is None:
            return now
        left = sum(grant.tokens for grant in self._used)
        free_at = now
        for grant in self._used:
            if not left or left + tokens <= self._tokens:
                break
            left -= grant.tokens
            free_at = grant.at_s + _MINUTE_S
        return free_at
