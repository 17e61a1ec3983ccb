"""A session under any sequence of operations, and what must hold of it afterwards."""

import asyncio
import itertools
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ore.artifact import Artifact, Text, TextDelta, ToolCall
from ore.errors import ProviderError, SessionClosedError
from ore.event import Entry, InterruptEvent, Lifecycle, Mode, TurnComplete, UserMessage, content_of
from ore.ledger import EndingRecord, Message, Outcome, Role, State, Turn, parted, unanswered
from ore.models import Spec
from ore.provider import Batch, Option
from ore.session import Manager, Stream, Ticket
from ore.testing import OrderChecker, Recorder
from session.watch import agent, steps
from session.yielding_store import YieldingStore


@dataclass(frozen=True)
class Op:
    """One thing that somebody does; `number` says to which message, or how often."""

    name: str
    number: int = 0
    mode: Mode = "queue"


class Gate:
    """Lets one who waits through for each `open`, in order; everybody once it is `off`."""

    def __init__(self) -> None:
        self._tokens = asyncio.Semaphore(0)
        self._off = False

    async def wait(self) -> None:
        if not self._off:
            await self._tokens.acquire()

    def open(self) -> None:
        self._tokens.release()

    def off(self) -> None:
        self._off = True
        for _ in range(1_000):
            self._tokens.release()


class Paced:
    """A provider that waits at a gate before each piece; every third answer calls tools, every fifth fails."""

    name = "paced"

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._count = itertools.count()
        self.unsendable: list[Sequence[Turn]] = []

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        turns = list(state.turns)
        if parted(turns) or unanswered(turns):
            self.unsendable.append(turns)
        number = next(self._count)
        for piece in self._answer(number):
            await self._gate.wait()
            yield (piece,)
        if number % 5 == 4:
            raise ProviderError("it failed", provider=self.name)

    def _answer(self, number: int) -> Sequence[Artifact]:
        said = [TextDelta(content=f"{number}a"), TextDelta(content="b")]
        if number % 3 != 1:
            return said
        return [*said, *(ToolCall(id=name, name="work", arguments="{}") for name in ("x", "y"))]


