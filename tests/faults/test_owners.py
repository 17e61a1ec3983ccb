"""Whoever lost a session writes nothing more; whoever closes one leaves nothing behind."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from faults.actors import Gate, World, agent
from ore.artifact import Text
from ore.errors import OreError, describe
from ore.event import UserMessage
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import Message, Role
from ore.session import Manager, Stream, Ticket
from ore.testing.failpoints import Failpoints
from ore.testing.log_check import check_log, check_world
from session.watch import until


class House:
    """A store in a folder, and managers over it as different processes would have them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = World(folder / "world")
        self.store = SqliteStore(folder / "ore.db")
        self.gate = Gate()

    @asynccontextmanager
    async def manager(self, points: str = "") -> AsyncIterator[Manager]:
        made = Manager(agent(self.world, Failpoints.parse(points), self.gate), SqliteStore(self.folder / "ore.db"))
        try:
            yield made
        finally:
            await made.leave(0)
            await made.store.aclose()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    house = House(tmp_path)
    yield house
    await house.store.aclose()


def said(id: str, text: str) -> UserMessage:
    return UserMessage(content=text, id=id)


async def working(manager: Manager, plan: str) -> Stream:
    """A session whose tools wait for the gate."""
    stream = await manager.create_with_id("s")
    await stream.submit(said("m1", plan)).accepted()
    await until(lambda: len(stream.turns) == 2)
    return stream


async def code_of(ticket: Ticket) -> str | None:
    """What went wrong with a message, told by its outcome or raised."""
    try:
        outcome = await ticket
    except OreError as error:
        return describe(error).code
    return None if outcome.error is None else describe(outcome.error).code


@pytest.mark.requirement("D-faults-owner")
async def test_an_owner_whose_epoch_was_taken_writes_nothing_more(house: House) -> None:
    """Below the Placement, as a lock that failed would let it happen."""
    async with asyncio.timeout(15), house.manager() as manager:
        stream = await working(manager, "m1 note wait")
        async with stream.subscribe("tool_result") as results:
            ticket = stream.submit(said("m1", "m1 note wait"))
            await anext(results)  # the note's, which is durable by then
        await house.store.take("s")
        before = await house.store.records("s")
        house.gate.open.set()
        assert await code_of(ticket) == "fenced"
        await stream.idle()
        assert await house.store.records("s") == before
        assert [message.id for message in await house.store.pending("s")] == ["m1"]


@pytest.mark.requirement("D-faults-owner", "D-faults-once")
async def test_the_next_owner_goes_on_where_the_fenced_one_stopped(house: House) -> None:
    async with asyncio.timeout(15), house.manager() as first, house.manager() as second:
        stream = await working(first, "m1 note again wait")
        await until(lambda: house.world.runs().total() == 2)
        await house.store.take("s")
        house.gate.open.set()
        await stream.idle()
        other = await second.attach("s")
        await other.idle()
        reading = check_log(await house.store.records("s"))
        check_world(reading, house.world.runs())
        assert {id: ending.outcome for id, ending in reading.endings.items()} == {"m1": "done"}


@pytest.mark.requirement("D-faults-owner")
async def test_the_fenced_owner_reads_anew_before_it_writes_again(house: House) -> None:
    """What the other wrote meanwhile is in its history, and its readers get one gap."""
    async with asyncio.timeout(15), house.manager() as first, house.manager() as second:
        stream = await first.create_with_id("s")
        await stream.process(said("m1", "m1 note"))
        await stream.idle()
        other = await second.attach("s")
        await other.process(said("m2", "m2 note"))
        await other.idle()
        async with stream.subscribe() as events:
            await stream.process(said("m3", "m3 note"))
            kinds = [entry.kind for entry in events.take()]
        assert kinds.count("gap") == 1
        assert [turn.id for turn in stream.turns] == [turn.id for turn in (await house.store.load("s")).turns]
        reading = check_log(await house.store.records("s"))
        assert list(reading.endings) == ["m1", "m2", "m3"]


