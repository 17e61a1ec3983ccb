"""A worker that goes from session to session and works until every message of every one has ended."""

import asyncio
import random
from collections.abc import Sequence

from faults.saying import say
from ore.errors import OreError, describe
from ore.event import Answer, Entry, Gap, Mode, Question, UserMessage
from ore.session import Manager, Stream, Ticket

TOOLS = ("note", "again", "slow", "look", "careful", "wonder", "wonder_again")
MODES: Sequence[Mode] = ("queue", "queue", "queue", "steer", "interrupt")


class Roaming:
    """Submits what all workers submit, and does what disturbs them.

    Args:
        names: The sessions.
        count: Messages in each, under the same ids and with the same content in every worker.
        chance: Decides the rest.
    """

    def __init__(self, manager: Manager, names: Sequence[str], count: int, chance: random.Random) -> None:
        self._manager = manager
        self._left = {name: {f"m{number}" for number in range(count)} for name in names}
        self._chance = chance
        self._answering: set[asyncio.Task[None]] = set()
        manager.register_sink(self._asked, "question", "gap")

    async def run(self) -> None:
        while left := [name for name, ids in self._left.items() if ids]:
            self._chance.shuffle(left)
            for name in left:
                try:
                    await self._visit(name)
                except OreError as error:
                    say("not visited", name, describe(error).code)
                await asyncio.sleep(self._chance.uniform(0, 0.01))  # others shall have their turn
        say("roamed")

    async def _visit(self, name: str) -> None:
        stream = await self._manager.open(name)
        tickets: list[Ticket] = []
        for id in sorted(self._left[name], key=lambda _: self._chance.random()):
            try:
                tickets.append(stream.submit(planned(name, id)))
            except OreError:  # somebody closed it
                break
            try:
                await disturb(stream, self._chance, 40)
            except OreError as error:
                say("disturbed", stream.id, describe(error).code)
        for ticket in tickets:
            if await followed(name, ticket):
                self._left[name].discard(ticket.id)

    def _asked(self, session: str, entry: Entry) -> None:
        for question in questions_of(entry):
            task = asyncio.ensure_future(self._answer(session, question))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

    async def _answer(self, session: str, question: Question) -> None:
        answer = Answer(key=question.key, answer="yes")
        if question.purpose == "approval":
            answer = Answer(key=question.key, decision="approve" if self._chance.random() < 0.7 else "deny")
        code: str | None = "store"
        while code == "store":  # nobody gives up because the disk was full
            try:
                await self._manager.get(session).answer(question.key, answer)
                code = None
            except OreError as error:
                code = describe(error).code
            say("answered", session, question.key, code)


async def disturb(stream: Stream, chance: random.Random, sides: int) -> None:
    """Do what people do to a session, or nothing, by a die with so many sides."""
    match chance.randrange(sides):
        case 0:
            await stream.interrupt(clear=False)
        case 1:
            stream.cancel()
        case 2:
            await stream.close()
        case 3:
            await stream.leave()
        case 4:
            await stream.idle()
        case 5:
            await stream.metadata.set("k", str(chance.random()))
        case _:
            await asyncio.sleep(0)


def questions_of(entry: Entry) -> Sequence[Question]:
    """What an event asks, or asks anew."""
    event = entry.event
    asked = event.snapshot.questions if isinstance(event, Gap) else [event]
    return [one for one in asked if isinstance(one, Question)]


def planned(session: str, id: str) -> UserMessage:
    """The same message in every process."""
    chance = random.Random(f"{session} {id}")
    rounds = [" ".join(chance.choices(TOOLS, k=chance.randint(1, 3))) for _ in range(chance.choice((0, 1, 1, 2)))]
    return UserMessage(content=" ".join([id, " | ".join(rounds)]).strip(), id=id, mode=chance.choice(MODES))


async def followed(session: str, ticket: Ticket) -> bool:
    """Say what becomes of a message; whether it has ended."""
    try:
        await ticket.accepted()
        say("accepted", session, ticket.id)
        outcome = await ticket
    except OreError as error:
        say("went on", session, ticket.id, describe(error).code)
        return False
    code = None if outcome.error is None else describe(outcome.error).code
    say("ended", session, ticket.id, outcome.status, code)
    return ticket.is_repeated or code not in ("store", "fenced")  # else nobody knows whether that is durable
