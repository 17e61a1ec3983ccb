"""Sinks: they see every session's events, and can hurt nobody."""

import pytest

from ore.artifact import Notice
from ore.event import Entry
from ore.session import Manager
from ore.testing import ScriptedProvider
from session.watch import Watch, agent, answer, steps, until, words


class Noting:
    """A sink that keeps what it got, in words."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str]] = []

    def __call__(self, session_id: str, entry: Entry) -> None:
        self.got.append((session_id, words(entry)))

    def of(self, session_id: str) -> list[str]:
        return [word for id, word in self.got if id == session_id]


def talking() -> Manager:
    return Manager(agent(ScriptedProvider(answer("hello"), repeat=True)))


@pytest.mark.requirement("C222", "C225")
async def test_a_sink_gets_the_events_of_sessions_before_and_after_it(watch: Watch) -> None:
    """Each under its own id, in order, to the last."""
    sink, manager = Noting(), talking()
    before = watch.of(await manager.create_with_id("before"))
    manager.register_sink(sink)
    after = watch.of(await manager.create_with_id("after"))
    for stream in (before, after):
        await stream.process("hi")
    await manager.close_all()
    for stream in (before, after):
        assert sink.of(stream.id) == watch.told(stream) != []


@pytest.mark.requirement("C222")
async def test_a_sink_gets_only_the_kinds_that_it_asked_for(watch: Watch) -> None:
    some, all, manager = Noting(), Noting(), talking()
    manager.register_sink(some, "lifecycle", "text")
    manager.register_sink(all)
    stream = watch.of(await manager.create_with_id("x"))
    await stream.process("hi")
    await manager.close_all()
    assert some.of("x") == ["submitted", "streaming", "text", "done done"]
    assert all.of("x") == watch.told(stream)


@pytest.mark.requirement("P32", "D-sinks-isolated")
async def test_a_sink_that_fails_hurts_neither_the_others_nor_the_session(
    watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(session_id: str, entry: Entry) -> None:
        raise ValueError("sinking")

    sink, manager = Noting(), talking()
    manager.register_sink(failing, "lifecycle")
    manager.register_sink(sink)
    stream = watch.of(await manager.create_with_id("x"))
    await stream.process("hi")
    await manager.close_all()
    assert sink.of("x") == watch.told(stream)
    assert "sinking" in caplog.text


@pytest.mark.requirement("D-sinks-removable")
async def test_a_removed_sink_gets_nothing_more_however_often_it_is_removed(watch: Watch) -> None:
    removed, kept, manager = Noting(), Noting(), talking()
    remove = manager.register_sink(removed)
    manager.register_sink(kept)
    stream = watch.of(await manager.create_with_id("x"))
    stream.emit(Notice(content="one"))
    await steps()
    remove()
    remove()
    stream.emit(Notice(content="two"))
    await manager.close_all()
    assert (removed.of("x"), kept.of("x")) == (["notice"], ["notice", "notice"])


async def test_a_sink_registered_twice_gets_everything_twice(watch: Watch) -> None:
    sink, manager = Noting(), talking()
    removes = [manager.register_sink(sink) for _ in range(2)]
    stream = watch.of(await manager.create_with_id("x"))
    stream.emit(Notice(content="one"))
    await steps()
    removes[0]()
    removes[0]()
    stream.emit(Notice(content="two"))
    await manager.close_all()
    assert sink.of("x") == ["notice"] * 3


async def test_a_sink_may_emit(watch: Watch) -> None:
    """What it emits comes back to it, behind what it was told."""
    manager = talking()
    stream = watch.of(await manager.create_with_id("x"))
    sink = Noting()

    def answering(session_id: str, entry: Entry) -> None:
        sink(session_id, entry)
        if isinstance(entry.event, Notice) and entry.event.content == "ping":
            manager.get(session_id).emit(Notice(content="pong"))

    manager.register_sink(answering)
    stream.emit(Notice(content="ping"))
    await until(lambda: len(sink.got) == 2)
    await manager.close_all()
    assert [entry.event for entry in watch.events(stream)] == [Notice(content="ping"), Notice(content="pong")]
