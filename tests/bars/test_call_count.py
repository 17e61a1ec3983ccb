"""How many calls Python makes for one message: a count that does not vary, so it can be a bar."""

import asyncio
import cProfile
import pstats

import pytest

from ore.agent import AgentSpec
from ore.artifact import StopReason, TextDelta, ToolCallDelta, Usage
from ore.ledger import Outcome
from ore.session import Manager, Stream
from ore.testing.scripted import ScriptedProvider
from ore.tool import tool

BAR = 800
"""What a tool turn and the answer behind it may cost, in calls."""

USAGE = Usage(prompt_tokens=10, completion_tokens=2, total_tokens=12)
TOOL_TURN = [
    ToolCallDelta(index=0, id="c", name="weather", arguments='{"city": "Lisbon"}'),
    StopReason(reason="tool_use"),
    USAGE,
]
ANSWER = [TextDelta(content="21"), TextDelta(content=" °C"), StopReason(reason="stop"), USAGE]


@tool
async def weather(city: str, days: int = 1) -> str:
    """Weather in a city."""
    return f"{city}: 21 °C"


async def calls_of(stream: Stream) -> int:
    """All calls for one message, those of built-in functions included."""
    profile = cProfile.Profile()
    profile.enable()
    outcome = await stream.process("What is the weather in Lisbon?")
    profile.disable()
    assert outcome.status is Outcome.DONE
    counts = pstats.Stats(profile).stats.values()  # type: ignore[attr-defined]  # typeshed does not know it
    return sum(calls for _, calls, *_ in counts)


@pytest.mark.requirement("D-bar-tool-turn")
async def test_a_tool_turn_and_its_answer_cost_fewer_calls_than_the_bar() -> None:
    """Through a session with one reader, the tool's arguments validated.

    The first message is not counted. On a busy machine a turn may stop to let
    others run, which is no cost of its own, so the least of many counts.
    """
    agent = AgentSpec(
        name="a", provider=ScriptedProvider(TOOL_TURN, ANSWER, repeat=True), tools=lambda state: (weather,)
    )
    async with asyncio.timeout(10), Manager(agent) as manager:
        stream = await manager.create()

        async def read() -> None:
            async with stream.subscribe() as events:
                async for batch in events.batches():
                    assert batch

        reader = asyncio.create_task(read())
        await stream.process("What is the weather in Lisbon?")
        least = min([await calls_of(stream) for _ in range(40)])
        await stream.close()
        await reader
    assert least < BAR
