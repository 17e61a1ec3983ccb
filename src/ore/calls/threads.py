"""Threads for `def` tools: with the message's context, and left behind when they do not end."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any

from ore.errors import ToolError

__all__ = ["Threads"]


class Threads:
    """Runs blocking functions, one daemon thread each.

    A thread cannot be stopped: when its caller leaves, it is abandoned and
    counted until it ends by itself.

    Args:
        limit: Abandoned threads after which no new one is started.
    """

    __slots__ = ("_limit", "abandoned")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.abandoned = 0

    async def run(self, work: Callable[[], Any], name: str) -> Any:
        """Run `work` in a thread and return what it returns.

        Raises:
            ToolError: Too many threads were abandoned already, or `work`
                raised something that would end the program elsewhere.
            asyncio.CancelledError: The caller left while the thread was at
                work; it goes on alone. When it ended in the same moment, what
                it came to counts.
        """
        if self.abandoned >= self._limit:
            raise ToolError(
                f"{self.abandoned} earlier calls never ended and hold their threads; no further one is started"
            )
        job = _Job(work)
        thread = threading.Thread(target=contextvars.copy_context().run, args=(job.run,), name=name, daemon=True)
        thread.start()
        try:
            await job.future
        except asyncio.CancelledError:
            if not job.ended:
                self.abandoned += 1
                job.left = self._returned
                raise
        return job.outcome()

    def _returned(self) -> None:
        self.abandoned -= 1


class _Job:
    __slots__ = ("_error", "_loop", "_value", "_work", "ended", "future", "left")

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._value: Any = None
        self._error: BaseException | None = None
        self.future: asyncio.Future[None] = self._loop.create_future()
        self.ended = False
        self.left: Callable[[], None] | None = None

    def run(self) -> None:
        """In the thread: do the work, then tell the loop, behind all that the work told it."""
        value, error = None, None
        try:
            value = self._work()
        except BaseException as raised:
            error = raised
        try:
            self._loop.call_soon_threadsafe(self._end, value, error)
        except RuntimeError:  # the loop is gone, and with it whoever waited
            return

    def outcome(self) -> Any:
        """What the work returned.

        Raises:
            Exception: What the work raised.
        """
        if self._error is None:
            return self._value
        if isinstance(self._error, Exception) and not isinstance(self._error, StopIteration):
            raise self._error
        raise ToolError(f"the tool raised {type(self._error).__name__}")

    def _end(self, value: Any, error: BaseException | None) -> None:
        self.ended = True
        self._value, self._error = value, error
        if self.left is not None:
            self.left()
        if not self.future.done():
            self.future.set_result(None)
