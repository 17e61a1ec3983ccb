"""Leaving a stream of an agent, at any moment."""

import asyncio

import pytest

from app.script import answer, until
from ore import Agent, MemoryStore, Text
from ore.ledger import Message
from ore.testing import ScriptedProvider


@pytest.mark.requirement("D-leaving-ends-a-run")
@pytest.mark.parametrize("error", [True, False])
async def test_leaving_a_stream_ends_its_run_also_before_it_began(error: bool) -> None:
    """It does not come back when the session is opened again."""
    store = MemoryStore()
    provider = ScriptedProvider(answer("never"), repeat=True)
    agent = Agent(provider, store=store)
    try:
        async with asyncio.timeout(5), agent.stream("hi", session="x"):
            if error:
                raise KeyError("mine")
    except KeyError:
        assert error
    assert await store.pending("x") == []
    async with asyncio.timeout(5), agent.session("x"):
        pass
    assert provider.invocations == []


@pytest.mark.requirement("D-leaving-ends-a-run")
async def test_leaving_a_stream_ends_no_message_of_somebody_else() -> None:
    """One that an earlier process accepted goes on when the session is opened again."""
    store = MemoryStore()
    await store.create("x", {})
    await store.submit("x", Message(id="theirs", artifacts=(Text(content="theirs"),)))
    provider = ScriptedProvider([asyncio.Event()], answer("answered"))
    agent = Agent(provider, store=store)
    async with asyncio.timeout(5), agent.stream("mine", session="x"):
        await until(lambda: len(provider.invocations) == 1)
    async with asyncio.timeout(5), agent.session("x") as session:
        await session.handle.idle()
    assert [turn.artifacts[0].for_model() for turn in session.turns] == ["theirs", "answered"]
