"""Servers in the test's loop."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest_asyncio

from http_conduit.scene import Scene, scene

Serve = Callable[..., Awaitable[Scene]]


@pytest_asyncio.fixture
async def serve() -> AsyncIterator[Serve]:
    """Makes scenes, all closed at the end."""
    async with AsyncExitStack() as stack:

        async def make(*calls: Any, **more: Any) -> Scene:
            return await stack.enter_async_context(scene(*calls, **more))

        yield make
