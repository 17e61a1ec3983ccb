"""Tools with which a model reads a server's resources."""

from collections.abc import Sequence
from typing import Any, Protocol

from ore.artifact import Artifact
from ore.ext.tools.mcp.content import harmless
from ore.ext.tools.mcp.offers import McpResource
from ore.tool import Tool, tool

__all__ = ["resource_tools"]


class Resources(Protocol):
    """A server with resources."""

    async def resources(self) -> Sequence[McpResource]: ...

    async def read_resource(self, uri: str) -> Sequence[Artifact]: ...


def resource_tools(server: Resources) -> Sequence[Tool]:
    """`list_resources` and `read_resource`."""

    @tool(read_only=True)
    async def list_resources() -> list[dict[str, Any]]:
        """List what this server has to read: documents, records, and templates of addresses to fill in."""
        return [_told(item) for item in await server.resources()]

    @tool(read_only=True)
    async def read_resource(uri: str) -> list[Artifact]:
        """Read one resource of this server.

        Args:
            uri: As `list_resources` gives it, with the places of a template filled in.
        """
        return list(harmless(await server.read_resource(uri)))

    return (list_resources, read_resource)


def _told(item: McpResource) -> dict[str, Any]:
    facts = {
        "template" if item.is_template else "uri": item.uri,
        "name": item.name,
        "description": item.description,
        "media_type": item.media_type,
        "size_bytes": item.size_bytes,
    }
    return {key: value for key, value in facts.items() if value not in (None, "")}
