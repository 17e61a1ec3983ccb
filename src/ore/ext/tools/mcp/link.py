"""`Link`: one connection to a server, from its handshake to its end."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from itertools import count
from typing import Any, Final, Literal

import anyio
import mcp
from mcp import types
from mcp.client.session import ClientRequestContext, IncomingMessage
from mcp.client.subscriptions import SubscriptionLost
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from ore.errors import ToolError
from ore.ext.tools.mcp.failing import reason_of
from ore.ext.tools.mcp.http_client import failure_of
from ore.ext.tools.mcp.pages import all_pages
from ore.ext.tools.mcp.running import CURRENT_CALL, Running
from ore.ext.tools.mcp.settings import Http, McpOptions, Where
from ore.ext.tools.mcp.wires import wire

__all__ = ["Link", "OnTools"]

log = logging.getLogger(__name__)

OnTools = Callable[[Sequence[types.Tool]], None]
"""Given all tools of a server, when it connected and whenever they changed."""

_LISTEN_AGAIN_S: Final = 30.0
"""30 s at most, after 1, 2, 4… s, between the end of a stream of changes and the next one."""

_CHANGES: Final = (
    types.ToolListChangedNotification,
    types.PromptListChangedNotification,
    types.ResourceListChangedNotification,
)


class Link:
    """One connection: opened, kept and closed by one task of its own, and used from any.

    Whoever made it calls `start`, and `stop` in the end.

    Args:
        name: The server's.
        where: How it is reached.
        options: How it is treated.
        on_tools: Given its tools.
        handshake: Which handshake it gets.

    Attributes:
        why: Why it ended: what follows "the server"; `None` while it lives.
        hint: What may explain that, ready to be put behind it.
    """

    def __init__(
        self,
        name: str,
        where: Where,
        options: McpOptions,
        on_tools: OnTools,
        handshake: Literal["auto", "legacy"],
    ) -> None:
        self._name = name
        self._where = where
        self._options = options
        self._on_tools = on_tools
        is_old = isinstance(where, Http) and where.protocol == "sse"
        self._handshake: Literal["auto", "legacy"] = "legacy" if is_old else handshake
        self._client: mcp.Client | None = None
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._over = asyncio.Event()
        self._changed = asyncio.Event()
        self._calls: list[Running] = []
        self._users = 0
        self._retired = False
        self._task: asyncio.Task[None] | None = None
        self.why: str | None = None
        self.hint = ""

    def start(self) -> None:
        """Begin to connect."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name=f"ore-mcp-{self._name}")

    async def opened(self) -> None:
        """Return when it is connected; being cancelled stops nothing.

        Raises:
            ToolError: It could not be.
        """
        await asyncio.wait((self._opened,))
        self._opened.result()

    @property
    def usable(self) -> bool:
        """Whether calls may go this way, now or when it is connected."""
        return not (self._retired or self._over.is_set())

    @property
    def ended(self) -> bool:
        """Whether nothing of it is left."""
        return self._task is not None and self._task.done()

    @property
    def client(self) -> mcp.Client:
        """The SDK's client, once it is connected."""
        assert self._client is not None, "used before it was opened"
        return self._client

    @property
    def is_modern(self) -> bool:
        """Whether it speaks the protocol of 2026-07-28 or a newer one."""
        return self.client.protocol_version in MODERN_PROTOCOL_VERSIONS

    def retire(self) -> None:
        """Let what runs here end; nothing else begins."""
        self._retired = True
        if not self._users:
            self._over.set()

    def lost(self, why: str) -> None:
        """The server is gone."""
        self.why = self.why or why
        self._over.set()

    def hinted(self, hint: str) -> None:
        """This may explain a failure."""
        self.hint = hint

    async def stop(self) -> None:
        """Close it, also while it is being opened; what runs here fails."""
        self._over.set()
        if self._task is not None:
            if not self._opened.done():
                self._task.cancel()
            await asyncio.wait((self._task,))

    async def call(self, tool: str, arguments: Mapping[str, Any], running: Running) -> types.CallToolResult:
        """Call a tool; cancelling the caller cancels it at the server.

        Raises:
            MCPError: The server refused it, or is gone.
            ValueError: Its result breaks the protocol.
            RuntimeError: Its result is not what it promised.
        """
        token = CURRENT_CALL.set(running)
        self._calls.append(running)
        try:
            with self.using() as client:
                return await client.call_tool(tool, dict(arguments), progress_callback=running.progress)
        finally:
            self._calls.remove(running)
            running.end()
            CURRENT_CALL.reset(token)

    @contextmanager
    def using(self) -> Iterator[mcp.Client]:
        """A block in which the client is used; a link that retired closes behind the last one."""
        self._users += 1
        try:
            yield self.client
        finally:
            self._users -= 1
            if self._retired and not self._users:
                self._over.set()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        limit = asyncio.timeout(self._options.connect_s)
        try:
            async with limit, self._made() as client:
                try:
                    await self._list(client)
                    self._client = client
                    limit.reschedule(None)
                    self._opened.set_result(None)
                    await self._serve(client)
                finally:
                    if not limit.expired():
                        limit.reschedule(loop.time() + self._options.close_s)
        except asyncio.CancelledError:
            self.lost("was left")
            raise
        except BaseException as error:
            if not isinstance(error, Exception | BaseExceptionGroup):
                raise
            self._failed(error, is_late=limit.expired())
        finally:
            self._over.set()
            if not self._opened.done():
                told = f"{self.why or 'was closed'}{self.hint}"
                self._opened.set_exception(ToolError(f"mcp server {self._name!r} {told}"))
                self._opened.exception()  # it may be that nobody waits for it

    def _made(self) -> mcp.Client:
        return mcp.Client(
            wire(self._name, self._where, self._options, self),
            mode=self._handshake,
            client_info=types.Implementation(name="ore", version=version("ore-agents")),
            elicitation_callback=self._elicited,
            message_handler=self._heard,
            cache=None,
        )

    async def _serve(self, client: mcp.Client) -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(self._follow, client)
            if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                group.start_soon(self._listen, client)
            await self._over.wait()
            group.cancel_scope.cancel()

    def _failed(self, error: BaseException, *, is_late: bool) -> None:
        if self._opened.done():
            log.debug("mcp server %r: the connection ended: %s", self._name, type(error).__name__)
            self.lost("broke the connection")
        elif is_late:
            self.lost(f"did not answer within {self._options.connect_s:g} s")
        else:
            self.lost(reason_of(error))

    async def _list(self, client: mcp.Client) -> None:
        """Read all tools."""
        if client.server_capabilities.tools is None:
            self._on_tools(())
            return
        self._on_tools(await all_pages(client.list_tools, lambda page: page.tools))

    async def _follow(self, client: mcp.Client) -> None:
        """Read the tools again whenever they changed."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                await self._list(client)
            except (mcp.MCPError, ToolError, ValueError) as error:
                log.warning("mcp server %r: its tools changed and cannot be read: %s", self._name, error)

    async def _listen(self, client: mcp.Client) -> None:
        """Be told of changes, by servers that have to be asked for it."""
        for losses in count():
            try:
                async with client.listen(tools_list_changed=True) as events:
                    if losses:
                        self._changed.set()
                    async for _ in events:
                        self._changed.set()
                return  # it will tell nothing more
            except SubscriptionLost:
                pass
            except mcp.MCPError as error:
                if failure_of(error.data) is None:
                    log.debug("mcp server %r tells of no changes: %s", self._name, error)
                    return
            await anyio.sleep(min(2.0**losses, _LISTEN_AGAIN_S))

    async def _heard(self, message: IncomingMessage) -> None:
        if isinstance(message, _CHANGES):
            self._changed.set()

    async def _elicited(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        """Ask on behalf of the call that it belongs to.

        Over HTTP that is known. A child process of the older protocol does not
        say it; then it is the call that began last.
        """
        running = CURRENT_CALL.get() or (self._calls[-1] if self._calls else None)
        if running is None:
            return types.ElicitResult(action="cancel")
        return await running.ask(self._name, params)
