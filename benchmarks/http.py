"""Events over HTTP: what serving costs a delta, and a hundred readers."""

import asyncio
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from pathlib import Path

from benchmarks.measure import Run, alternating, paired, repeated
from benchmarks.row import Row
from benchmarks.scene import Fragments, Paced, answering, process
from ore.artifact import TextDelta
from ore.ext.conduits.http import HttpConduit
from ore.provider import Provider
from ore.session import Manager, Stream

__all__ = ["http"]

SIZE = 10_000
TIMES = 5
READERS = (1, 100)
MANY = 1_000
"""Fragments, where a hundred read them."""
SLOW = 200
"""Fragments, where one comes each millisecond."""
LATEST_S = 0.25
"""Behind which every reader has everything: many of them get what waits together, a little later."""


def http(run: Run) -> Iterator[Row]:
    """CPU of the serving process; whoever reads is another one.

    Without HTTP a reader writes the same JSON to the same kind of socket.
    """
    costs = repeated(run.rounds, _served)
    for kind in ("lines", "events"):
        name = "a delta to a socket: over HTTP / without"
        yield Row(name=f"{name}, {kind}", values=paired(costs[kind], costs["socket"]), bar=1.6)
    yield Row(name="`ore serve`: from its start to the first byte", values=[*_started(run)], unit="ms")
    costs = repeated(run.rounds, _watched)
    yield Row(name="over HTTP: 100 readers / 1", values=paired(costs["100"], costs["1"]), bar=12)
    costs = repeated(run.rounds, _dripped)
    one_a_ms = "a fragment a millisecond"
    yield Row(name=f"over HTTP, {one_a_ms}: 100 readers / 1", values=paired(costs["100"], costs["1"]), bar=12)
    yield Row(name=f"over HTTP / without, {one_a_ms}", values=paired(costs["1"], costs["socket"]), bar=1.6)


def _started(run: Run) -> Iterator[float]:
    """Milliseconds until a new server has answered a request."""
    script = run.folder / "script.json"
    script.write_text('{"calls": []}')
    words = ("serve", "--port", "0", "--model", f"scripted:{script}", "--store", "memory:")
    for _ in range(run.rounds):
        begun = time.perf_counter()
        process = subprocess.Popen([Path(sys.executable).with_name("ore"), *words], stderr=subprocess.PIPE, text=True)
        assert process.stderr
        address = process.stderr.readline().split()[-1]
        urllib.request.urlopen(f"{address}/healthz").read(1)
        yield (time.perf_counter() - begun) * 1_000
        process.terminate()
        process.communicate()


async def _served() -> Mapping[str, float]:
    async with AsyncExitStack() as stack:
        sink = stack.enter_context(_Sink())
        work: dict[str, Callable[[], Awaitable[None]]] = {}
        for name in ("socket", "lines", "events"):
            sessions, port = await stack.enter_async_context(_serving(_burst(SIZE)))
            stream = await sessions.create()
            if name == "socket":
                await stack.enter_async_context(_written(stream, sink))
                work[name] = partial(process, stream, 1)
            elif name == "events":
                await sink.connect(port, 1, _get(f"/sessions/{stream.id}/events?kinds=*"))
                work[name] = partial(process, stream, 1)
            else:
                work[name] = partial(_posted, stream, port, sink)
        return await alternating(TIMES, work)


async def _watched() -> Mapping[str, float]:
    async with AsyncExitStack() as stack:
        sink = stack.enter_context(_Sink())
        work = {}
        for count in READERS:
            sessions, port = await stack.enter_async_context(_serving(_burst(MANY)))
            stream = await sessions.create()
            await sink.connect(port, count, _get(f"/sessions/{stream.id}/events?kinds=*"))
            work[str(count)] = partial(_told, stream, 10)
        return await alternating(TIMES, work)


async def _dripped() -> Mapping[str, float]:
    async with AsyncExitStack() as stack:
        sink = stack.enter_context(_Sink())
        work = {}
        for count in (0, *READERS):
            sessions, port = await stack.enter_async_context(_serving(Paced(TextDelta(content=" word"), SLOW, 0.001)))
            stream = await sessions.create()
            if count:
                await sink.connect(port, count, _get(f"/sessions/{stream.id}/events?kinds=*"))
            else:
                await stack.enter_async_context(_written(stream, sink))
            work[str(count or "socket")] = partial(_told, stream, 1)
        return await alternating(TIMES, work)


async def _told(stream: Stream, times: int) -> None:
    """Send messages, and let all readers have what they brought."""
    await process(stream, times)
    await asyncio.sleep(LATEST_S)


async def _posted(stream: Stream, port: int, sink: "_Sink") -> None:
    """One message as a client sends it, and all its events as lines."""
    body = b'{"content":"hi","kinds":["*"]}'
    head = f"POST /sessions/{stream.id}/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    before = len(stream.turns)
    await sink.connect(port, 1, head.encode() + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    await stream.idle()
    while len(stream.turns) == before or stream.snapshot().phase != "idle":
        await stream.idle()


@asynccontextmanager
async def _serving(provider: Provider) -> AsyncIterator[tuple[Manager, int]]:
    """Sessions of a model, and the port of a server of them."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    async with Manager(answering(provider)) as sessions:
        conduit = HttpConduit(port=0, drain_s=0, listening=ready.set_result)
        task = asyncio.ensure_future(conduit.serve(sessions))
        try:
            yield sessions, int((await ready).rpartition(":")[2])
        finally:
            task.cancel()
            await asyncio.wait((task,))


@asynccontextmanager
async def _written(stream: Stream, sink: "_Sink") -> AsyncIterator[None]:
    """A reader that writes each event's JSON to a socket, as a line."""
    came: asyncio.Future[asyncio.StreamWriter] = asyncio.get_running_loop().create_future()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"\n")
        came.set_result(writer)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    await sink.connect(server.sockets[0].getsockname()[1], 1, b"\n")
    writer = await came

    async def write() -> None:
        async with stream.subscribe() as reader, aclosing(reader.batches()) as batches:
            async for batch in batches:
                writer.write(b"".join([b"%b\n" % entry.json for entry in batch]))
                await writer.drain()

    task = asyncio.ensure_future(write())
    await asyncio.sleep(0)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,))
        writer.close()
        server.close()


def _burst(size: int) -> Provider:
    """A model that says so many fragments as fast as they are taken."""
    return Fragments([TextDelta(content=f" {number}") for number in range(size)], size)


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


class _Sink:
    """Another process that reads and throws away."""

    def __enter__(self) -> "_Sink":
        root = Path(__file__).resolve().parent.parent
        command = [sys.executable, "-m", "benchmarks.http_sink"]
        self._process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    async def connect(self, port: int, count: int, first: bytes) -> None:
        """Connect so often, and return when each connection has got something."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{port} {count} {first.hex()}\n".encode())
        self._process.stdin.flush()
        await asyncio.to_thread(self._process.stdout.readline)
