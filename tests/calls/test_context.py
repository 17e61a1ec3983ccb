"""What a tool does to its session: events, progress, facts."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from calls.stage import Stage, ask
from ore.artifact import Notice, ResultStatus, Severity
from ore.calls import CallHandler
from ore.errors import ConflictError
from ore.event import Activity, Properties
from ore.ledger import MetadataRecord, Operation
from ore.tool import ToolContext, tool


class Status:
    """A value that changes facts of the session."""

    def __init__(self, facts: Any) -> None:
        self._facts = facts

    def for_model(self) -> str:
        return "moved"

    def status(self) -> Mapping[str, str]:
        if isinstance(self._facts, Exception):
            raise self._facts
        facts: Mapping[str, str] = self._facts
        return facts


def moving(facts: Any) -> Stage:
    """A stage with one tool whose value has these facts."""

    @tool
    async def move() -> Status:
        return Status(facts)

    return Stage(move)


@pytest.mark.requirement("L23")
async def test_facts_of_a_value_are_set_durably_and_told_in_one_event() -> None:
    """Those who read the session's facts see them too; its subscribers once."""
    stage = moving({"cwd": "/tmp", "branch": "ma\ud800in"})
    result = await stage.result("move")
    operations = (
        Operation(op="set", key="cwd", value="/tmp"),
        Operation(op="set", key="branch", value="ma\ufffdin"),
    )
    assert (result.content, stage.state.meta.all()) == ("moved", {"cwd": "/tmp", "branch": "ma\ufffdin"})
    assert [entry.event for entry in stage.entries if entry.kind == "properties"] == [Properties(operations=operations)]
    assert MetadataRecord(operations=operations) in [record for append in stage.appends for record in append]
    assert stage.seen == ["tool_call", "turn_complete", "tool_result", "properties", "turn_complete"]


@pytest.mark.requirement("L23", "D-calls-effects")
async def test_a_call_is_recorded_as_finished_when_its_facts_are_and_not_before() -> None:
    """What a crash leaves of it is run again, or unknown, but never finished without its facts."""
    last = asyncio.Event()

    @tool
    async def move() -> Status:
        return Status({"cwd": "/tmp"})

    @tool
    async def wait() -> str:
        await last.wait()
        return "waited"

    stage = Stage(move, wait)
    hold = stage.hold(MetadataRecord)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        turn = group.create_task(stage.turn(ask("move"), ask("wait", id="d")))
        await hold.reached.wait()
        last.set()
        await asyncio.sleep(0)
        assert stage.log == ["turn:assistant+start+start"]
        hold.go.set()
        await turn
    assert stage.log[1:3] == ["MetadataRecord", "end:ok"] and stage.log[-1] == "turn:tool"


@pytest.mark.parametrize(
    "facts",
    [{}, {"n": 1}, {1: "n"}, None, "text", ValueError("no"), {"ore.model.temperature": "warm"}, {"ore.model.x": "1"}],
)
async def test_facts_that_cannot_be_set_are_passed_over_and_the_result_stands(facts: Any) -> None:
    stage = moving(facts)
    assert (await stage.result("move")).status is ResultStatus.OK
    assert (stage.state.meta.all(), "properties" in stage.seen) == ({}, False)


async def test_a_call_inside_a_call_has_the_keys_of_both() -> None:
    """The outermost first."""

    @tool
    async def look() -> str:
        return "seen"

    inner = Stage(look)

    @tool
    async def delegate() -> str:
        return (await inner.result("look")).content

    outer = Stage(delegate)
    assert (await outer.result("delegate")).content == "seen"
    keys = tuple(f"{stage.state.turns[0].id}:0" for stage in (outer, inner))
    assert [entry.context.path for entry in inner.entries if entry.kind == "tool_result"] == [keys]


async def test_facts_that_cannot_be_stored_fail_the_message_and_the_result_stands() -> None:
    stage = moving({"cwd": "/tmp"})
    stage.refuse(MetadataRecord, ConflictError("changed in between"))
    with pytest.raises(ConflictError):
        await stage.result("move")
    assert (stage.last_results[0].content, stage.state.meta.all()) == ("moved", {})


async def test_a_tool_that_fails_sets_no_facts() -> None:
    @tool
    async def fail() -> Status:
        raise ValueError

    stage = Stage(fail)
    await stage.result("fail")
    assert "properties" not in stage.seen


async def test_a_tool_knows_its_call_its_agents_deps_and_the_facts() -> None:
    @tool
    async def look(context: ToolContext) -> list[Any]:
        return [context.key, context.call.arguments, context.deps["db"], context.meta.get("user"), context.cancelled]

    stage = Stage(look, handler=CallHandler(deps={"db": "memory"}))
    stage.state.meta.set("user", "ada")
    result = await stage.result("look", "{ }")
    assert result.content == f'["{stage.state.turns[0].id}:0","{{ }}","memory","ada",false]'


async def test_what_a_tool_emits_stands_between_its_turn_and_its_result() -> None:
    @tool
    async def work(context: ToolContext) -> str:
        context.progress("half way")
        context.emit(Notice(severity=Severity.WARN, content="slow disk"))
        return "done"

    stage = Stage(work)
    turn = await stage.turn(ask("work"))
    assert stage.seen == [
        *("tool_call", "turn_complete"),
        *("activity", "notice", "activity", "tool_result", "turn_complete"),
    ]
    assert [entry.event for entry in stage.entries if isinstance(entry.event, Activity)] == [
        Activity(id=f"{turn.id}:0", active=True, description="half way"),
        Activity(id=f"{turn.id}:0", active=False),
    ]


async def test_what_a_task_that_a_tool_left_behind_emits_is_dropped() -> None:
    """The call is over, and its context says so."""
    go = asyncio.Event()
    told: list[bool] = []
    tasks: list[asyncio.Task[None]] = []

    @tool
    async def leave(context: ToolContext) -> None:
        async def later() -> None:
            await go.wait()
            told.append(context.cancelled)
            context.emit(Notice(severity=Severity.INFO, content="too late"))

        tasks.append(asyncio.create_task(later()))

    stage = Stage(leave)
    await stage.turn(ask("leave"))
    go.set()
    async with asyncio.timeout(5):
        await tasks[0]
    assert (told, "notice" in stage.seen) == ([True], False)
