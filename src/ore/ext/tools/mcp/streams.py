"""The SDK's two streams over a child process, and over any other stream whose end has to be noticed."""

from collections.abc import Callable
from contextvars import Context
from types import TracebackType
from typing import Any, Self

import anyio
from mcp.shared.message import SessionMessage

from ore.ext.tools.mcp.child import Child

__all__ = ["ChildReader", "ChildWriter", "Noticed"]


class ChildReader:
    """Messages of a child process."""

    def __init__(self, child: Child, on_end: Callable[[], None]) -> None:
        self._child = child
        self._on_end = on_end

    async def receive(self) -> SessionMessage | Exception:
        """The next message.

        Raises:
            EndOfStream: There will be no more.
        """
        message = await self._child.receive()
        if message is None:
            self._on_end()
            raise anyio.EndOfStream
        return message

    async def aclose(self) -> None:
        """Nothing: whoever started the child stops it."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class ChildWriter:
    """Messages to a child process."""

    def __init__(self, child: Child) -> None:
        self._child = child

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message.

        Raises:
            UnsentError: The child was gone before.
            BrokenResourceError: The child is gone.
        """
        try:
            await self._child.send(item.message)
        except BrokenPipeError:
            raise anyio.BrokenResourceError from None

    async def aclose(self) -> None:
        """Nothing: whoever started the child stops it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class Noticed:
    """Another stream, whose end is told."""

    def __init__(self, stream: Any, on_end: Callable[[str], None]) -> None:
        self._stream = stream
        self._on_end = on_end

    @property
    def last_context(self) -> Context | None:
        """The context in which the last message was sent, by which the SDK knows whose it is."""
        context: Context | None = getattr(self._stream, "last_context", None)
        return context

    async def receive(self) -> Any:
        """The next message.

        Raises:
            EndOfStream: There will be no more.
        """
        try:
            return await self._stream.receive()
        except anyio.EndOfStream:
            self._on_end("closed the connection")
            raise

    async def aclose(self) -> None:
        """Close the other stream."""
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
