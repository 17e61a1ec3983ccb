"""`Call`: one inference on its way from a worker's thread to the loop that asked."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ore._aio import finish
from ore.ext.providers.local.runtime import Runtime

__all__ = ["Call", "Chunk"]

Chunk = Mapping[str, Any]


class Call:
    """Runs one request in a thread; belongs to the loop in which it was made.

    The thread hands each chunk over with `call_soon_threadsafe`, so what
    arrived while the loop did something else arrives together.
    """

    def __init__(self, runtime: Runtime, request: Mapping[str, Any]) -> None:
        self._runtime = runtime
        self._request = request
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._news = asyncio.Event()
        self._chunks: list[Chunk] = []
        self._error: Exception | None = None
        self._cancelled = False
        runtime.slots.start(self)

    async def arrived(self) -> Sequence[Chunk]:
        """Wait for chunks and take all there are; none at the end.

        Raises:
            ProviderError: The call failed; what came before was taken.
        """
        await self._news.wait()
        chunks, self._chunks = self._chunks, []
        if not self._over.done():
            self._news.clear()
        if not chunks and self._error is not None:
            raise self._error
        return chunks

    async def close(self) -> None:
        """Cancel what still runs and wait until its slot is free; a cancellation of the caller waits too."""
        if self._over.done():
            return
        self._cancelled = True
        if self._runtime.slots.withdraw(self) or self._loop.is_closed():
            return
        await finish(self._over)

    def run(self) -> None:
        """Do the work; called in a worker's thread."""
        if self._unwanted():
            return
        try:
            self._runtime.answer(self._request, self._on_chunk)
        except Exception as exc:  # raised where somebody waits for it
            self._error = exc

    def ended(self) -> None:
        """Tell the loop; called in a worker's thread."""
        self._tell(self._end)

    def _on_chunk(self, chunk: Chunk) -> bool:
        return self._unwanted() or not self._tell(self._take, chunk)

    def _unwanted(self) -> bool:
        # An interpreter that ends waits for this thread, and nobody reads any more.
        return self._cancelled or not threading.main_thread().is_alive()

    def _tell(self, callback: Any, *arguments: Any) -> bool:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:  # the loop was closed without closing the generator
            return False
        return True

    def _take(self, chunk: Chunk) -> None:
        self._chunks.append(chunk)
        self._news.set()

    def _end(self) -> None:
        self._over.set_result(None)
        self._news.set()
