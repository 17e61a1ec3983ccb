"""Every event bus keeps its promises."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from ore.artifact import Artifact, Block
from ore.event import Event, EventContext, OnEmit, Snapshot
from ore.loop import EventBus, Policy, Step, Subscription
from ore.testing.contracts.bus import Bus, BusBench, BusCheck, bus_checks


class Buses:
    """The bus itself."""

    def fresh(
        self, *, window_bytes: int, on_emit: Sequence[OnEmit] = (), snapshot: Callable[[str], Snapshot] | None = None
    ) -> Bus:
        return EventBus(window_bytes=window_bytes, on_emit=on_emit, snapshot=snapshot)


class Relay:
    """A bus behind another: what a Step emits, and what is put into its bus."""

    def __init__(self, bus: EventBus) -> None:
        self._bus = bus
        self._step = Step(bus=bus)

    def emit(self, event: Event | Artifact, *, block: Block | None = None, context: EventContext | None = None) -> None:
        if block is None:
            self._step.emit(event)
        else:
            self._bus.emit(event, block=block, context=context)

    def subscribe(
        self, *kinds: str, after: str | None = None, policy: Policy = "coalesce", deltas: bool = True
    ) -> Subscription:
        return self._step.subscribe(*kinds, after=after, policy=policy, deltas=deltas)

    async def flow(self, *, full: bool = True) -> None:
        await self._bus.flow(full=full)

    def close(self) -> None:
        self._step.close()


class Steps(Buses):
    """A Step as the front of its bus."""

    def fresh(
        self, *, window_bytes: int, on_emit: Sequence[OnEmit] = (), snapshot: Callable[[str], Snapshot] | None = None
    ) -> Bus:
        return Relay(EventBus(window_bytes=window_bytes, on_emit=on_emit, snapshot=snapshot))


@pytest.mark.parametrize("bench", [Buses(), Steps()], ids=["bus", "step"])
@pytest.mark.parametrize(("name", "check"), bus_checks(), ids=[name for name, _ in bus_checks()])
async def test_a_bus_keeps_its_promises(bench: BusBench, name: str, check: BusCheck) -> None:
    async with asyncio.timeout(5):
        await check(bench)
