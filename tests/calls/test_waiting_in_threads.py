"""A `def` tool can have the loop do something, and wait for it."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError

import pytest

from ore.agent import AgentSpec
from ore.artifact import Text, ToolCall
from ore.event import CURRENT, Answer
from ore.session import AskPolicy, Manager, Services
from ore.testing import ScriptedProvider
from ore.tool import StaticTools, ToolContext, tool


async def answered(work: Callable[..., str]) -> str:
    """What the model is told of a call."""
    provider = ScriptedProvider([ToolCall(id="c", name="work", arguments="{}")], [Text(content="ok")])
    spec = AgentSpec(name="a", provider=provider, tools=StaticTools(tool(work, name="work", timeout_s=1)).tools)
    asking = AskPolicy(answerer=lambda question: Answer(key=question.key, answer=f"{question.text} yes"))
    async with asyncio.timeout(10), await Manager(spec, services=Services(asking=asking)).create() as stream:
        await stream.process("go")
        return stream.turns[2].artifacts[0].for_model()


@pytest.mark.requirement("D-thread-waits")
async def test_a_thread_asks_a_person_and_gets_the_answer() -> None:
    def work(context: ToolContext) -> str:
        """Ask."""
        return str(context.wait(context.ask("really?")).answer)

    assert await answered(work) == "really? yes"


@pytest.mark.requirement("D-thread-waits")
async def test_what_it_waits_for_belongs_to_the_call() -> None:
    async def where() -> tuple[str, ...]:
        return CURRENT.get().path or ()

    def work(context: ToolContext) -> str:
        """Look around."""
        return str(context.wait(where()) == (context.key,))

    assert await answered(work) == "True"


@pytest.mark.requirement("D-thread-waits")
async def test_a_call_that_is_over_waits_for_nothing_any_more() -> None:
    ended = threading.Event()
    seen: list[str] = []

    def work(context: ToolContext) -> str:
        """Wait for ever, then once more."""
        for _ in range(2):
            try:
                context.wait(asyncio.sleep(60))
            except (CancelledError, RuntimeError) as error:
                seen.append(type(error).__name__)
        ended.set()
        return "too late"

    assert "timed out" in await answered(work)
    assert await asyncio.to_thread(ended.wait, 5)
    assert seen == ["CancelledError", "RuntimeError"]


async def test_an_async_tool_is_told_to_await() -> None:
    async def work(context: ToolContext) -> str:
        """Wait on the loop itself."""
        with pytest.raises(RuntimeError, match="use await"):
            context.wait(asyncio.sleep(0))
        return "told"

    assert await answered(work) == "told"  # type: ignore[arg-type]  # a coroutine is one, too
