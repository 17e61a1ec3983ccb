"""A store in memory that lets others run in the middle of everything it does."""

import asyncio
from collections.abc import Awaitable, Sequence

from ore.ledger import EndingRecord, MemoryStore, Message, Opening, Record, Writer


class YieldingStore(MemoryStore):
    """Passes through the loop `passes` times before each piece of work and again behind it."""

    def __init__(self, passes: int) -> None:
        super().__init__()
        self._passes = passes

    def submit(self, session_id: str, message: Message) -> Awaitable[EndingRecord | Message | None]:
        return asyncio.ensure_future(self._submit_slowly(session_id, message))  # begins at once, as a real one does

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        await self._pass()
        writer = await super().take(session_id, opening)
        await self._pass()
        return writer

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        await self._pass()
        message = await super().next(writer, mark=mark)
        await self._pass()
        return message

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        return self._append(writer, records) if self._passes else super().append(writer, records)

    async def park(self, writer: Writer) -> None:
        await self._pass()
        await super().park(writer)

    async def interrupt(self, session_id: str) -> None:
        await self._pass()
        await super().interrupt(session_id)

    async def close(self, writer: Writer) -> bool:
        await self._pass()
        again = await super().close(writer)
        await self._pass()
        return again

    async def _submit_slowly(self, session_id: str, message: Message) -> EndingRecord | Message | None:
        await self._pass()
        known = await super().submit(session_id, message)
        await self._pass()
        return known

    async def _append(self, writer: Writer, records: Sequence[Record]) -> None:
        await self._pass()
        await super().append(writer, records)
        await self._pass()

    async def _pass(self) -> None:
        for _ in range(self._passes):
            await asyncio.sleep(0)
