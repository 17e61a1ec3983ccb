"""A server's tools as tools of ore; the same objects as long as they stay the same."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec
from mcp import types

from ore.ext.tools.mcp.settings import McpOptions
from ore.tool import SchemaBody, Tool, ToolContext, Traits, flatten
from ore.tool.json_schema import KEYWORDS

__all__ = ["Call", "RemoteTools"]

log = logging.getLogger(__name__)

Call = Callable[[str, ToolContext, Mapping[str, Any]], Awaitable[Any]]
"""Calls a tool of a server by its own name."""


class RemoteTools:
    """Makes tools of what a server lists.

    Args:
        server: Its name.
        options: How it is treated.
        call: Calls one of them.
    """

    def __init__(self, server: str, options: McpOptions, call: Call) -> None:
        self._server = server
        self._options = options
        self._call = call
        self._made: dict[str, tuple[str, Tool]] = {}

    def made(self, listed: Sequence[types.Tool]) -> Sequence[Tool]:
        """Tools under the server's own names, in its order; one that cannot be called is left out with a warning."""
        made: dict[str, tuple[str, Tool]] = {}
        for item in listed:
            if item.name in made:
                continue
            text = item.model_dump_json(exclude={"meta", "icons", "output_schema"})
            known = self._made.get(item.name)
            if known is not None and known[0] == text:
                made[item.name] = known
                continue
            try:
                made[item.name] = text, self._tool(item)
            except ValueError as error:
                log.warning("mcp server %r: tool %r is left out: %s", self._server, item.name, error)
        self._made = made
        return tuple(tool for _, tool in made.values())

    def _tool(self, item: types.Tool) -> Tool:
        if not item.name:
            raise ValueError("expected a name, got an empty one")
        return Tool(
            name=item.name,
            description=item.description or item.title or "",
            body=SchemaBody(_schema(item.input_schema), _Remote(self._call, item.name)),
            traits=self._traits(item),
        )

    def _traits(self, item: types.Tool) -> Traits:
        hints = item.annotations if self._options.trusted else None
        reads = hints is not None and hints.read_only_hint is True
        again = hints is not None and hints.idempotent_hint is True
        approve = self._options.approve == "always" or (self._options.approve == "writes" and not reads)
        shown = f"{self._server}/{item.name}"
        return Traits(
            read_only=reads,
            idempotent=reads or again,
            approve=approve,
            timeout_s=self._options.call_s,
            display_hint=lambda arguments: f"{shown} {msgspec.json.encode(arguments).decode()}",
        )


class _Remote:
    """One tool of a server, as a function."""

    def __init__(self, call: Call, name: str) -> None:
        self._call = call
        self._name = name
        self.__qualname__ = f"the tool {name!r} of a server"

    async def __call__(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        return await self._call(self._name, context, arguments)


def _schema(given: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema as it came, without what is no JSON Schema.

    Raises:
        ValueError: A reference in it leads nowhere: some vendor would refuse every request that names it.
    """
    if not given:
        return None
    flatten(given)
    kept = {key: value for key, value in given.items() if key in KEYWORDS or key.startswith("x-")}
    return kept if "type" in kept else {"type": "object", **kept}
