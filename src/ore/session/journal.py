"""`SessionJournal`: a session's way into its store."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import Protocol

from ore._aio import Ready
from ore.ledger import EndingRecord, Record, Writer
from ore.session.kit import Kit

__all__ = ["SessionJournal"]


class JournalOwner(Protocol):
    """The session that a journal belongs to."""

    @property
    def id(self) -> str:
        """Its id."""
        ...

    @property
    def kit(self) -> Kit:
        """Where it stores, and who may."""
        ...

    def decided(self, ending: EndingRecord) -> None:
        """Called with each ending as soon as it is durable."""
        ...

    async def taken(self, writer: Writer, *, foreign: bool) -> None:
        """Called with each new writer before anything is appended.

        Args:
            writer: The writer.
            foreign: Whether somebody else appended since this session last did.
        """
        ...


class SessionJournal:
    """Appends records, with the writer of the running activation or with one of its own.

    Args:
        owner: The session.
        sequence: Number of the last record that it knows.
    """

    __slots__ = ("_flight", "_gate", "_owner", "_sequence", "writer")

    def __init__(self, owner: JournalOwner, sequence: int) -> None:
        self._owner = owner
        self._sequence = sequence
        self._flight: set[asyncio.Future[None]] | None = None
        self._gate: asyncio.Lock | None = None
        self.writer: Writer | None = None

    def __call__(self, records: Sequence[Record]) -> Awaitable[None]:
        """Make records durable, all or none; takes the session for that when nobody has it."""
        if self.writer is None:
            return self._borrow(records)
        work = self._owner.kit.store.append(self.writer, records)
        if type(work) is not Ready:
            work = self._track(work)
        if EndingRecord not in map(type, records):
            return work
        if type(work) is Ready:
            self._decide(records)
            return work
        return self._watched(work, records)

    async def take(self) -> Writer:
        """Become the one who may append, for an activation."""
        async with self._locked():
            writer = await self._owner.kit.store.take(self._owner.id)
            await self._owner.taken(writer, foreign=writer.sequence != self._sequence)
            self._sequence = writer.sequence
            self.writer = writer
            return writer

    async def give_back(self) -> bool:
        """The activation is over; whether there is work again."""
        async with self._locked():
            while self._flight:  # else its number would look like somebody else's
                await asyncio.wait(self._flight)
            writer, self.writer = self.writer, None
            if writer is None:
                return False
            self._sequence = writer.sequence
            return await self._owner.kit.store.close(writer)

    @asynccontextmanager
    async def owned(self) -> AsyncIterator[None]:
        """Own the session while the block lasts: what other owners did is known in it."""
        async with self._locked():
            if self.writer is not None:
                yield
                return
            async with self._owner.kit.placement.hold(self._owner.id):
                store = self._owner.kit.store
                writer = await store.take(self._owner.id)
                await self._owner.taken(writer, foreign=writer.sequence != self._sequence)
                self._sequence = writer.sequence
                self.writer = writer
                try:
                    yield
                finally:
                    self.writer = None
                    self._sequence = writer.sequence
                    await store.close(writer)

    def trim(self) -> None:
        """Give back memory that can be had again; for a session at rest."""
        if self._gate is not None and not self._gate.locked():
            self._gate = None
        self._flight = self._flight or None

    def _locked(self) -> asyncio.Lock:
        if self._gate is None:
            self._gate = asyncio.Lock()
        return self._gate

    def _watched(self, work: Awaitable[None], records: Sequence[Record]) -> Awaitable[None]:
        if isinstance(work, asyncio.Future) and work.done():
            if not work.cancelled() and work.exception() is None:
                self._decide(records)
            return work
        return self._until_durable(work, records)

    async def _until_durable(self, work: Awaitable[None], records: Sequence[Record]) -> None:
        """Whoever waits hears of it only when the endings are known as decided."""
        await work
        self._decide(records)

    def _decide(self, records: Sequence[Record]) -> None:
        for record in records:
            if type(record) is EndingRecord:
                self._owner.decided(record)

    def _track(self, work: Awaitable[None]) -> Awaitable[None]:
        """Know of an append until it has landed."""
        future = work if isinstance(work, asyncio.Future) else asyncio.ensure_future(work)
        if not future.done():
            self._flight = self._flight or set()
            self._flight.add(future)
            future.add_done_callback(self._flight.discard)
        return future

    async def _borrow(self, records: Sequence[Record]) -> None:
        async with self.owned():
            await self(records)
