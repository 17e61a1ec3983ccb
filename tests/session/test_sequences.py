"""What a session tells, event by event: the sequences of spec/core.md part 2 in the design's form."""

import asyncio
from collections.abc import Sequence

import pytest

from ore.artifact import Artifact, Notice, ResultStatus, StopReason, Text, ToolCall, ToolCallDelta, ToolResult, Usage
from ore.errors import ProviderError, SessionClosedError
from ore.event import (
    Emitter,
    Entry,
    InterruptEvent,
    Lifecycle,
    Properties,
    TurnComplete,
    UserMessage,
    content_of,
    provenance,
)
from ore.ledger import Operation, Outcome, Role, State, TurnStatus
from ore.session import Intercepted, Manager, Stream
from ore.testing import ScriptedProvider
from session.watch import Watch, agent, answer, said, until

STREAMED = ["turn user", "submitted", "streaming", "text_delta", "text", "stop_reason", "turn assistant", "done done"]
USAGE = Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)


def calls(*names: str) -> list[Artifact]:
    """The model calls tools without arguments; the names are the calls' ids."""
    return [ToolCall(id=name, name=name, arguments="{}") for name in names]


def sources(entries: Sequence[Entry]) -> set[str | None]:
    return {entry.context.provenance for entry in entries}


def phase_at(watch: Watch, stream: Stream, words: str) -> bool:
    return words in watch.told(stream)


@pytest.mark.requirement("C190", "D-provenance-to-the-end")
async def test_one_streamed_message(watch: Watch) -> None:
    """Sequence A, with where it came from on every event."""
    stream = await watch.session(ScriptedProvider([*answer("Hel", "lo"), USAGE]))
    with provenance("web"):
        outcome = await stream.process("hi")
    entries = watch.events(stream)
    assert watch.told(stream) == [
        *("turn user", "submitted", "streaming", "text_delta", "text_delta", "text"),
        *("stop_reason", "usage", "turn assistant", "done done"),
    ]
    assert {entry.context.message for entry in entries} == {entries[0].context.message}
    assert (sources(entries), {entry.context.thread_id for entry in entries}) == ({"web"}, {stream.id})
    assert (outcome.status, outcome.turn) == (Outcome.DONE, stream.turns[-1])
    assert outcome.turn is not None
    assert outcome.turn.artifacts == (Text(content="Hello"), StopReason(reason="stop"), USAGE)


@pytest.mark.requirement("N01", "D-same-object")
async def test_the_turn_that_an_event_carries_is_the_turn_that_stands_in_history(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider(answer("hello")))
    await stream.process("hi")
    carried = [entry.event.turn for entry in watch.events(stream) if isinstance(entry.event, TurnComplete)]
    assert [one is other for one, other in zip(carried, stream.turns, strict=True)] == [True, True]


@pytest.mark.requirement("K9", "C209", "P8")
async def test_two_calls_at_once_and_then_an_answer(watch: Watch) -> None:
    """Sequence B: the results in one turn, in call order; every event still knows its message."""
    both = asyncio.Barrier(2)

    async def one() -> str:
        await both.wait()
        return "1"

    async def two() -> str:
        await both.wait()
        return "2"

    fragments = [
        ToolCallDelta(index=0, id="c1", name="one", arguments="{"),
        ToolCallDelta(index=1, id="c2", name="two", arguments="{"),
        ToolCallDelta(index=0, arguments="}"),
        ToolCallDelta(index=1, arguments="}"),
    ]
    stream = await watch.session(ScriptedProvider(fragments, answer("12")), one, two)
    with provenance("web"):
        async with asyncio.timeout(5):
            await stream.process("hi")
    entries = watch.events(stream)
    assert watch.told(stream) == [
        *("turn user", "submitted", "streaming", *("tool_call_delta",) * 4, "tool_call", "tool_call", "stop_reason"),
        *("turn assistant", "tool_result", "tool_result", "turn tool"),
        *("submitted", "streaming", "text_delta", "text", "stop_reason", "turn assistant", "done done"),
    ]
    assert (sources(entries), len({entry.context.message for entry in entries})) == ({"web"}, 1)
    assert [turn.role for turn in stream.turns] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert stream.turns[2].artifacts == (
        ToolResult(tool_call_id="c1", content="1", status=ResultStatus.OK),
        ToolResult(tool_call_id="c2", content="2", status=ResultStatus.OK),
    )


