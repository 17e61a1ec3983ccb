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
            ToolError: Too many threads were abandoned already.
            asyncio.CancelledError: The caller left; the thread goes on alone.
        """
        if self.abandoned >= self._limit:
            raise ToolError(
                f"{self.abandoned} earlier calls never ended and hold their threads; no further one is started"
            )
        job = _Job(work)
        thread = threading.Thread(target=contextvars.copy_context().run, args=(job.run,), name=name, daemon=True)
        thread.start()
        try:
            return await job.future
        except asyncio.CancelledError:
            if not job.ended:
                self.abandoned += 1
                job.left = self._returned
            raise

    def _returned(self) -> None:
        self.abandoned -= 1


class _Job:
    __slots__ = ("_loop", "_work", "ended", "future", "left")

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self._loop.create_future()
        self.ended = False
        self.left: Callable[[], None] | None = None

    def run(self) -> None:
        try:
            value, error = self._work(), None
        except BaseException as raised:
            value, error = None, raised
        try:
            self._loop.call_soon_threadsafe(self._end, value, error)
        except RuntimeError:  # the loop is gone, and with it whoever waited
            return

    def _end(self, value: Any, error: BaseException | None) -> None:
        self.ended = True
        if self.left is not None:
            self.left()
        if self.future.done():
            return
        if error is None:
            self.future.set_result(value)
        elif isinstance(error, StopIteration | asyncio.CancelledError):
            self.future.set_exception(ToolError(f"the tool raised {type(error).__name__}"))
        else:
            self.future.set_exception(error)
