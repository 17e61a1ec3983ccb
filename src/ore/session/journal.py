"""`SessionJournal`: a session's way into its store."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Protocol

from ore._aio import Holdable, Ready
from ore.ledger import EndingRecord, Message, Opening, Record, Writer
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

    def is_last(self, records: Sequence[Record]) -> bool:
        """Whether nothing is left to do here once these records are durable."""
        ...

    def decided(self, ending: EndingRecord) -> None:
        """Called with each ending as soon as it is durable."""
        ...

    async def taken(self, writer: Writer, *, foreign: bool) -> None:
        """Called with each new writer before anything is appended.

        Args:
            writer: The writer.
            foreign: Whether the log may hold what this session does not know.
        """
        ...


class SessionJournal:
    """Appends records, with the writer of the running activation or with one of its own.

    Args:
        owner: The session.
        sequence: Number of the last record that it knows.
    """

    __slots__ = ("_doubts", "_flight", "_gate", "_given", "_owner", "_sequence", "writer")

    def __init__(self, owner: JournalOwner, sequence: int) -> None:
        self._owner = owner
        self._sequence = sequence
        self._doubts = False
        self._flight: set[asyncio.Future[None]] | None = None
        self._gate: asyncio.Lock | None = None
        self._given: asyncio.Future[bool] | None = None
        """The session being given back already, behind what seemed the last append."""
        self.writer: Writer | None = None

    def __call__(self, records: Sequence[Record]) -> Awaitable[None]:
        """Make records durable, all or none; takes the session for that when nobody has it.

        Whoever waits hears of it only when the endings are known as decided.
        """
        self._given = None
        if self.writer is None:
            return self._borrow(records)
        ends = EndingRecord in map(type, records)
        work = self._owner.kit.store.append(self.writer, records)
        if type(work) is not Ready:
            work = self._track(work, records if ends else ())
            if ends and self._owner.is_last(records):
                self._give(self.writer)
        elif ends and work.error is None:
            self._decide(records)
        return work

    def goes_on(self) -> None:
        """There is more to do: the session is not given back yet."""
        self._given = None

    def opening(self, message: Message, records: Sequence[Record]) -> Opening | None:
        """How a message begins behind all that is known here; `None` where the log must be read first."""
        return None if self._doubts else Opening(message=message, after=self._sequence, records=records)

    async def take(self, opening: Opening | None = None, opened: Callable[[], object] | None = None) -> Writer:
        """Become the one who may append, for an activation.

        Args:
            opening: What to append at once, if it fits.
            opened: Called when that is durable, before anybody else can write.
        """
        async with self._locked():
            writer = await self._take(opening)
            if writer.opened and opened is not None:
                opened()
            return writer

    async def give_back(self) -> bool:
        """The activation is over; whether there is work again."""
        async with self._locked():
            while self._flight:  # else its number would look like somebody else's
                await asyncio.wait(self._flight)
            writer, self.writer = self.writer, None
            given, self._given = self._given, None
            if writer is None:
                return False
            self._sequence = writer.sequence
            return await (given or self._owner.kit.store.close(writer))

    @asynccontextmanager
    async def owned(self) -> AsyncIterator[None]:
        """Own the session while the block lasts: what other owners did is known in it."""
        async with self._locked():
            if self.writer is not None:
                yield
                return
            async with self._owner.kit.placement.hold(self._owner.id):
                writer = await self._take()
                try:
                    yield
                finally:
                    self.writer = None
                    self._sequence = writer.sequence
                    await self._owner.kit.store.close(writer)

    def doubt(self) -> None:
        """A message was left where it stood: whoever goes on with it, here too, has to read how far it came."""
        self._doubts = True

    def trim(self) -> None:
        """Give back memory that can be had again; for a session at rest."""
        if self._gate is not None and not self._gate.locked():
            self._gate = None
        self._flight = self._flight or None

    def _locked(self) -> asyncio.Lock:
        if self._gate is None:
            self._gate = asyncio.Lock()
        return self._gate

    async def _take(self, opening: Opening | None = None) -> Writer:
        store, known = self._owner.kit.store, self._sequence
        writer = await (store.take(self._owner.id) if opening is None else store.take(self._owner.id, opening))
        if opening is not None and writer.opened:
            known += len(opening.records)
        await self._owner.taken(writer, foreign=self._doubts or writer.sequence != known)
        self._doubts, self._given = False, None
        self._sequence = writer.sequence
        self.writer = writer
        return writer

    def _give(self, writer: Writer) -> None:
        """Give the session back right behind the last append, so that both share a commit."""
        self._given = asyncio.ensure_future(self._owner.kit.store.close(writer))
        self._given.add_done_callback(_look_at)

    def _decide(self, records: Sequence[Record]) -> None:
        for record in records:
            if type(record) is EndingRecord:
                self._owner.decided(record)

    def _track(self, work: Awaitable[None], endings: Sequence[Record]) -> Awaitable[None]:
        """Know of an append until it has landed, and of its endings before anybody else does."""
        if endings and not isinstance(work, Holdable):  # whoever waits for that may look before its callbacks have run
            work, endings = self._until_decided(work, endings), ()
        future = work if isinstance(work, asyncio.Future) else asyncio.ensure_future(work)
        self._flight = self._flight or set()
        self._flight.add(future)
        if future.done():
            self._land(endings, future)
        else:
            future.add_done_callback(partial(self._land, endings))
        return future

    async def _until_decided(self, work: Awaitable[None], endings: Sequence[Record]) -> None:
        await work
        self._decide(endings)

    def _land(self, endings: Sequence[Record], work: "asyncio.Future[None]") -> None:
        if self._flight is not None:
            self._flight.discard(work)
        if endings and not work.cancelled() and work.exception() is None:
            self._decide(endings)

    async def _borrow(self, records: Sequence[Record]) -> None:
        async with self.owned():
            await self(records)


def _look_at(given: "asyncio.Future[bool]") -> None:
    """A failure counts only where nothing more came and somebody waits for it."""
    if not given.cancelled():
        given.exception()
