"""A recorder misses nothing, waits for nothing that already came, and stays as it was."""

import asyncio

import pytest

from ore.artifact import Notice, TextDelta
from ore.event import EventContext, Lifecycle
from ore.ledger import Outcome
from ore.loop import EventBus
from ore.testing import Recorder


def said(content: str) -> Notice:
    return Notice(content=content)


async def test_it_keeps_everything_between_two_looks_and_nothing_after_its_end() -> None:
    bus = EventBus()
    bus.emit(said("before"))
    async with Recorder(bus) as seen:
        assert seen.kinds == []
        bus.emit(said("a"))
        assert [entry.event for entry in seen.entries] == [said("a")]
        bus.emit(TextDelta(content="Hel"), context=EventContext(message="m"))
        bus.emit(TextDelta(content="lo"), context=EventContext(message="m"))
        bus.emit(Lifecycle(phase="done", outcome=Outcome.DONE))
    bus.emit(said("after"))
    assert seen.kinds == ["notice", "text_delta", "text_delta", "lifecycle"]
    assert seen.words == ["notice", "text_delta", "text_delta", "done done"]
    assert seen.text == "Hello"
    assert [len(seen.of("m")), len(seen.of(None))] == [2, 2]


async def test_it_keeps_only_its_kinds_and_can_begin_earlier() -> None:
    bus = EventBus()
    for content in "abc":
        bus.emit(said(content))
        bus.emit(Lifecycle(phase="submitted"))
    seen = Recorder(bus, "notice", after="1-2")
    assert [entry.id for entry in seen.entries] == ["1-3", "1-5"]


async def test_waiting_finds_what_came_already_and_what_comes_and_loses_nothing() -> None:
    bus = EventBus()
    seen = Recorder(bus)
    bus.emit(said("a"))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        assert (await seen.until("notice")).id == "1-1"
        waits = group.create_task(seen.until(lambda entry: entry.event == said("c")))
        await asyncio.sleep(0)
        for content in "bcd":
            bus.emit(said(content))
    assert waits.result().id == "1-3"
    assert [entry.event for entry in seen.entries] == [said(content) for content in "abcd"]


async def test_waiting_for_what_never_comes_ends_with_the_session() -> None:
    bus = EventBus()
    seen, closed = Recorder(bus), Recorder(bus)
    closed.close()
    bus.emit(said("a"))
    bus.close()
    async with asyncio.timeout(5):
        for recorder in (seen, closed):
            with pytest.raises(EOFError):
                await recorder.until("error")
    assert (seen.kinds, closed.kinds) == (["notice"], [])
