"""Shutdown is not close: nothing ends, and the next process goes on."""

import asyncio

import pytest

from ore.artifact import Text, ToolCall
from ore.errors import SessionClosedError
from ore.ledger import MemoryStore, Outcome
from ore.session import Manager
from ore.testing import ScriptedProvider
from session.watch import agent, answer, until


@pytest.mark.requirement("D-shutdown")
async def test_what_runs_gets_time_to_end() -> None:
    """What waits does not begin any more."""
    store = MemoryStore()
    hold = asyncio.Event()
    provider = ScriptedProvider([*answer("Hel"), hold, *answer("lo")], answer("never"))
    manager = Manager(agent(provider), store)
    stream = await manager.create_with_id("x")
    running, waiting = stream.submit("first"), stream.submit("second")
    await until(lambda: bool(stream.snapshot().blocks))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(manager.leave(60.0))
        await until(lambda: stream.closed)
        hold.set()
    assert (await running).status is Outcome.DONE
    with pytest.raises(SessionClosedError):
        await waiting
    assert [message.id for message in await store.pending("x")] == [waiting.id]
    assert len(provider.invocations) == 1


@pytest.mark.requirement("D-shutdown")
async def test_a_tool_that_a_shutdown_cut_is_known_to_have_an_unknown_outcome() -> None:
    """It was started, it may have done something, and it is not run again."""
    store, began = MemoryStore(), asyncio.Event()
    ran: list[str] = []

    async def work() -> str:
        ran.append("work")
        began.set()
        await asyncio.Event().wait()
        return "never"

    provider = ScriptedProvider([ToolCall(id="c", name="work", arguments="{}")], answer("careful now"))
    manager = Manager(agent(provider, work), store)
    stream = await manager.create_with_id("x")
    stream.submit("first")
    await began.wait()
    async with asyncio.timeout(5):
        await manager.leave(0.0)
    stream = await Manager(agent(provider, work), store).attach("x")
    async with asyncio.timeout(5):
        await stream.idle()
        await stream.close()
    result = stream.turns[2].artifacts[0]
    assert (getattr(result, "status", None), ran) == ("unknown", ["work"])
    assert stream.turns[-1].artifacts[0] == Text(content="careful now")


async def test_a_manager_that_left_takes_nothing_in() -> None:
    manager = Manager(agent(ScriptedProvider()))
    stream = await manager.create()
    await manager.leave()
    await manager.leave()
    with pytest.raises(SessionClosedError):
        stream.submit("hi")
