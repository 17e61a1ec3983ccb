"""What a worker process does: it hears commands and says what happened, a JSON list in each line.

Commands: `open S`, `submit S ID TEXT [MODE]`, `answer S KEY DECISION`, `cancel S ID`, `interrupt S`, `mark S`
(an interrupt that only the store knows), `gate`, `close S`, `leave`, `recover`, `check`, `end`,
`append S COUNT`, `idle S`, `crowd S COUNT SEED`, `roam NAMES COUNT SEED`, `migrate N`, `full` (the disk, as far as this
process can tell) and `room`.
"""

import asyncio
import json
import os
import random
import resource
import signal
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from faults.actors import Gate, World, agent
from faults.roaming import Roaming, followed
from faults.saying import say
from ore.artifact import Text
from ore.errors import OreError, SessionClosedError, SessionOwnedError, describe
from ore.event import Answer, Entry, Lifecycle, Question, TurnComplete, UserMessage
from ore.ext.stores.sqlite import SqliteStore, schema
from ore.ledger import Role
from ore.session import AskPolicy, Manager, Services, Ticket
from ore.session.children import child_id
from ore.testing.failing import FailingStore
from ore.testing.failpoints import Failpoints
from ore.testing.log_check import LogReading, check_log, check_world


class Worker:
    """A manager over a store, and what it was told to do.

    Attributes:
        kept: The real store, beneath the failpoints.
    """

    def __init__(self, folder: Path) -> None:
        self.world = World(folder / "world")
        self.kept = SqliteStore(folder / "ore.db")
        points = Failpoints.from_environment(told=lambda name: say("hit", name))
        self.gate = Gate()
        self.manager = Manager(
            agent(self.world, points, self.gate),
            FailingStore(self.kept, points),
            services=Services(asking=AskPolicy(wait=True)),
        )
        self.manager.register_sink(_heard, "turn_complete", "question", "lifecycle", "error")
        self.tasks: set[asyncio.Future[object]] = set()
        self.tickets: dict[tuple[str, str], Ticket] = {}

    def begin(self, work: Awaitable[object]) -> None:
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def open(self, session: str) -> None:
        await self.manager.open(session)
        say("opened", session)

    async def submit(self, session: str, id: str, text: str, mode: Any = "queue") -> None:
        try:
            ticket = self.manager.get(session).submit(UserMessage(content=text, id=id, mode=mode))
        except OreError as error:
            say("refused", session, id, describe(error).code)
        else:
            self.tickets[session, id] = ticket
            self.begin(followed(session, ticket))

    async def answer(self, session: str, key: str, decision: str) -> None:
        answer = Answer(key=key, answer=decision) if "/" in key else Answer(key=key, decision=decision)  # type: ignore[arg-type]
        await self.manager.get(session).answer(key, answer)
        say("answered", session, key)

    async def interrupt(self, session: str) -> None:
        done = await self.manager.get(session).interrupt()
        say("interrupted", session, done.cancelled, [id for id, _ in done.cleared])

    async def cancel(self, session: str, id: str) -> None:
        say("cancelled", session, id, await self.tickets[session, id].cancel())

    async def mark(self, session: str) -> None:
        await self.kept.interrupt(session)
        say("marked", session)

    async def full(self) -> None:
        files = self.kept.path.parent.glob("ore.db*")
        _limit_files(max(file.stat().st_size for file in files if file.is_file()))
        say("is full")

    async def room(self) -> None:
        _limit_files(resource.RLIM_INFINITY)
        say("has room")

    async def migrate(self, later: int) -> None:
        """As an ore would that has so many more steps."""
        steps = ("CREATE TABLE later (step INTEGER)", "INSERT INTO later VALUES (1)"), ("INSERT INTO later VALUES (2)",)
        schema.MIGRATIONS = (*schema.MIGRATIONS, *steps[:later])
        await self.kept.create(f"p{os.getpid()}", {})
        say("migrated", later)

    async def close(self, session: str) -> None:
        await self.manager.close(session)
        say("closed", session)

    async def leave(self) -> None:
        await self.manager.leave(0)
        say("left")

    async def append(self, session: str, count: int) -> None:
        stream = await self.manager.open(session)
        for number in range(count):
            turn = await stream.append_turn(Role.USER, Text(content=str(number)))
            say("turn", session, turn.id, turn.role)
        say("appended", session)

    async def idle(self, session: str) -> None:
        await self.manager.get(session).idle()
        say("idle", session)

    async def crowd(self, session: str, count: int, seed: int) -> None:
        self.begin(self._crowd(session, count, random.Random(seed)))

    async def _crowd(self, session: str, count: int, chance: random.Random) -> None:
        """Submit so many messages, each until it is accepted, and close the session every now and then."""
        refused = accepted = 0
        tickets: list[Ticket] = []
        while accepted < count:
            stream = await self.manager.open(session)
            try:
                ticket = stream.submit(UserMessage(content="x", id=f"{os.getpid()}-{accepted}"))
                await ticket.accepted()
            except (SessionOwnedError, SessionClosedError):
                refused += 1
                await asyncio.sleep(chance.uniform(0, 0.005))  # the other one shall have its turn
                continue
            accepted += 1
            tickets.append(ticket)
            match chance.randrange(10):
                case 0:
                    self.begin(stream.close())
                case 1 | 2:
                    await stream.idle()
                    await asyncio.sleep(chance.uniform(0, 0.005))
                case _:
                    pass
        for ticket in tickets:
            await ticket
        say("crowded", session, refused, accepted)

    async def roam(self, names: Sequence[str], count: int, seed: int) -> None:
        self.begin(Roaming(self.manager, names, count, random.Random(seed)).run())

    async def recover(self) -> None:
        streams = await self.manager.recover()
        say("recovering", [stream.id for stream in streams])
        self.begin(_recovered([stream.idle() for stream in streams]))

    async def check(self) -> None:
        say("checked", await _checked(self.kept, self.world))


