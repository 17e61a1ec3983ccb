"""A turn that is cancelled, wherever it stands: what was seen is kept, calls have results, nothing hangs."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import pytest

from loop.stage import SPEC, Custom, Log, steps, text
from ore.artifact import (
    Artifact,
    ReasoningDelta,
    Restart,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolResult,
)
from ore.calls import CallHandler
from ore.errors import ConnectionFailedError, ProviderError, StoreError
from ore.event import Lifecycle, TurnComplete
from ore.ledger import Buffer, Control, Role, Thread, Turn, TurnStatus, unanswered
from ore.loop import EventBus, Step, StepHooks
from ore.provider import Batch, WithTools
from ore.testing import Item, Recorder, ScriptedProvider, check_order
from ore.tool import tool

CALL = ToolCall(id="c", name="look", arguments="{}")


async def cut(*items: Item) -> tuple[Sequence[Turn], Recorder]:
    """A turn that is cancelled once it has played all these items and waits."""
    state, hold = Thread(), asyncio.Event()
    step = Step()
    seen = Recorder(step)
    turn = asyncio.ensure_future(step.turn(state, SPEC, ScriptedProvider([*items, hold])))
    await steps(20)
    turn.cancel()
    async with asyncio.timeout(5):
        await asyncio.wait((turn,))
    assert turn.cancelled()
    assert "error" not in seen.kinds
    check_order(seen.entries)
    return state.all_turns, seen


# ── What is kept ─────────────────────────────────────────────────────────────


@pytest.mark.requirement("L7", "P7", "D-cut-turns")
async def test_a_cut_answer_keeps_what_was_seen_with_its_status() -> None:
    turns, seen = await cut(*text("Hel", "lo"))
    assert [(turn.status, turn.control, turn.artifacts) for turn in turns] == [
        (TurnStatus.INTERRUPTED, Control.CONTINUE, (Text(content="Hello"),))
    ]
    assert seen.words[-2:] == ["text", "turn_complete"]


async def test_nothing_is_kept_of_an_answer_that_had_not_begun() -> None:
    turns, seen = await cut()
    assert (list(turns), seen.words) == ([], ["submitted"])


async def test_half_calls_are_dropped_and_the_text_before_them_stays() -> None:
    turns, seen = await cut(*text("Let me see."), ToolCallDelta(index=0, id="c", name="look", arguments='{"a'))
    assert [turn.artifacts for turn in turns] == [(Text(content="Let me see."),)]
    turns, seen = await cut(ToolCallDelta(index=0, id="c", name="look", arguments='{"a'))
    assert (list(turns), seen.words) == ([], ["submitted", "streaming", "tool_call_delta"])


@pytest.mark.requirement("D-cut-turns")
async def test_complete_calls_of_a_cut_answer_get_results_at_once() -> None:
    turns, _ = await cut(*text("Let me see."), CALL, CALL)
    assert [turn.role for turn in turns] == [Role.ASSISTANT, Role.TOOL]
    assert turns[0].artifacts == (Text(content="Let me see."), CALL, CALL)
    results = [item for item in turns[1].artifacts if isinstance(item, ToolResult)]
    assert [(item.tool_call_id, item.is_error, item.status) for item in results] == [("c", True, "cancelled")] * 2
    assert unanswered(turns) == []


async def test_reasoning_that_is_not_signed_is_kept_and_not_sent() -> None:
    turns, _ = await cut(ReasoningDelta(content="hm"))
    assert [(turn.status, turn.control) for turn in turns] == [(TurnStatus.INTERRUPTED, Control.SKIP)]


@pytest.mark.requirement("D-restart")
async def test_what_a_restart_dropped_is_not_kept_by_a_cut() -> None:
    turns, _ = await cut(*text("Hello"), Restart(attempt=2))
    assert list(turns) == []
    turns, _ = await cut(*text("Hello"), Restart(attempt=2, model="m2"), *text("He"))
    assert [(turn.model, turn.artifacts) for turn in turns] == [("m2", (Text(content="He"),))]


async def test_a_reason_that_came_before_the_cut_makes_no_complete_turn() -> None:
    turns, _ = await cut(*text("done"), StopReason(reason="stop"))
    assert [(turn.status, turn.artifacts) for turn in turns] == [
        (TurnStatus.INTERRUPTED, (Text(content="done"), StopReason(reason="stop")))
    ]


@pytest.mark.requirement("D-closed-inference")
async def test_cancelling_closes_the_inference() -> None:
    hold, provider_step = asyncio.Event(), Step()
    provider = ScriptedProvider([*text("x"), hold])
    turn = asyncio.ensure_future(provider_step.turn(Buffer(), SPEC, provider))
    await steps(20)
    turn.cancel()
    await asyncio.wait((turn,))
    assert provider.closed == 1


# ── Providers that will not have it ──────────────────────────────────────────


async def goes_on() -> AsyncGenerator[Batch, None]:
    yield text("seen")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        for place in range(500):
            yield text(f" more{place}")


async def ends_normally() -> AsyncGenerator[Batch, None]:
    yield text("seen")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        return


async def ignores_its_end() -> AsyncGenerator[Batch, None]:
    yield text("seen")
    stubborn = 2
    while stubborn:
        try:
            await asyncio.sleep(0)
            yield text(".")
        except (asyncio.CancelledError, GeneratorExit):
            stubborn -= 1


async def makes_an_error_of_it() -> AsyncGenerator[Batch, None]:
    yield text("seen")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise ConnectionFailedError("closed") from None


async def fails_when_closed() -> AsyncGenerator[Batch, None]:
    yield text("seen")
    try:
        await asyncio.Event().wait()
    finally:
        raise ProviderError("could not close")


@pytest.mark.requirement("L4", "L38", "N21")
@pytest.mark.parametrize("invoke", [goes_on, ends_normally, ignores_its_end, makes_an_error_of_it, fails_when_closed])
async def test_a_cancelled_turn_is_cancelled_whatever_the_provider_makes_of_it(
    invoke: Callable[[], AsyncGenerator[Batch, None]],
) -> None:
    state = Thread()
    step = Step()
    seen = Recorder(step)
    turn = asyncio.ensure_future(step.turn(state, SPEC, Custom(invoke)))
    await steps(20)
    turn.cancel()
    async with asyncio.timeout(5):
        await asyncio.wait((turn,))
    assert turn.cancelled()
    [kept] = state.turns
    assert kept.status is TurnStatus.INTERRUPTED
    assert [item for item in kept.artifacts if not isinstance(item, Text)] == []
    assert seen.text.startswith("seen")
    assert kept.artifacts == (Text(content=seen.text),)
    assert "error" not in seen.kinds


@pytest.mark.requirement("D-stale-cancel")
async def test_a_cancellation_that_was_dealt_with_before_does_not_cut_the_turn() -> None:
    async def cleans_up() -> Turn:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return await Step().turn(Buffer(), SPEC, ScriptedProvider(text("a", "b")))
        raise AssertionError("was not cancelled")

    task = asyncio.ensure_future(cleans_up())
    await asyncio.sleep(0)
    task.cancel()
    async with asyncio.timeout(5):
        assert (await task).status is TurnStatus.COMPLETE


async def test_a_time_limit_of_the_caller_cuts_the_turn_and_is_the_caller_s() -> None:
    state = Buffer()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(5) as limit:
            limit.reschedule(asyncio.get_running_loop().time())
            await Step().turn(state, SPEC, ScriptedProvider([*text("x"), asyncio.Event()]))
    assert [turn.status for turn in state.turns] in ([], [TurnStatus.INTERRUPTED])


# ── Wherever it strikes ──────────────────────────────────────────────────────


@tool(read_only=True)
async def look() -> str:
    """Look."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return "seen"