async def test_a_write_outside_a_message_by_a_fenced_owner_takes_the_session_anew(house: House) -> None:
    async with asyncio.timeout(15), house.manager() as manager:
        stream = await manager.create_with_id("s")
        await house.store.take("s")
        await stream.metadata.set("k", "v")
        await stream.append_turn(Role.USER)
        assert (await house.store.load("s")).metadata == {"k": "v"}


class LateStore(SqliteStore):
    """What it read of the inbox is old when it comes."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.read = asyncio.Event()
        self.told = asyncio.Event()

    async def pending(self, session_id: str) -> Sequence[Message]:
        found = await super().pending(session_id)
        self.read.set()
        await self.told.wait()
        return found


@pytest.mark.parametrize("end", ["close", "interrupt", "idle"])
async def test_a_message_that_began_elsewhere_while_the_session_was_attached_is_ended_with_its_calls(
    house: House, end: str
) -> None:
    """Whoever closes it then ends what runs, not what waits."""
    late = LateStore(house.folder / "ore.db")
    async with asyncio.timeout(15), house.manager() as first:
        await house.store.create("s", {})
        await house.store.submit("s", Message(id="m1", artifacts=(Text(content="m1 note again wait"),)))
        second = Manager(agent(house.world, Failpoints(), house.gate), late)
        attaching = asyncio.create_task(second.attach("s"))
        await late.read.wait()
        await first.attach("s")
        await until(lambda: house.world.runs().total() == 2)
        await first.leave(0)
        house.gate.open.set()
        late.told.set()
        stream = await attaching
        await getattr(stream, end)()
        await stream.idle()
        reading = check_log(await house.store.records("s"))
        check_world(reading, house.world.runs())
        assert {ending.outcome for ending in reading.endings.values()} == {"done" if end == "idle" else "cancelled"}
        await second.aclose()


async def test_a_turn_that_is_added_follows_those_that_another_process_added_since(house: House) -> None:
    async with house.manager() as first, house.manager() as second:
        here = await first.create_with_id("s")
        await here.append_turn(Role.USER, Text(content="one"))
        there = await second.attach("s")
        await here.append_turn(Role.USER, Text(content="two"))
        await there.append_turn(Role.USER, Text(content="three"))
        await here.history.undo()
        await here.append_turn(Role.USER, Text(content="four"))
    stored = await house.store.load("s")
    parents = {turn.id: turn.parent_id for turn in stored.turns}
    path, at = [], stored.tip
    while at is not None:
        path.append(at)
        at = parents[at]
    said = {turn.id: turn.artifacts[0].for_model() for turn in stored.turns}
    assert [said[turn] for turn in reversed(path)] == ["one", "two", "four"]


@pytest.mark.requirement("D-faults-steering", "D-faults-same-id")
async def test_a_message_that_joined_elsewhere_is_not_said_again_where_its_sender_repeats_it(house: House) -> None:
    """In a session that was live here before, knew nothing of it, and works on the other one by now."""
    async with asyncio.timeout(15), house.manager("stream.begin:2:sleep") as first, house.manager() as second:
        stream = await working(first, "m1 wait | wait")
        other = await second.attach("s")
        await stream.submit(UserMessage(content="s1", id="s1", mode="steer")).accepted()
        house.gate.open.set()
        await until(lambda: len(stream.turns) == 4)
        await first.leave(0)
        house.gate.open.clear()
        m1 = other.submit(said("m1", "m1 wait | wait"))
        await until(lambda: len(other.turns) == 5)
        s1 = other.submit(UserMessage(content="s1", id="s1", mode="steer"))
        await s1.accepted()
        house.gate.open.set()
        assert [(await ticket).status for ticket in (m1, s1)] == ["done", "done"]
        reading = check_log(await house.store.records("s"))
        assert {id: ending.outcome for id, ending in reading.endings.items()} == {"s1": "done", "m1": "done"}
