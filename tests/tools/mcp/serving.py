"""Servers for tests: child processes, and web servers that can be killed and started again."""

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from ore.ext.tools.mcp import Http, McpOptions, McpServer

SERVED = Path(__file__).with_name("served.py")
TINY = Path(__file__).with_name("tiny.py")


def tiny(name: str = "tiny", options: McpOptions | None = None, **settings: Any) -> McpServer:
    """A small server of the older protocol; see `tiny.py`."""
    return McpServer.stdio(name, sys.executable, str(TINY), json.dumps(settings), options=options)


def served(name: str = "tested", options: McpOptions | None = None, **variables: str) -> McpServer:
    """A server of the SDK as a child process."""
    return McpServer.stdio(name, sys.executable, str(SERVED), "stdio", env=variables, options=options)


class Notes(asyncio.DatagramProtocol):
    """What servers tell of what they do.

    Attributes:
        path: Where they tell it.
        lines: What they told.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines: list[str] = []
        self._news = asyncio.Event()

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.lines.append(data.decode())
        self._news.set()

    async def until(self, line: str) -> None:
        """Return when a server told it."""
        async with asyncio.timeout(10):
            while line not in self.lines:
                self._news.clear()
                await self._news.wait()


@contextlib.asynccontextmanager
async def notes() -> AsyncIterator[Notes]:
    """A place where servers tell what they do."""
    folder = tempfile.mkdtemp()  # a short path, as sockets want it
    found = Notes(f"{folder}/notes")
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: found, local_addr=found.path, family=socket.AF_UNIX
    )
    try:
        yield found
    finally:
        transport.close()
        shutil.rmtree(folder)


class Web:
    """A server of the SDK over HTTP, in a process of its own.

    Args:
        kind: `http` or `sse`, or `time` for one from the package index.
        variables: Of its environment.
    """

    def __init__(self, kind: str, variables: dict[str, str]) -> None:
        self.kind = kind
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._variables = variables
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{'sse' if self.kind == 'sse' else 'mcp'}"

    def client(self, name: str = "tested", options: McpOptions | None = None, **more: Any) -> McpServer:
        """A client of it."""
        where = Http(url=self.url, protocol="sse" if self.kind == "sse" else "streamable", **more)
        return McpServer(name, where, options)

    def start_now(self) -> None:
        """Listen; blocks."""
        command = (sys.executable, str(SERVED), self.kind, str(self.port))
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | self._variables)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"

    def kill_now(self) -> None:
        """Die at once; blocks until it is over."""
        if self._process is not None:
            self._process.kill()
            with self._process:
                pass
            self._process = None

    async def start(self) -> None:
        """Listen."""
        await asyncio.to_thread(self.start_now)

    async def kill(self) -> None:
        """Die at once."""
        await asyncio.to_thread(self.kill_now)


@contextlib.asynccontextmanager
async def web(kind: str = "http", **variables: str) -> AsyncIterator[Web]:
    """A server that listens, and is gone afterwards."""
    found = Web(kind, variables)
    try:
        await found.start()
        yield found
    finally:
        await found.kill()


@contextlib.contextmanager
def web_now(kind: str = "http", **variables: str) -> Iterator[Web]:
    """The same for many tests."""
    found = Web(kind, variables)
    try:
        found.start_now()
        yield found
    finally:
        found.kill_now()
