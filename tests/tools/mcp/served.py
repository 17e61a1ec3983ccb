"""An MCP server of the SDK, as a program: `python served.py stdio`, or `http PORT`, or `sse PORT`.

With `time PORT` it is a server from the package index, over HTTP.

What it does is told to the socket that `NOTES` names. Over HTTP it prints
`ready` when it listens; while there is a file of the name in `BROKEN`, every
request fails with 500.
"""

import asyncio
import base64
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp_server_time.server import create_server
from pydantic import BaseModel, Field

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
NOTES = os.environ.get("NOTES")

server = MCPServer("tested", instructions="Add with add.", version="1", log_level="CRITICAL")


def note(text: str) -> None:
    if NOTES:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.sendto(text.encode(), NOTES)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Add two numbers."""
    note(f"add {a} {b}")
    return a + b


@server.tool(annotations=ToolAnnotations(idempotent_hint=True), structured_output=False)
def process() -> str:
    """The number of this process."""
    return str(os.getpid())


@server.tool(structured_output=False)
def variable(name: str) -> str:
    """A variable of the environment."""
    return os.environ.get(name, "not set")


@server.tool(structured_output=False)
def say(text: str, times: int = 1) -> str:
    """Say something, maybe often."""
    return text * times


@server.tool()
def die(status: int = 1) -> str:
    """End this process at once."""
    note("die")
    print("out of luck", file=sys.stderr, flush=True)
    os._exit(status)


@server.tool()
async def wait(context: Context) -> str:
    """Wait for ever."""
    note("wait")
    await context.report_progress(1, 4, "waiting")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        note("cancelled")
        raise
    return "never"


@server.tool()
async def steps(context: Context) -> str:
    """Tell of every step."""
    await context.report_progress(1, 2, "half")
    await context.report_progress(2, 2)
    return "done"


@server.tool()
def fail(why: str) -> str:
    """Fail."""
    raise ToolError(why)


@server.tool()
def crash() -> CallToolResult:
    """Fail with nothing to say."""
    return CallToolResult(content=[], is_error=True)


@server.tool()
def show() -> list[ContentBlock]:
    """Everything that can be shown."""
    data = base64.b64encode(PNG).decode()
    return [
        TextContent(text="before"),
        ImageContent(data=data, mime_type="image/jpeg"),
        AudioContent(data=base64.b64encode(b"RIFF").decode(), mime_type="audio/wav"),
        EmbeddedResource(resource=TextResourceContents(uri="note://1", text="remember")),
        EmbeddedResource(
            resource=BlobResourceContents(uri="file:///a.pdf", blob="JVBERg==", mime_type="application/pdf")
        ),
        ResourceLink(uri="note://2", name="second", description="Another note.", mime_type="text/plain", size=7),
        ImageContent(data="", mime_type="image/png"),
        TextContent(text="after"),
    ]


@server.tool()
def big_picture() -> list[ContentBlock]:
    """A long text and a small picture."""
    return [TextContent(text="é" * 2_500_000), ImageContent(data=base64.b64encode(PNG).decode(), mime_type="image/png")]


class Seat(BaseModel):
    row: int = Field(ge=1, le=30, description="Row of the plane")
    side: str = Field(default="window", json_schema_extra={"enum": ["window", "aisle"]})


class Sure(BaseModel):
    sure: bool


async def which_seat(context: Context) -> Elicit[Seat]:
    return Elicit("Which seat?", Seat)


async def whether(context: Context) -> Elicit[Sure]:
    return Elicit("Really?", Sure)


@server.tool(structured_output=False)
async def book(city: str, seat: Annotated[Seat, Resolve(which_seat)]) -> str:
    """Book a flight."""
    note(f"book {city}")
    return f"{city}: {seat.row} {seat.side}"


@server.tool(structured_output=False)
async def erase(sure: Annotated[Sure, Resolve(whether)]) -> str:
    """Erase everything."""
    return f"erased: {sure.sure}"


@server.tool(structured_output=False)
async def learn(name: str, context: Context) -> str:
    """Learn a new tool."""

    def trick() -> str:
        """A trick."""
        return name

    server.add_tool(trick, name=name, structured_output=False)
    await context.notify_tools_changed()
    await context.session.send_tool_list_changed()
    return "learnt"


@server.resource("note://today", description="What is to do.")
def today() -> str:
    return "buy milk"


@server.resource("note://{day}/{hour}")
def at(day: str, hour: str) -> str:
    return f"{day} at {hour}: nothing"


@server.resource("picture://dot", mime_type="image/png")
def dot() -> bytes:
    return PNG


@server.prompt()
def review(code: str, style: str = "kind") -> str:
    """Review some code."""
    return f"Review in a {style} way:\n{code}"


App = Callable[[Any, Any, Any], Awaitable[None]]


def is_broken() -> bool:
    return os.path.exists(os.environ.get("BROKEN", ""))


def sometimes_broken(app: App) -> App:
    async def run(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            note(f"request {scope['method']} {dict(scope['headers']).get(b'authorization', b'').decode()}".rstrip())
        if scope["type"] == "http" and is_broken():
            await send({"type": "http.response.start", "status": 500, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": b"on fire"})
            return
        await app(scope, receive, send)

    return run


def serve(kind: str, port: int) -> None:
    served = create_server("UTC") if kind == "time" else server
    app = served.sse_app() if kind == "sse" else served.streamable_http_app()
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen()
    print("ready", flush=True)
    config = uvicorn.Config(sometimes_broken(app), log_level="critical", timeout_graceful_shutdown=1)
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run()
    else:
        serve(sys.argv[1], int(sys.argv[2]))
