"""A shutdown is not a close: what was accepted goes on at the next attach."""

import asyncio

import pytest

from ore.artifact import Text
from ore.errors import SessionClosedError
from ore.event import Entry
from ore.ledger import MemoryStore, Message, Outcome, Store, TakenRecord
from ore.provider import Provider
from ore.session import Manager, Stream
from ore.testing import ScriptedProvider, check_order
from session.watch import Watch, agent, answer, said, words


async def resumed(store: Store, provider: Provider, *messages: str) -> tuple[Stream, list[Entry]]:
    """The session `s` as the next process attaches it, at rest, and all that it told, in order."""
    told: list[Entry] = []
    manager = Manager(agent(provider), store)
    manager.register_sink(lambda _, entry: told.append(entry))
    stream = await manager.attach("s")
    async with asyncio.timeout(5):
        await stream.idle()
        await manager.close_all()
    check_order(told, resumed=messages)
    return stream, told


@pytest.mark.requirement("D-leave-parks")
async def test_what_runs_and_what_waits_goes_on_at_the_next_attach() -> None:
    store = MemoryStore()
    manager = Manager(agent(ScriptedProvider([*answer("half"), asyncio.Event()])), store)
    stream = await manager.create_with_id("s")
    async with asyncio.timeout(5), stream.subscribe("text_delta") as pieces:
        running, waiting = stream.submit("one"), stream.submit("two")
        await anext(pieces)
        await manager.leave(0)
    for ticket in (running, waiting):
        with pytest.raises(SessionClosedError):
            await ticket
    with pytest.raises(SessionClosedError):
        stream.submit("three")
    assert [(message.id, message.taken) for message in await store.pending("s")] == [
        (running.id, True),
        (waiting.id, False),
    ]

    provider = ScriptedProvider(answer(" and whole"), answer("second"))
    stream, _ = await resumed(store, provider, running.id)
    assert said(stream.turns) == [
        ("user", "one"),
        ("assistant", "half"),
        ("assistant", " and whole"),
        ("user", "two"),
        ("assistant", "second"),
    ]
    assert await store.pending("s") == []


async def test_a_running_message_that_ends_in_time_is_not_cut(watch: Watch) -> None:
    hold, store = asyncio.Event(), MemoryStore()
    manager = Manager(agent(ScriptedProvider([*answer("a"), hold, *answer("b")])), store)
    stream = watch.of(await manager.create_with_id("s"))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group, stream.subscribe("text_delta") as pieces:
        ticket = stream.submit("one")
        await anext(pieces)
        group.create_task(manager.leave(60))
        await asyncio.sleep(0)
        hold.set()
        assert (await ticket).status is Outcome.DONE
    assert said((await store.load("s")).turns)[-1] == ("assistant", "ab")


async def test_parking_costs_no_attempt_but_being_found_by_surprise_does() -> None:
    store = MemoryStore()
    manager = Manager(agent(ScriptedProvider([asyncio.Event()])), store)
    stream = await manager.create_with_id("s")
    stream.submit("one")
    async with asyncio.timeout(5), stream.subscribe("lifecycle") as phases:
        await anext(phases)
        await manager.leave(0)
    found = [await store.next(await store.take("s")) for _ in range(2)]  # the first one dies with the message
    assert [message and message.attempts for message in found] == [0, 1]


@pytest.mark.requirement("D-attempts")
async def test_a_message_found_unfinished_four_times_fails_with_code_limit() -> None:
    store = MemoryStore()
    await store.create("s", {})
    await store.submit("s", Message(id="m", artifacts=(Text(content="boom"),), taken=True, attempts=3))
    _, told = await resumed(store, ScriptedProvider(answer("never")), "m")
    assert [words(entry) for entry in told] == ["error limit", "done failed"]
    assert await store.pending("s") == []


@pytest.mark.requirement("D-interrupt-durable")
async def test_an_interrupt_that_was_noted_before_the_process_died_ends_the_message_at_the_next_attach() -> None:
    store = MemoryStore()
    await store.create("s", {})
    await store.submit("s", Message(id="m", artifacts=(Text(content="one"),)))
    writer = await store.take("s")
    await store.next(writer)
    await store.append(writer, [TakenRecord(message="m")])
    await store.interrupt("s")

    provider = ScriptedProvider(answer("never"))
    _, told = await resumed(store, provider, "m")
    assert [words(entry) for entry in told] == ["cancelled", "done cancelled"]
    assert provider.invocations == []
