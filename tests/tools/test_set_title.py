"""The model names the conversation; lists show the name."""

import pytest

from app.script import answer, call
from ore import Agent
from ore.artifact import ToolResult
from ore.ext.tools.set_title import LONGEST, set_title
from ore.ledger import MemoryStore
from ore.testing import ScriptedProvider


async def titled(title: str) -> tuple[ToolResult, str | None]:
    """What the call came to, and what the list shows."""
    store = MemoryStore()
    agent = Agent(ScriptedProvider(call("set_title", f'{{"title": "{title}"}}'), answer("ok")), tools=[set_title])
    result = await agent.run("hi", session="s", store=store)
    told = result.turns[2].artifacts[0]
    assert isinstance(told, ToolResult)
    return told, (await store.list()).threads[0].title


async def test_a_title_becomes_a_fact_of_the_session_that_lists_show() -> None:
    told, shown = await titled("  A trip\\n to  Porto ")
    assert (told.content, told.display, shown) == ("the title is set", "A trip to Porto", "A trip to Porto")


@pytest.mark.parametrize(("title", "why"), [("  ", "expected a few words"), ("x" * (LONGEST + 1), "at most 100")])
async def test_what_is_no_title_changes_nothing(title: str, why: str) -> None:
    told, shown = await titled(title)
    assert told.is_error and why in told.content
    assert shown is None
