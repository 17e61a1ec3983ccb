"""What one front end changes about the path, every other one shows."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.artifact import Text
from ore.errors import NotFoundError
from ore.event import Gap, TurnComplete
from ore.ledger import Control, Role, Turn
from ore.loop import Subscription
from ore.session import Descriptor, Host, Manager, Stream, fork_session
from ore.testing import ScriptedProvider
from session.watch import agent, answer, said


class Onlooker:
    """A front end that shows a conversation by its events alone."""

    def __init__(self, stream: Stream) -> None:
        state, self._events = stream.snapshot_and_subscribe(deltas=False)
        self._shown = list(state.turns)

    @property
    def shown(self) -> Sequence[Turn]:
        """What it shows once it has read all that there is."""
        for entry in self._events.take():
            if isinstance(entry.event, Gap):
                self._shown = list(entry.event.snapshot.turns)
            elif isinstance(entry.event, TurnComplete):
                self._shown.append(entry.event.turn)
        return tuple(self._shown)

    @property
    def events(self) -> Subscription:
        """What it reads."""
        return self._events


@asynccontextmanager
async def talked(messages: int) -> AsyncIterator[Stream]:
    """A session in which so many messages were answered."""
    provider = ScriptedProvider(answer("yes"), repeat=True)
    async with asyncio.timeout(100), Manager(agent(provider)) as sessions:
        stream = await sessions.create_with_id("a")
        for number in range(messages):
            await stream.process(str(number))
        yield stream


async def move(stream: Stream, name: str) -> None:
    """One change of the path, if it is possible now."""
    turns = stream.turns
    try:
        if name == "undo":
            await stream.history.undo()
        elif name == "redo":
            await stream.history.redo()
        elif name == "say":
            await stream.process("again")
        elif name == "append":
            await stream.append_turn(Role.USER, Text(content="noted"))
        elif name == "to the beginning":
            await stream.history.set_tip(None)
        elif name == "load":
            await stream.history.load(turns[:2])
        elif name == "skip" and turns:
            await stream.history.set_control(turns[-1].id, Control.SKIP)
        elif name == "stop" and turns:
            await stream.history.set_control(turns[0].id, Control.STOP)
    except NotFoundError:
        return


MOVES = ["undo", "redo", "say", "append", "to the beginning", "load", "skip", "stop"]


@pytest.mark.slow
@settings(max_examples=40)
@given(names=st.lists(st.sampled_from(MOVES), max_size=8))
def test_whatever_is_moved_an_onlooker_shows_the_conversation_as_it_is(names: list[str]) -> None:
    async def play() -> None:
        async with talked(2) as stream:
            onlooker = Onlooker(stream)
            for name in names:
                await move(stream, name)
                assert said(onlooker.shown) == said(stream.turns), name

    asyncio.run(play())


async def test_a_fork_changes_nothing_for_those_who_watch_what_was_forked() -> None:
    async with talked(2) as stream:
        onlooker = Onlooker(stream)
        forked = await fork_session(stream, stream.turns[1].id)
        assert forked != stream.id
        assert said(onlooker.shown) == said(stream.turns)
        assert len(stream.turns) == 4


@pytest.mark.requirement("D-conduit")
async def test_two_conduits_of_a_host_show_the_same_after_one_of_them_went_back() -> None:
    manager = Manager(agent(ScriptedProvider(answer("one"), answer("two"), answer("other"))))
    looking, moved = asyncio.Event(), asyncio.Event()
    pages: list[Sequence[tuple[str, str]]] = []

    class Terminal:
        descriptor = Descriptor(name="terminal")

        async def serve(self, sessions: Manager) -> None:
            stream = await sessions.open("a")
            await looking.wait()
            await stream.process("One?")
            await stream.process("Two?")
            await stream.history.undo()
            await stream.process("Another?")
            moved.set()

    class Page:
        descriptor = Descriptor(name="page")

        async def serve(self, sessions: Manager) -> None:
            onlooker = Onlooker(await sessions.open("a"))
            looking.set()
            await moved.wait()
            pages.append(said(onlooker.shown))

    host = Host(manager)
    for conduit in (Terminal(), Page(), Page()):
        host.add(conduit)
    async with asyncio.timeout(10):
        await host.run()
        expected = [("user", "One?"), ("assistant", "one"), ("user", "Another?"), ("assistant", "other")]
        assert pages == [expected, expected]
        await manager.close("a")
