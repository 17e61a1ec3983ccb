"""`Registry`: the tools of an agent, its own ones and those of other servers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ore.ledger import State
from ore.tool.function import as_tool
from ore.tool.json_schema import check_schema
from ore.tool.names import is_wire_name, remote_name
from ore.tool.sandbox import Sandbox, Sandboxes
from ore.tool.tool import Tool

__all__ = ["Registry", "RemoteSource"]


class RemoteSource(Protocol):
    """Somebody else's tools, such as a server's. No base class: the shape is enough."""

    @property
    def name(self) -> str:
        """What stands before the names of its tools."""
        ...

    def tools(self) -> Sequence[Tool]:
        """Its tools under their own names, whatever these are.

        While it is away too: a list that changes costs the prompt cache, a call
        that fails costs one answer.
        """
        ...


class Registry:
    """Tools by name; a `Toolset`, always in the same order.

    Its own tools come in the order of their first registration, then those of
    sources by the names of source and tool: which server answered first, or
    came back, changes nothing.

    Args:
        tools: Tools, or functions to make tools of.
        sandboxes: Where calls may run.
    """

    def __init__(self, *tools: Tool | Callable[..., Any], sandboxes: Sequence[Sandbox] = ()) -> None:
        self.sandboxes = Sandboxes(*sandboxes)
        self._own: dict[str, Tool] = {}
        self._sources: dict[str, RemoteSource] = {}
        self._seen: dict[str, tuple[tuple[Tool, ...], tuple[Tool, ...]]] = {}
        for tool in tools:
            self.register(tool)

    def register(self, given: Tool | Callable[..., Any]) -> Tool:
        """Add a tool; a later one of the same name takes the place of the first.

        Returns:
            The tool, when a function was given the one made of it.

        Raises:
            TypeError: There is nothing to call, or its parameters have no schema.
            ValueError: The name is not legal on the wire, or the schema is no
                schema of arguments.
        """
        tool = as_tool(given)
        if not is_wire_name(tool.name):
            raise ValueError(f"expected a tool name of [a-zA-Z0-9_-], 1 to 64 characters, got {tool.name!r}")
        if not callable(getattr(tool.body, "call", None)):
            raise TypeError(f"tool {tool.name!r}: expected a body with something to call, got {tool.body!r}")
        check_schema(tool.schema)
        self._own[tool.name] = tool
        return tool

    def register_source(self, source: RemoteSource) -> None:
        """Add a source; a later one of the same name takes its place.

        Raises:
            ValueError: Its name is empty.
        """
        if not source.name:
            raise ValueError("expected the name of a source, got an empty one")
        self._sources[source.name] = source

    def drop_source(self, name: str) -> None:
        """Forget a source and its tools; one that is not there is fine."""
        self._sources.pop(name, None)
        self._seen.pop(name, None)

    def tools(self, state: State | None = None) -> Sequence[Tool]:
        """All tools under the names that go on the wire.

        A source's tool whose name is taken is left out: by a tool of one's
        own, or by an earlier one of the source.
        """
        found = dict(self._own)
        for name in sorted(self._sources):
            for tool in self._tools_of(self._sources[name]):
                found.setdefault(tool.name, tool)
        return tuple(found.values())

    def lookup(self, name: str) -> Tool | None:
        """The tool that a model calls so; one's own come first."""
        own = self._own.get(name)
        if own is not None or not self._sources:
            return own
        return next((tool for tool in self.tools() if tool.name == name), None)

    def lookup_source(self, name: str) -> RemoteSource | None:
        """The source of that name."""
        return self._sources.get(name)

    def _tools_of(self, source: RemoteSource) -> Sequence[Tool]:
        """The source's tools, renamed once as long as they stay the same."""
        given = tuple(source.tools())
        before, after = self._seen.get(source.name, ((), ()))
        if given != before:
            after = tuple(_remote(source.name, tool) for tool in sorted(given, key=lambda tool: tool.name))
            self._seen[source.name] = (given, after)
        return after


def _remote(source: str, tool: Tool) -> Tool:
    return replace(tool, name=remote_name(source, tool.name), title=tool.title or f"{source}/{tool.name}")
