"""Stores in memory that take their time, or fail, as a test says."""

import asyncio
from collections.abc import Awaitable, Sequence

from ore.errors import StoreError
from ore.ledger import EndingRecord, MemoryStore, Message, Opening, Record, Writer


class HeldStore(MemoryStore):
    """Its methods named in `held` wait until `release`; `waiting` are those that do."""

    def __init__(self, *held: str) -> None:
        super().__init__()
        self.held = set(held)
        self.waiting: list[str] = []
        self._gate = asyncio.Event()

    def hold(self, *methods: str) -> None:
        """Hold these from now on, after a `release` too."""
        self.held.update(methods)
        self._gate = asyncio.Event()

    def release(self) -> None:
        """Let everything go on, now and from now on."""
        self.held.clear()
        self._gate.set()

    async def submit(self, session_id: str, message: Message) -> EndingRecord | Message | None:
        await self._pass("submit")
        return await super().submit(session_id, message)

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        await self._pass("take")
        writer = await super().take(session_id, opening)
        if "next" in self.held:
            writer.waiting = None  # else nobody would ask for the next one
        return writer

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        await self._pass("next")
        return await super().next(writer, mark=mark)

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        return self._append(writer, records) if self._holds("append") else super().append(writer, records)

    async def close(self, writer: Writer) -> bool:
        await self._pass("close")
        return await super().close(writer)

    async def _append(self, writer: Writer, records: Sequence[Record]) -> None:
        await self._pass("append")
        await super().append(writer, records)

    def _holds(self, method: str) -> bool:
        return method in self.held

    async def _pass(self, method: str) -> None:
        if self._holds(method):
            self.waiting.append(method)
            try:
                await self._gate.wait()
            finally:
                self.waiting.remove(method)


class FullStore(MemoryStore):
    """A store that cannot append while it is full."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        if self.full:
            raise StoreError("expected room on the disk, found none")
        return super().append(writer, records)
