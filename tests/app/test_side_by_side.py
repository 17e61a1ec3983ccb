"""Limits of sessions side by side."""

import pytest

from app.script import answer
from ore import Agent, UsageLimits
from ore.artifact import Text, ToolCall, Usage
from ore.errors import LimitError
from ore.event import UserMessage
from ore.ledger import Outcome
from ore.session import Manager
from ore.testing import ScriptedProvider

USAGE = Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)


@pytest.mark.requirement("D-usage-limits", "N10")
async def test_sessions_of_one_agent_count_their_tokens_apart() -> None:
    """Neither do they add up, nor does one begin the other's count anew; equal message ids change nothing."""
    sessions: dict[str, Manager] = {}

    async def other() -> str:
        """While it runs, a message of another session comes and goes."""
        await sessions["manager"].get("b").process(UserMessage(content="hi", id="m2"))
        return "done"

    call = ToolCall(id="c", name="other", arguments="{}")
    script = ScriptedProvider(
        [call, USAGE], [Text(content="b"), USAGE], [call, USAGE], [Text(content="b"), USAGE], [*answer("a"), USAGE]
    )
    agent = Agent(script, tools=[other], limits=UsageLimits(tokens=9))
    manager = sessions["manager"] = Manager(agent.spec())
    one, two = await manager.create_with_id("a"), await manager.create_with_id("b")
    outcome = await one.submit(UserMessage(content="hi", id="m1"))
    assert (outcome.status, type(outcome.error)) == (Outcome.FAILED, LimitError)
    assert len(script.invocations) == 3
    assert len(two.turns) == 2
    await manager.close_all()
