"""`keep_open`: toolsets that need something to be open, such as a connection."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from typing import Any

from ore.tool.toolset import Toolset

__all__ = ["keep_open"]


def keep_open(toolset: Toolset) -> AbstractAsyncContextManager[None]:
    """Keep open what a toolset needs, as long as the block lasts.

    A toolset with something to open is an async context manager, and may be
    entered again while it is open. Toolsets inside another are found by its
    `inner`, a sequence, and are opened in order and closed in reverse.

    Raises:
        Exception: What opening one raises; those before it are closed again.
    """
    found = [one for one in _all(toolset) if hasattr(type(one), "__aenter__")]
    return _opened(found) if found else nullcontext()


@asynccontextmanager
async def _opened(toolsets: Sequence[Any]) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for toolset in toolsets:
            await stack.enter_async_context(toolset)
        yield


def _all(toolset: Any) -> Iterator[Any]:
    yield toolset
    for inner in getattr(toolset, "inner", ()):
        yield from _all(inner)