def _limit_files(size_bytes: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))


async def _recovered(idle: list[Awaitable[None]]) -> None:
    for one in idle:
        await one
    say("recovered")


def _heard(session: str, entry: Entry) -> None:
    event = entry.event
    match event:
        case TurnComplete(turn=turn):
            say("turn", session, turn.id, turn.role)
        case Question(key=key):
            say("question", session, key)
        case Lifecycle(phase="done", outcome=outcome):
            say("done", session, entry.context.message, outcome)
        case _:
            pass


async def _checked(store: SqliteStore, world: World) -> dict[str, Any]:
    """Every session, by its log alone; the world outside must agree with them."""
    cursor, names = None, []
    while True:
        page = await store.list(cursor=cursor, limit=100)
        names += [thread.id for thread in page.threads]
        cursor = page.next_cursor
        if cursor is None:
            break
    readings = {name: check_log(await store.records(name)) for name in names}
    for name in names:  # and what worked for them, which no list shows
        for key, called in readings[name].calls.items():
            if called in ("child", "team"):
                readings[child_id(key)] = check_log(await store.records(child_id(key)))
    runs = world.runs()
    for name, reading in readings.items():
        check_world(reading, {key: count for key, count in runs.items() if key in reading.calls})
        stored = await store.load(name)
        assert [turn.id for turn in stored.turns] == list(reading.turns), "the store loads what the log says"
    strange = set(runs) - {key for reading in readings.values() for key in reading.calls}
    assert not strange, f"effects of calls that no log knows: {strange}"
    assert await store.unfinished() == [], "work is left in the inbox"
    return {name: _summary(reading, runs) for name, reading in readings.items()}


def _summary(reading: LogReading, runs: Counter[str]) -> dict[str, Any]:
    said = Counter(reading.messages.get(id, id) for id, turn in reading.turns.items() if turn.role is Role.USER)
    assert all(count == 1 for count in said.values()), f"messages that were said twice: {said}"
    return {
        "endings": {id: [ending.outcome, ending.error and ending.error.code] for id, ending in reading.endings.items()},
        "results": {key: [reading.calls[key], result.status] for key, (_, result) in reading.results.items()},
        "runs": {key: runs[key] for key in reading.calls if key in runs},
        "said": [
            [turn.role, turn.status, "".join(a.content for a in turn.artifacts if isinstance(a, Text))]
            for turn in reading.path
        ],
        "turns": list(reading.turns),
        "questions": {key: record.status for key, record in reading.questions.items()},
    }


def _tell_tasks() -> None:
    """What everybody waits for, for whoever has to find out why nothing happens."""
    for task in asyncio.all_tasks():
        print(task.get_name(), file=sys.stderr)
        waits: Any = task.get_coro()
        while frame := getattr(waits, "cr_frame", None):
            print(f"  {frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}", file=sys.stderr)
            waits = waits.cr_await
    sys.stderr.flush()


async def _serve(folder: Path) -> None:
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, _tell_tasks)
    worker = Worker(folder)
    commands, _ = await asyncio.open_unix_connection(sock=socket.socket(fileno=os.dup(0)), limit=1 << 24)
    say("ready")
    while line := await commands.readline():
        name, *words = json.loads(line)
        if name == "end":
            break
        if name == "gate":
            worker.gate.open.set()
        else:
            command: Callable[..., Awaitable[None]] = getattr(worker, name)
            try:
                await command(*words)
            except OreError as error:
                say("failed", name, *words, describe(error).code)
    await worker.manager.aclose()
    for task in list(worker.tasks):
        await task
    say("bye")


def main(folder: str) -> None:
    asyncio.run(_serve(Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1])
