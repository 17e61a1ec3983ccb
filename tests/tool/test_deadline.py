"""Deadlines of calls: one timer for all, which keeps nothing of them."""

import asyncio
import gc
import weakref
from contextvars import ContextVar, copy_context

import pytest

from ore.tool import Deadline

VARIABLE: ContextVar[object] = ContextVar("variable")


class Session:
    """Something that a context holds."""


async def test_what_ran_under_a_deadline_is_let_go_before_it_would_have_rung() -> None:
    """The timer that still stands has nothing of whoever wound it."""

    async def call() -> "weakref.ref[Session]":
        held = Session()
        VARIABLE.set(held)
        with Deadline(3600):
            return weakref.ref(held)

    held = await asyncio.get_running_loop().create_task(call(), context=copy_context())
    for _ in range(3):
        await asyncio.sleep(0)
        gc.collect()
    assert held() is None


async def test_a_deadline_ends_its_own_block_alone() -> None:
    async def wait(limit_s: float) -> str:
        try:
            with Deadline(limit_s):
                await asyncio.Event().wait()
        except TimeoutError:
            return "over"
        return "never"

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        long = group.create_task(wait(3600))
        short = [group.create_task(wait(0.01)) for _ in range(3)]
        for task in short:
            assert await task == "over"
        assert not long.done()
        long.cancel()


async def test_a_deadline_that_stands_still_does_not_ring_until_it_goes_on() -> None:
    later = asyncio.Event()
    with pytest.raises(TimeoutError), Deadline(0.01) as deadline:
        deadline.move(None)
        asyncio.get_running_loop().call_later(0.02, later.set)
        await later.wait()
        assert not deadline.expired
        deadline.move(0.0)  # long ago
        await asyncio.Event().wait()
    assert deadline.expired