@pytest.mark.requirement("D-interrupt", "D-cleared", "P7")
async def test_an_interrupt_in_mid_stream_clears_the_queue_and_keeps_what_was_seen(watch: Watch) -> None:
    """Sequence C: the cleared message ends first, with its content; the interrupt has no event of its own."""
    provider = ScriptedProvider([*answer("par"), asyncio.Event()])
    stream = await watch.session(provider)
    running = stream.submit(UserMessage(content="hi", id="a"))
    waiting = stream.submit(UserMessage(content="more", id="b"))
    await until(lambda: phase_at(watch, stream, "text_delta"))
    interrupt = stream.submit(InterruptEvent())
    async with asyncio.timeout(5):
        outcomes = [(await ticket).status for ticket in (running, waiting, interrupt)]
    assert outcomes == [Outcome.CANCELLED, Outcome.CLEARED, Outcome.DONE]
    assert watch.told(stream) == [
        *("queued", "turn user", "submitted", "streaming", "text_delta", "done cleared"),
        *("text", "turn assistant interrupted", "cancelled", "done cancelled"),
    ]
    cleared = watch.events(stream, "b")[-1]
    assert cleared.event == Lifecycle(phase="done", outcome=Outcome.CLEARED, content=(Text(content="more"),))
    assert said(stream.turns) == [("user", "hi"), ("assistant", "par")]
    assert stream.turns[-1].status is TurnStatus.INTERRUPTED


@pytest.mark.requirement("D-interrupt")
async def test_an_interrupt_says_what_it_did(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider([asyncio.Event()]))
    running = stream.submit(UserMessage(content="hi", id="a"))
    stream.submit(UserMessage(content="more", id="b"))
    await until(lambda: phase_at(watch, stream, "submitted"))
    async with asyncio.timeout(5):
        done = await stream.interrupt()
        await running
    assert (done.cancelled, done.cleared) == ("a", (("b", (Text(content="more"),)),))


@pytest.mark.requirement("D-one-error", "C187", "D-partial-kept")
async def test_a_provider_that_fails_in_mid_stream(watch: Watch) -> None:
    """Sequence D: one error, and what was seen stays in history with its status."""
    failure = ProviderError("boom", provider="scripted")
    stream = await watch.session(ScriptedProvider([*answer("par"), failure]))
    with pytest.raises(ProviderError) as raised:
        await stream.process("hi")
    assert raised.value is failure
    assert watch.told(stream) == [
        *("turn user", "submitted", "streaming", "text_delta", "text"),
        *("turn assistant failed", "error provider", "done failed"),
    ]
    assert said(stream.turns) == [("user", "hi"), ("assistant", "par")]


class Refusing:
    """A handler that fails on calls."""

    def __init__(self, failure: Exception) -> None:
        self.failure = failure

    async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
        if isinstance(artifact, ToolCall):
            raise self.failure


@pytest.mark.requirement("D-one-error", "L6")
async def test_a_handler_that_fails_before_the_calls_ran(watch: Watch) -> None:
    """Sequence E: one error; the calls get their results, so that the next message can be sent."""

    async def one() -> str:
        raise AssertionError("it must not run")

    failure = ValueError("no")
    provider = ScriptedProvider(calls("one"), answer("fine"))
    stream = await watch.session(provider, one, handlers=(Refusing(failure),))
    outcome = await stream.submit("hi")
    assert (outcome.status, outcome.error) == (Outcome.FAILED, failure)
    assert watch.told(stream) == [
        *("turn user", "submitted", "streaming", "tool_call", "stop_reason", "turn assistant"),
        *("turn tool", "error error", "done failed"),
    ]
    result = stream.turns[-1].artifacts[0]
    assert isinstance(result, ToolResult) and (result.tool_call_id, result.is_error) == ("one", True)
    assert (await stream.process("go on")).status is Outcome.DONE


