"""`Passing`: an answer that is passed on as it is, once its first words are there."""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Awaitable
from types import TracebackType
from typing import Any

from ore.provider import Batch

__all__ = ["Passing"]


class Passing(AsyncGenerator[Batch, None]):
    """Batches of another stream, looked at until something of the answer came; from there on they cost no call.

    A subclass says what becomes of the batches, and of errors, before that.

    Attributes:
        batches: The stream that is passed on.
        is_seen: Whether something of the answer came.
    """

    __slots__ = ("_is_closed", "batches", "is_seen")

    def __init__(self, batches: AsyncGenerator[Batch, None]) -> None:
        self.batches = batches
        self.is_seen = False
        self._is_closed = False

    @abstractmethod
    async def first(self) -> Batch:
        """The next batch, while nothing of the answer was seen; sets `is_seen`.

        Raises:
            StopAsyncIteration: There is none.
        """
        ...

    def __anext__(self) -> Any:
        """The next batch."""
        return self.batches.__anext__() if self.is_seen else self._looked_at()

    async def aclose(self) -> None:
        """End it, and the stream below."""
        self._is_closed = True
        await self.batches.aclose()

    def asend(self, value: None) -> Awaitable[Batch]:  # type: ignore[override]  # an awaitable is all that anybody needs
        """The next batch."""
        next_batch: Awaitable[Batch] = self.__anext__()
        return next_batch

    async def athrow(
        self,
        kind: type[BaseException] | BaseException,
        value: BaseException | object = None,
        trace: TracebackType | None = None,
    ) -> Batch:
        """End it with an error."""
        await self.aclose()
        raise kind

    async def _looked_at(self) -> Batch:
        if self._is_closed:
            raise StopAsyncIteration
        return await self.first()
