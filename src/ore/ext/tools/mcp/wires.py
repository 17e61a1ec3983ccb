"""The three ways to a server, as the SDK wants them: a context manager that gives two streams."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from ore._aio import finish
from ore.errors import ToolError
from ore.ext.tools.mcp.child import Child
from ore.ext.tools.mcp.http_client import HttpClient
from ore.ext.tools.mcp.settings import Http, McpOptions, Stdio, Where
from ore.ext.tools.mcp.streams import ChildReader, ChildWriter, Noticed

__all__ = ["Fate", "Streams", "wire"]


class Fate(Protocol):
    """Whoever has to know what becomes of a server."""

    def lost(self, why: str) -> None:
        """It is gone; why is what follows "the server". May be called more than once."""
        ...

    def hinted(self, hint: str) -> None:
        """This may explain a failure."""
        ...


Streams = tuple[Any, Any]
"""What the SDK reads and writes."""


def wire(name: str, where: Where, options: McpOptions, fate: Fate) -> AbstractAsyncContextManager[Streams]:
    """The way to a server; nothing happens before it is entered. Leaving it ends what entering began."""
    if isinstance(where, Stdio):
        return _stdio(Child(name, where, options), options, fate)
    if where.protocol == "sse":
        return _sse(where, options, fate)
    return _streamable(where, options, fate)


@asynccontextmanager
async def _stdio(child: Child, options: McpOptions, fate: Fate) -> AsyncIterator[Streams]:
    def ended() -> None:
        fate.hinted(child.hint)
        fate.lost(child.why)

    try:
        await child.start()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ToolError(f"the command {child.command!r} cannot be started: {reason}") from None
    try:
        yield ChildReader(child, ended), ChildWriter(child)
    finally:
        ended_itself = child.is_over
        await finish(child.stop(options.close_s / 2))
        fate.hinted(child.hint)
        if ended_itself:
            fate.lost(child.why)


@asynccontextmanager
async def _streamable(where: Http, options: McpOptions, fate: Fate) -> AsyncIterator[Streams]:
    async with (
        HttpClient(where, options, fate.lost) as client,
        streamable_http_client(where.url, http_client=client, max_sse_event_size=options.message_bytes) as (
            reader,
            writer,
        ),
    ):
        yield Noticed(reader, fate.lost), writer


@asynccontextmanager
async def _sse(where: Http, options: McpOptions, fate: Fate) -> AsyncIterator[Streams]:
    def client(headers: Any = None, timeout: Any = None, auth: Any = None) -> HttpClient:
        return HttpClient(where, options, fate.lost)

    async with sse_client(where.url, httpx_client_factory=client) as (reader, writer):
        yield Noticed(reader, fate.lost), writer