async def test_a_transform_that_fails(watch: Watch) -> None:
    """Sequence F: the provider is never called, and nothing streams."""
    failure = ValueError("no")

    def refuse(state: State) -> State:
        raise failure

    provider = ScriptedProvider(answer("unused"))
    stream = await watch.session(provider, transforms=(refuse,))
    outcome = await stream.submit("hi")
    assert (outcome.status, outcome.error, provider.invocations) == (Outcome.FAILED, failure, [])
    assert watch.told(stream) == ["turn user", "submitted", "error error", "done failed"]


@pytest.mark.requirement("D-close")
async def test_a_close_in_mid_turn(watch: Watch) -> None:
    """Sequence G: what runs ends as cancelled, what waits as closed, readers see it all and then the end."""
    stream = await watch.session(ScriptedProvider([*answer("par"), asyncio.Event()]))
    running = stream.submit(UserMessage(content="hi", id="a"))
    waiting = stream.submit(UserMessage(content="more", id="b"))
    await until(lambda: phase_at(watch, stream, "text_delta"))
    async with stream.subscribe("lifecycle") as reader, asyncio.timeout(5):
        await stream.close()
        seen = [entry.event async for entry in reader]
    assert (running.outcome and running.outcome.status) is Outcome.CANCELLED
    assert (waiting.outcome and waiting.outcome.status) is Outcome.CLOSED
    assert seen == [
        Lifecycle(phase="done", outcome=Outcome.CLOSED),
        Lifecycle(phase="cancelled"),
        Lifecycle(phase="done", outcome=Outcome.CANCELLED),
    ]
    assert said(stream.turns) == [("user", "hi"), ("assistant", "par")]


async def test_a_waiter_whose_message_never_began_hears_that_the_session_is_closed(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider([asyncio.Event()]))
    stream.submit("hi")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        waiter = group.create_task(raised_by(stream, "more"))
        await until(lambda: phase_at(watch, stream, "submitted"))
        await stream.close()
    assert isinstance(waiter.result(), SessionClosedError)


async def raised_by(stream: Stream, content: str) -> Exception | None:
    try:
        await stream.process(content)
    except Exception as error:
        return error
    return None


@pytest.mark.requirement("K6", "N13", "C192")
async def test_a_waiter_that_goes_away_stops_nothing(watch: Watch) -> None:
    """Sequence H, the other way round: waiting and running are two things."""
    hold = asyncio.Event()
    stream = await watch.session(ScriptedProvider([*answer("Hel"), hold, *answer("lo")]))
    waiter = asyncio.create_task(stream.process("hi"))
    await until(lambda: phase_at(watch, stream, "text_delta"))
    waiter.cancel()
    await asyncio.wait((waiter,))
    hold.set()
    async with asyncio.timeout(5):
        await stream.idle()
    assert said(stream.turns) == [("user", "hi"), ("assistant", "Hello")]
    assert watch.told(stream)[-1] == "done done"


@pytest.mark.requirement("L30")
async def test_a_waiter_that_times_out_stops_nothing_and_is_no_error(watch: Watch) -> None:
    hold = asyncio.Event()
    stream = await watch.session(ScriptedProvider([hold, *answer("late")]))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await stream.process("hi")
    hold.set()
    async with asyncio.timeout(5):
        await stream.idle()
    assert watch.told(stream) == STREAMED


