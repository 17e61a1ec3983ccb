"""`finish`: work that outlasts a cancellation."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

__all__ = ["ended", "finish"]

T = TypeVar("T")


async def finish(work: Awaitable[T], *, limit_s: float | None = None, then: Callable[[T], object] | None = None) -> T:
    """Run `work` to its end even while the caller is being cancelled.

    A cancellation that arrives meanwhile is raised once `work` has ended, so a
    ledger write is whole or absent, never half. A future is awaited as it is;
    one that is already done costs no task and no pass through the loop.

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
    if type(work) is asyncio.Future and work.done():  # nothing can come between
        value: T = work.result()
        if then is not None:
            then(value)
        return value
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
                await asyncio.wait((future,))
            except asyncio.CancelledError as error:
                cancelled = error
    finally:
        if handle is not None:
            handle.cancel()
    return cancelled
