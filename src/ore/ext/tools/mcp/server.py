"""`McpServer`: the tools of another program, for as long as somebody needs them."""

import asyncio
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ore._aio import finish
from ore.artifact import Artifact
from ore.errors import InputError
from ore.ext.tools.mcp.offers import McpPrompt, McpResource
from ore.ext.tools.mcp.sdk import load
from ore.ext.tools.mcp.settings import Http, McpOptions, Stdio, Where
from ore.ledger import Draft, State
from ore.tool import Registry, RemoteSource, Tool

if TYPE_CHECKING:
    from ore.ext.tools.mcp.session import McpSession

__all__ = ["McpServer"]


class McpServer:
    """An MCP server as a toolset: `Agent(tools=server)`.

    It is open inside `async with server`, or between `open` and `close`. It
    may be opened again while it is open, by an agent for example; the last
    one to close closes. Open, use and close it from any task of one event
    loop, each time from another loop if you like.

    Its tools are called `name__tool` on the wire, and people see `name/tool`.
    A server that dies is started or reached again by the next call, while its
    tools stay listed; when it says that they changed, the next inference has
    the new ones.

    Args:
        name: What stands before the names of its tools.
        where: How it is reached.
        options: How it is treated.

    Raises:
        InputError: The name is empty.
    """

    def __init__(self, name: str, where: Where, options: McpOptions | None = None) -> None:
        if not name:
            raise InputError("mcp: expected the name of a server, got an empty one")
        self.name = name
        self.where = where
        self.options = options or McpOptions()
        self._source = _Source(self)
        self._registry = Registry()
        self._registry.register_source(self._source)
        self._session: McpSession | None = None
        self._users = 0

    @classmethod
    def stdio(
        cls,
        name: str,
        command: str,
        *args: str,
        env: Mapping[str, str] | None = None,
        inherit: Sequence[str] = (),
        options: McpOptions | None = None,
    ) -> Self:
        """A server that is started as a child process; see `Stdio`.

        Args:
            name: What stands before the names of its tools.
            command: The program.
            args: Its arguments.
            env: Variables for it, beside what any program needs.
            inherit: Names of variables that it gets as they are here, such as that of a key.
            options: How it is treated.
        """
        return cls(name, Stdio(command=command, args=args, env=env or {}, inherit=inherit), options)

    @classmethod
    def http(
        cls,
        name: str,
        url: str,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        options: McpOptions | None = None,
    ) -> Self:
        """A server on the network, over streamable HTTP; see `Http`.

        Args:
            name: What stands before the names of its tools.
            url: Its endpoint.
            token: Sent as a bearer token.
            headers: Sent with every request.
            options: How it is treated.
        """
        return cls(name, Http(url=url, token=token, headers=headers or {}), options)

    @property
    def restarts(self) -> int:
        """How often it was reached again since it was opened."""
        return self._session.restarts if self._session is not None else 0

    @property
    def is_connecting(self) -> bool:
        """Whether it is being reached right now."""
        return self._session is not None and self._session.is_connecting

    @property
    def instructions(self) -> str:
        """What it wants models to know; empty when it says nothing, or is away."""
        client = self._opened().client
        return (client.instructions if client is not None else None) or ""

    def tools(self, state: State | None = None) -> Sequence[Tool]:
        """Its tools by their names, the same objects as long as they stay the same.

        Raises:
            RuntimeError: It is not open.
        """
        self._opened()
        return self._registry.tools(state)

    @property
    def source(self) -> RemoteSource:
        """Its tools under its own names, for a `Registry`, which makes names that go on the wire."""
        return self._source

    async def open(self) -> None:
        """Start or reach it, and learn its tools.

        Raises:
            InputError: The SDK is not installed, or a variable that it shall inherit is not set.
            ToolError: It could not be reached; the message says what it said.
            RuntimeError: It is open in another event loop.
        """
        module = await asyncio.to_thread(load)  # which takes a second, the first time
        if self._session is None:
            self._session = module.McpSession(self.name, self.where, self.options)
        session = self._session
        if session.loop is not asyncio.get_running_loop():
            raise RuntimeError(f"mcp server {self.name!r} is open in another event loop; make one for each")
        self._users += 1
        try:
            await session.open()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Close it, if nobody else needs it; its process and whatever that started are gone then."""
        self._users -= 1
        if self._users == 0 and self._session is not None:
            session, self._session = self._session, None
            await finish(session.close())

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def resources(self) -> Sequence[McpResource]:
        """What can be read, then the templates of addresses.

        Raises:
            ToolError: The server failed.
        """
        return await self._opened().resources()

    async def read_resource(self, uri: str) -> Sequence[Artifact]:
        """Read one: text, pictures, sounds, files.

        Raises:
            ToolError: The server failed, or has no such thing.
        """
        return await self._opened().read_resource(uri)

    async def prompts(self) -> Sequence[McpPrompt]:
        """Ways to begin that the server knows.

        Raises:
            ToolError: The server failed.
        """
        return await self._opened().prompts()

    async def get_prompt(self, name: str, arguments: Mapping[str, str] | None = None) -> Sequence[Draft]:
        """One of them, filled in, as turns that are not recorded yet.

        Raises:
            ToolError: The server failed, or knows no such prompt.
        """
        return await self._opened().get_prompt(name, arguments or {})

    def _opened(self) -> "McpSession":
        if self._session is None:
            raise RuntimeError(f"mcp server {self.name!r} is not open; use it inside `async with server:`")
        return self._session

    def listed(self) -> Sequence[Tool]:
        """Its tools under its own names; none while it is not open."""
        return self._session.tools if self._session is not None else ()

    def __repr__(self) -> str:
        return f"McpServer({self.name!r}, {self.where!r})"


class _Source:
    """A server as a source of tools."""

    def __init__(self, server: McpServer) -> None:
        self._server = server

    @property
    def name(self) -> str:
        return self._server.name

    def tools(self) -> Sequence[Tool]:
        return self._server.listed()