@pytest.mark.requirement("L35", "N23")
async def test_a_message_that_is_taken_back_before_it_began_never_enters_history(watch: Watch) -> None:
    """Sequence H2: the ticket withdraws it."""
    hold = asyncio.Event()
    stream = await watch.session(ScriptedProvider([hold, *answer("one")], answer("two")))
    first, second, third = (stream.submit(text) for text in ("first", "second", "third"))
    await until(lambda: phase_at(watch, stream, "submitted"))
    async with asyncio.timeout(5):
        assert await second.withdraw()
        hold.set()
        outcomes = [(await ticket).status for ticket in (first, second, third)]
    assert outcomes == [Outcome.DONE, Outcome.CLEARED, Outcome.DONE]
    assert said(stream.turns) == [("user", "first"), ("assistant", "one"), ("user", "third"), ("assistant", "two")]
    assert not await first.withdraw()


@pytest.mark.requirement("D-cancelled-results")
async def test_a_cancel_while_a_tool_runs(watch: Watch) -> None:
    """Sequence I: the tool sees it, its result is recorded, and no further inference happens."""
    started, stopped = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    provider = ScriptedProvider(calls("wait"), answer("unused"))
    stream = await watch.session(provider, wait)
    ticket = stream.submit("hi")
    await until(lambda: phase_at(watch, stream, "turn assistant"))
    await until(started.is_set)
    assert stream.snapshot().phase == "tools"
    assert stream.cancel()
    async with asyncio.timeout(5):
        outcome = await ticket
    assert (outcome.status, stopped.is_set(), len(provider.invocations)) == (Outcome.CANCELLED, True, 1)
    assert watch.told(stream)[-3:] == ["turn tool", "cancelled", "done cancelled"]
    result = stream.turns[-1].artifacts[0]
    assert isinstance(result, ToolResult)
    assert (result.tool_call_id, result.status, result.is_error) == ("wait", "cancelled", True)


@pytest.mark.requirement("C207", "L34", "P5")
async def test_a_fact_is_durable_and_told_when_it_is_set(watch: Watch) -> None:
    """Sequence J: one set operation, from the app, stored without waiting for a message."""
    manager = Manager(agent(ScriptedProvider()))
    stream = watch.of(await manager.create())
    await stream.metadata.set("color", "blue")
    [entry] = watch.events(stream)
    assert entry.event == Properties(operations=(Operation(op="set", key="color", value="blue"),))
    assert (entry.context.provenance, entry.context.message) == ("app", None)
    assert (await manager.get_thread(stream.id)).metadata == {"color": "blue"}


class Commands:
    """An interceptor that uses `/` messages up and shouts the others."""

    async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
        (text,) = content_of(message.content)
        assert isinstance(text, Text)
        notices = (Notice(content="one"), Notice(content="two"))
        if text.content.startswith("/"):
            return Intercepted(message=None, notices=notices)
        return Intercepted(message=UserMessage(content=text.content.upper()), notices=notices)


@pytest.mark.requirement("C210", "K17")
async def test_an_interceptor_uses_a_message_up(watch: Watch) -> None:
    """Sequence K: its notices, then the one done; nothing is recorded."""
    provider = ScriptedProvider()
    manager = Manager(agent(provider), interceptors=[Commands()])
    stream = watch.of(await manager.create())
    with provenance("web"):
        outcome = await stream.process("/help")
    assert watch.told(stream) == ["notice", "notice", "done done"]
    assert sources(watch.events(stream)) == {"web"}
    assert (outcome.status, outcome.turn, list(stream.turns), provider.invocations) == (Outcome.DONE, None, [], [])
    await stream.idle()
    assert await manager.store.pending(stream.id) == []


@pytest.mark.requirement("C211")
async def test_an_interceptor_rewrites_a_message(watch: Watch) -> None:
    """Sequence K: its notices, then a message as any other, with the new text."""
    manager = Manager(agent(ScriptedProvider(answer("yes"))), interceptors=[Commands()])
    stream = watch.of(await manager.create())
    await stream.process("hi")
    assert watch.told(stream) == ["notice", "notice", *STREAMED]
    assert said(stream.turns) == [("user", "HI"), ("assistant", "yes")]
