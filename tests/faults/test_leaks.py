"""Opening and closing leave nothing behind, however often."""

import asyncio
import gc
import os
import threading
import weakref
from pathlib import Path

import pytest

from faults.actors import World, agent
from ore.ext.stores.sqlite import SqliteStore
from ore.session import Manager, Stream
from ore.testing.failpoints import Failpoints

STORES, SESSIONS = 50, 40
"""2,000 sessions in all, and every 40 of them a store of their own with its threads."""


def held() -> tuple[set[asyncio.Task[object]], set[threading.Thread], list[str]]:
    """What this process holds right now: tasks, threads, descriptors."""
    return asyncio.all_tasks(), set(threading.enumerate()), os.listdir("/proc/self/fd")


@pytest.mark.slow
@pytest.mark.requirement("D-faults-leaks")
async def test_no_task_no_thread_and_no_descriptor_is_left_after_two_thousand_cycles(tmp_path: Path) -> None:
    path, world = tmp_path / "ore.db", World(tmp_path / "world")
    alive: weakref.WeakSet[Stream] = weakref.WeakSet()
    await cycle(path, world, alive, 0)
    before = held()
    for number in range(1, STORES):
        await cycle(path, world, alive, number)
    assert held() == before
    gc.collect()
    assert not alive


async def cycle(path: Path, world: World, alive: "weakref.WeakSet[Stream]", number: int) -> None:
    """One store, some sessions: new ones and old ones, used, watched, cut, left and closed."""
    manager = Manager(agent(world, Failpoints()), SqliteStore(path))
    for session in range(SESSIONS):
        stream = await manager.open(f"s{(number * 7 + session) % 60}")
        alive.add(stream)
        match session % 5:
            case 0:
                await stream.process("x")
            case 1:
                stream.submit("x note")
            case 2:
                async with stream.subscribe() as events:
                    await stream.submit("x").accepted()
                    await anext(events)
            case 3:
                stream.submit("x")
                stream.cancel()
            case _:
                pass
        await (stream.leave() if session % 8 == 7 else stream.close())
    if number % 2:
        await manager.leave()
    await manager.aclose()
