"""Several agents by name, and what a session knows of its neighbours."""

from pathlib import Path

import pytest

from ore.agent import AgentSpec
from ore.artifact import Text, TextDelta
from ore.errors import InputError, LimitError
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import Role
from ore.session import AGENT_KEY, Manager, Roster, SessionLimits, phase_of
from ore.testing import ScriptedProvider


def named(name: str) -> AgentSpec:
    return AgentSpec(name=name, provider=ScriptedProvider([TextDelta(content=f"{name} here")], repeat=True))


async def test_a_session_has_the_agent_that_its_facts_name_else_the_first() -> None:
    async with Manager(Roster([named("one"), named("two")])) as sessions:
        assert [*sessions.agents] == ["one", "two"]
        for facts, expected in (({}, "one"), ({AGENT_KEY: "two"}, "two"), ({AGENT_KEY: "gone"}, "one")):
            stream = await sessions.create(facts)
            await stream.process("hi")
            assert stream.turns[-1].artifacts[0].for_human() == f"{expected} here"


@pytest.mark.parametrize("names", [[], ["one", "one"]])
def test_a_roster_has_agents_whose_names_differ(names: list[str]) -> None:
    with pytest.raises(InputError, match="agents"):
        Roster([named(name) for name in names])


async def test_a_full_queue_may_have_room_later_and_a_message_that_is_too_large_never() -> None:
    async with Manager(named("one"), limits=SessionLimits(queue=0, message_bytes=5)) as sessions:
        stream = await sessions.create()
        for text, retryable in (("hi", True), ("far too much", False)):
            with pytest.raises(LimitError) as refused:
                stream.submit(text)
            assert refused.value.retryable is retryable


async def test_a_session_can_look_at_what_another_process_added(tmp_path: Path) -> None:
    """Whoever reads its events gets the state once, and nothing when nothing was added."""
    stores = [SqliteStore(str(tmp_path / "ore.db")) for _ in range(2)]
    async with Manager(named("one"), stores[0]) as here, Manager(named("one"), stores[1]) as there:
        stream = await here.create()
        async with stream.subscribe() as events:
            await stream.history.refresh()
            assert events.take() == ()
            await (await there.attach(stream.id)).append_turn(Role.USER, Text(content="hello"))
            await stream.history.refresh()
            assert [entry.kind for entry in events.take()] == ["gap"]
            assert [turn.artifacts for turn in stream.turns] == [(Text(content="hello"),)]
            assert phase_of(stream) == "idle"
