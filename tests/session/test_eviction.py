"""A session that nobody uses is no more than its id."""

import asyncio

import pytest

from ore.artifact import TextDelta
from ore.ledger import Outcome
from ore.session import Manager, SessionLimits
from ore.testing import ScriptedProvider
from session.watch import agent, answer, said, until, words


@pytest.mark.requirement("D-eviction")
async def test_a_session_at_rest_is_no_more_than_its_id_and_comes_back_when_it_works() -> None:
    """Whoever holds it shares it with those who attach it, and the manager closes it with the others."""
    limits = SessionLimits(window_s=0)
    manager = Manager(agent(ScriptedProvider(answer("one"), [asyncio.Event()])), limits=limits)
    stream = await manager.create_with_id("x")
    await stream.process("hi")
    await until(lambda: manager.list() == ())
    assert await manager.attach("x") is stream
    ticket = stream.submit("again")
    await until(lambda: stream.snapshot().phase == "submitted")
    assert manager.list() == (stream,)
    async with asyncio.timeout(5):
        await manager.close_all()
    assert (await ticket).status is Outcome.CANCELLED


@pytest.mark.requirement("D-eviction")
async def test_a_session_that_was_at_rest_is_closed_with_the_manager_and_seen_by_sinks() -> None:
    manager = Manager(
        agent(ScriptedProvider(answer("one"), [TextDelta(content="par"), asyncio.Event()])),
        limits=SessionLimits(window_s=0),
    )
    stream = await manager.create_with_id("x")
    await stream.process("hi")
    await until(lambda: manager.list() == ())
    got: list[str] = []
    manager.register_sink(lambda session_id, entry: got.append(words(entry)))
    ticket = stream.submit("again")
    await until(lambda: stream.snapshot().phase == "streaming")
    async with asyncio.timeout(5):
        await manager.close_all()
    assert stream.closed
    assert (await ticket).status is Outcome.CANCELLED
    assert got[-1:] == ["done cancelled"]
    assert said(stream.turns)[-1] == ("assistant", "par")
