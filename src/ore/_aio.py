"""`finish`: work that outlasts a cancellation; `Ready` is done already, `Holdable` need not be watched."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeVar

__all__ = ["Holdable", "Ready", "ended", "finish", "running_loop", "settled"]

T = TypeVar("T")


class Ready(Awaitable[T]):
    """What is there already, for whoever may have to wait: awaiting it never does.

    Of no loop, so one may serve for ever. Whoever looks at the class first
    need not await it at all.
    """

    __slots__ = ("_value", "error")

    def __init__(self, value: T | None = None, error: Exception | None = None) -> None:
        self._value = value
        self.error = error
        """What is raised in place of the value."""

    def result(self) -> T:
        """The value.

        Raises:
            Exception: The one that was given in its place.
        """
        if self.error is not None:
            raise self.error
        return self._value  # type: ignore[return-value]  # given, unless there is an error

    def __await__(self) -> Generator[Any, None, T]:
        return self.result()
        yield


class Holdable(asyncio.Future[T]):
    """A future that `finish` can hold: while held, nobody can cancel it.

    A task that is cancelled while it awaits one goes on waiting, and gets its
    cancellation when this is done; so it needs no other future to wait for,
    and no pass of the loop for that.
    """

    is_held = False

    def cancel(self, msg: Any = None) -> bool:
        """Cancel it, unless it is held; whether it was."""
        return not self.is_held and super().cancel(msg)


async def finish(work: Awaitable[T], *, limit_s: float | None = None, then: Callable[[T], object] | None = None) -> T:
    """Run `work` to its end even while the caller is being cancelled.

    A cancellation that arrives meanwhile is raised once `work` has ended, so a
    ledger write is whole or absent, never half. A future is awaited as it is;
    one that is already done, or a `Ready`, costs no task and no pass through
    the loop, and a `Holdable` only the one that it ends in.

    Args:
        work: Cleanup that must not be cut short. Keep it small.
        limit_s: Seconds until `work` itself is cancelled; `None` when `work`
            bounds itself.
        then: Called with what `work` returned, with no await between and
            before a cancellation is raised: what must follow, follows.

    Raises:
        TimeoutError: `work` outlived `limit_s`.
        asyncio.CancelledError: The caller was cancelled; `work` has ended.
    """
    if type(work) is Ready or (isinstance(work, asyncio.Future) and work.done()):  # nothing can come between
        value: T = work.result()
        if then is not None:
            then(value)
        return value
    if type(work) is Holdable and limit_s is None:
        return await _hold(work, then)
    future = work if isinstance(work, asyncio.Future) else asyncio.ensure_future(work)
    late: list[bool] = []
    cancelled = None if future.done() else await _outlast(future, limit_s, late)
    if then is not None and not future.cancelled() and future.exception() is None:
        then(future.result())
    if cancelled is not None:
        if not future.cancelled():
            future.exception()  # seen here; the cancellation is what the caller must act on
        raise cancelled
    if future.cancelled() and any(late):
        raise TimeoutError(f"cleanup took more than {limit_s:g} s")
    return future.result()


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that runs here, if one does: what is cleaned up late may find none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def ended(task: "asyncio.Task[None]") -> None:
    """Return when a task has ended, or was cancelled by somebody else; cancelling the caller cancels it, and waits.

    As a `TaskGroup` with one task, at a fraction of its price. Whoever calls
    owns the task.

    Raises:
        Exception: The task failed.
        asyncio.CancelledError: The caller was cancelled; the task has ended.
    """
    caller = asyncio.current_task()
    cancels = caller.cancelling() if caller is not None else 0
    try:
        await task
    except asyncio.CancelledError:  # the task's own, or the caller's, which the task got too
        if task.done() and not task.cancelled():
            task.result()
    if caller is not None and caller.cancelling() > cancels:
        raise asyncio.CancelledError


async def settled(future: "asyncio.Future[Any]") -> None:
    """Return when a task or future is done, however it ended; cancelling the caller leaves it alone.

    As `asyncio.wait` with one of them, at half its price.
    """
    if future.done():
        return
    waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def over(_: object) -> None:
        if not waiter.done():
            waiter.set_result(None)

    future.add_done_callback(over)
    try:
        await waiter
    finally:
        future.remove_done_callback(over)


async def _hold(work: "Holdable[T]", then: Callable[[T], object] | None) -> T:
    work.is_held = True
    try:
        value = await work
    except asyncio.CancelledError:  # the caller's, which waited until now
        if work.exception() is None and then is not None:
            then(work.result())
        raise
    if then is not None:
        then(value)
    return value


async def _outlast(
    future: "asyncio.Future[T]", limit_s: float | None, late: list[bool]
) -> asyncio.CancelledError | None:
    """Wait for `future`; the cancellation that came meanwhile, if one did. Notes in `late` that the limit ended it."""
    handle = None
    if limit_s is not None:
        handle = asyncio.get_running_loop().call_later(limit_s, lambda: late.append(future.cancel()))
    cancelled: asyncio.CancelledError | None = None
    try:
        while not future.done():
            try:
                await settled(future)
            except asyncio.CancelledError as error:
                cancelled = error
    finally:
        if handle is not None:
            handle.cancel()
    return cancelled
