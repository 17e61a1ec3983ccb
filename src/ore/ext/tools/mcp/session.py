"""`McpSession`: a server that is reached again whenever it is gone."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeVar

import mcp
from mcp import types

from ore.artifact import Artifact
from ore.errors import ToolError
from ore.ext.tools.mcp.child import UnsentError
from ore.ext.tools.mcp.content import artifacts_of, resource_artifacts, value_of
from ore.ext.tools.mcp.environment import environment
from ore.ext.tools.mcp.failing import call_error, is_lost
from ore.ext.tools.mcp.http_client import failure_of
from ore.ext.tools.mcp.link import Link
from ore.ext.tools.mcp.offers import McpArgument, McpPrompt, McpResource
from ore.ext.tools.mcp.pages import all_pages
from ore.ext.tools.mcp.remote_tools import RemoteTools
from ore.ext.tools.mcp.resource_tools import resource_tools
from ore.ext.tools.mcp.running import Running
from ore.ext.tools.mcp.settings import McpOptions, Stdio, Where
from ore.ledger import Draft, Role
from ore.tool import Tool, ToolContext

__all__ = ["McpSession"]

T = TypeVar("T")

MAX_PAUSE_S: Final = 5.0
"""5 s: a person who waits for an answer waits no longer for another try."""

Tell = Callable[[str], None]


class McpSession:
    """One server while it is open.

    Links come and go; each is kept by a task of its own, so whoever opens,
    uses and closes may be different tasks.

    Attributes:
        tools: What it lists, under its own names; kept while it is away.
        restarts: How often it was reached again.
    """

    def __init__(self, name: str, where: Where, options: McpOptions) -> None:
        self._name = name
        self._where = where
        self._options = options
        self._handshake: Literal["auto", "legacy"] = options.handshake
        self._made = RemoteTools(name, options, self.call)
        self._more = resource_tools(self) if options.resources else ()
        self._links: list[Link] = []
        self._link: Link | None = None
        self._connecting: asyncio.Task[Link] | None = None
        self._closed = False
        self.loop = asyncio.get_running_loop()
        self.tools: Sequence[Tool] = ()
        self.restarts = 0

    async def open(self) -> None:
        """Reach it, if that did not happen yet; one try, so that what is wrong shows at once.

        Raises:
            InputError: A variable that it shall inherit is not set.
            ToolError: It could not be reached.
        """
        if self._link is None:
            if isinstance(self._where, Stdio):
                environment(self._where)
            await self._single(self._connect)

    async def close(self) -> None:
        """Close whatever is open; what runs fails."""
        self._closed = True
        if self._connecting is not None:
            self._connecting.cancel()
            await asyncio.wait((self._connecting,))
        for link in self._links:
            link.lost("was closed")
        for link in self._links:
            await link.stop()

    @property
    def is_connecting(self) -> bool:
        """Whether it is being reached right now."""
        return self._connecting is not None and not self._connecting.done()

    @property
    def client(self) -> mcp.Client | None:
        """The SDK's client of the connection that there is right now."""
        return self._link.client if self._link is not None and self._link.usable else None

    async def call(self, tool: str, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        """Call a tool by its own name.

        Raises:
            ToolError: It failed, or the server is gone; then the next call reaches it again.
        """
        running = Running(context, f"{self._name}/{tool}")
        result = await self._asked(lambda link: link.call(tool, arguments, running), context.progress)
        return value_of(result, self._options.media_bytes)

    async def resources(self) -> Sequence[McpResource]:
        """What can be read, then the templates."""

        async def ask(client: mcp.Client) -> Sequence[McpResource]:
            if client.server_capabilities.resources is None:
                return ()
            found = await all_pages(client.list_resources, lambda page: page.resources)
            templates = await all_pages(client.list_resource_templates, lambda page: page.resource_templates)
            return [*map(_resource, found), *map(_template, templates)]

        return await self._used(ask)

    async def read_resource(self, uri: str) -> Sequence[Artifact]:
        """Read one."""

        async def ask(client: mcp.Client) -> types.ReadResourceResult:
            return await client.read_resource(uri)

        return resource_artifacts((await self._used(ask)).contents, self._options.media_bytes)

    async def prompts(self) -> Sequence[McpPrompt]:
        """Its prompts."""

        async def ask(client: mcp.Client) -> Sequence[McpPrompt]:
            if client.server_capabilities.prompts is None:
                return ()
            return [*map(_prompt, await all_pages(client.list_prompts, lambda page: page.prompts))]

        return await self._used(ask)

    async def get_prompt(self, name: str, arguments: Mapping[str, str]) -> Sequence[Draft]:
        """One of them, filled in."""

        async def ask(client: mcp.Client) -> types.GetPromptResult:
            return await client.get_prompt(name, dict(arguments))

        messages = (await self._used(ask)).messages
        roles = {"user": Role.USER, "assistant": Role.ASSISTANT}
        return [
            Draft(role=roles[message.role], artifacts=artifacts_of((message.content,), self._options.media_bytes))
            for message in messages
        ]

    async def _used(self, ask: Callable[[mcp.Client], Awaitable[T]]) -> T:
        async def use(link: Link) -> T:
            with link.using() as client:
                return await ask(client)

        return await self._asked(use, lambda _: None)

    async def _asked(self, ask: Callable[[Link], Awaitable[T]], tell: Tell) -> T:
        """Ask it, once more when the first time surely did not reach it."""
        for may_repeat in (True, False):
            link = await self._linked(tell)
            try:
                return await ask(link)
            except UnsentError as error:
                link.retire()
                if not may_repeat:
                    raise call_error(self._name, error, link.why, link.hint) from None
            except mcp.MCPError as error:
                failure = failure_of(error.data)
                if is_lost(error, link.why):
                    link.retire()
                if not (may_repeat and failure is not None and failure.unsent):
                    raise call_error(self._name, error, link.why, link.hint) from None
            except (BaseExceptionGroup, RuntimeError, ValueError) as error:
                raise call_error(self._name, error, link.why, link.hint) from None
        raise AssertionError("the second time returns or raises")

    async def _linked(self, tell: Tell) -> Link:
        """The connection, made again when it is gone."""
        if self._link is not None and self._link.usable:
            return self._link
        tell(f"connecting to {self._name} again (restart {self.restarts + 1})")
        return await self._single(self._reconnect)

    async def _single(self, connect: Callable[[], Awaitable[Link]]) -> Link:
        """Connect, once for all who want it; whoever is cancelled stops only waiting."""
        if self._closed:
            raise ToolError(f"mcp server {self._name!r} is closed")

        async def run() -> Link:
            return await connect()

        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.get_running_loop().create_task(run(), name=f"ore-mcp-connect-{self._name}")
        task = self._connecting
        await asyncio.wait((task,))
        if task.cancelled():
            raise ToolError(f"mcp server {self._name!r} is closed")
        return task.result()

    async def _reconnect(self) -> Link:
        end = self.loop.time() + self._options.connect_s
        for attempt in range(self._options.attempts):
            if attempt:
                await asyncio.sleep(min(0.05 * 2**attempt, MAX_PAUSE_S))
            try:
                link = await self._connect()
            except ToolError:
                if attempt + 1 == self._options.attempts or self.loop.time() >= end:
                    raise
            else:
                self.restarts += 1
                return link
        raise AssertionError("the last attempt returns or raises")

    async def _connect(self) -> Link:
        self._links = [link for link in self._links if not link.ended]
        link = Link(self._name, self._where, self._options, self._list, self._handshake)
        self._links.append(link)
        link.start()
        try:
            await link.opened()
        except ToolError:
            self._handshake = self._options.handshake
            raise
        self._handshake = self._options.handshake if link.is_modern else "legacy"
        self._link = link
        return link

    def _list(self, listed: Sequence[types.Tool]) -> None:
        self.tools = (*self._made.made(listed), *self._more)


def _resource(item: types.Resource) -> McpResource:
    return McpResource(
        uri=str(item.uri),
        name=item.title or item.name,
        description=item.description or "",
        media_type=item.mime_type,
        size_bytes=item.size,
    )


def _template(item: types.ResourceTemplate) -> McpResource:
    return McpResource(
        uri=item.uri_template,
        name=item.title or item.name,
        description=item.description or "",
        media_type=item.mime_type,
        is_template=True,
    )


def _prompt(item: types.Prompt) -> McpPrompt:
    arguments = [
        McpArgument(name=argument.name, description=argument.description or "", required=bool(argument.required))
        for argument in item.arguments or ()
    ]
    return McpPrompt(name=item.name, description=item.description or "", arguments=tuple(arguments))
