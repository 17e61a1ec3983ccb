"""A server on this machine that answers as a test says, byte by byte."""

import asyncio
import json
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, cast

EVENTS = {"content-type": "text/event-stream"}


class Exchange:
    """One request, and the way to answer it.

    Attributes:
        gone: Set when the client has given the connection up.
    """

    def __init__(self, head: bytes, body: bytes, transport: asyncio.Transport) -> None:
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = first.split(" ")
        pairs = (line.partition(":") for line in lines)
        self.headers: Mapping[str, str] = {name.lower(): value.strip() for name, _, value in pairs}
        self.body = body
        self.gone = asyncio.Event()
        self._transport = transport

    @property
    def asked(self) -> Any:
        return json.loads(self.body)

    def head(self, status: int = 200, headers: Mapping[str, str] = EVENTS) -> None:
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.raw(f"HTTP/1.1 {status} Status\r\n{lines}transfer-encoding: chunked\r\n\r\n".encode())

    def send(self, *blocks: bytes) -> None:
        """Blocks of the body, each a chunk of its own."""
        for block in filter(None, blocks):
            self.raw(b"%x\r\n%b\r\n" % (len(block), block))

    def end(self) -> None:
        self.raw(b"0\r\n\r\n")

    def whole(self, *blocks: bytes, status: int = 200, headers: Mapping[str, str] = EVENTS) -> None:
        self.head(status, headers)
        self.send(*blocks)
        self.end()

    def raw(self, data: bytes) -> None:
        self._transport.write(data)

    def reset(self) -> None:
        """Break the connection, without a word."""
        self._transport.abort()

    def close(self) -> None:
        """End the connection in good order."""
        self._transport.close()


Answering = Callable[[Exchange], Awaitable[None]]


class Server:
    """Answers each request as `answering` does.

    Attributes:
        requests: What was asked, in order.
        opened: Connections so far.
        connections: Those that are open.
        asked: Set when something was asked.
    """

    def __init__(self, answering: Answering) -> None:
        self.answering = answering
        self.requests: list[Exchange] = []
        self.opened = 0
        self.connections: set[asyncio.Transport] = set()
        self.port = 0
        self.scheme = "http"
        self.tasks: set[asyncio.Future[None]] = set()
        self.asked = asyncio.Event()
        self._vacant = asyncio.Event()
        self._vacant.set()

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    async def settled(self) -> None:
        """Wait until no request is being answered any more."""
        while self.tasks:
            await asyncio.wait(self.tasks)

    async def empty(self) -> None:
        """Wait until no connection is open."""
        await self._vacant.wait()

    def connected(self, transport: asyncio.Transport) -> None:
        self.opened += 1
        self.connections.add(transport)
        self._vacant.clear()

    def disconnected(self, transport: asyncio.Transport) -> None:
        self.connections.discard(transport)
        if not self.connections:
            self._vacant.set()

    def begin(self, exchange: Exchange) -> "asyncio.Future[None]":
        self.requests.append(exchange)
        self.asked.set()
        task = asyncio.ensure_future(self.answering(exchange))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task


class _Connection(asyncio.Protocol):
    """Reads requests, one after the other."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._data = b""
        self._exchange: Exchange | None = None
        self._task: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._server.connected(self._transport)

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, separator, rest = self._data.partition(b"\r\n\r\n")
        length = _length(head)
        if separator and len(rest) >= length:
            self._data = rest[length:]
            self._exchange = Exchange(head, rest[:length], self._transport)
            self._task = self._server.begin(self._exchange)

    def connection_lost(self, error: Exception | None) -> None:
        self._server.disconnected(self._transport)
        if self._exchange is not None:
            self._exchange.gone.set()


def _length(head: bytes) -> int:
    lines = (line.partition(b":") for line in head.split(b"\r\n"))
    return next((int(value) for name, _, value in lines if name.lower() == b"content-length"), 0)


@asynccontextmanager
async def serving(answering: Answering, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """A server in the running loop."""
    server = Server(answering)
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(lambda: _Connection(server), "127.0.0.1", 0, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    server.scheme = "http" if tls is None else "https"
    try:
        yield server
    finally:
        listening.close()
        for task in server.tasks:
            task.cancel()
        await server.settled()
        for transport in server.connections:
            transport.abort()
        await server.empty()


@contextmanager
def serving_in_a_thread(answering: Answering, *, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server in a thread, for tests that run loops of their own."""
    made: list[tuple[Server, asyncio.AbstractEventLoop, asyncio.Event]] = []
    started = threading.Event()

    async def main() -> None:
        async with serving(answering, tls=tls) as server:
            stop = asyncio.Event()
            made.append((server, asyncio.get_running_loop(), stop))
            started.set()
            await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    assert started.wait(5)
    server, loop, stop = made[0]
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(5)