class Slow(Log):
    """A journal that takes two passes of the loop for each append."""

    async def __call__(self, records: Sequence[Any]) -> None:
        await asyncio.sleep(0)
        await super().__call__(records)
        await asyncio.sleep(0)


class Conversation:
    """A user turn, an answer with two calls, their results, an answer."""

    def __init__(self) -> None:
        self.state = Thread()
        self.log = Slow()
        handler = CallHandler()
        hooks = StepHooks(before=(self._before,), handlers=(handler,))
        self.step = Step(self.state, journal=self.log, hooks=hooks, options=(WithTools((look,)),))
        self.seen = Recorder(self.step)

    async def _before(self, state: object) -> None:
        await asyncio.sleep(0)

    async def run(self) -> None:
        paused: list[Artifact] = [TextDelta(content="Let "), TextDelta(content="me see."), CALL, CALL]
        provider = Custom(lambda: batches(paused if len(self.log.appends) < 2 else text("It ", "is so.")))
        await self.step.submit(self.state, Role.USER, Text(content="hi"))
        await self.step.turn(self.state, SPEC, provider)
        await self.step.turn(self.state, SPEC, provider)

    def check(self) -> None:
        """Whatever happened, history is whole, told, durable and can be sent on."""
        turns = list(self.state.all_turns)
        assert self.log.turns == [turn.id for turn in turns]
        told = [entry.event.turn for entry in self.seen.entries if isinstance(entry.event, TurnComplete)]
        assert told == turns
        roles = "".join(turn.role.value[0] for turn in turns)
        assert "uata".startswith(roles)
        assert unanswered(turns) == []
        streamed = "".join(
            item.content
            for turn in turns
            if turn.role is Role.ASSISTANT
            for item in turn.artifacts
            if type(item) is Text
        )
        assert streamed == self.seen.text
        assert "error" not in self.seen.kinds
        check_order(self.seen.entries)


async def batches(items: Sequence[Artifact]) -> AsyncGenerator[Batch, None]:
    for item in items:
        await asyncio.sleep(0)
        yield [item]


@pytest.mark.requirement("P6", "N17", "L26")
async def test_wherever_a_cancellation_strikes_history_is_whole_told_and_durable() -> None:
    for place in range(200):
        conversation = Conversation()
        task = asyncio.ensure_future(conversation.run())
        await steps(place)
        ended = task.done()
        task.cancel()
        async with asyncio.timeout(5):
            await asyncio.wait((task,))
        conversation.check()
        if ended:
            break
    assert place > 25
    assert [turn.role.value for turn in conversation.state.turns] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.requirement("L26")
