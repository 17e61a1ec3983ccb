"""A session and its store: what is refused, what is in flight at the end, what another process left."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Literal

import pytest

from ore.artifact import Text
from ore.errors import ConflictError, SessionClosedError, StoreError
from ore.event import UserMessage
from ore.ledger import (
    EndingRecord,
    MemoryStore,
    Message,
    Opening,
    Outcome,
    Record,
    Role,
    TakenRecord,
    Turn,
    TurnRecord,
    Writer,
)
from ore.session import Manager, Stream, Ticket
from ore.testing import ScriptedProvider
from session.held_store import HeldStore
from session.watch import Watch, agent, answer, said, steps, until


async def test_a_message_that_the_store_refuses_keeps_no_other_from_being_cleared(watch: Watch) -> None:
    store = HeldStore()
    provider = ScriptedProvider(answer("one"), [asyncio.Event()])
    stream = watch.of(await Manager(agent(provider), store).create())
    await stream.process(UserMessage(content="first", id="a"))
    await stream.idle()
    running = stream.submit("running")
    await until(lambda: watch.told(stream).count("submitted") == 2)
    store.held.add("submit")
    refused = stream.submit(UserMessage(content="another", id="a"))
    waiting = stream.submit("waiting")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        interrupt = group.create_task(stream.interrupt())
        await until(lambda: store.waiting == ["submit"])
        await steps()
        store.release()
    assert [id for id, _ in interrupt.result().cleared] == [waiting.id]
    assert [(await ticket).status for ticket in (running, waiting)] == [Outcome.CANCELLED, Outcome.CLEARED]
    for refusal in (refused, refused.accepted()):
        with pytest.raises(ConflictError):
            await refusal


async def test_a_message_that_the_store_refuses_keeps_no_other_from_being_closed(watch: Watch) -> None:
    store = HeldStore()
    provider = ScriptedProvider(answer("one"), [asyncio.Event()])
    stream = watch.of(await Manager(agent(provider), store).create())
    await stream.process(UserMessage(content="first", id="a"))
    await stream.idle()
    running = stream.submit("running")
    await until(lambda: watch.told(stream).count("submitted") == 2)
    store.held.add("submit")
    refused = stream.submit(UserMessage(content="another", id="a"))
    waiting = stream.submit("waiting")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(stream.close())
        await until(lambda: store.waiting == ["submit"])
        await steps()
        store.release()
    assert [(await ticket).status for ticket in (running, waiting)] == [Outcome.CANCELLED, Outcome.CLOSED]
    with pytest.raises(ConflictError):
        await refused
    assert len(provider.invocations) == 2


@pytest.mark.requirement("D-close", "D-own-writes")
@pytest.mark.parametrize("how", ["close", "leave"])
@pytest.mark.parametrize("what", ["turn", "fact"])
async def test_a_session_ends_only_after_its_own_writes(watch: Watch, how: str, what: str) -> None:
    """Whatever they write is told before the events end."""
    store = HeldStore()
    stream = watch.of(await Manager(agent(ScriptedProvider()), store).create())
    store.held.add("append")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        if what == "turn":
            group.create_task(stream.append_turn(Role.SYSTEM, Text(content="by the way")))
        else:
            group.create_task(stream.metadata.set("color", "blue"))
        await until(lambda: store.waiting == ["append"])
        ending = group.create_task(stream.close() if how == "close" else stream.leave())
        await steps()
        ended = ending.done()
        store.release()
    assert not ended
    assert watch.told(stream) == ["turn system" if what == "turn" else "properties"]


@pytest.mark.requirement("D-takes-over")
@pytest.mark.parametrize("began", [True, False])
async def test_a_live_session_first_finishes_what_another_process_left_in_its_inbox(watch: Watch, began: bool) -> None:
    """One that was attached long before: the other came later, accepted a message, and died."""
    store = MemoryStore()
    provider = ScriptedProvider(answer("one"), answer("two"))
    stream = await Manager(agent(provider), store).create_with_id("x")
    await store.submit("x", Message(id="theirs", artifacts=(Text(content="theirs"),)))
    if began:
        writer = await store.take("x")
        await store.next(writer)
        turn = Turn(id="t", role=Role.USER, artifacts=(Text(content="theirs"),))
        await store.append(writer, [TurnRecord(turn=turn, message="theirs"), TakenRecord(message="theirs")])
    async with asyncio.timeout(5):
        await stream.process("mine")
        await stream.idle()
        await stream.close()
    assert said(stream.turns) == [("user", "theirs"), ("assistant", "one"), ("user", "mine"), ("assistant", "two")]
    assert await store.pending("x") == []


class RefusingStore(HeldStore):
    """Refuses appends that end a message while it is full, and messages of an id once `refusal` is set."""

    full = False
    refused = ""

    def __init__(self) -> None:
        super().__init__()
        self.refusal = asyncio.Event()

    async def submit(self, session_id: str, message: Message) -> EndingRecord | Message | None:
        if message.id == self.refused:
            await self.refusal.wait()
            raise StoreError("expected room on the disk, found none")
        return await super().submit(session_id, message)

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        if self.full and any(isinstance(record, EndingRecord) for record in records):
            raise StoreError("expected room on the disk, found none")
        return super().append(writer, records)


@pytest.mark.requirement("D-faults-store")
async def test_a_message_whose_ending_was_refused_is_not_begun_again_when_it_comes_again(watch: Watch) -> None:
    store = RefusingStore()
    stream = watch.of(await Manager(agent(ScriptedProvider(answer("one"), answer("two"))), store).create())
    store.full = True
    with pytest.raises(StoreError):
        await stream.process(UserMessage(content="hello", id="a"))
    await stream.idle()
    store.full = False
    outcome = await stream.process(UserMessage(content="hello", id="a"))
    assert outcome.status is Outcome.DONE
    assert [turn.role for turn in stream.turns] == [Role.USER, Role.ASSISTANT]


@pytest.mark.requirement("D-faults-store")
async def test_a_message_that_goes_on_already_is_not_refused_to_whoever_sends_it_again(watch: Watch) -> None:
    """It was left in the inbox, and is found there while it is on its way into it once more."""
    store, go = RefusingStore(), asyncio.Event()
    provider = ScriptedProvider(answer("one"), [go, *answer("two")], answer("three"))
    stream = watch.of(await Manager(agent(provider), store).create())
    store.full = True
    with pytest.raises(StoreError):
        await stream.process(UserMessage(content="hello", id="a"))
    await stream.idle()
    store.full, store.refused = False, "a"
    store.held.add("take")
    async with asyncio.timeout(5):
        other = stream.submit(UserMessage(content="other", id="b"))
        await until(lambda: store.waiting == ["take"])
        again = stream.submit(UserMessage(content="hello", id="a"))
        store.release()
        await until(lambda: watch.told(stream)[-1:] == ["submitted"])
        store.refusal.set()
        await steps()
        go.set()
        assert [(await ticket).status for ticket in (again, other)] == [Outcome.DONE, Outcome.DONE]


class LateStore(HeldStore):
    """Knows what comes next a while before it says so, when `late` is held."""

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        writer = await super().take(session_id, opening)
        writer.waiting = None  # else nobody would ask for the next one
        return writer

    async def next(self, writer: Writer, *, mark: bool = False) -> Message | None:
        message = await super().next(writer, mark=mark)
        await self._pass("late")
        return message


@pytest.mark.parametrize("mode", ["interrupt", "queue"])
async def test_a_message_that_interrupts_cancels_what_is_just_about_to_begin(
    watch: Watch, mode: Literal["interrupt", "queue"]
) -> None:
    store = LateStore("late")
    stream = watch.of(await Manager(agent(ScriptedProvider(answer("one"), repeat=True)), store).create())
    async with asyncio.timeout(5):
        first = stream.submit("first")
        await until(lambda: store.waiting == ["late"])
        other = stream.submit(UserMessage(content="other", mode=mode))
        store.release()
        assert (await first).status is (Outcome.CANCELLED if mode == "interrupt" else Outcome.DONE)
        assert (await other).status is Outcome.DONE


class OrderedStore(HeldStore):
    """Notes an interrupt behind what it was asked before, as a store with one writer does."""

    async def interrupt(self, session_id: str) -> None:
        await self._pass("interrupt")
        await super().interrupt(session_id)


@pytest.mark.parametrize("how", ["interrupt", "cancel"])
async def test_who_stops_a_message_whose_answer_is_on_its_way_to_the_store_hears_that_it_is_done(
    watch: Watch, how: str
) -> None:
    store, go = OrderedStore(), asyncio.Event()
    stream = watch.of(await Manager(agent(ScriptedProvider([go, *answer("one")])), store).create())
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        ticket = stream.submit("hello")
        await until(lambda: watch.told(stream)[-1:] == ["submitted"])
        store.hold("append", "interrupt")
        go.set()
        await until(lambda: store.waiting == ["append"])
        stopped = group.create_task(_stopped(stream, ticket, how))
        await until(lambda: store.waiting == ["append", "interrupt"])
        store.release()
        assert (await ticket).status is Outcome.DONE
    assert stopped.result() is False


async def _stopped(stream: Stream, ticket: Ticket, how: str) -> bool:
    return await ticket.cancel() if how == "cancel" else (await stream.interrupt()).cancelled is not None


async def left_by_another(watch: Watch, store: HeldStore) -> Stream:
    """A session whose message `a` an earlier process had begun, and which this one is about to take."""
    await store.create("s", {})
    await store.submit("s", Message(id="a", artifacts=(Text(content="hello"),)))
    turn = Turn(id="first", role=Role.USER, artifacts=(Text(content="hello"),))
    await store.append(await store.take("s"), [TurnRecord(turn=turn, message="a"), TakenRecord(message="a")])
    store.hold("take")
    stream = watch.of(await Manager(agent(ScriptedProvider(answer("one"))), store).attach("s"))
    await until(lambda: store.waiting == ["take"])
    return stream


async def test_a_message_that_interrupts_cancels_what_is_about_to_go_on(watch: Watch) -> None:
    store = HeldStore()
    async with asyncio.timeout(5):
        stream = await left_by_another(watch, store)
        other = stream.submit(UserMessage(content="other", id="b", mode="interrupt"))
        store.release()
        assert (await other).status is Outcome.DONE
    assert await store.ending("s", "a") == EndingRecord(message="a", outcome=Outcome.CANCELLED)
    assert said(stream.turns) == [("user", "hello"), ("user", "other"), ("assistant", "one")]


@pytest.mark.requirement("D-faults-store")
async def test_a_message_that_was_cancelled_before_it_went_on_does_not_end_again_when_it_is_sent_again(
    watch: Watch,
) -> None:
    """Another one begins while it is not known yet that it had ended."""
    store = RefusingStore()
    stream = await left_by_another(watch, store)
    assert stream.cancel()
    store.release()
    await stream.idle()
    assert await store.ending("s", "a") == EndingRecord(message="a", outcome=Outcome.CANCELLED)
    store.hold("next")
    store.refused = "a"
    async with asyncio.timeout(5):
        other = stream.submit(UserMessage(content="other", id="b"))
        await until(lambda: store.waiting == ["next"])
        again = stream.submit(UserMessage(content="hello", id="a"))
        store.release()
        assert (await other).status is Outcome.DONE
        store.refusal.set()
        with pytest.raises(StoreError):
            await again
    assert watch.told(stream).count("done cancelled") == 1


class NotingStore(HeldStore):
    """Notes what it is asked for; appends take their time."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def append(self, writer: Writer, records: Sequence[Record]) -> Awaitable[None]:
        self.asked.append("append")
        return self._append(writer, records)

    async def close(self, writer: Writer) -> bool:
        self.asked.append("close")
        return await super().close(writer)


@pytest.mark.requirement("D-own-writes")
async def test_a_session_is_given_back_behind_whatever_came_at_its_end() -> None:
    """It is asked for with the last append already, and once more where that was not the last one."""
    watch, store, go = Watch(), NotingStore(), asyncio.Event()
    provider = ScriptedProvider([go, *answer("one")], [asyncio.Event()])
    stream = watch.of(await Manager(agent(provider), store).create())
    async with asyncio.timeout(5):
        ended = stream.submit("hello")
        await until(lambda: watch.told(stream)[-1:] == ["submitted"])
        store.asked.clear()
        store.held.add("append")
        go.set()
        await until(lambda: store.asked == ["append", "close"])
        left = stream.submit("more")
        store.release()
        assert (await ended).status is Outcome.DONE
        await until(lambda: watch.told(stream)[-1:] == ["submitted"])
        await stream.leave()
        with pytest.raises(SessionClosedError):
            await left
    assert store.asked == ["append", "close", "append", "close"]
