"""A cut keeps what is finished, says of the rest that it was cut, and waits for the tools' own cleanup."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from calls.stage import Person, Stage, ask
from ore.artifact import ResultStatus, ToolResult
from ore.calls import CallHandler, CallHost, CallLimits
from ore.event import Activity, Answer, Question
from ore.ledger import TurnRecord
from ore.tool import ToolContext, tool

CANCELLED = ResultStatus.CANCELLED
UNKNOWN = ResultStatus.UNKNOWN


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Lets threads go that a test left behind."""
    event = threading.Event()
    yield event
    event.set()


async def cut(stage: Stage, turn: "asyncio.Task[object]", ready: asyncio.Event) -> None:
    """Cancel the turn once `ready` is set, and wait for its end."""
    async with asyncio.timeout(5):
        await ready.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn


@pytest.mark.requirement("D-calls-cut", "L21")
async def test_a_cut_keeps_finished_results_and_cancels_the_rest() -> None:
    """The tools' own cleanup ran before whoever waits sees the cancellation."""
    running = asyncio.Barrier(4)
    ready = asyncio.Event()
    cleaned: list[int] = []

    @tool
    async def quick() -> str:
        await running.wait()
        return "ok"

    @tool
    async def slow(n: int) -> None:
        try:
            await running.wait()
            ready.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(n)

    stage = Stage(quick, slow)
    calls = [ask("quick"), *(ask("slow", f'{{"n": {n}}}') for n in range(3))]
    await cut(stage, asyncio.create_task(stage.turn(*calls)), ready)

    assert sorted(cleaned) == [0, 1, 2]
    assert [result.status for result in stage.last_results] == [ResultStatus.OK, *[CANCELLED] * 3]
    assert [result.content for result in stage.last_results] == ["ok", *["cancelled by the user"] * 3]
    assert stage.handler.running == ()


async def test_calls_that_had_not_begun_are_cancelled_not_unknown(release: threading.Event) -> None:
    """Only a thread that is at work cannot be stopped: those that wait for their turn never ran."""
    ready = asyncio.Event()
    loop = asyncio.get_running_loop()

    @tool
    def block() -> None:
        loop.call_soon_threadsafe(ready.set)
        release.wait(5)

    @tool(alone=True)
    def lonely() -> None: ...

    stage = Stage(block, lonely, handler=CallHandler(limits=CallLimits(parallel=1)))
    await cut(stage, asyncio.create_task(stage.turn(ask("block"), ask("block"), ask("lonely"))), ready)
    assert [result.status for result in stage.last_results] == [UNKNOWN, CANCELLED, CANCELLED]
    assert "its outcome is unknown" in stage.last_results[0].content


async def test_a_cut_that_comes_with_the_very_turn_that_holds_the_calls_answers_them_all() -> None:
    @tool
    async def wait() -> None:
        await asyncio.Event().wait()

    stage = Stage(wait)
    async with asyncio.timeout(5):
        turn = asyncio.create_task(stage.turn(ask("wait"), ask("wait")))
        stage.when("turn_complete", turn.cancel)
        with pytest.raises(asyncio.CancelledError):
            await turn
    assert [result.status for result in stage.last_results] == [CANCELLED, CANCELLED]
    assert stage.handler.running == ()


async def test_a_tool_that_answers_although_it_is_cancelled_keeps_its_result() -> None:
    ready = asyncio.Event()

    @tool
    async def stubborn() -> str:
        try:
            ready.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "half of it"
        return "all of it"

    stage = Stage(stubborn)
    await cut(stage, asyncio.create_task(stage.turn(ask("stubborn"))), ready)
    assert stage.last_results == [ToolResult(tool_call_id="c", content="half of it", status=ResultStatus.OK)]


async def test_a_tool_that_fails_while_it_is_cancelled_says_so() -> None:
    ready = asyncio.Event()

    @tool
    async def clumsy() -> None:
        try:
            ready.set()
            await asyncio.Event().wait()
        finally:
            raise OSError("could not clean up")

    stage = Stage(clumsy)
    await cut(stage, asyncio.create_task(stage.turn(ask("clumsy"))), ready)
    assert "could not clean up" in stage.last_results[0].content


async def test_one_call_is_stopped_and_the_others_go_on() -> None:
    both = asyncio.Barrier(3)
    go = asyncio.Event()

    @tool
    async def wait(name: str) -> str:
        await both.wait()
        await go.wait()
        return name

    stage = Stage(wait)
    async with asyncio.timeout(5), stage.step.subscribe("tool_result") as results:
        turn = asyncio.create_task(stage.turn(ask("wait", '{"name": "a"}'), ask("wait", '{"name": "b"}')))
        await both.wait()
        first, second = stage.handler.running
        assert stage.handler.stop(first)
        await anext(results)
        assert not stage.handler.stop(first)
        go.set()
        await turn
    assert [(result.content, result.status) for result in stage.last_results] == [
        ("cancelled by the user", CANCELLED),
        ("b", ResultStatus.OK),
    ]
    assert (stage.handler.stop(first), stage.handler.stop(second), stage.handler.stop("x:0")) == (False,) * 3


async def test_stopping_a_call_twice_does_not_cut_its_cleanup() -> None:
    ready, cleaning, cleaned = asyncio.Event(), asyncio.Event(), asyncio.Event()

    @tool
    async def careful() -> None:
        try:
            ready.set()
            await asyncio.Event().wait()
        finally:
            cleaning.set()
            await asyncio.sleep(0)
            cleaned.set()

    stage = Stage(careful)
    async with asyncio.timeout(5):
        turn = asyncio.create_task(stage.turn(ask("careful")))
        await ready.wait()
        (key,) = stage.handler.running
        stage.handler.stop(key)
        await cleaning.wait()
        stage.handler.stop(key)
        await turn
    assert cleaned.is_set()
    assert stage.last_results[0].status is CANCELLED


