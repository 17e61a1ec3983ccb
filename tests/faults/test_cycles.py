"""Opening and closing sessions leaves nothing behind."""

import asyncio
import gc
import os
import threading
from pathlib import Path

import pytest

from ore.agent import AgentSpec, instructions
from ore.artifact import TextDelta, ToolCall
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import Outcome
from ore.session import Manager
from ore.testing import ScriptedProvider
from ore.tool import StaticTools

CYCLES = 2_000


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0


@pytest.mark.slow
@pytest.mark.requirement("D-nothing-left")
async def test_two_thousand_cycles_leave_no_task_thread_or_descriptor(tmp_path: Path) -> None:
    """Each opens a session with a reader, works every tenth time, and closes it."""
    store = SqliteStore(tmp_path / "ore.db")
    manager = Manager(AgentSpec(name="a", provider=ScriptedProvider([TextDelta(content="hi")], repeat=True)), store)
    for name in range(10):
        await (await manager.create_with_id(f"s{name}")).close()
        await (await manager.attach(f"s{name}")).close()
    tasks, threads, files = len(asyncio.all_tasks()), threading.active_count(), descriptors()
    for cycle in range(CYCLES):
        stream = await manager.attach(f"s{cycle % 10}")
        async with stream.subscribe() as reader:
            if cycle % 10 == 0:
                await stream.process("hello")
            assert reader.number >= 0
        await stream.close()
    gc.collect()
    assert (len(asyncio.all_tasks()), threading.active_count(), descriptors()) == (tasks, threads, files)
    assert manager.list() == ()
    await manager.aclose()
    assert threading.active_count() < threads


async def test_a_turn_leaves_nothing_that_only_the_collector_frees() -> None:
    """With a tool, a reader and a view: what a message needed is gone when it has ended."""

    async def look() -> str:
        return "seen"

    provider = ScriptedProvider([ToolCall(id="c", name="look", arguments="{}")], [TextDelta(content="hi")], repeat=True)
    tools, views = StaticTools(look).tools, (instructions("Be brief."),)
    agent = AgentSpec(name="a", provider=provider, tools=tools, transforms=views)
    async with asyncio.timeout(10), Manager(agent) as manager:
        stream = await manager.create()
        async with stream.subscribe() as reader:
            await stream.process("hello")
            await stream.idle()
            gc.collect()
            again = gc.collect()  # a class that could not be made is found each time and never freed
            gc.disable()
            left: list[int] = []
            try:
                for _ in range(5):  # what other tests left may go meanwhile, but not each time
                    assert (await stream.process("hello")).status is Outcome.DONE
                    await stream.idle()
                    assert reader.take()
                    left.append(gc.collect())
            finally:
                gc.enable()
    assert min(left) == again
