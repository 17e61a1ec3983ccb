"""Which tools there are, as the conversation stands."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ore.ledger import Buffer, State
from ore.tool import Registry, StaticTools, Tool, Toolset, approve, combine, filter, prefix, rename, tool

STATE = Buffer(meta={"mode": "safe"})


def read(path: str) -> str:
    """Read."""
    return path


def write(path: str) -> str:
    """Write."""
    return path


def names(toolset: Toolset, state: State = STATE) -> list[str]:
    return [found.name for found in toolset.tools(state)]


def test_static_tools_are_always_the_same() -> None:
    reader = tool(read)
    tools = StaticTools(reader, write)
    assert tools.tools(STATE)[0] is reader
    assert tools.tools(STATE) is tools.tools(Buffer())
    assert names(tools) == ["read", "write"]


def test_two_tools_of_one_name_are_refused_and_both_are_named() -> None:
    with pytest.raises(ValueError, match=r"two tools are called 'read': .*\.read and .*\.write"):
        StaticTools(read, tool(write, name="read"))
    both = combine(StaticTools(read), rename(StaticTools(write), {"write": "read"}))
    with pytest.raises(ValueError, match=r"two tools are called 'read': .*\.read and .*\.write"):
        both.tools(STATE)


def test_combined_tools_come_in_the_order_given() -> None:
    assert names(combine(StaticTools(write), Registry(read))) == ["write", "read"]
    assert names(combine()) == []


def test_a_prefix_stands_before_each_name_and_people_see_the_original() -> None:
    files = prefix(StaticTools(read, tool(write, title="Write a file")), "files")
    assert [(found.name, found.title) for found in files.tools(STATE)] == [
        ("files__read", "read"),
        ("files__write", "Write a file"),
    ]


def test_some_tools_get_other_names() -> None:
    renamed = rename(StaticTools(read, write), {"read": "cat", "absent": "none"})
    assert [(found.name, found.title) for found in renamed.tools(STATE)] == [("cat", "read"), ("write", None)]


def test_new_names_that_vendors_refuse_are_refused() -> None:
    for change in (
        lambda: prefix(StaticTools(), "my files"),
        lambda: rename(StaticTools(), {"read": "a/b"}),
        lambda: prefix(StaticTools(read), "x" * 60).tools(STATE),
    ):
        with pytest.raises(ValueError, match="1 to 64 characters"):
            change()


def test_a_filter_sees_the_conversation_as_it_stands() -> None:
    state = Buffer(meta={"mode": "safe"})
    seen: list[State] = []

    def keep(state: State, found: Tool) -> bool:
        seen.append(state)
        return state.meta.get("mode") == "free" or found.name == "read"

    tools = filter(StaticTools(read, write), keep)
    assert names(tools, state) == ["read"]
    state.meta.set("mode", "free")
    assert names(tools, state) == ["read", "write"]
    assert all(one is state for one in seen)


def test_what_a_filter_raises_is_not_hidden() -> None:
    def keep(state: State, found: Tool) -> bool:
        raise LookupError("lost")

    with pytest.raises(LookupError):
        filter(StaticTools(read), keep).tools(STATE)


def asked(toolset: Toolset, arguments: Mapping[str, Any]) -> bool:
    condition = toolset.tools(STATE)[0].traits.approve
    return condition if isinstance(condition, bool) else condition(arguments)


def test_approval_is_added_and_never_taken_away() -> None:
    def is_secret(arguments: Mapping[str, Any]) -> bool:
        return bool(arguments["path"] == "secret")

    def is_root(arguments: Mapping[str, Any]) -> bool:
        return bool(arguments["path"] == "/")

    paths = ("secret", "/", "notes")

    def who(toolset: Toolset) -> list[bool]:
        return [asked(toolset, {"path": path}) for path in paths]

    free, strict, careful = (
        StaticTools(read),
        StaticTools(tool(read, approve=True)),
        StaticTools(tool(read, approve=is_root)),
    )
    assert who(approve(free)) == [True, True, True]
    assert who(approve(free, is_secret)) == [True, False, False]
    assert who(approve(strict, is_secret)) == [True, True, True]
    assert who(approve(strict, False)) == [True, True, True]
    assert who(approve(careful, is_secret)) == [True, True, False]
    assert who(approve(careful, False)) == [False, True, False]
    assert who(approve(careful)) == [True, True, True]


def test_tools_that_stay_the_same_stay_the_same_objects() -> None:
    """However they are composed, so what was encoded of them once stays good."""
    tools = combine(prefix(approve(StaticTools(read)), "a"), rename(StaticTools(write), {"write": "put"}))
    assert [id(found) for found in tools.tools(STATE)] == [id(found) for found in tools.tools(STATE)]


def test_a_change_beneath_shows_at_once() -> None:
    registry = Registry(read)
    tools = prefix(registry, "files")
    assert names(tools) == ["files__read"]
    registry.register(write)
    assert names(tools) == ["files__read", "files__write"]


class Growing:
    """A toolset of one's own: a tool for each turn."""

    def tools(self, state: State) -> Sequence[Tool]:
        return [tool(read, name=f"read{number}") for number in range(len(state.turns) + 1)]


def test_any_object_of_the_shape_is_a_toolset() -> None:
    assert names(prefix(Growing(), "g")) == ["g__read0"]
