"""A host runs front ends together, and stops them together."""

import asyncio

import pytest

from ore.session import Conduit, Descriptor, Host, Manager
from ore.testing import ScriptedProvider
from session.watch import agent, answer


class Front:
    """A conduit that does what a test says."""

    def __init__(self, work: asyncio.Event | asyncio.Barrier | BaseException | None = None) -> None:
        self.descriptor = Descriptor(name="front")
        self.stopped = False
        self._work = work

    async def serve(self, sessions: Manager) -> None:
        try:
            if isinstance(self._work, BaseException):
                raise self._work
            if self._work is not None:
                await self._work.wait()
        finally:
            self.stopped = True


def host(*fronts: Conduit | None) -> Host:
    made = Host(Manager(agent(ScriptedProvider())))
    for front in fronts:
        made.add(front)
    return made


@pytest.mark.requirement("C242")
@pytest.mark.parametrize("fronts", [(), (None,)])
async def test_a_host_without_conduits_returns(fronts: tuple[None, ...]) -> None:
    async with asyncio.timeout(5):
        await host(*fronts).run()


@pytest.mark.requirement("C242")
async def test_all_conduits_run_at_once_and_one_that_returns_stops_no_other() -> None:
    together = asyncio.Barrier(3)
    fronts = [Front(together), Front(together), Front(together), Front()]
    async with asyncio.timeout(5):
        await host(*fronts).run()
    assert [front.stopped for front in fronts] == [True] * 4


@pytest.mark.requirement("C242", "L29")
async def test_one_that_fails_stops_the_others_and_its_error_is_raised() -> None:
    """Only after they have stopped."""
    failure = ValueError("no")
    other = Front(asyncio.Event())
    with pytest.raises(ValueError) as raised:
        async with asyncio.timeout(5):
            await host(other, Front(failure)).run()
    assert (raised.value is failure, other.stopped) == (True, True)


@pytest.mark.requirement("L29")
async def test_a_host_that_is_cancelled_stops_its_conduits_first() -> None:
    fronts = [Front(asyncio.Event()), Front(asyncio.Event())]
    running = asyncio.create_task(host(*fronts).run())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    async with asyncio.timeout(5):
        await asyncio.wait((running,))
    assert (running.cancelled(), [front.stopped for front in fronts]) == (True, [True, True])


@pytest.mark.requirement("D-conduit")
async def test_conduits_share_the_sessions() -> None:
    """One submits, another renders; neither sees a provider."""
    shown: list[str] = []
    manager = Manager(agent(ScriptedProvider(answer("hello"))))
    reading = asyncio.Event()

    class Writing(Front):
        async def serve(self, sessions: Manager) -> None:
            await reading.wait()
            await sessions.get("x").process("hi")
            await sessions.close("x")

    class Reading(Front):
        async def serve(self, sessions: Manager) -> None:
            stream = await sessions.create_with_id("x")
            async with stream.subscribe("text", "lifecycle") as reader:
                reading.set()
                shown.extend([entry.kind async for entry in reader])

    both = Host(manager)
    both.add(Writing())
    both.add(Reading())
    async with asyncio.timeout(5):
        await both.run()
    assert shown == ["lifecycle", "lifecycle", "text", "lifecycle"]
