"""`Subscription`: one reader of the event log, at its own pace."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from ore.errors import LimitError
from ore.event import Entry
from ore.loop.wanted import Wanted

if TYPE_CHECKING:
    from ore.loop.fan_out import FanOut

__all__ = ["Batches", "Policy", "Subscription"]

Policy = Literal["coalesce", "block"]
"""`coalesce`: a reader that falls behind gets fewer, larger pieces, and at worst a
`gap` with the state. `block`: the turn waits for it between batches."""


class Subscription:
    """Events in order, each once, from where the reader began.

    Iterate it for one event at a time, or `batches()` for all that waits.
    Leaving it (the `async with`, `close`, or dropping it) stops nothing but
    the reading. It ends when the session closes, after the last event.

    Raises:
        LimitError: While iterating, with policy `block`: the reader fell more
            than four windows behind and was disconnected.
    """

    def __init__(self, fan_out: "FanOut", wanted: Wanted, number: int, policy: Policy) -> None:
        self._fan_out = fan_out
        self._wanted = wanted
        self.number = number
        """The place in the log up to which it has read."""
        self.policy: Policy = policy
        self.task: asyncio.Task[object] | None = None
        """Who reads it, as far as known; kept with policy `block` only."""
        self.lost = False
        self.asleep: asyncio.Future[None] | None = None
        self._generation = -1
        self._at = 0
        self.stay()
        self._waiting: Iterator[Entry] = iter(())
        self._unread = False
        self._left = False

    @property
    def behind(self) -> bool:
        """Whether a turn has to wait for it."""
        return (
            (self._unread or self.number < self._fan_out.last)
            and not (self.lost or self._left or self._fan_out.closed)
            and not (self.task is not None and self.task.done())
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop reading; the events that wait are gone for this reader, and whoever iterates it comes to the end."""
        if self._left:
            return
        self._left = True
        self._waiting = iter(())
        if self.asleep is not None and not self.asleep.done():
            self.asleep.set_result(None)
        self._fan_out.leave(self)

    def __del__(self) -> None:
        if not self._left:
            self._fan_out.dropped()

    def __aiter__(self) -> AsyncIterator[Entry]:
        return self

    async def __anext__(self) -> Entry:
        while True:
            entry = next(self._waiting, None)
            if entry is not None:
                return entry
            self._unread = False
            batch = await self._next_batch()
            if batch is None:
                raise StopAsyncIteration
            self._waiting = iter(batch)
            self._unread = True

    def batches(self) -> "Batches":
        """All that waits at a time; at least one event each."""
        return Batches(self)

    async def next_of_batches(self) -> Sequence[Entry]:
        """As `next_batch`, for a loop over `batches()`.

        Raises:
            StopAsyncIteration: This is the end.
        """
        waiting = list(self._waiting)
        if waiting:
            return waiting
        self._unread = False
        batch = await self._next_batch()
        if batch is None:
            raise StopAsyncIteration
        self._unread = True
        return batch

    async def next_batch(self) -> Sequence[Entry] | None:
        """All that waits, at least one event, as soon as there is one; `None` at the end."""
        try:
            return await self.next_of_batches()
        except StopAsyncIteration:
            return None

    def has_read(self, *, dropped: bool = False) -> None:
        """The batch that was given last is done with, so a turn that waited for that goes on.

        Args:
            dropped: Nobody said so, but the collector, in whatever thread.
        """
        if self._unread:
            self._unread = False
            if self.policy == "block":
                (self._fan_out.dropped if dropped else self._fan_out.caught_up)()

    def take(self) -> Sequence[Entry]:
        """What waits right now, without waiting; may be nothing."""
        waiting = list(self._waiting)
        self._unread = False
        if self._left or (self.lost and waiting):
            return waiting
        batch = self._take()
        if self.policy == "block":
            self._fan_out.caught_up()
        return [*waiting, *batch] if waiting else batch

    async def _next_batch(self) -> Sequence[Entry] | None:
        fan_out = self._fan_out
        if self.policy == "block" and self.task is not (task := asyncio.current_task()):
            self.task = task
            fan_out.caught_up()  # whoever waits for it watches another task
        while not self._left:
            batch = self._take()
            if batch:
                return batch
            if fan_out.closed:
                return None
            await fan_out.wait(self)
        return None

    def _take(self) -> Sequence[Entry]:
        fan_out = self._fan_out
        if self.lost:
            raise LimitError("a reader with policy 'block' fell more than four windows behind and was disconnected")
        if self._generation != fan_out.generation:
            return self._catch_up()
        end = len(fan_out.log)
        if self._at == end:
            return ()
        batch = fan_out.share(self._at, self._wanted)
        self._at = end
        self.number = fan_out.last
        return batch

    def stay(self) -> None:
        """When it has read all: it stands at the end of the log, whatever was dropped before."""
        if self.number == self._fan_out.last:
            self._generation = self._fan_out.generation
            self._at = len(self._fan_out.log)

    def _catch_up(self) -> Sequence[Entry]:
        """Entries were dropped since it last looked: find the place, and say what is missing."""
        fan_out = self._fan_out
        number, self.number = self.number, fan_out.last
        self._generation = fan_out.generation
        self._at = len(fan_out.log)
        return fan_out.catch_up(number, self._wanted)


class Batches:
    """What a reader gets, all that waits at a time.

    No generator: whoever stops in the middle leaves nothing behind that the
    loop would have to close.
    """

    __slots__ = ("_reader",)

    def __init__(self, reader: Subscription) -> None:
        self._reader = reader

    def __aiter__(self) -> Self:
        return self

    def __anext__(self) -> Awaitable[Sequence[Entry]]:
        return self._reader.next_of_batches()

    async def aclose(self) -> None:
        """The last batch is done with; the subscription itself stays open."""
        self._reader.has_read()

    def __del__(self) -> None:
        self._reader.has_read(dropped=True)
