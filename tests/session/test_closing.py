"""A session that is closed while it is given back behind its last message."""

import asyncio
from contextvars import Context
from typing import Any

import pytest

from ore.errors import StoreError
from ore.ledger import MemoryStore, Outcome, Writer
from ore.session import Manager
from ore.testing import ScriptedProvider
from session.held_store import HeldStore
from session.watch import agent, answer, steps, until


async def test_a_session_that_is_closed_behind_its_last_event_needs_no_task_for_that() -> None:
    made: list[object] = []

    def noted(loop: asyncio.AbstractEventLoop, work: Any, context: Context | None = None) -> "asyncio.Task[Any]":
        made.append(work)
        return asyncio.Task(work, loop=loop, context=context)

    manager = Manager(agent(ScriptedProvider(answer("one"))))
    stream = await manager.create()
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(5), stream.subscribe("lifecycle") as reader:
        assert (await stream.process("hello")).status is Outcome.DONE
        loop.set_task_factory(noted)
        try:
            await stream.close()
        finally:
            loop.set_task_factory(None)
        phases = [entry.event.phase async for entry in reader]  # type: ignore[union-attr]  # all are lifecycle events
    assert (made, phases[-1], manager.list()) == ([], "done", ())


@pytest.mark.parametrize("cancelled", [False, True])
async def test_whoever_closes_a_session_waits_until_it_is_given_back(cancelled: bool) -> None:
    """Also when cancelled meanwhile, and together with another who closes it."""
    store = HeldStore()
    manager = Manager(agent(ScriptedProvider(answer("one"), answer("two"))), store)
    stream = await manager.create()
    store.hold("close")

    async def use() -> None:
        await stream.process("hello")
        await stream.close()

    async with asyncio.timeout(5):
        closing = asyncio.create_task(use())
        await until(lambda: store.waiting == ["close"])
        also = asyncio.create_task(stream.close())
        await steps()
        if cancelled:
            closing.cancel()
            await steps()
        assert not closing.done()
        assert not also.done()
        store.release()
        await asyncio.wait((closing, also))
    assert [task.cancelled() for task in (closing, also)] == [cancelled, False]
    assert manager.list() == ()
    again = await manager.attach(stream.id)
    assert (await again.process("go on")).status is Outcome.DONE
    await manager.aclose()


class Failing(MemoryStore):
    """A store that takes no session back."""

    async def close(self, writer: Writer) -> bool:
        await asyncio.sleep(0)
        raise StoreError("expected room on the disk, found none")


async def test_a_session_that_cannot_be_given_back_is_closed_all_the_same() -> None:
    manager = Manager(agent(ScriptedProvider(answer("one"))), Failing())
    stream = await manager.create()
    async with asyncio.timeout(5):
        await stream.process("hello")
        await stream.close()
    assert (stream.closed, manager.list()) == (True, ())
