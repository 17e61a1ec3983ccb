"""A store that fails now and then: what is sent again, here or by another manager, is answered once."""

import asyncio
import os
import random
from collections import Counter
from collections.abc import Awaitable, Mapping, Sequence

import pytest

from faults.actors import agent
from faults.roaming import TOOLS, disturb, questions_of
from faults.test_close_races import MODES, HesitantStore, Tally
from ore.errors import FencedError, NotFoundError, OreError, StoreError
from ore.event import Answer, Entry, Question, UserMessage
from ore.ledger import EndingRecord, Message, Opening, Record, Role, Writer
from ore.session import Manager, Stream, Ticket
from ore.testing.failpoints import Failpoints
from ore.testing.log_check import check_log, check_world

SEED = int(os.environ.get("FAULTS_SEED", "0"))
ROUNDS = 300
NAMES = "abcde"
FAILURES = 8
TRIES = 200


class UnreliableStore(HesitantStore):
    """Does nothing but fail, every now and then, a few times in all."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(chance)
        self.left = 0

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        self._fail()
        return await super().take(session_id, opening)

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        self._fail()
        return await super().next(writer, mark=mark)

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        return self._append_unless(writer, records)

    async def close(self, writer: Writer) -> bool:
        self._fail()
        return await super().close(writer)

    async def park(self, writer: Writer) -> None:
        self._fail()
        await super().park(writer)

    async def interrupt(self, session_id: str) -> None:
        self._fail()
        await super().interrupt(session_id)

    async def _submit_slowly(self, session_id: str, message: Message) -> EndingRecord | Message | None:
        self._fail()
        return await super()._submit_slowly(session_id, message)

    async def _append_unless(self, writer: Writer, records: Sequence[Record]) -> None:
        self._fail()
        await super().append(writer, records)

    def _fail(self) -> None:
        if self.left and self._chance.random() < 0.06:
            self.left -= 1
            raise StoreError("no space left")


class Sender:
    """Sends every message again and again until all have ended, and does what people do meanwhile."""

    def __init__(self, manager: Manager, chance: random.Random, messages: Mapping[str, UserMessage]) -> None:
        self._manager = manager
        self._chance = chance
        self._left = dict(messages)
        self._answers: set[asyncio.Task[None]] = set()
        manager.register_sink(self._asked, "question", "gap")

    async def run(self) -> None:
        for _ in range(TRIES):
            if not self._left:
                return
            try:
                stream = await self._manager.open("s")
            except StoreError:
                continue
            self._answer(stream, stream.snapshot().questions)
            await self._send(stream)
        raise AssertionError(f"{sorted(self._left)} come to no end")

    async def _send(self, stream: Stream) -> None:
        tickets: list[Ticket] = []
        for message in sorted(self._left.values(), key=lambda _: self._chance.random()):
            try:
                tickets.append(stream.submit(message))
                await disturb(stream, self._chance, 24)
            except OreError:  # it was closed, or the store failed
                continue
        for ticket in tickets:
            try:
                outcome = await ticket
            except OreError:
                continue
            if ticket.is_repeated or not isinstance(outcome.error, StoreError | FencedError):
                del self._left[ticket.id]

    def _asked(self, session: str, entry: Entry) -> None:
        try:
            stream = self._manager.get(session)
        except NotFoundError:  # it was closed
            return
        self._answer(stream, questions_of(entry))

    def _answer(self, stream: Stream, questions: Sequence[Question]) -> None:
        for question in questions:
            task = asyncio.create_task(self._answer_one(stream, question))
            self._answers.add(task)
            task.add_done_callback(self._answers.discard)

    async def _answer_one(self, stream: Stream, question: Question) -> None:
        answer = Answer(key=question.key, answer="yes")
        if question.purpose == "approval":
            answer = Answer(key=question.key, decision=self._chance.choice(("approve", "approve", "deny")))
        for _ in range(TRIES):
            try:
                await stream.answer(question.key, answer)
            except StoreError:
                continue
            except OreError:  # it was answered, or is over
                return
            return


async def run(seed: int) -> None:
    chance = random.Random(seed)
    store, world = UnreliableStore(chance), Tally()
    messages = {}
    for name in NAMES:
        rounds = [" ".join(chance.choices(TOOLS, k=chance.randint(1, 3))) for _ in range(chance.choice((0, 1, 1, 2)))]
        messages[name] = UserMessage(content=f"{name} {' | '.join(rounds)}".strip(), id=name, mode=chance.choice(MODES))
    managers = [Manager(agent(world, Failpoints()), store) for _ in range(2)]
    await store.create("s", {})
    store.left = FAILURES
    async with asyncio.TaskGroup() as group:
        for manager in managers:
            group.create_task(Sender(manager, chance, messages).run())
    store.left = 0
    for manager in managers:
        await manager.close_all()
    reading = check_log(store.rows)
    check_world(reading, world.runs())
    said = Counter(reading.messages.get(id, id) for id, turn in reading.turns.items() if turn.role is Role.USER)
    assert set(said.values()) <= {1}
    assert sorted(reading.endings) == list(NAMES)
    assert await store.pending("s") == []


@pytest.mark.slow
@pytest.mark.requirement("D-faults-store")
async def test_what_is_sent_again_after_the_store_failed_is_answered_once() -> None:
    for seed in range(SEED, SEED + ROUNDS):
        try:
            async with asyncio.timeout(20):
                await run(seed)
        except BaseException as error:
            error.add_note(f"FAULTS_SEED={seed}")
            raise