class Play:
    """Does the operations, lets everything come to its end, and checks it.

    Args:
        passes: How often the store lets others run within each piece of its work.
    """

    def __init__(self, passes: int) -> None:
        self.gate = Gate()
        self.provider = Paced(self.gate)
        self.store = YieldingStore(passes)
        self.tickets: dict[str, Ticket] = {}
        self.modes: dict[str, Mode] = {}
        self.tasks: list[asyncio.Task[Any]] = []
        self.seen: list[Recorder] = []

    async def run(self, ops: Sequence[Op]) -> None:
        await self.store.create("x", {})
        stream = await self.attach()
        for op in ops:
            if op.name == "restart":
                stream = await self.restart(stream)
                continue
            with suppress(SessionClosedError):
                getattr(self, f"do_{op.name}")(stream, op)
            if op.name == "step":
                await steps(op.number + 1)
        self.gate.off()
        async with asyncio.timeout(5):
            await (stream.close() if any(op.name == "close" for op in ops) else stream.idle())
            for task in self.tasks:
                await asyncio.wait((task,))
            await stream.close()
        await self.check(stream)

    async def attach(self) -> Stream:
        stream = await Manager(agent(self.provider, self.work), self.store).attach("x")
        self.seen.append(Recorder(stream, after=""))
        return stream

    async def restart(self, stream: Stream) -> Stream:
        """Another process goes on with what this one leaves."""
        async with asyncio.timeout(5):
            await stream.leave()
        return await self.attach()

    async def work(self) -> str:
        await self.gate.wait()
        return "worked"

    def do_submit(self, stream: Stream, op: Op) -> None:
        self.submit(stream, op.mode)

    def do_process(self, stream: Stream, op: Op) -> None:
        ticket = self.submit(stream, op.mode)
        self.spawn(lambda: _awaited(ticket))

    def do_again(self, stream: Stream, op: Op) -> None:
        if ticket := self.ticket(op.number):
            stream.submit(UserMessage(content=ticket.id, id=ticket.id))

    def do_withdraw(self, stream: Stream, op: Op) -> None:
        if ticket := self.ticket(op.number):
            self.spawn(ticket.withdraw)

    def do_abandon(self, stream: Stream, op: Op) -> None:
        if self.tasks:
            self.tasks[op.number % len(self.tasks)].cancel()

    def do_cancel(self, stream: Stream, op: Op) -> None:
        stream.cancel()

    def do_interrupt(self, stream: Stream, op: Op) -> None:
        self.spawn(lambda: stream.interrupt(clear=op.number % 2 == 0))

    def do_interrupt_event(self, stream: Stream, op: Op) -> None:
        stream.submit(InterruptEvent(clear=op.number % 2 == 0))

    def do_open(self, stream: Stream, op: Op) -> None:
        self.gate.open()

    def do_step(self, stream: Stream, op: Op) -> None:
        """Only time passes."""

    def do_fact(self, stream: Stream, op: Op) -> None:
        self.spawn(lambda: stream.metadata.set("number", str(op.number)))

    def do_turn(self, stream: Stream, op: Op) -> None:
        self.spawn(lambda: stream.append_turn(Role.SYSTEM, Text(content="by the way")))

    def do_close(self, stream: Stream, op: Op) -> None:
        self.spawn(stream.close)

    def submit(self, stream: Stream, mode: Mode) -> Ticket:
        id = f"m{len(self.tickets)}"
        ticket = stream.submit(UserMessage(content=id, id=id, mode=mode))
        self.tickets[id], self.modes[id] = ticket, mode
        return ticket

    def ticket(self, number: int) -> Ticket | None:
        return list(self.tickets.values())[number % len(self.tickets)] if self.tickets else None

    def spawn(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        async def quietly() -> None:
            with suppress(SessionClosedError):
                await work()

        self.tasks.append(asyncio.create_task(quietly()))

    async def check(self, stream: Stream) -> None:
        await steps(10)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, left
        assert [task.exception() for task in self.tasks if not task.cancelled() and task.exception()] == []
        self._told()
        turns = list(stream.turns)
        every = list(stream.history.all_turns)
        assert list((await self.store.load("x")).turns) == every
        assert (parted(turns), unanswered(turns), self.provider.unsendable) == (False, [], [])
        assert await self.store.pending("x") == []
        entries = [entry for seen in self.seen for entry in seen.entries]
        assert [entry.event.turn for entry in entries if isinstance(entry.event, TurnComplete)] == every
        await self._endings(entries)
        self._order(entries)

    def _told(self) -> None:
        """Every process told things in order, and the last one told everything to its end."""
        for place, seen in enumerate(self.seen):
            checker = OrderChecker(resumed=self.tickets if place else ())
            for entry in seen.entries:
                checker.feed(entry)
        checker.close()

    async def _endings(self, entries: Sequence[Entry]) -> None:
        """The ticket, the last event and the stored record of each message agree."""
        told = [
            (str(entry.context.message), entry.event.outcome)
            for entry in entries
            if isinstance(entry.event, Lifecycle) and entry.event.phase == "done"
        ]
        endings: dict[str, Outcome] = {}
        for id, ticket in self.tickets.items():
            known = await self.store.submit("x", Message(id=id, artifacts=content_of(id)))
            assert isinstance(known, EndingRecord), f"{id} has no ending"
            endings[id] = known.outcome
            outcome = ticket.outcome
            assert outcome is None or outcome.status is known.outcome
            assert outcome is not None or len(self.seen) > 1, f"{id}: the ticket has no outcome"
        assert sorted(told) == sorted(endings.items())

    def _order(self, entries: Sequence[Entry]) -> None:
        """Each message that began has one user turn; those that queue began in the order they came."""
        began = [
            str(entry.context.message)
            for entry in entries
            if isinstance(entry.event, TurnComplete) and entry.event.turn.role is Role.USER
        ]
        assert len(began) == len(set(began))
        queued = [id for id in began if self.modes[id] == "queue"]
        assert queued == sorted(queued, key=lambda id: int(id[1:]))


async def _awaited(ticket: Ticket) -> None:
    await ticket