@pytest.mark.parametrize("later", [1, 2, 3, 4, 5])
async def test_a_second_cancellation_cuts_no_record_short_either(later: int) -> None:
    for place in range(60):
        conversation = Conversation()
        task = asyncio.ensure_future(conversation.run())
        await steps(place)
        task.cancel()
        await steps(later)
        task.cancel()
        async with asyncio.timeout(5):
            await asyncio.wait((task,))
        conversation.check()


@pytest.mark.requirement("D-record-whole")
async def test_a_cut_while_the_complete_turn_becomes_durable_leaves_no_call_open() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    log.go.clear()
    turn = asyncio.ensure_future(step.turn(state, SPEC, ScriptedProvider([CALL])))
    async with asyncio.timeout(5):
        await log.reached.wait()
        turn.cancel()
        await steps()
        assert not turn.done()
        log.go.set()
        await asyncio.wait((turn,))
    assert turn.cancelled()
    assert [(kept.role, kept.status) for kept in state.turns] == [
        (Role.ASSISTANT, TurnStatus.COMPLETE),
        (Role.TOOL, TurnStatus.COMPLETE),
    ]
    assert unanswered(state.turns) == []


async def test_a_cancellation_from_a_callback_or_a_transform_counts() -> None:
    """Whoever cancels from inside the turn means it, and a provider that swallows it does not change that."""
    for phase in ("submitted", "streaming"):
        tasks: list[asyncio.Task[Turn]] = []

        def strike(entry: Any, phase: str = phase, tasks: list[asyncio.Task[Turn]] = tasks) -> None:
            if isinstance(entry.event, Lifecycle) and entry.event.phase == phase:
                tasks[0].cancel()

        step = Step(bus=EventBus(on_emit=[strike]))
        tasks.append(asyncio.ensure_future(step.turn(Buffer(), SPEC, Custom(ends_normally))))
        async with asyncio.timeout(5):
            await asyncio.wait(tasks)
        assert tasks[0].cancelled()


# ── When the journal fails as well ───────────────────────────────────────────


async def test_a_failed_answer_that_cannot_be_recorded_is_one_error_and_the_store_s() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    seen = Recorder(step)
    log.refusal = StoreError("disk full")
    cause = ProviderError("reset")
    with pytest.raises(StoreError) as caught:
        await step.turn(state, SPEC, ScriptedProvider([*text("x"), cause]))
    assert caught.value.__cause__ is cause
    assert list(state.turns) == []
    assert seen.kinds.count("error") == 1
    assert seen.kinds.count("turn_complete") == 0


@pytest.mark.requirement("D-record-atomic")
async def test_a_complete_answer_that_cannot_be_recorded_is_nowhere_and_one_error() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    seen = Recorder(step)
    log.refusal = StoreError("disk full")
    with pytest.raises(StoreError):
        await step.turn(state, SPEC, ScriptedProvider(text("x")))
    assert (list(state.turns), log.turns) == ([], [])
    assert seen.words[-3:] == ["text", "stop_reason", "error"]


async def test_a_cancelled_answer_that_cannot_be_recorded_is_still_cancelled() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    seen = Recorder(step)
    turn = asyncio.ensure_future(step.turn(state, SPEC, ScriptedProvider([*text("x"), asyncio.Event()])))
    await steps(20)
    log.refusal = StoreError("disk full")
    turn.cancel()
    async with asyncio.timeout(5):
        await asyncio.wait((turn,))
    assert turn.cancelled()
    assert (list(state.turns), seen.kinds.count("error")) == ([], 0)


async def test_results_that_cannot_be_recorded_hide_neither_the_failure_nor_its_error() -> None:
    state, log = Thread(), Log()

    def refuse_results(entry: Any) -> None:
        if isinstance(entry.event, TurnComplete) and len(state.turns) == 1:
            log.refusal = StoreError("disk full")

    step = Step(state, journal=log, bus=EventBus(on_emit=[refuse_results]))
    seen = Recorder(step)
    with pytest.raises(ProviderError, match="reset"):
        await step.turn(state, SPEC, ScriptedProvider([CALL, ProviderError("reset")]))
    assert seen.kinds.count("error") == 1

    await step.turn(state, SPEC, ScriptedProvider(text("x")))
    assert [turn.role for turn in state.turns] == [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]


async def test_a_failure_after_the_close_is_raised_as_it_is() -> None:
    hold = asyncio.Event()
    state, step = Thread(), Step()
    turn = asyncio.ensure_future(step.turn(state, SPEC, ScriptedProvider([*text("x"), hold, ProviderError("reset")])))
    await steps(20)
    step.close()
    hold.set()
    async with asyncio.timeout(5):
        await asyncio.wait((turn,))
    assert isinstance(turn.exception(), ProviderError)
    assert [(kept.status, kept.artifacts) for kept in state.turns] == [(TurnStatus.FAILED, (Text(content="x"),))]
