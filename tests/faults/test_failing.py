"""Failpoints act where and when they are told to, and cost nothing elsewhere."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from ore.agent import AgentSpec
from ore.artifact import Text, TextDelta, ToolCall
from ore.errors import InputError, StoreError, describe
from ore.ledger import Buffer, MemoryStore, Record, Role
from ore.loop import Step
from ore.models import Spec
from ore.session import Manager, Outcome
from ore.testing import ScriptedProvider
from ore.testing.contracts import Check, StoreBench, store_checks
from ore.testing.failing import FailingProvider, FailingStore, failing_journal, failing_tool
from ore.testing.failpoints import GATE, POINTS, FailpointError, Failpoints
from ore.tool import StaticTools, tool
from session.watch import until
from stores.test_store_contract import MemoryBench


class FailingBench(MemoryBench):
    """A store without failpoints set."""

    async def fresh(self) -> FailingStore:
        return FailingStore(MemoryStore(), Failpoints())


@pytest.mark.parametrize(("name", "check"), store_checks(), ids=[name for name, _ in store_checks()])
async def test_without_failpoints_a_failing_store_is_as_good_as_its_store(name: str, check: Check) -> None:
    bench: StoreBench = FailingBench()
    async with asyncio.timeout(5):
        await check(bench)


@pytest.mark.parametrize(
    "text", ["x", "x:1", "x:0:kill", "x:-1:kill", "x:1:burn", ":1:kill", "x:one:kill", "x:1:kill:2"]
)
def test_what_is_no_failpoint_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Failpoints.parse(text)


async def test_a_failpoint_acts_at_its_nth_passing_and_never_again() -> None:
    told: list[str] = []
    points = Failpoints.parse("a.*:2:raise,b:1:raise", told=told.append)
    await points.reach("a.x")
    with pytest.raises(FailpointError):
        await points.reach("a", "a.y")
    await points.reach("a.x")
    with pytest.raises(StoreError):
        points.reach_blocking("b", error=StoreError)
    assert told == ["a.y", "b"]


async def test_a_sleep_ends_when_the_gate_is_written_to(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    told: list[str] = []
    points = Failpoints.from_environment({POINTS: "a:1:sleep,b:1:sleep", GATE: str(gate)}, told=told.append)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        waiting = group.create_task(points.reach("a"))
        await until(lambda: bool(told))
        assert not waiting.done()
        gate.write_bytes(b".")
        await waiting
        thread = asyncio.create_task(asyncio.to_thread(points.reach_blocking, "b"))
        await asyncio.to_thread(gate.write_bytes, b".")
        await thread


async def _outcome(points: str) -> Outcome:
    """How a message with a tool call ends."""
    failpoints = Failpoints.parse(points)

    async def look() -> str:
        return "seen"

    script = [ToolCall(id="c", name="look", arguments="{}")], [TextDelta(content="a"), TextDelta(content="b")]
    agent = AgentSpec(
        name="agent",
        provider=FailingProvider(ScriptedProvider(*script), failpoints),
        tools=StaticTools(failing_tool(tool(look), failpoints)).tools,
    )
    async with asyncio.timeout(5), Manager(agent, FailingStore(MemoryStore(), failpoints)) as manager:
        return await (await manager.create()).submit("hi")


@pytest.mark.parametrize(
    ("points", "status", "code"),
    [
        pytest.param("", "done", None, id="none"),
        ("stream.batch:2:raise", "failed", "connection"),
        ("stream.end:1:raise", "failed", "connection"),
        ("append.assistant.before:1:raise", "failed", "store"),
        ("tool.look.before:1:raise", "done", None),
        ("tool.look.after:1:raise", "done", None),
    ],
)
async def test_a_seam_that_fails_fails_no_more_than_its_message(points: str, status: str, code: str | None) -> None:
    outcome = await _outcome(points)
    assert (outcome.status, outcome.error and describe(outcome.error).code) == (status, code)


async def test_a_message_that_cannot_be_stored_is_refused() -> None:
    with pytest.raises(StoreError):
        await _outcome("submit.before:1:raise")


async def test_a_journal_has_failpoints_too() -> None:
    kept: list[Record] = []

    async def journal(records: Sequence[Record]) -> None:
        kept.extend(records)

    state = Buffer()
    step = Step(state, journal=failing_journal(journal, Failpoints.parse("journal.before:2:raise")))
    await step.submit(state, Role.USER, Text(content="1"))
    with pytest.raises(StoreError):
        await step.turn(state, Spec(), ScriptedProvider([TextDelta(content="x")]))
    assert (len(kept), len(state.turns)) == (1, 1)
