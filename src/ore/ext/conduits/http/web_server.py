"""`WebServer`: uvicorn in a loop that is somebody else's."""

import asyncio
import socket
from collections.abc import AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

__all__ = ["serving"]

LAST_S = 3
"""Seconds that requests have to end once nothing goes on any more."""


class WebServer(uvicorn.Server):
    """A server that leaves signals alone and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        self.listens.set()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Signals are the matter of whoever runs the loop."""
        yield


@asynccontextmanager
async def serving(app: ASGIApp, listener: socket.socket) -> AsyncIterator[None]:
    """Serve while the block lasts; at its end open answers have a moment to end."""
    config = uvicorn.Config(
        app,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=LAST_S,
    )
    server = WebServer(config)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(server.serve([listener]), name="ore-http")
        try:
            await server.listens.wait()
            yield
        finally:
            server.should_exit = True
            await asyncio.wait((task,))
