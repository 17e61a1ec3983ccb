"""`Latch`: a value that comes once, for any number who wait."""

import asyncio
from typing import Generic, TypeVar

from ore._aio import Holdable, finish

__all__ = ["Latch"]

T = TypeVar("T")


class Latch(Generic[T]):
    """Set once; a waiter that goes away changes nothing for the others."""

    __slots__ = ("_waiters", "done", "value")

    def __init__(self) -> None:
        self.done = False
        self.value: T | None = None
        self._waiters: list[asyncio.Future[None]] | None = None

    def set(self, value: T) -> None:
        """Give the value; the first one holds."""
        if self.done:
            return
        self.done = True
        self.value = value
        waiters, self._waiters = self._waiters or (), None
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self) -> T:
        """The value, once it is there."""
        if not self.done:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters = self._waiters or []
            self._waiters.append(waiter)
            await waiter
        return self.value  # type: ignore[return-value]  # set before any waiter wakes

    async def outlast(self) -> T:
        """As `wait`, also while the caller is being cancelled, which is raised when the value is there."""
        if not self.done:
            waiter: Holdable[None] = Holdable()
            self._waiters = self._waiters or []
            self._waiters.append(waiter)
            await finish(waiter)
        return self.value  # type: ignore[return-value]  # set before any waiter wakes
