"""An agent is a value: sessions are built from it, and share nothing through it."""

import asyncio

import pytest

from ore.agent import AgentSpec
from ore.artifact import Text, ToolCall
from ore.cognitive import Pattern, ReAct, RunLimits, Runtime, SingleShot
from ore.errors import LimitError
from ore.ledger import Draft, Outcome, Role, Turn
from ore.session import Manager
from ore.testing.scripted import ScriptedProvider
from ore.tool import ToolContext, tool


class Failing:
    """A pattern that does nothing."""

    name = "failing"

    async def run(self, runtime: Runtime) -> Turn:
        raise ZeroDivisionError("in the pattern")

    def ends(self, draft: Draft | Turn) -> bool:
        return True


@pytest.mark.requirement("C240")
async def test_the_pattern_gets_the_sessions_ledger_and_its_error_is_the_messages() -> None:
    provider = ScriptedProvider()
    async with asyncio.timeout(5), Manager(AgentSpec(name="a", provider=provider, pattern=Failing)) as manager:
        stream = await manager.create()
        with pytest.raises(ZeroDivisionError):
            await stream.process("hi")
        assert [turn.role for turn in stream.turns] == [Role.USER]


@pytest.mark.requirement("C240")
async def test_each_message_has_a_pattern_of_its_own() -> None:
    """So a pattern may keep what it likes about one."""
    made: list[Pattern] = []

    def pattern() -> Pattern:
        made.append(ReAct() if len(made) else SingleShot())
        return made[-1]

    provider = ScriptedProvider([Text(content="Hi")], repeat=True)
    async with asyncio.timeout(5), Manager(AgentSpec(name="a", provider=provider, pattern=pattern)) as manager:
        stream = await manager.create()
        for _ in range(2):
            assert (await stream.process("hi")).status is Outcome.DONE
    assert [one.name for one in made] == ["single_shot", "react"]


async def test_an_agents_deps_and_limits_reach_its_calls_and_its_rounds() -> None:
    found: list[object] = []

    @tool
    async def look(context: ToolContext) -> int:
        found.append(context.deps)
        return len(found)

    call = ToolCall(id="c", name="look", arguments="{}")
    agent = AgentSpec(
        name="a",
        provider=ScriptedProvider([call], repeat=True),
        tools=lambda state: (look,),
        deps="a database",
        limits=RunLimits(rounds=2),
    )
    async with asyncio.timeout(5), Manager(agent) as manager:
        stream = await manager.create()
        outcome = await stream.submit("hi")
    assert isinstance(outcome.error, LimitError)
    assert found == ["a database"] * 2
