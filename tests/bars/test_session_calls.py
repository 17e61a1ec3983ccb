"""How many calls Python makes for a session that is made for one message, and for a run of an agent."""

import asyncio
import cProfile
import pstats
from collections.abc import Awaitable, Callable

from ore import Agent
from ore.agent import AgentSpec
from ore.artifact import StopReason, TextDelta
from ore.session import Manager
from ore.testing import ScriptedProvider

SESSION_BAR = 750
"""A session from its making to its end, with a reader and one message."""

RUN_BAR = 1_080
"""`Agent.stream` and the reading of its text, in a session and a manager of its own."""

ANSWER = [TextDelta(content="Hello"), TextDelta(content=" there."), StopReason(reason="stop")]


async def least_calls_of(work: Callable[[], Awaitable[object]]) -> int:
    """The least of many times, built-in functions included: on a busy machine a turn may stop to let others run."""
    counts: list[int] = []
    for _ in range(40):
        profile = cProfile.Profile()
        profile.enable()
        await work()
        profile.disable()
        stats = pstats.Stats(profile).stats.values()  # type: ignore[attr-defined]  # typeshed does not know it
        counts.append(sum(calls for _, calls, *_ in stats))
    return min(counts)


async def test_a_session_for_one_message_costs_fewer_calls_than_the_bar() -> None:
    agent = AgentSpec(name="a", provider=ScriptedProvider(ANSWER, repeat=True))
    async with asyncio.timeout(10), Manager(agent) as manager:

        async def use() -> None:
            stream = await manager.create({"ore.model.name": "m"})
            async with stream.subscribe("text_delta", "lifecycle") as reader:
                stream.submit("Hello?")
                async for batch in reader.batches():
                    if getattr(batch[-1].event, "phase", "") == "done":
                        break
            await stream.close()

        assert await least_calls_of(use) < SESSION_BAR


async def test_a_run_of_an_agent_costs_fewer_calls_than_the_bar() -> None:
    agent = Agent(ScriptedProvider(ANSWER, repeat=True))

    async def use() -> None:
        async with agent.stream("Hello?") as run:
            assert "".join([piece async for piece in run.text()]) == "Hello there."

    async with asyncio.timeout(10):
        assert await least_calls_of(use) < RUN_BAR
