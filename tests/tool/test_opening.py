"""Toolsets that need something to be open: who opens it, in which order, and what closes it."""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

import pytest

from app.script import answer, call
from ore import Agent, MemoryStore, Tool
from ore.ledger import Buffer, State
from ore.testing import ScriptedProvider
from ore.tool import StaticTools, Toolset, approve, as_toolset, combine, filter, keep_open, prefix, rename, tool


class Place:
    """A toolset that is open or not, and tells its story."""

    def __init__(self, name: str, story: list[str], *, fails: bool = False) -> None:
        self.name = name
        self.story = story
        self.fails = fails

    async def __aenter__(self) -> Self:
        if self.fails:
            raise ConnectionError(self.name)
        self.story.append(f"open {self.name}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.story.append(f"close {self.name}")

    def tools(self, state: State) -> Sequence[Tool]:
        def look() -> str:
            """Look."""
            self.story.append(f"look {self.name}")
            return self.name

        return (tool(look, name=f"look_{self.name}", description="Look."),)


async def test_what_stands_inside_other_toolsets_is_opened_in_order_and_closed_in_reverse() -> None:
    story: list[str] = []
    one, two, three = (Place(name, story) for name in ("one", "two", "three"))
    tools = combine(
        prefix(one, "p"),
        StaticTools(),
        filter(approve(rename(two, {"look_two": "see"})), lambda state, found: True),
        three,
    )
    async with keep_open(tools):
        assert story == ["open one", "open two", "open three"]
        assert [found.name for found in tools.tools(Buffer())] == ["p__look_one", "see", "look_three"]
    assert story[3:] == ["close three", "close two", "close one"]


async def test_when_one_cannot_be_opened_those_before_it_are_closed() -> None:
    story: list[str] = []
    tools = combine(Place("one", story), Place("two", story, fails=True), Place("three", story))
    with pytest.raises(ConnectionError):
        async with keep_open(tools):
            raise AssertionError("never here")
    assert story == ["open one", "close one"]


def greet(name: str) -> str:
    """Greet somebody."""
    return f"hello {name}"


@pytest.mark.parametrize("wrap", [lambda place: place, lambda place: [greet, place], lambda place: combine(place)])
async def test_an_agent_keeps_its_tools_open_while_it_works(wrap: Callable[[Toolset], Any]) -> None:
    """For a run, and for a session with all its messages; what was handed to it open stays open."""
    story: list[str] = []
    place = Place("shop", story)
    provider = ScriptedProvider(call("look_shop"), answer("seen"), call("look_shop"), answer("again"), answer("bye"))
    agent = Agent(provider, tools=wrap(place), store=MemoryStore())
    assert (await agent.run("look")).text == "seen"
    assert story == ["open shop", "look shop", "close shop"]
    story.clear()
    async with agent.session("s") as session:
        await session.run("look")
        await session.run("bye")
        assert story == ["open shop", "look shop"]
    assert story == ["open shop", "look shop", "close shop"]


async def test_an_agent_whose_tools_cannot_be_opened_says_so_before_it_asks_a_model() -> None:
    provider = ScriptedProvider(answer("never"))
    with pytest.raises(ConnectionError):
        await Agent(provider, tools=[Place("shop", [], fails=True)]).run("look")
    assert provider.invocations == []


def test_a_list_of_functions_tools_and_toolsets_is_one_toolset_in_its_order() -> None:
    tools = as_toolset([greet, Place("one", []), tool(greet, name="salute"), Place("two", [])])
    assert [found.name for found in tools.tools(Buffer())] == ["greet", "look_one", "salute", "look_two"]
    agent = Agent(ScriptedProvider(), tools=[Place("one", [])]).with_(tools=[Place("two", []), greet])
    names = [found.name for found in agent.spec().tools(Buffer())]  # type: ignore[misc]  # they are there
    assert names == ["look_one", "look_two", "greet"]
    with pytest.raises(TypeError):
        as_toolset([3])  # type: ignore[list-item]  # the point
