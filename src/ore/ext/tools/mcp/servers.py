"""`McpServers`: several servers as one toolset."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ore._aio import finish
from ore.errors import InputError, ToolError
from ore.ext.tools.mcp.config import read_config
from ore.ext.tools.mcp.server import McpServer
from ore.ledger import State
from ore.tool import Registry, Tool

__all__ = ["McpServers", "tools"]

log = logging.getLogger(__name__)

_FILES: Final = ("mcp.json", ".mcp.json")


class McpServers:
    """Several servers as one toolset: `Agent(tools=servers)`.

    Their tools come in the order of the names of server and tool, whoever
    answered first. Opening starts them side by side; it fails when one that
    is `required` cannot be reached, and goes on without one that is not.

    Args:
        servers: The servers.

    Attributes:
        servers: By their names.

    Raises:
        InputError: Two have one name.
    """

    def __init__(self, *servers: McpServer) -> None:
        self.servers: Mapping[str, McpServer] = {server.name: server for server in servers}
        if len(self.servers) < len(servers):
            raise InputError(f"mcp: expected servers of different names, got {[server.name for server in servers]}")
        self._registry = Registry()
        self._opened: list[Sequence[McpServer]] = []
        for server in servers:
            self._registry.register_source(server.source)

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The servers of a file such as `mcp.json`; see `read_config`."""
        return cls(*read_config(path))

    def tools(self, state: State | None = None) -> Sequence[Tool]:
        """The tools of all, the same objects as long as they stay the same.

        Raises:
            RuntimeError: They are not open.
        """
        if not self._opened:
            raise RuntimeError("the mcp servers are not open; use them inside `async with servers:`")
        return self._registry.tools(state)

    async def open(self) -> None:
        """Start or reach them all.

        Raises:
            InputError: The SDK is not installed, or a variable that one shall inherit is not set.
            ToolError: One that is required could not be reached; the others are closed again.
        """
        opened: list[McpServer] = []
        try:
            async with asyncio.TaskGroup() as group:
                tries = [group.create_task(_opened(server, opened)) for server in self.servers.values()]
            for error in [task.result() for task in tries]:
                if error is not None:
                    raise error
        except BaseException:
            await _close(opened)
            raise
        self._opened.append(opened)

    async def close(self) -> None:
        """Close them, where nobody else needs them."""
        await _close(self._opened.pop())

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def tools() -> Sequence[McpServers]:
    """The servers of the current folder's `mcp.json`, or `.mcp.json`: what `ore run --tool mcp` brings.

    Raises:
        InputError: There is no such file, or it cannot be read.
    """
    for name in _FILES:
        if Path(name).exists():
            return (McpServers.read(name),)
    raise InputError(f"tool mcp: expected a file {' or '.join(_FILES)} in the current folder, got none")


async def _opened(server: McpServer, opened: list[McpServer]) -> Exception | None:
    """Open one; what a group cannot go on without."""
    try:
        await server.open()
    except ToolError as error:
        if server.options.required:
            return error
        log.warning("%s; going on without it", error)
    except (InputError, RuntimeError) as error:
        return error
    else:
        opened.append(server)
    return None


async def _close(servers: Sequence[McpServer]) -> None:
    async def close() -> None:
        async with asyncio.TaskGroup() as group:
            for server in servers:
                group.create_task(server.close())

    await finish(close())
