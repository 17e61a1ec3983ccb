"""Cleanup that outlasts a cancellation."""

import asyncio
from contextlib import suppress

import pytest

from ore._aio import ended, finish


async def started(task: asyncio.Task[object]) -> None:
    """Let a task that was just made reach its await."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not task.done()


async def test_the_result_of_the_work_comes_back() -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        return "saved"

    assert await finish(work()) == "saved"


@pytest.mark.requirement("D-finish")
@pytest.mark.parametrize("times", [1, 3])
async def test_a_cancellation_is_raised_only_when_the_work_has_ended(times: int) -> None:
    go, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await go.wait()
        ended.set()

    async with asyncio.timeout(5):
        task: asyncio.Task[object] = asyncio.create_task(finish(work()))
        for _ in range(times):
            await started(task)
            task.cancel()
        await started(task)
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert ended.is_set()


async def test_a_failure_of_the_work_is_the_callers() -> None:
    async def work() -> None:
        await asyncio.sleep(0)
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await finish(work())


async def test_a_failure_during_a_cancellation_gives_way_to_it() -> None:
    """And is not reported as one that nobody looked at."""
    go = asyncio.Event()

    async def work() -> None:
        await go.wait()
        raise OSError("disk full")

    async with asyncio.timeout(5):
        task: asyncio.Task[object] = asyncio.create_task(finish(work()))
        await started(task)
        task.cancel()
        await started(task)
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_work_that_outlives_its_limit_is_cancelled() -> None:
    cancelled = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with asyncio.timeout(5):
        with pytest.raises(TimeoutError):
            await finish(work(), limit_s=0)
    assert cancelled.is_set()


async def test_a_cancellation_goes_before_the_limit() -> None:
    """Both came; who cancelled must see that it worked."""
    async with asyncio.timeout(5):
        task: asyncio.Task[object] = asyncio.create_task(finish(asyncio.Event().wait(), limit_s=0))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_work_within_its_limit_leaves_no_timer_behind() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 1

    loop = asyncio.get_running_loop()
    handles: list[asyncio.TimerHandle] = []
    call_later = loop.call_later

    def remember(*args: object, **kwargs: object) -> asyncio.TimerHandle:
        handles.append(call_later(*args, **kwargs))  # type: ignore[arg-type]  # passed on as it came
        return handles[-1]

    loop.call_later = remember  # type: ignore[method-assign]  # only here
    assert await finish(work(), limit_s=60) == 1
    assert [handle.cancelled() for handle in handles] == [True]


@pytest.mark.requirement("D-finish")
async def test_a_future_that_is_done_costs_no_task_and_no_pass_through_the_loop() -> None:
    loop = asyncio.get_running_loop()
    passed: list[str] = []
    future: asyncio.Future[int] = loop.create_future()
    future.set_result(7)
    loop.call_soon(passed.append, "the loop")
    before = asyncio.all_tasks()
    assert await finish(future) == 7
    assert passed == []
    assert asyncio.all_tasks() == before


async def test_a_future_is_awaited_as_it_is() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    async with asyncio.timeout(5):
        task: asyncio.Task[object] = asyncio.create_task(finish(future))
        await started(task)
        task.cancel()
        await started(task)
        future.set_result(7)
        with pytest.raises(asyncio.CancelledError):
            await task
    assert future.result() == 7


async def test_a_future_that_failed_is_raised_at_once() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    future.set_exception(OSError("disk full"))
    with pytest.raises(OSError, match="disk full"):
        await finish(future)


@pytest.mark.parametrize("limit_s", [None, 60.0])
async def test_work_that_cancels_itself_is_no_timeout(limit_s: float | None) -> None:
    async def work() -> None:
        await asyncio.sleep(0)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await finish(work(), limit_s=limit_s)


async def test_a_timeout_around_it_waits_for_the_work() -> None:
    """The caller's limit counts as a cancellation, and becomes its timeout once the work has ended."""
    ended = asyncio.Event()

    async def work() -> None:
        for _ in range(5):
            await asyncio.sleep(0)
        ended.set()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await finish(work())
    assert ended.is_set()


# ── One task, as a group of one ──────────────────────────────────────────────


async def test_cancelling_whoever_waits_for_a_task_cancels_it_and_waits() -> None:
    cleaned = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.set()

    async with asyncio.timeout(5):
        inner = asyncio.create_task(work())
        outer = asyncio.create_task(ended(inner))
        await started(outer)
        outer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await outer
    assert inner.cancelled() and cleaned.is_set()


async def test_a_task_that_swallows_its_cancellation_does_not_swallow_the_callers() -> None:
    async def work() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    async with asyncio.timeout(5):
        inner = asyncio.create_task(work())
        outer = asyncio.create_task(ended(inner))
        await started(outer)
        outer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await outer
    assert inner.done() and not inner.cancelled()


async def test_a_task_that_somebody_else_cancels_has_just_ended() -> None:
    async with asyncio.timeout(5):
        inner = asyncio.create_task(asyncio.sleep(3600))
        outer = asyncio.create_task(ended(inner))
        await started(outer)
        inner.cancel()
        await outer


async def test_what_a_task_fails_with_is_the_callers() -> None:
    async def work() -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await ended(asyncio.create_task(work()))
