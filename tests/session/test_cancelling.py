"""Cancel, interrupt and close: what they end, what they keep, and what they leave alone."""

import asyncio
from pathlib import Path

import pytest

from ore.artifact import ResultStatus, StopReason, Text, TextDelta, ToolCall, ToolCallDelta, ToolResult
from ore.event import InterruptEvent, Lifecycle, UserMessage
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import Buffer, MemoryStore, Outcome, Role, Turn, TurnStatus, parted, unanswered
from ore.session import Manager, Stream
from ore.testing import ScriptedProvider
from session.held_store import HeldStore
from session.watch import Watch, agent, answer, roles, said, steps, until


def call(name: str) -> ToolCall:
    return ToolCall(id=name, name=name, arguments="{}")


def sendable(turns: "Buffer | Stream | list[Turn]") -> bool:
    """Whether a model could be sent these turns: each call has one result, directly behind it."""
    path = turns if isinstance(turns, list) else list(turns.turns)
    return not parted(path) and not unanswered(path)


@pytest.mark.requirement("B15", "D-cancelled-results")
@pytest.mark.parametrize("kept", ["memory", "sqlite"])
async def test_a_cancel_among_parallel_calls_keeps_the_result_that_is_there(
    watch: Watch, kept: str, tmp_path: Path
) -> None:
    """Each call has one result, and the conversation goes on, here and after a reload."""
    stopped: list[str] = []

    async def first() -> str:
        return "ok"

    async def sleep(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append(name)

    round = [
        call("first"),
        *(ToolCall(id=name, name="sleep", arguments=f'{{"name": "{name}"}}') for name in ("b", "c", "d")),
    ]
    store = MemoryStore() if kept == "memory" else SqliteStore(tmp_path / "ore.db")
    provider = ScriptedProvider(round, answer("gone on"), answer("once more"))
    manager = Manager(agent(provider, first, sleep), store)
    stream = watch.of(await manager.create())
    ticket = stream.submit("hi")
    await until(lambda: "tool_result" in watch.told(stream))
    assert stream.cancel()
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.CANCELLED
    results = [item for item in stream.turns[-1].artifacts if isinstance(item, ToolResult)]
    assert [(item.tool_call_id, item.status, item.is_error) for item in results] == [
        ("first", ResultStatus.OK, False),
        *((name, ResultStatus.CANCELLED, True) for name in ("b", "c", "d")),
    ]
    assert (results[0].content, sorted(stopped)) == ("ok", ["b", "c", "d"])
    await stream.process("go on")
    assert sendable(list(provider.invocations[1].turns))
    await stream.close()
    again = watch.of(await manager.attach(stream.id))
    await again.process("go on")
    assert sendable(list(provider.invocations[2].turns))
    assert said(again.turns)[-1] == ("assistant", "once more")
    await manager.aclose()


@pytest.mark.requirement("B17", "D-half-calls")
async def test_a_cancel_in_the_middle_of_a_calls_arguments_leaves_no_half_call(watch: Watch) -> None:
    half = ToolCallDelta(index=0, id="c", name="f", arguments='{"a"')
    provider = ScriptedProvider([*answer("I will"), half, asyncio.Event()], answer("fine"))
    stream = await watch.session(provider)
    ticket = stream.submit("hi")
    await until(lambda: "tool_call_delta" in watch.told(stream))
    stream.cancel()
    async with asyncio.timeout(5):
        await ticket
    assert stream.turns[-1].artifacts == (Text(content="I will"),)
    assert stream.turns[-1].status is TurnStatus.INTERRUPTED
    await stream.process("go on")
    assert sendable(list(provider.invocations[1].turns))


@pytest.mark.requirement("B17")
async def test_a_cancel_behind_a_complete_call_gives_it_a_result(watch: Watch) -> None:
    """Of a turn that did not end no call runs."""

    async def f() -> str:
        raise AssertionError("it must not run")

    provider = ScriptedProvider([call("f"), asyncio.Event()], answer("fine"))
    stream = await watch.session(provider, f)
    ticket = stream.submit("hi")
    await until(lambda: "tool_call" in watch.told(stream))
    stream.cancel()
    async with asyncio.timeout(5):
        await ticket
    assert roles(stream.turns) == [Role.USER, Role.ASSISTANT, Role.TOOL]
    result = stream.turns[-1].artifacts[0]
    assert isinstance(result, ToolResult) and result.status is ResultStatus.CANCELLED
    await stream.process("go on")
    assert sendable(list(provider.invocations[1].turns))


@pytest.mark.requirement("B43", "D-cancel-leaves-the-queue")
async def test_a_cancel_ends_one_message_and_every_other_is_answered(watch: Watch) -> None:
    """Also one that comes while a tool is still cleaning up."""
    cleaning, cleaned = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.set()
            await cleaned.wait()

    stream = await watch.session(ScriptedProvider([call("work")], answer("B"), answer("C"), answer("D")), work)
    first = stream.submit("u1")
    await until(lambda: stream.snapshot().phase == "tools")
    await steps()
    tickets = [stream.submit("u2"), stream.submit("u3")]
    assert stream.cancel()
    await cleaning.wait()
    tickets.append(stream.submit("u4"))
    assert first.outcome is None
    cleaned.set()
    async with asyncio.timeout(5):
        outcomes = [(await ticket).status for ticket in (first, *tickets)]
    assert outcomes == [Outcome.CANCELLED, Outcome.DONE, Outcome.DONE, Outcome.DONE]
    assert [text for role, text in said(stream.turns) if role != "tool"] == [
        *("u1", "", "u2", "B", "u3", "C", "u4", "D"),
    ]


@pytest.mark.requirement("B43", "L2", "L27")
async def test_an_interrupt_touches_only_what_was_accepted_before_it(watch: Watch) -> None:
    """What it dropped is named in events; a message sent right behind it is answered."""
    stream = await watch.session(ScriptedProvider([asyncio.Event()], answer("D")))
    first = stream.submit(UserMessage(content="u1", id="m1"))
    await until(lambda: "submitted" in watch.told(stream))
    dropped = [stream.submit(UserMessage(content=f"u{n}", id=f"m{n}")) for n in (2, 3)]
    interrupt = stream.submit(InterruptEvent())
    last = stream.submit(UserMessage(content="u4", id="m4"))
    async with asyncio.timeout(5):
        outcomes = [(await ticket).status for ticket in (first, *dropped, last, interrupt)]
    assert outcomes == [Outcome.CANCELLED, Outcome.CLEARED, Outcome.CLEARED, Outcome.DONE, Outcome.DONE]
    assert [watch.events(stream, f"m{n}")[-1].event for n in (2, 3)] == [
        Lifecycle(phase="done", outcome=Outcome.CLEARED, content=(Text(content=f"u{n}"),)) for n in (2, 3)
    ]
    assert said(stream.turns) == [("user", "u1"), ("user", "u4"), ("assistant", "D")]


@pytest.mark.requirement("L28")
async def test_an_interrupt_of_an_idle_session_has_no_event_and_ends(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider())
    outcome = await stream.process(InterruptEvent())
    assert (outcome.status, watch.told(stream)) == (Outcome.DONE, [])
    done = await stream.interrupt()
    assert (done.cancelled, done.cleared, watch.told(stream)) == (None, (), [])


@pytest.mark.requirement("D-interrupt")
async def test_an_interrupt_that_clears_nothing_only_ends_what_runs(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider([asyncio.Event()], answer("two")))
    first, second = stream.submit("first"), stream.submit("second")
    await until(lambda: "submitted" in watch.told(stream))
    async with asyncio.timeout(5):
        done = await stream.interrupt(clear=False)
        outcomes = [(await first).status, (await second).status]
    assert (done.cleared, outcomes) == ((), [Outcome.CANCELLED, Outcome.DONE])


@pytest.mark.requirement("D-decided")
async def test_a_message_whose_ending_is_durable_is_not_cancelled_any_more(watch: Watch) -> None:
    """The ending goes with the last turn; a handler that is still busy with it changes nothing."""
    busy, hold = asyncio.Event(), asyncio.Event()

    class Slow:
        async def handle(self, artifact: object, emitter: object) -> None:
            if isinstance(artifact, StopReason):
                busy.set()
                await hold.wait()

    stream = await watch.session(ScriptedProvider(answer("hello")), handlers=(Slow(),))
    ticket = stream.submit("hi")
    await busy.wait()
    assert not stream.cancel()
    assert (await stream.interrupt()).cancelled is None
    hold.set()
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.DONE
    assert "cancelled" not in watch.told(stream)


@pytest.mark.requirement("D-decided")
async def test_a_handler_that_fails_behind_the_ending_is_only_logged(
    watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing:
        async def handle(self, artifact: object, emitter: object) -> None:
            if isinstance(artifact, StopReason):
                raise ValueError("too late")

    stream = await watch.session(ScriptedProvider(answer("hello")), handlers=(Failing(),))
    assert (await stream.process("hi")).status is Outcome.DONE
    assert watch.told(stream)[-1] == "done done"
    assert "too late" in caplog.text


@pytest.mark.requirement("N02", "D-stubborn-provider")
async def test_a_provider_that_goes_on_after_the_cancel_does_not_hang_the_session(watch: Watch) -> None:
    """It swallows the cancellation and yields 500 more; the message is cancelled all the same."""
    stream = await watch.session(Stubborn())
    ticket = stream.submit("hi")
    await until(lambda: "text_delta" in watch.told(stream))
    stream.cancel()
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.CANCELLED
        await stream.close()
    assert watch.told(stream)[-2:] == ["cancelled", "done cancelled"]
    assert stream.turns[-1].status is TurnStatus.INTERRUPTED


class Stubborn:
    name = "stubborn"

    async def invoke(self, state: object, spec: object, *options: object):  # type: ignore[no-untyped-def]
        yield (TextDelta(content="a"),)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            for _ in range(500):
                yield (TextDelta(content="b"),)


@pytest.mark.requirement("D-close", "P13")
async def test_a_close_waits_until_the_ending_is_stored(watch: Watch) -> None:
    store = HeldStore()
    stream = watch.of(await Manager(agent(ScriptedProvider([*answer("par"), asyncio.Event()])), store).create())
    ticket = stream.submit("hi")
    await until(lambda: "text_delta" in watch.told(stream))
    store.held.add("append")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        closing = group.create_task(stream.close())
        await until(lambda: "append" in store.waiting)
        assert (closing.done(), ticket.outcome) == (False, None)
        store.release()
    assert (await ticket).status is Outcome.CANCELLED
    stored = await store.load(stream.id)
    assert said(stored.turns) == [("user", "hi"), ("assistant", "par")]
    assert await store.pending(stream.id) == []
