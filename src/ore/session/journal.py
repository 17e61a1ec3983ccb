"""`SessionJournal`: a session's way into its store."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from ore.ledger import EndingRecord, Record, Store, Writer
from ore.session.placement import Placement

__all__ = ["SessionJournal"]


class SessionJournal:
    """Appends records, with the writer of the running activation or with one of its own.

    Args:
        store: Where they go.
        placement: Who may write.
        session_id: Whose they are.
        decided: Called with each ending as soon as it is durable.
        taken: Called with each new writer before anything is appended, and
            with whether somebody else appended since this session last did.
        sequence: Number of the last record that this session knows.
    """

    __slots__ = ("_decided", "_gate", "_id", "_placement", "_sequence", "_store", "_taken", "writer")

    def __init__(
        self,
        store: Store,
        placement: Placement,
        session_id: str,
        decided: Callable[[EndingRecord], None],
        taken: Callable[[Writer, bool], Awaitable[None]],
        sequence: int,
    ) -> None:
        self._store = store
        self._placement = placement
        self._id = session_id
        self._decided = decided
        self._taken = taken
        self._sequence = sequence
        self._gate: asyncio.Lock | None = None
        self.writer: Writer | None = None

    def __call__(self, records: Sequence[Record]) -> Awaitable[None]:
        """Make records durable, all or none; takes the session for that when nobody has it."""
        if self.writer is None:
            return self._borrow(records)
        work = self._store.append(self.writer, records)
        endings = [record for record in records if type(record) is EndingRecord]
        return self._watched(work, endings) if endings else work

    async def take(self) -> Writer:
        """Become the one who may append, for an activation."""
        async with self._locked():
            writer = await self._store.take(self._id)
            await self._taken(writer, writer.sequence != self._sequence)
            self._sequence = writer.sequence
            self.writer = writer
            return writer

    async def give_back(self) -> bool:
        """The activation is over; whether there is work again."""
        async with self._locked():
            writer, self.writer = self.writer, None
            if writer is None:
                return False
            self._sequence = writer.sequence
            return await self._store.close(writer)

    def _locked(self) -> asyncio.Lock:
        if self._gate is None:
            self._gate = asyncio.Lock()
        return self._gate

    def _watched(self, work: Awaitable[None], endings: Sequence[EndingRecord]) -> Awaitable[None]:
        future = asyncio.ensure_future(work)

        def durable(done: asyncio.Future[None]) -> None:
            if not done.cancelled() and done.exception() is None:
                for ending in endings:
                    self._decided(ending)

        if future.done():
            durable(future)
        else:
            future.add_done_callback(durable)
        return future

    async def _borrow(self, records: Sequence[Record]) -> None:
        async with self._locked():
            if self.writer is not None:
                await self(records)
                return
            async with self._placement.hold(self._id):
                await self._once(records)

    async def _once(self, records: Sequence[Record]) -> None:
        writer = await self._store.take(self._id)
        await self._taken(writer, writer.sequence != self._sequence)
        try:
            await self._store.append(writer, records)
        finally:
            self._sequence = writer.sequence
            await self._store.close(writer)
