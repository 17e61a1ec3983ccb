"""A message that comes while its session rests begins in the commit that accepts it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

import pytest

from ore.artifact import Text
from ore.errors import SessionClosedError, StoreError
from ore.event import UserMessage
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import EndingRecord, MemoryStore, Message, Opening, Outcome, Role, TakenRecord, Writer
from ore.models import Spec
from ore.session import Manager, Services, Stream, Ticket
from ore.testing import ScriptedProvider
from session.held_store import HeldStore
from session.watch import Watch, agent, answer, said, steps, until


class PromptStore(HeldStore):
    """Begins to submit at once, as a store that takes its time does; remembers whether openings fitted."""

    def __init__(self, *held: str) -> None:
        super().__init__(*held)
        self.opened: list[bool] = []

    def submit(  # type: ignore[override]  # as the protocol has it
        self, session_id: str, message: Message
    ) -> Awaitable[EndingRecord | Message | None]:
        return asyncio.ensure_future(super().submit(session_id, message))

    async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
        writer = await super().take(session_id, opening)
        if opening is not None:
            self.opened.append(writer.opened)
        return writer


async def opening(watch: Watch, store: PromptStore, provider: ScriptedProvider) -> tuple[Stream, Ticket]:
    """A session whose first message is on its way into the store."""
    stream = watch.of(await Manager(agent(provider), store).create_with_id("s"))
    ticket = stream.submit("hello")
    await until(lambda: store.waiting == ["take"])
    return stream, ticket


@pytest.mark.requirement("D-opening")
async def test_a_message_to_a_session_at_rest_costs_two_commits(tmp_path: Path, watch: Watch) -> None:
    """One accepts it, takes the session and records its turn; one holds the answer, the ending and the giving back."""
    store = SqliteStore(tmp_path / "a.db")
    try:
        stream = watch.of(await Manager(agent(ScriptedProvider(answer("one"), repeat=True)), store).create())
        for _ in range(3):
            before = store.commits.count
            assert (await stream.process("hello")).status is Outcome.DONE
            await stream.idle()
            assert store.commits.count - before == 2
        assert said(stream.turns) == [("user", "hello"), ("assistant", "one")] * 3
        assert said((await store.load(stream.id)).turns) == said(stream.turns)
        await stream.close()
    finally:
        await store.aclose()


async def test_it_begins_once_and_is_accepted_before_its_turn_is_told(watch: Watch) -> None:
    store = PromptStore("take")
    async with asyncio.timeout(5):
        stream, ticket = await opening(watch, store, ScriptedProvider(answer("one")))
        assert not ticket.is_accepted
        store.release()
        outcome = await ticket
    assert store.opened == [True]
    assert [turn.role for turn in outcome.turns] == [Role.USER, Role.ASSISTANT]
    assert watch.told(stream)[:2] == ["turn user", "submitted"]


async def withdraw(stream: Stream, ticket: Ticket) -> None:
    assert not await ticket.withdraw()
    assert await ticket.cancel()


async def interrupt(stream: Stream, ticket: Ticket) -> None:
    assert (await stream.interrupt()).cancelled == ticket.id


async def cancel(stream: Stream, ticket: Ticket) -> None:
    assert stream.cancel()


async def close(stream: Stream, ticket: Ticket) -> None:
    await stream.close()


@pytest.mark.parametrize("how", [withdraw, interrupt, cancel, close])
async def test_from_then_on_it_can_only_be_cancelled(
    watch: Watch, how: Callable[[Stream, Ticket], Awaitable[None]]
) -> None:
    store, provider = PromptStore("take"), ScriptedProvider(answer("never"))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        stream, ticket = await opening(watch, store, provider)
        group.create_task(how(stream, ticket))  # type: ignore[arg-type]  # a coroutine function
        await steps()
        store.release()
        assert (await ticket).status is Outcome.CANCELLED
    assert provider.invocations == []
    assert await store.pending("s") == []


@pytest.mark.parametrize("how", [interrupt, cancel, close])
async def test_one_that_was_cancelled_while_its_opening_came_too_late_ends_as_cancelled_too(
    watch: Watch, how: Callable[[Stream, Ticket], Awaitable[None]]
) -> None:
    """Somebody else wrote in between, so that it did not fit."""
    store, provider = PromptStore("take"), ScriptedProvider(answer("never"))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        stream, ticket = await opening(watch, store, provider)
        await store.submit("s", Message(id="theirs", artifacts=(Text(content="theirs"),)))
        group.create_task(how(stream, ticket))  # type: ignore[arg-type]  # a coroutine function
        await steps()
        store.release()
        assert (await ticket).status is Outcome.CANCELLED
    assert store.opened == [False]
    assert all("hello" not in text for _, text in said((await store.load("s")).turns))


async def test_one_that_is_left_goes_on_at_the_next_attach_without_having_cost_an_attempt() -> None:
    watch, store = Watch(), PromptStore("take")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        stream, ticket = await opening(watch, store, ScriptedProvider(answer("never")))
        group.create_task(stream.leave())
        await steps()
        store.release()
        with pytest.raises(SessionClosedError):
            await ticket
    [left] = await store.pending("s")
    assert (left.taken, said((await store.load("s")).turns)) == (True, [("user", "hello")])
    found = await store.next(await store.take("s"))
    assert found is not None
    assert found.attempts == 0


async def test_one_that_was_cancelled_ends_before_anything_that_another_process_left_also_when_it_is_left() -> None:
    """Its opening did not fit, and what the other one had begun is not gone on with."""
    watch, store = Watch(), PromptStore("take")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        stream, ticket = await opening(watch, store, ScriptedProvider(answer("never")))
        await store.submit("s", Message(id="theirs", artifacts=(Text(content="theirs"),)))
        writer = await MemoryStore.take(store, "s")
        await store.append(writer, [TakenRecord(message="theirs")])
        group.create_task(stream.interrupt())
        await steps()
        group.create_task(stream.leave())
        await steps()
        store.release()
        assert (await ticket).status is Outcome.CANCELLED
    assert [(one.id, one.taken) for one in await store.pending("s")] == [("theirs", True)]


@pytest.mark.parametrize("mode", ["steer", "interrupt"])
async def test_what_comes_meanwhile_finds_it_begun(watch: Watch, mode: Literal["steer", "interrupt"]) -> None:
    """A message that heads the queue comes behind it, steers into it, or cuts it off."""
    store, provider = PromptStore("take"), ScriptedProvider(answer("one"), repeat=True)
    async with asyncio.timeout(5):
        stream, ticket = await opening(watch, store, provider)
        other = stream.submit(UserMessage(content="other", mode=mode))
        store.release()
        assert (await ticket).status is (Outcome.CANCELLED if mode == "interrupt" else Outcome.DONE)
        assert (await other).status is Outcome.DONE
    assert said(stream.turns)[0] == ("user", "hello")
    assert [text for role, text in said(stream.turns) if role == "user"] == ["hello", "other"]


async def test_a_turn_that_comes_meanwhile_comes_behind_it(watch: Watch) -> None:
    store = PromptStore("take")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        stream, ticket = await opening(watch, store, ScriptedProvider(answer("one")))
        added = group.create_task(stream.append_turn(Role.SYSTEM, Text(content="by the way")))
        await steps()
        store.release()
        assert (await ticket).status is Outcome.DONE
    turns = (await store.load("s")).turns
    assert [turn.parent_id for turn in turns] == [None, *[turn.id for turn in turns[:-1]]]
    assert turns[0].role is Role.USER
    assert added.result() in turns[1:]


async def test_a_turn_that_is_being_recorded_comes_before_it(watch: Watch) -> None:
    store = PromptStore()
    stream = watch.of(await Manager(agent(ScriptedProvider(answer("one"))), store).create_with_id("s"))
    store.held.add("append")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(stream.append_turn(Role.SYSTEM, Text(content="by the way")))
        await until(lambda: store.waiting == ["append"])
        ticket = stream.submit("hello")
        await steps()
        store.release()
        assert (await ticket).status is Outcome.DONE
    assert said(stream.turns) == [("system", "by the way"), ("user", "hello"), ("assistant", "one")]


async def test_a_message_that_nobody_can_answer_leaves_no_turn(watch: Watch) -> None:
    def resolve(name: str) -> tuple[ScriptedProvider, str]:
        raise StoreError(f"expected a model, got {name}")

    store = PromptStore()
    manager = Manager(agent(ScriptedProvider(), spec=Spec(name="one")), store, services=Services(resolve=resolve))
    stream = watch.of(await manager.create({"ore.model.name": "another"}))
    assert (await stream.submit("hello")).status is Outcome.FAILED
    assert (store.opened, said(stream.turns)) == ([], [])


async def test_nothing_of_an_opening_that_failed_is_there(watch: Watch) -> None:
    class FailingOnce(PromptStore):
        fails = True

        async def take(self, session_id: str, opening: Opening | None = None) -> Writer:
            if self.fails and opening is not None:
                self.fails = False
                raise StoreError("expected room on the disk, found none")
            return await super().take(session_id, opening)

    store = FailingOnce()
    stream = watch.of(await Manager(agent(ScriptedProvider(answer("one"))), store).create_with_id("s"))
    with pytest.raises(StoreError):
        await stream.process(UserMessage(content="hello", id="m"))
    assert (said(stream.turns), [one.taken for one in await store.pending("s")]) == ([], [False])
    assert (await stream.process(UserMessage(content="hello", id="m"))).status is Outcome.DONE
    assert said(stream.turns) == [("user", "hello"), ("assistant", "one")]
