"""Closing against submitting: in every interleaving each message ends once, or goes on at the next attach."""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Awaitable, Sequence

import pytest

from faults.actors import agent
from ore.errors import OreError, SessionClosedError
from ore.event import Mode, UserMessage
from ore.ledger import EndingRecord, MemoryStore, Message, Opening, Record, Writer
from ore.session import Manager, Stream, Ticket
from ore.testing.failpoints import Failpoints
from ore.testing.log_check import LogReading, Row, check_log, check_world

SEED = int(os.environ.get("FAULTS_SEED", "0"))
ROUNDS = 1000
MODES: Sequence[Mode] = ("queue", "queue", "steer", "interrupt")


class Tally:
    """A world in memory."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()

    def add(self, key: str) -> None:
        self.count[key] += 1

    def runs(self) -> Counter[str]:
        return self.count


class HesitantStore(MemoryStore):
    """Takes its time before and after each write, and remembers its log."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance
        self.rows: list[Row] = []

    def submit(self, session_id: str, message: Message) -> Awaitable[EndingRecord | Message | None]:
        return asyncio.ensure_future(self._submit_slowly(session_id, message))  # begins at once, as a real one does

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        await self._hesitate()
        writer = await super().take(session_id, opening)
        if opening is not None and writer.opened:
            self._remember(writer, opening.records)
        await self._hesitate()
        return writer

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        await self._hesitate()
        found = await super().next(writer, mark=mark)
        await self._hesitate()
        return found

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        return self._append(writer, records)

    async def close(self, writer: Writer) -> bool:
        await self._hesitate()
        found = await super().close(writer)
        await self._hesitate()
        return found

    async def _append(self, writer: Writer, records: Sequence[Record]) -> None:
        await self._hesitate()
        await super().append(writer, records)
        self._remember(writer, records)
        await self._hesitate()

    async def _submit_slowly(self, session_id: str, message: Message) -> EndingRecord | Message | None:
        await self._hesitate()
        found = await super().submit(session_id, message)
        await self._hesitate()
        return found

    def _remember(self, writer: Writer, records: Sequence[Record]) -> None:
        for record in records:
            self.rows.append((len(self.rows) + 1, writer.epoch, record))

    async def _hesitate(self) -> None:
        for _ in range(self._chance.choice((0, 0, 1, 2, 5))):
            await asyncio.sleep(0)


class Race:
    """One session, several who submit, and somebody who closes it or lets the process end."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.store = HesitantStore(self.chance)
        self.world = Tally()
        self.tickets: list[Ticket] = []
        self.closes = self.chance.random() < 0.6

    def manager(self) -> Manager:
        return Manager(agent(self.world, Failpoints()), self.store)

    async def run(self) -> LogReading:
        stream = await self.manager().create_with_id("s")
        async with asyncio.TaskGroup() as group:
            for sender in "ab":
                group.create_task(self._submit(stream, sender))
            group.create_task(self._disturb(stream))
            group.create_task(self._end(stream))
        accepted = [ticket.id for ticket in self.tickets if await self._is_over(ticket)]
        if not self.closes:
            await self._go_on()
        reading = check_log(self.store.rows)
        check_world(reading, self.world.runs())
        assert await self.store.pending("s") == []
        assert set(accepted) <= set(reading.endings)
        return reading

    async def _submit(self, stream: Stream, sender: str) -> None:
        for number in range(3):
            await self._wait(12)
            mode: Mode = self.chance.choice(MODES)
            text = f"{sender}{number}" + self.chance.choice(("", " note", " note again | look"))
            try:
                self.tickets.append(stream.submit(UserMessage(content=text, id=f"{sender}{number}", mode=mode)))
            except SessionClosedError:
                return

    async def _disturb(self, stream: Stream) -> None:
        await self._wait(40)
        try:
            match self.chance.randrange(4):
                case 0:
                    stream.cancel()
                case 1:
                    await stream.interrupt(clear=self.chance.random() < 0.5)
                case 2 if self.tickets:
                    await self.chance.choice(self.tickets).withdraw()
                case _:
                    pass
        except SessionClosedError:
            pass

    async def _end(self, stream: Stream) -> None:
        await self._wait(80)
        await (stream.close() if self.closes else stream.leave())

    async def _is_over(self, ticket: Ticket) -> bool:
        """Whether the message was accepted; whoever waits for it hears of it in any case."""
        try:
            await ticket
        except OreError as error:
            assert isinstance(error, SessionClosedError), error
            assert not self.closes or not ticket.is_accepted
        return ticket.is_accepted

    async def _go_on(self) -> None:
        for stream in await self.manager().recover():
            await stream.idle()

    async def _wait(self, most: int) -> None:
        for _ in range(self.chance.randrange(most)):
            await asyncio.sleep(0)


@pytest.mark.slow
@pytest.mark.requirement("D-faults-close")
async def test_closing_races_submitting_and_every_message_ends_once() -> None:
    for seed in range(SEED, SEED + ROUNDS):
        try:
            async with asyncio.timeout(10):
                await Race(seed).run()
        except BaseException as error:
            error.add_note(f"FAULTS_SEED={seed}")
            raise
