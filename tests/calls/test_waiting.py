"""The time of a call is its own, not that of the people it asks."""

import asyncio

import pytest

from calls.stage import Stage, yes
from ore.calls import CallHandler
from ore.event import Answer, Question
from ore.tool import ToolContext, tool


@pytest.mark.requirement("D-calls-waiting")
async def test_waiting_for_a_person_is_not_counted_as_run_time() -> None:
    """A day passes while the tool asks, then its own time goes on."""
    loop = asyncio.get_running_loop()
    ahead = 0.0
    own_time = loop.time
    passed: list[float] = []

    class Slow:
        async def ask(self, question: Question) -> Answer:
            nonlocal ahead
            ahead += 86_400.0
            for _ in range(3):  # let every timer fire that is due
                await asyncio.sleep(0)
            return yes()

    @tool(approve=True, timeout_s=60.0)
    async def book(context: ToolContext) -> str:
        nonlocal ahead
        await context.ask("Which seat?")
        passed.append(ahead)
        ahead += 61.0
        await asyncio.Event().wait()
        return "never"

    loop.time = lambda: own_time() + ahead  # type: ignore[method-assign]  # the loop's clock, moved by hand
    try:
        result = await Stage(book, handler=CallHandler(asker=Slow())).result("book")
    finally:
        loop.time = own_time  # type: ignore[method-assign]
    assert passed == [2 * 86_400.0]
    assert "timed out after 60 s" in result.content
