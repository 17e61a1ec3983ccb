"""Toolsets: which tools there are, as the conversation stands; and their algebra."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeGuard, cast

from ore.ledger import State
from ore.tool.function import as_tool
from ore.tool.names import SEPARATOR, is_wire_name
from ore.tool.tool import Approve, Tool

__all__ = [
    "Keep",
    "StaticTools",
    "Toolset",
    "approve",
    "as_toolset",
    "combine",
    "filter",
    "prefix",
    "refuse_twins",
    "rename",
]


class Toolset(Protocol):
    """Tools that may depend on the conversation. No base class: the shape is enough."""

    def tools(self, state: State) -> Sequence[Tool]:
        """The tools of the next inference, in an order that does not change by itself.

        Asked once a turn, with the real ledger. The same tools are the same
        objects, so what was encoded of them once stays good.

        Raises:
            ValueError: Two of them have one name.
        """
        ...


Keep = Callable[[State, Tool], bool]
"""Whether a tool is there as the conversation stands. Must not block; one that
raises fails the turn."""


class StaticTools:
    """Always the same tools, in the order given.

    Args:
        tools: Tools, or functions to make tools of.

    Raises:
        ValueError: Two of them have one name.
    """

    def __init__(self, *tools: Tool | Callable[..., Any]) -> None:
        self._tools = tuple(as_tool(item) for item in tools)
        refuse_twins(self._tools)

    def tools(self, state: State) -> Sequence[Tool]:
        """All of them."""
        return self._tools


def as_toolset(items: Sequence[Tool | Callable[..., Any] | Toolset] | Toolset) -> Toolset:
    """A list of functions, tools and toolsets as one toolset, in its order; a toolset as it is.

    Raises:
        TypeError: One of them is none of these.
        ValueError: Two of the functions and tools have one name.
    """
    if not isinstance(items, Sequence):
        return items
    if not any(map(_is_toolset, items)):
        return StaticTools(*_single(items))
    return combine(*(item if _is_toolset(item) else StaticTools(*_single((item,))) for item in items))


def combine(*toolsets: Toolset) -> Toolset:
    """The tools of all, in the order given.

    Two of one name are refused when they are asked for, naming both.
    """
    return _Combined(toolsets)


def prefix(toolset: Toolset, name: str) -> Toolset:
    """Each tool as `name__tool`.

    Raises:
        ValueError: The name is not legal on the wire.
    """
    _check_name(name)
    return _Changed(toolset, lambda tool: _renamed(tool, f"{name}{SEPARATOR}{tool.name}"))


def rename(toolset: Toolset, names: Mapping[str, str]) -> Toolset:
    """Some tools under other names; people see the original. Names that no tool has are passed over.

    Args:
        names: Old names and new ones.

    Raises:
        ValueError: A new name is not legal on the wire.
    """
    for name in names.values():
        _check_name(name)
    chosen = dict(names)
    return _Changed(toolset, lambda tool: _renamed(tool, chosen[tool.name]) if tool.name in chosen else tool)


def filter(toolset: Toolset, keep: Keep) -> Toolset:
    """Only the tools that `keep` wants, as the conversation stands."""
    return _Filtered(toolset, keep)


def approve(toolset: Toolset, when: Approve = True) -> Toolset:
    """Each tool with a person's yes before it: always, or as the arguments say.

    A tool that asks by itself goes on asking.
    """
    return _Changed(
        toolset, lambda tool: replace(tool, traits=replace(tool.traits, approve=_either(tool.traits.approve, when)))
    )


def refuse_twins(tools: Iterable[Tool]) -> None:
    """Let no two tools have one name.

    Raises:
        ValueError: Two have; the message names both.
    """
    seen: dict[str, Tool] = {}
    for tool in tools:
        twin = seen.setdefault(tool.name, tool)
        if twin is not tool:
            raise ValueError(f"two tools are called {tool.name!r}: {twin.body!r} and {tool.body!r}")


class _Changed:
    """The same change to each tool; made once as long as the tools stay the same."""

    def __init__(self, toolset: Toolset, change: Callable[[Tool], Tool]) -> None:
        self.inner = (toolset,)
        self._toolset = toolset
        self._change = change
        self._before: tuple[Tool, ...] = ()
        self._after: tuple[Tool, ...] = ()

    def tools(self, state: State) -> Sequence[Tool]:
        before = tuple(self._toolset.tools(state))
        if before != self._before:
            after = tuple(self._change(tool) for tool in before)
            refuse_twins(after)
            self._before, self._after = before, after
        return self._after


class _Combined:
    def __init__(self, toolsets: Sequence[Toolset]) -> None:
        self.inner = toolsets
        self._toolsets = toolsets
        self._last: tuple[Tool, ...] = ()

    def tools(self, state: State) -> Sequence[Tool]:
        found = tuple(tool for toolset in self._toolsets for tool in toolset.tools(state))
        if found != self._last:
            refuse_twins(found)
            self._last = found
        return self._last


class _Filtered:
    def __init__(self, toolset: Toolset, keep: Keep) -> None:
        self.inner = (toolset,)
        self._toolset = toolset
        self._keep = keep

    def tools(self, state: State) -> Sequence[Tool]:
        return tuple(tool for tool in self._toolset.tools(state) if self._keep(state, tool))


def _is_toolset(item: Tool | Callable[..., Any] | Toolset) -> TypeGuard[Toolset]:
    return not isinstance(item, Tool) and callable(getattr(item, "tools", None))


def _single(items: Sequence[Tool | Callable[..., Any] | Toolset]) -> Sequence[Tool | Callable[..., Any]]:
    return cast(Sequence[Tool | Callable[..., Any]], items)


def _renamed(tool: Tool, name: str) -> Tool:
    _check_name(name)
    return replace(tool, name=name, title=tool.title or tool.name)


def _check_name(name: str) -> None:
    if not is_wire_name(name):
        raise ValueError(f"expected a tool name of [a-zA-Z0-9_-], 1 to 64 characters, got {name!r}")


def _either(one: Approve, other: Approve) -> Approve:
    if isinstance(one, bool) or isinstance(other, bool):
        always = one is True or other is True
        return always or (other if isinstance(one, bool) else one)
    return lambda arguments: one(arguments) or other(arguments)
