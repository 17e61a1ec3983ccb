"""`def` tools run in threads: the loop stays free, the context goes along, and a thread that hangs is left behind."""

import asyncio
import contextvars
import threading
from collections.abc import Iterator

import pytest

from calls.stage import Stage, ask
from ore.artifact import Notice, ResultStatus, Severity, ToolResult
from ore.calls import CallHandler, CallLimits
from ore.event import CURRENT
from ore.tool import ToolContext, tool

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Lets threads go that a test left behind."""
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.requirement("B60")
async def test_blocking_tools_run_beside_each_other_and_leave_the_loop_free() -> None:
    """All three meet in their threads while the loop goes on to open the door for them."""
    barrier = threading.Barrier(3)
    opened = threading.Event()
    loop = asyncio.get_running_loop()

    @tool
    def meet() -> str:
        barrier.wait(5)
        loop.call_soon_threadsafe(opened.set)
        opened.wait(5)
        return threading.current_thread().name

    async with asyncio.timeout(5):
        results = await Stage(meet).results(*[ask("meet")] * 3)
    assert [result.content for result in results] == ["ore-tool-meet"] * 3


@pytest.mark.requirement("B60")
async def test_a_thread_sees_the_context_variables_of_the_message_and_its_own_call() -> None:
    """And sets none for anybody else."""

    @tool
    def read() -> list[str]:
        seen = WHO.get()
        WHO.set("a thread")
        return [seen, *(CURRENT.get().path or ())]

    stage = Stage(read)
    token = WHO.set("ada")
    try:
        async with asyncio.timeout(5):
            first, second = await stage.results(ask("read"), ask("read"))
    finally:
        WHO.reset(token)
    turn = stage.state.turns[0]
    assert (first.content, second.content) == (f'["ada","{turn.id}:0"]', f'["ada","{turn.id}:1"]')


async def test_what_a_thread_emits_keeps_its_order_and_lands_before_the_result() -> None:
    @tool
    def count(context: ToolContext) -> str:
        for n in range(100):
            context.emit(Notice(severity=Severity.INFO, content=str(n)))
        return "done"

    stage = Stage(count)
    async with asyncio.timeout(5):
        await stage.turn(ask("count"))
    kinds = [entry.event for entry in stage.entries if isinstance(entry.event, Notice | ToolResult)]
    assert [event.content for event in kinds] == [*map(str, range(100)), "done"]
    key = f"{stage.state.turns[0].id}:0"
    assert {entry.context.path for entry in stage.entries if isinstance(entry.event, Notice)} == {(key,)}


async def test_a_thread_past_its_time_is_left_behind_with_an_unknown_outcome(release: threading.Event) -> None:
    """It is told, by `cancelled`, and nothing that it still emits is seen."""
    told: list[bool] = []
    ended = threading.Event()

    @tool(timeout_s=0.01)
    def hang(context: ToolContext) -> None:
        release.wait(5)
        told.append(context.cancelled)
        context.emit(Notice(severity=Severity.INFO, content="too late"))
        ended.set()

    stage = Stage(hang)
    async with asyncio.timeout(5):
        result = await stage.result("hang")
    assert (result.status, result.is_error) == (ResultStatus.UNKNOWN, True)
    assert result.content.startswith("timed out after 0.01 s")
    release.set()
    assert ended.wait(5)
    await asyncio.sleep(0)
    assert told == [True]
    assert "notice" not in stage.seen


async def test_too_many_threads_that_hang_let_no_further_one_start(release: threading.Event) -> None:
    """Until one of them comes back."""
    back = threading.Semaphore(0)

    @tool(timeout_s=0.01)
    def hang() -> None:
        release.wait(5)
        back.release()

    @tool
    def quick() -> str:
        return "ok"

    stage = Stage(hang, quick, handler=CallHandler(limits=CallLimits(threads=2)))
    async with asyncio.timeout(5):
        await stage.turn(ask("hang"), ask("hang"))
        refused = await stage.result("quick")
        assert refused.status is ResultStatus.ERROR
        assert "2 earlier calls never ended" in refused.content
        release.set()
        assert back.acquire(timeout=5)
        assert back.acquire(timeout=5)
        while (await stage.result("quick")).content != "ok":  # each round lets the loop hear of the threads
            pass


async def test_a_thread_that_ended_in_the_moment_of_the_cut_keeps_its_result() -> None:
    """The loop hears of the cut and of the end in one pass."""
    loop = asyncio.get_running_loop()

    @tool
    def quick() -> str:
        loop.call_soon_threadsafe(cut, threading.current_thread())
        return "ok"

    def cut(thread: threading.Thread) -> None:
        thread.join(5)
        turn.cancel()

    stage = Stage(quick)
    async with asyncio.timeout(5):
        turn = asyncio.create_task(stage.turn(ask("quick")))
        with pytest.raises(asyncio.CancelledError):
            await turn
    assert stage.last_results == [ToolResult(tool_call_id="c", content="ok", status=ResultStatus.OK)]


def test_a_loop_that_is_gone_does_not_trouble_a_thread() -> None:
    """The thread ends without an error of its own."""
    release = threading.Event()
    failures: list[object] = []
    threads: list[threading.Thread] = []

    async def main() -> None:
        started = asyncio.Event()
        loop = asyncio.get_running_loop()

        @tool
        def late() -> None:
            threads.append(threading.current_thread())
            loop.call_soon_threadsafe(started.set)
            release.wait(5)

        task = asyncio.create_task(Stage(late).turn(ask("late")))
        await started.wait()
        task.cancel()

    before, threading.excepthook = threading.excepthook, failures.append
    try:
        asyncio.run(main())
        release.set()
        threads[0].join(5)
    finally:
        threading.excepthook = before
    assert failures == []