async def test_a_call_that_is_stopped_before_its_first_line_has_a_result() -> None:
    """Stopped by the first who hears of the turn."""

    @tool
    async def never() -> None:
        raise AssertionError("ran although it was stopped")

    @tool
    async def fine() -> str:
        return "fine"

    stage = Stage(never, fine)

    def stop_first() -> None:
        assert stage.handler.stop(stage.handler.running[0])

    # Called back after the calls' tasks are made and before their first lines.
    stage.when("turn_complete", lambda: asyncio.get_running_loop().call_soon(stop_first))
    async with asyncio.timeout(5):
        await stage.turn(ask("never"), ask("fine"))
    assert [(result.content, result.status) for result in stage.last_results] == [
        ("cancelled by the user", CANCELLED),
        ("fine", ResultStatus.OK),
    ]
    assert stage.handler.running == ()


async def test_a_stopped_thread_is_of_unknown_outcome(release: threading.Event) -> None:
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    @tool
    def block() -> None:
        loop.call_soon_threadsafe(started.set)
        release.wait(5)

    stage = Stage(block)
    async with asyncio.timeout(5):
        turn = asyncio.create_task(stage.turn(ask("block")))
        await started.wait()
        stage.handler.stop(stage.handler.running[0])
        await turn
    assert stage.last_results[0].status is UNKNOWN


async def test_a_cut_while_a_person_is_asked_cancels_a_blocking_tool_too() -> None:
    """It did not run yet."""
    asked = asyncio.Event()

    class Silent:
        async def ask(self, question: Question) -> Answer:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

    @tool(approve=True)
    def block() -> None: ...

    stage = Stage(block, handler=CallHandler(asker=Silent()))
    await cut(stage, asyncio.create_task(stage.turn(ask("block"))), asked)
    assert [result.status for result in stage.last_results] == [CANCELLED]


async def test_a_call_that_waits_for_a_person_beyond_this_process_stays_open() -> None:
    """Nothing is recorded, so the next process asks again; what is finished is known."""
    asked = asyncio.Event()

    class Silent:
        async def ask(self, question: Question) -> Answer:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

    @tool(approve=True)
    async def risky() -> None: ...

    @tool
    async def safe() -> str:
        return "done"

    stage = Stage(
        risky, safe, handler=CallHandler(asker=Silent(), host=CallHost(stays_open=lambda key: key.endswith(":1")))
    )
    await cut(stage, asyncio.create_task(stage.turn(ask("safe"), ask("risky"))), asked)
    assert stage.log == ["turn:assistant+start", "end:ok"]


async def test_who_cancels_may_say_why() -> None:
    """A session that closes is no user who cancels."""
    ready = asyncio.Event()

    @tool
    async def wait() -> None:
        ready.set()
        await asyncio.Event().wait()

    stage = Stage(wait, handler=CallHandler(host=CallHost(why=lambda: "cancelled: the session was closed")))
    await cut(stage, asyncio.create_task(stage.turn(ask("wait"))), ready)
    assert [result.content for result in stage.last_results] == ["cancelled: the session was closed"]


async def test_an_activity_that_a_tool_reported_ends_with_it_however_it_ends() -> None:
    ready = asyncio.Event()

    @tool
    async def busy(context: ToolContext) -> None:
        context.progress("counting")
        ready.set()
        await asyncio.Event().wait()

    stage = Stage(busy)
    await cut(stage, asyncio.create_task(stage.turn(ask("busy"))), ready)
    key = f"{stage.state.turns[0].id}:0"
    assert [entry.event for entry in stage.entries if isinstance(entry.event, Activity)] == [
        Activity(id=key, active=True, description="counting"),
        Activity(id=key, active=False),
    ]


async def test_a_step_that_closes_under_a_call_still_records_what_it_came_to() -> None:
    """Nobody hears of it any more."""
    ready, go = asyncio.Event(), asyncio.Event()

    @tool
    async def wait(context: ToolContext) -> str:
        context.progress("waiting")
        ready.set()
        await go.wait()
        return "done"

    stage = Stage(wait)
    async with asyncio.timeout(5):
        turn = asyncio.create_task(stage.turn(ask("wait"), ask("wait")))
        await ready.wait()
        stage.step.close()
        go.set()
        await turn
    assert [result.content for result in stage.last_results] == ["done", "done"]


async def test_a_cut_while_the_results_are_recorded_is_raised_after_that() -> None:
    @tool
    async def quick() -> str:
        return "ok"

    stage = Stage(quick)
    recorded = stage.hold(TurnRecord, skip=1)
    async with asyncio.timeout(5):
        turn = asyncio.create_task(stage.turn(ask("quick")))
        await recorded.reached.wait()
        turn.cancel()
        recorded.go.set()
        with pytest.raises(asyncio.CancelledError):
            await turn
    assert [result.content for result in stage.last_results] == ["ok"]


async def test_nobody_is_asked_about_a_tool_that_needs_no_approval() -> None:
    @tool
    async def free() -> str:
        return "ok"

    person = Person()
    assert (await Stage(free, handler=CallHandler(asker=person)).result("free")).content == "ok"
    assert person.questions == []
