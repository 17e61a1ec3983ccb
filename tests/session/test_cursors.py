"""Cursors: an event's id says where one was, also in another process."""

import pytest

from ore.artifact import Notice
from ore.ledger import MemoryStore
from ore.session import Manager
from ore.testing import ScriptedProvider
from session.watch import Watch, agent, answer, words


def numbers(id: str) -> tuple[int, int]:
    epoch, _, number = id.partition("-")
    return int(epoch), int(number)


@pytest.mark.requirement("D-ids-go-on")
async def test_ids_go_on_when_another_process_attaches(watch: Watch) -> None:
    """Whatever is told first there: an event of one's own, or that a message is queued."""
    store = MemoryStore()
    provider = ScriptedProvider(answer("one"), repeat=True)
    first = watch.of(await Manager(agent(provider), store).create_with_id("x"))
    await first.process("hi")
    await first.close()
    second = watch.of(await Manager(agent(provider), store).attach("x"))
    assert numbers(second.snapshot().id) > numbers(first.snapshot().id)
    second.emit(Notice(content="hello again"))
    await second.process("hi")
    ids = [numbers(entry.id) for stream in (first, second) for entry in watch.events(stream)]
    assert ids == sorted(set(ids))


@pytest.mark.requirement("D-ids-go-on")
@pytest.mark.parametrize("messages", [0, 1, 3])
async def test_a_reader_that_comes_back_from_an_earlier_process_gets_the_state(watch: Watch, messages: int) -> None:
    """Its cursor names a place in another log: it gets a gap, never a silent loss."""
    store = MemoryStore()
    provider = ScriptedProvider(answer("one"), repeat=True)
    first = watch.of(await Manager(agent(provider), store).create_with_id("x"))
    await first.process("hi")
    cursors = [entry.id for entry in watch.events(first)]
    await first.close()
    second = watch.of(await Manager(agent(provider), store).attach("x"))
    for _ in range(messages):
        await second.process("hi")
    for cursor in cursors[:-1]:
        got = [words(entry) for entry in second.subscribe(after=cursor).take()]
        assert got[:1] == ["gap"], cursor
