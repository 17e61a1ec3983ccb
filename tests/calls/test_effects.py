"""Starts and ends of calls are noted, so that after a crash nothing that finished runs again."""

import asyncio

import pytest

from calls.stage import Person, Stage, arguments, ask, yes
from ore.artifact import ResultStatus, StopReason, ToolCall, ToolResult
from ore.calls import CallHandler
from ore.errors import ConflictError
from ore.ledger import Buffer, Draft, EffectRecord, Role, Turn, TurnRecord, call_key
from ore.loop import Step, StepHooks
from ore.models import Spec
from ore.provider import WithTools
from ore.testing.scripted import ScriptedProvider
from ore.tool import Tool, tool


class Bench:
    """Tools of every kind that say that they ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def tools(self) -> tuple[Tool, ...]:
        async def run(name: str) -> str:
            self.ran.append(name)
            return name

        return (
            tool(run, name="look", read_only=True),
            tool(run, name="act"),
            tool(run, name="set", idempotent=True),
            tool(run, name="risky", approve=True),
        )


def call(name: str, said: str) -> ToolCall:
    return ask(name, arguments(name=said))


@pytest.mark.requirement("D-calls-effects")
async def test_starts_are_recorded_with_the_turn_but_for_what_changes_nothing_or_waits_for_a_yes() -> None:
    stage = Stage(*Bench().tools(), handler=CallHandler(asker=Person(yes())))
    turn = await stage.turn(call("look", "a"), call("act", "b"), call("set", "c"), call("risky", "d"), ask("unknown"))
    assert list(stage.appends[0][1:]) == [
        EffectRecord(key=call_key(turn.id, 1)),
        EffectRecord(key=call_key(turn.id, 2), idempotent=True),
    ]


@pytest.mark.requirement("D-calls-effects")
async def test_each_finished_call_is_recorded_at_once_and_the_last_one_with_the_results() -> None:
    """In the order in which they finish."""
    gates = [asyncio.Event() for _ in range(3)]

    @tool
    async def wait(n: int) -> int:
        await gates[n].wait()
        return n

    stage = Stage(wait)
    async with asyncio.timeout(5), stage.step.subscribe("tool_result") as finished, asyncio.TaskGroup() as group:
        turn = group.create_task(stage.turn(*(ask("wait", f'{{"n": {n}}}') for n in range(3))))
        for n in (1, 2, 0):
            gates[n].set()
            await anext(finished)
    ends = [
        EffectRecord(
            key=call_key(turn.result().id, n),
            result=ToolResult(tool_call_id="c", content=str(n), status=ResultStatus.OK),
        )
        for n in (1, 2)
    ]
    assert [record for append in stage.appends[1:-1] for record in append] == ends
    assert stage.log == ["turn:assistant+start+start+start", "end:ok", "end:ok", "turn:tool"]


async def test_a_result_that_cannot_be_stored_fails_the_message_with_the_stores_error() -> None:
    """One error, not a group; the calls that still ran are stopped, and what is known is recorded."""
    go = asyncio.Event()

    @tool
    async def first() -> str:
        return "first"

    @tool
    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            go.set()

    stage = Stage(first, slow)
    stage.when("tool_result", lambda: stage.refuse(EffectRecord, ConflictError("changed in between")))
    async with asyncio.timeout(5):
        with pytest.raises(ConflictError):
            await stage.turn(ask("first"), ask("slow"))
    assert go.is_set()
    assert [(result.content, result.status) for result in stage.last_results] == [
        ("first", ResultStatus.OK),
        ("cancelled: the result of another call could not be stored", ResultStatus.CANCELLED),
    ]


async def test_calls_of_a_cut_answer_keep_their_results_when_one_cannot_be_stored() -> None:
    @tool
    async def write() -> None: ...

    stage = Stage(write)
    stage.refuse(EffectRecord, ConflictError("changed in between"))
    with pytest.raises(ConflictError):
        await stage.turn(ask("write"), ask("write"), reason=StopReason(reason="length"))
    assert [result.is_error for result in stage.last_results] == [True, True]


async def test_results_that_cannot_be_stored_are_in_no_history() -> None:
    @tool
    async def quick() -> str:
        return "ok"

    stage = Stage(quick)
    stage.when("tool_result", lambda: stage.refuse(TurnRecord, ConflictError("changed in between")))
    with pytest.raises(ConflictError):
        await stage.turn(ask("quick"))
    assert [turn.role for turn in stage.state.turns] == [Role.ASSISTANT]


async def left_behind(stage: Stage, *calls: ToolCall) -> Turn:
    """A turn with calls that an earlier process recorded before it died."""
    return await stage.step.record(Draft(role=Role.ASSISTANT, artifacts=calls))


@pytest.mark.requirement("D-calls-resume")
async def test_finished_calls_are_not_run_again_and_started_ones_are_unknown_or_run_again() -> None:
    bench = Bench()
    stage = Stage(*bench.tools())
    turn = await left_behind(
        stage, call("act", "finished"), call("act", "started"), call("set", "again"), call("look", "not begun")
    )
    finished = ToolResult(tool_call_id="c", content="as it was", status=ResultStatus.OK)
    effects = {
        call_key(turn.id, 0): EffectRecord(key=call_key(turn.id, 0), result=finished),
        call_key(turn.id, 1): EffectRecord(key=call_key(turn.id, 1)),
        call_key(turn.id, 2): EffectRecord(key=call_key(turn.id, 2), idempotent=True),
    }
    await stage.step.resume(stage.state, effects)

    assert sorted(bench.ran) == ["again", "not begun"]
    assert [result.status for result in stage.last_results] == [
        ResultStatus.OK,
        ResultStatus.UNKNOWN,
        ResultStatus.OK,
        ResultStatus.OK,
    ]
    assert stage.last_results[0] == finished
    assert "check before calling it again" in stage.last_results[1].content


async def test_a_call_that_runs_after_all_has_its_start_recorded_first() -> None:
    """It was never started, so nothing says yet that it was."""
    bench = Bench()
    stage = Stage(*bench.tools())
    turn = await left_behind(stage, call("act", "a"))
    await stage.step.resume(stage.state, {})
    assert (bench.ran, stage.log) == (["a"], ["turn:assistant", "start", "turn:tool"])
    assert stage.effects == [EffectRecord(key=call_key(turn.id, 0))]


async def test_a_call_whose_question_was_open_is_asked_about_again() -> None:
    bench, person = Bench(), Person(yes())
    stage = Stage(*bench.tools(), handler=CallHandler(asker=person))
    turn = await left_behind(stage, call("look", "a"), call("risky", "b"))
    key = call_key(turn.id, 0)
    done = ToolResult(tool_call_id="c", content="a", status=ResultStatus.OK)
    await stage.step.resume(stage.state, {key: EffectRecord(key=key, result=done)})
    assert (bench.ran, [question.key for question in person.questions]) == (["b"], [call_key(turn.id, 1)])


async def test_calls_of_a_turn_that_was_submitted_run_as_any_others() -> None:
    """And their starts are recorded, although no inference made the turn."""
    bench = Bench()
    stage = Stage(*bench.tools())
    await stage.step.submit(stage.state, Role.ASSISTANT, call("act", "a"))
    assert (bench.ran, stage.log) == (["a"], ["turn:assistant", "start", "turn:tool"])


async def test_without_a_journal_calls_run_all_the_same() -> None:
    bench = Bench()
    state = Buffer()
    step = Step(state, hooks=StepHooks(handlers=(CallHandler(),)), options=(WithTools(bench.tools()),))
    await step.turn(state, Spec(), ScriptedProvider([call("act", "a"), call("look", "b")]))
    assert (sorted(bench.ran), [turn.role for turn in state.turns]) == (["a", "b"], [Role.ASSISTANT, Role.TOOL])
