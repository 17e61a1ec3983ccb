"""A store that fails now and then: whoever sends a message again has it answered once, by whatever process lives on."""

import asyncio
import os
import random
from collections.abc import Awaitable, Sequence

import pytest

from faults.actors import agent
from faults.test_close_races import MODES, HesitantStore, Tally
from ore.errors import StoreError
from ore.event import UserMessage
from ore.ledger import EndingRecord, Message, Record, Writer
from ore.session import Manager, Stream
from ore.testing.failpoints import Failpoints
from ore.testing.log_check import check_log, check_world

SEED = int(os.environ.get("FAULTS_SEED", "0"))
ROUNDS = 300
NAMES = "abcde"
FAILURES = 6
TRIES = 100


class UnreliableStore(HesitantStore):
    """Does nothing but fail, every now and then, a few times in all."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(chance)
        self._left = FAILURES

    async def submit(self, session_id: str, message: Message) -> EndingRecord | Message | None:
        self._fail()
        return await super().submit(session_id, message)

    async def take(self, session_id: str) -> Writer:
        self._fail()
        return await super().take(session_id)

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        self._fail()
        return await super().next(writer, mark=mark)

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        return self._append_unless(writer, records)

    async def close(self, writer: Writer) -> bool:
        self._fail()
        return await super().close(writer)

    async def _append_unless(self, writer: Writer, records: Sequence[Record]) -> None:
        self._fail()
        await super().append(writer, records)

    def _fail(self) -> None:
        if self._left and self._chance.random() < 0.15:
            self._left -= 1
            raise StoreError("no space left")


async def send(stream: Stream, message: UserMessage) -> None:
    """Again and again, until it has ended."""
    for _ in range(TRIES):
        ticket = stream.submit(message)
        try:
            outcome = await ticket
        except StoreError:
            continue
        if ticket.is_repeated or not isinstance(outcome.error, StoreError):
            return
    raise AssertionError(f"{message.id} comes to no end")


async def disturb(stream: Stream, chance: random.Random) -> None:
    """What people do meanwhile; nothing of it is sent again."""
    for _ in range(chance.randrange(3)):
        for _ in range(chance.randrange(40)):
            await asyncio.sleep(0)
        try:
            match chance.randrange(4):
                case 0:
                    stream.cancel()
                case 1:
                    await stream.interrupt(clear=False)
                case 2:
                    await stream.metadata.set("k", "v")
                case _:
                    await stream.idle()
        except StoreError:
            continue


async def run(seed: int) -> None:
    chance = random.Random(seed)
    store, world = UnreliableStore(chance), Tally()
    async with Manager(agent(world, Failpoints()), store) as manager:
        stream = await manager.create_with_id("s")
        async with asyncio.TaskGroup() as group:
            group.create_task(disturb(stream, chance))
            for name in NAMES:
                text = name + chance.choice(("", " note", " note again | look"))
                group.create_task(send(stream, UserMessage(content=text, id=name, mode=chance.choice(MODES))))
        reading = check_log(store.rows)
        check_world(reading, world.runs())
        assert sorted(reading.endings) == list(NAMES)


@pytest.mark.slow
@pytest.mark.requirement("D-faults-store")
async def test_what_is_sent_again_after_the_store_failed_is_answered_once() -> None:
    for seed in range(SEED, SEED + ROUNDS):
        try:
            async with asyncio.timeout(10):
                await run(seed)
        except BaseException as error:
            error.add_note(f"FAULTS_SEED={seed}")
            raise
