"""The tools of an agent, its own ones and those of other servers."""

import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from ore.artifact import Cut
from ore.tool import Example, Registry, SchemaBody, Tool, ToolContext, Traits, tool

LEGAL = re.compile(r"^[a-zA-Z0-9_-]{1,64}\Z")


def add(a: int) -> int:
    """Add."""
    return a


def take(a: int) -> int:
    """Take."""
    return a


class Server:
    """A source whose tools answer with their server and their own name."""

    def __init__(self, name: str, *tools: str) -> None:
        self.name = name
        self.listed: list[Tool] = [self._tool(tool) for tool in tools]

    def tools(self) -> Sequence[Tool]:
        return self.listed

    def _tool(self, name: str) -> Tool:
        async def answer(context: ToolContext, arguments: Mapping[str, Any]) -> str:
            return f"{self.name}: {name}"

        return Tool(name=name, description="", body=SchemaBody(None, answer))


def names(registry: Registry) -> list[str]:
    return [found.name for found in registry.tools()]


@pytest.mark.requirement("C151")
def test_a_second_tool_of_one_name_takes_the_place_of_the_first() -> None:
    registry = Registry(add, take)
    later = registry.register(tool(take, name="add"))
    assert names(registry) == ["add", "take"]
    assert registry.lookup("add") is later


@pytest.mark.requirement("L19")
def test_tools_come_in_the_order_in_which_they_were_registered() -> None:
    made = [tool(add, name=f"t{number * 37 % 11}") for number in range(11)]
    assert list(Registry(*made).tools()) == made


@pytest.mark.requirement("C155")
@pytest.mark.parametrize("name", ["", "a/b", "x" * 65])
def test_a_name_that_cannot_be_called_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="1 to 64 characters"):
        Registry(Tool(name=name, description="", body=tool(add).body))


@pytest.mark.requirement("C155")
@pytest.mark.parametrize("nothing", [None, 3, Tool(name="a", description="", body=None)])  # type: ignore[arg-type]
def test_a_tool_with_nothing_to_call_is_refused(nothing: Any) -> None:
    with pytest.raises(TypeError):
        Registry().register(nothing)


class Odd:
    schema: Mapping[str, Any] = {"type": "object", "city": {"type": "string"}}
    blocking = False

    def parse(self, arguments: str) -> Mapping[str, Any]:
        return {}

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        return None


def test_a_tool_whose_schema_describes_no_arguments_is_refused() -> None:
    def odd(a: Callable[[], None]) -> None: ...

    with pytest.raises(ValueError, match="misplaced parameter 'city'"):
        Registry(Tool(name="a", description="", body=Odd()))
    with pytest.raises(TypeError, match="parameter 'a' of tool 'odd'"):
        Registry(odd)


@pytest.mark.requirement("L22", "B70")
def test_the_tools_of_servers_have_legal_names_and_answer_under_their_own() -> None:
    """People see the original."""
    servers = [Server("my srv", "a.b", "a/b", "ключ", "x" * 120), Server("other", "a.b")]
    registry = Registry(add)
    for server in servers:
        registry.register_source(server)

    found = registry.tools()
    assert [LEGAL.match(one.name) is not None for one in found] == [True] * 6
    assert len({one.name for one in found}) == 6
    assert {one.title for one in found[1:]} == {f"{srv.name}/{one.name}" for srv in servers for one in srv.listed}
    for server in servers:
        for original in server.listed:
            called = next(one for one in found if one.title == f"{server.name}/{original.name}")
            assert registry.lookup(called.name) is called
            assert called.body is original.body


@pytest.mark.requirement("L22")
def test_a_tool_of_ones_own_comes_before_a_servers_of_the_same_name() -> None:
    registry = Registry(tool(add, name="docs__search"))
    registry.register_source(Server("docs", "search", "read"))
    own = registry.lookup("docs__search")
    assert own is not None
    assert own.description == "Add."
    assert names(registry) == ["docs__search", "docs__read"]
    assert registry.lookup("docs/read") is None
    assert registry.lookup("nowhere") is None


def listing(registry: Registry) -> bytes:
    return json.dumps([(one.name, one.description, one.schema) for one in registry.tools()]).encode()


@pytest.mark.requirement("B69")
def test_the_list_of_tools_is_the_same_bytes_whichever_server_came_first() -> None:
    """Nor does one that comes back, or lists its tools in another order, change it."""
    servers = [Server("b", "x", "a"), Server("a", "y", "z"), Server("c", "q")]
    listings = set()
    for order in itertools.permutations(servers):
        registry = Registry(*(tool(add, name=f"own{number}") for number in range(5)))
        for server in order:
            registry.register_source(server)
        listings.add(listing(registry))
        registry.drop_source("a")
        registry.register_source(Server("a", "z", "y"))
        listings.add(listing(registry))
    assert len(listings) == 1


@pytest.mark.requirement("P34")
def test_a_tool_of_a_server_keeps_all_it_came_with() -> None:
    traits = Traits(read_only=True, cut=Cut(max_lines=3), examples=[Example(input={"a": 1})])
    server = Server("a")
    server.listed = [replace(tool(add), description="Plus.", traits=traits, title="Plus")]
    registry = Registry()
    registry.register_source(server)
    assert registry.tools() == (replace(server.listed[0], name="a__add"),)


def test_tools_that_stay_the_same_stay_the_same_objects() -> None:
    """So what was encoded of them once stays good; a change shows at once."""
    server = Server("a", "x.y")
    registry = Registry(add)
    registry.register_source(server)
    before = registry.tools()
    assert [id(one) for one in registry.tools()] == [id(one) for one in before]
    server.listed = Server("a", "other").listed
    assert names(registry) == ["add", "a__other"]


def test_a_source_is_found_replaced_and_forgotten_by_name() -> None:
    registry = Registry()
    first, second = Server("a", "x"), Server("a", "y")
    registry.register_source(first)
    registry.register_source(second)
    assert registry.lookup_source("a") is second
    assert names(registry) == ["a__y"]
    registry.drop_source("a")
    registry.drop_source("a")
    assert registry.lookup_source("a") is None
    assert names(registry) == []
    with pytest.raises(ValueError, match="empty"):
        registry.register_source(Server(""))
