"""Opening and closing sessions leaves nothing behind."""

import asyncio
import gc
import os
import threading
from pathlib import Path

import pytest

from ore.agent import AgentSpec
from ore.artifact import TextDelta
from ore.ext.stores.sqlite import SqliteStore
from ore.session import Manager
from ore.testing import ScriptedProvider

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
