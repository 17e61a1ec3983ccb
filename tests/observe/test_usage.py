"""What was used: by turn, run, session and model, the same after a restart, with what worked inside calls."""

from decimal import Decimal
from pathlib import Path

import pytest

from observe.spending import calls, usage, words
from ore import Agent
from ore.agent import AgentSpec
from ore.artifact import Text, ToolCall, ToolResult, Usage
from ore.errors import NotFoundError
from ore.event import Properties
from ore.ext.observe.usage import SessionUsage, session_usage, usage_report
from ore.ext.observe.usage_status import UsageStatus, usage_properties
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import Buffer, Control, MemoryStore, Role, Turn
from ore.loop import Step, StepHooks
from ore.models import Spec
from ore.session import Manager
from ore.testing import Recorder, ScriptedProvider


def turn(id: str, role: Role, *artifacts: object, model: str | None = None, **fields: object) -> Turn:
    return Turn(id=id, role=role, artifacts=artifacts, model=model, **fields)  # type: ignore[arg-type]


@pytest.mark.requirement("D-usage-restored")
def test_a_session_tells_what_it_used_by_run_and_model() -> None:
    """Steering messages do not begin a run; what is not sent any more was paid for."""
    call, result = ToolCall(id="c", name="t", arguments="{}"), ToolResult(tool_call_id="c", content="r")
    report = usage_report(
        [
            turn("u1", Role.USER, Text(content="a")),
            turn("a1", Role.ASSISTANT, call, usage(10), model="p:m"),
            turn("t1", Role.TOOL, result),
            turn("u2", Role.USER, Text(content="steer")),
            turn("a2", Role.ASSISTANT, Text(content="b"), usage(20), model="p:m"),
            turn("u3", Role.USER, Text(content="c")),
            turn("a3", Role.ASSISTANT, usage(5), model="q:n", control=Control.SKIP),
            turn("u4", Role.USER, Text(content="d")),
        ]
    )
    assert report.total.total_tokens == 35
    assert [(run.begins, run.usage.total_tokens, [one.turn for one in run.turns]) for run in report.runs] == [
        ("u1", 30, ["a1", "a2"]),
        ("u3", 5, ["a3"]),
        ("u4", None, []),
    ]
    assert {model: one.total_tokens for model, one in report.models.items()} == {"p:m": 30, "q:n": 5}
    assert usage_report([]) == SessionUsage()


@pytest.mark.requirement("B105")
def test_money_adds_up_exactly_and_what_nobody_counted_stays_unknown() -> None:
    """The case's own figures: 1 token at the full price, 27,146 cached ones, 351 of the answer."""
    cost = Decimal("0.00860376")
    cached = Usage(
        prompt_tokens=27_147, completion_tokens=351, total_tokens=27_498, cache_read_tokens=27_146, cost_usd=cost
    )
    report = usage_report([turn(f"a{n}", Role.ASSISTANT, cached) for n in range(10)])
    assert (report.total.cost_usd, report.total.cache_read_tokens) == (cost * 10, 271_460)
    assert (report.total.cache_write_tokens, report.total.reasoning_tokens) == (None, None)


@pytest.mark.requirement("D-usage-restored")
async def test_another_process_reads_the_same_with_what_agents_inside_calls_used(tmp_path: Path) -> None:
    """Also of agents inside those."""
    leaf = Agent(ScriptedProvider([*words(1), usage(7)], repeat=True), name="leaf", description="Works.")
    middle = Agent(
        ScriptedProvider([*calls("leaf", "leaf"), usage(5)], [*words(1), usage(5)]),
        name="middle",
        description="Asks.",
        tools=[leaf.as_tool()],
    )
    above = Agent(ScriptedProvider([*calls("middle"), usage(3)], [*words(1), usage(3)]), tools=[middle.as_tool()])
    place = str(tmp_path / "s.db")
    result = await above.run("go", session="s", store=f"sqlite:{place}")
    store = SqliteStore(place)
    report = await session_usage(store, "s")
    assert (report.total, report.inside.total_tokens) == (result.usage, 2 * 5 + 2 * 7)
    assert report.total.total_tokens == 6
    with pytest.raises(NotFoundError):
        await session_usage(store, "none")
    await store.aclose()


@pytest.mark.requirement("D-usage-status")
async def test_each_inference_tells_its_counts_and_the_sessions_total_which_goes_on_after_a_restart() -> None:
    store = MemoryStore()
    for expected in ("10", "20"):
        provider = ScriptedProvider([*words(1), usage(10)])
        manager = Manager(AgentSpec(name="a", provider=provider, handlers=(UsageStatus(),)), store)
        stream = await manager.open("s")
        async with Recorder(stream, "properties") as seen:
            await stream.process("hi")
        (event,) = (entry.event for entry in seen.entries)
        assert isinstance(event, Properties)
        assert [(one.key, one.value) for one in event.operations] == [
            ("sent", "9"),
            ("received", "1"),
            ("thinking", "?"),
            ("total", expected),
        ]
        assert usage_properties(stream.turns)["total"] == expected
        assert stream.metadata.all() == {}
        await manager.close_all()


@pytest.mark.requirement("D-usage-status")
async def test_counts_of_zero_are_told_and_unknown_ones_are_no_zero() -> None:
    step = Step(hooks=StepHooks(handlers=(UsageStatus(),)))
    zero = Usage(prompt_tokens=0, completion_tokens=0, total_tokens=0, reasoning_tokens=0)
    seen = Recorder(step, "properties")
    for one in (zero, Usage()):
        await step.turn(Buffer(), Spec(), ScriptedProvider([*words(1), one]))
    told = [[operation.value for operation in entry.event.operations] for entry in seen.entries]  # type: ignore[union-attr]
    assert told == [["0", "0", "0", "0"], ["?", "?", "?", "?"]]
    assert usage_properties([]) == {}
    step.close()
