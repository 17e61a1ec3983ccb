"""The contract of a `Placement`: run every check against each implementation."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Protocol

from ore.agent import AgentSpec
from ore.artifact import Text, TextDelta
from ore.errors import SessionOwnedError
from ore.ledger import MemoryStore, Message
from ore.session import Manager, Placement, Services
from ore.testing.contracts.expectations import same, true, wrong
from ore.testing.scripted import ScriptedProvider

__all__ = ["PlacementBench", "PlacementCheck", "placement_checks"]


class PlacementBench(Protocol):
    """Makes placements as so many processes would have them, all over one world that is new to each check."""

    def placement(self) -> Placement:
        """What one more process sees."""
        ...


PlacementCheck = Callable[[PlacementBench], Awaitable[None]]
"""Raises `AssertionError` when the promise in its name is not kept."""

NEVER_S = 60.0
"""More seconds than any check takes."""


class _Served:
    """A server that notes what it activates; each activation waits until it is let go, if told to."""

    def __init__(self, placement: Placement, *, held: bool = False, limit: int = 8, drain_s: float = 0.0) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.cut: list[str] = []
        self._held = held
        self._go = asyncio.Event()
        self._moved = asyncio.Event()
        self._task = asyncio.ensure_future(placement.serve(self._activate, limit=limit, drain_s=drain_s))

    def release(self) -> None:
        self._go.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until it holds, and let come what else would come."""
        while not holds():
            self._moved.clear()
            await self._moved.wait()
        for _ in range(50):
            await asyncio.sleep(0)

    def cancel(self) -> None:
        self._task.cancel()

    async def stop(self) -> None:
        self.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    async def _activate(self, session_id: str) -> None:
        self.begun.append(session_id)
        self._moved.set()
        try:
            if session_id.startswith("bad"):
                raise ValueError(session_id)
            if self._held:
                await self._go.wait()
        except asyncio.CancelledError:
            self.cut.append(session_id)
            raise
        finally:
            self._moved.set()
        self.ended.append(session_id)


# ── Who runs what ────────────────────────────────────────────────────────────


async def what_is_enlisted_is_activated(bench: PlacementBench) -> None:
    """Whether before or while somebody serves."""
    placement = bench.placement()
    await placement.enlist("before", "1")
    served = _Served(placement)
    await served.until(lambda: served.ended == ["before"])
    await placement.enlist("while", "1")
    await served.until(lambda: served.ended == ["before", "while"])
    await served.stop()


async def an_activation_counts_once(bench: PlacementBench) -> None:
    """However often it is enlisted before it begins; another activation of the session is another one."""
    placement = bench.placement()
    for activation in ("1", "1", "2", "1", "2"):
        await placement.enlist("s", activation)
    await placement.enlist("t", "1")
    served = _Served(placement)
    await served.until(lambda: len(served.ended) >= 3)
    same(sorted(served.ended), ["s", "s", "t"])
    await served.stop()


async def the_limit_holds_and_the_others_follow(bench: PlacementBench) -> None:
    """No more at once, and none forgotten."""
    placement = bench.placement()
    for number in range(7):
        await placement.enlist(f"s{number}", "1")
    served = _Served(placement, held=True, limit=3)
    await served.until(lambda: len(served.begun) >= 3)
    same(len(served.begun), 3)
    served.release()
    await served.until(lambda: len(served.ended) == 7)
    same(sorted(served.begun), [f"s{number}" for number in range(7)])
    await served.stop()


async def one_that_fails_hinders_no_other(bench: PlacementBench) -> None:
    """Its place is free for the next."""
    placement = bench.placement()
    for name in ("bad1", "bad2", "good"):
        await placement.enlist(name, "1")
    served = _Served(placement, limit=1)
    await served.until(lambda: served.ended == ["good"])
    same(sorted(served.begun), ["bad1", "bad2", "good"])
    await served.stop()


async def what_runs_at_the_end_gets_its_time(bench: PlacementBench) -> None:
    """Serving ends once it has ended by itself."""
    placement = bench.placement()
    await placement.enlist("s", "1")
    served = _Served(placement, held=True, drain_s=NEVER_S)
    await served.until(lambda: served.begun == ["s"])
    served.cancel()
    await served.until(lambda: True)
    same((served.ended, served.cut), ([], []))
    served.release()
    await served.stop()
    same((served.ended, served.cut), (["s"], []))


async def what_outlasts_its_time_is_cancelled_and_waited_for(bench: PlacementBench) -> None:
    """Nothing runs any more when serving has ended."""
    placement = bench.placement()
    await placement.enlist("s", "1")
    served = _Served(placement, held=True)
    await served.until(lambda: served.begun == ["s"])
    await served.stop()
    same((served.ended, served.cut), ([], ["s"]))


async def what_had_not_begun_is_there_for_whoever_serves_next(bench: PlacementBench) -> None:
    """The end of serving forgets nothing."""
    placement = bench.placement()
    await placement.enlist("s", "1")
    first = _Served(placement, held=True, limit=1)
    await first.until(lambda: first.begun == ["s"])
    await placement.enlist("t", "1")
    await first.stop()
    second = _Served(placement)
    await second.until(lambda: "t" in second.ended)
    await second.stop()


# ── Who owns what ────────────────────────────────────────────────────────────


async def a_session_has_one_owner(bench: PlacementBench) -> None:
    """Everybody else hears of it at once; other sessions are free."""
    ours, theirs = bench.placement(), bench.placement()
    async with ours.hold("s"):
        await wrong(SessionOwnedError, _held(theirs, "s"))
        await _held(theirs, "t")
    await _held(theirs, "s")
    await _held(ours, "s")


async def holding_again_in_the_same_process_is_no_other_owner(bench: PlacementBench) -> None:
    """It is free once the last block has ended, whichever that is."""
    ours, theirs = bench.placement(), bench.placement()
    first, second = ours.hold("s"), ours.hold("s")
    await first.__aenter__()
    await second.__aenter__()
    await first.__aexit__(None, None, None)
    await wrong(SessionOwnedError, _held(theirs, "s"))
    await second.__aexit__(None, None, None)
    await _held(theirs, "s")


async def an_owner_that_fails_holds_nothing_any_more(bench: PlacementBench) -> None:
    """Nor one that is cancelled."""
    ours, theirs = bench.placement(), bench.placement()
    for error in (ValueError(), asyncio.CancelledError()):
        with suppress(ValueError, asyncio.CancelledError):
            async with ours.hold("s"):
                raise error
        await _held(theirs, "s")


async def whoever_was_refused_holds_nothing(bench: PlacementBench) -> None:
    """Being refused leaves no trace."""
    one, two, three = bench.placement(), bench.placement(), bench.placement()
    async with one.hold("s"):
        for _ in range(3):
            await wrong(SessionOwnedError, _held(two, "s"))
    await _held(three, "s")


async def any_legal_id_can_be_held(bench: PlacementBench) -> None:
    """The longest too; ids that differ are different sessions."""
    ours, theirs = bench.placement(), bench.placement()
    for name in ("a", "A.b-c_d", "_", "9", "x" * 128):
        async with ours.hold(name):
            await wrong(SessionOwnedError, _held(theirs, name))
            await _held(theirs, name[:127] + "." if len(name) == 128 else f"{name}.")


# ── Sessions on top ──────────────────────────────────────────────────────────


async def activating_twice_at_once_does_the_work_once(bench: PlacementBench) -> None:
    """In one process and in two; whoever comes second leaves it to the first, or finds nothing."""
    store = MemoryStore()
    provider = ScriptedProvider([TextDelta(content="done")], repeat=True)
    managers = [_manager(provider, store, bench.placement()) for _ in range(2)]
    for number in range(20):
        await store.create(f"s{number}", {})
        await store.submit(f"s{number}", _message("m"))
        async with asyncio.TaskGroup() as group:
            for manager in (*managers, *managers):
                group.create_task(_tried(manager.activate(f"s{number}")))
        same(await store.pending(f"s{number}"), [])
        same([turn.role for turn in (await store.load(f"s{number}")).turns], ["user", "assistant"])
    same(len(provider.invocations), 20)
    for manager in managers:
        await manager.close_all()


async def an_activation_finds_what_came_since_the_session_was_attached(bench: PlacementBench) -> None:
    """From whoever put it into the inbox; it is free when nothing did."""
    store = MemoryStore()
    provider = ScriptedProvider([TextDelta(content="done")], repeat=True)
    manager = _manager(provider, store, bench.placement())
    await manager.create_with_id("s")
    for number in range(3):
        await manager.activate("s")
        await store.submit("s", _message(f"m{number}"))
        await manager.activate("s")
        same(await store.pending("s"), [])
    same(len(provider.invocations), 3)
    await manager.close_all()


async def a_served_session_is_worked_on(bench: PlacementBench) -> None:
    """From the inbox of the store to its ending."""
    store, placement = MemoryStore(), bench.placement()
    provider = ScriptedProvider([TextDelta(content="done")], repeat=True)
    manager = _manager(provider, store, placement)
    names = [f"s{number}" for number in range(5)]
    for name in names:
        await store.create(name, {})
        await store.submit(name, _message("m"))
        await placement.enlist(name, "m")
    serving = asyncio.ensure_future(placement.serve(manager.activate, limit=2, drain_s=NEVER_S))
    await _until(lambda: len(provider.invocations) == 5)
    serving.cancel()
    with suppress(asyncio.CancelledError):
        await serving
    for name in names:
        true(await store.submit(name, _message("m")) is not None, "every message ended")
    await manager.close_all()


async def an_activation_that_is_cancelled_leaves_its_message_for_the_next(bench: PlacementBench) -> None:
    """Which goes on with it, elsewhere."""
    store = MemoryStore()
    provider = ScriptedProvider([TextDelta(content="half"), asyncio.Event()])
    first = _manager(provider, store, bench.placement())
    second = _manager(ScriptedProvider([TextDelta(content="whole")]), store, bench.placement())
    await store.create("s", {})
    await store.submit("s", _message("m"))
    running = asyncio.ensure_future(first.activate("s"))
    await _until(lambda: len(provider.invocations) == 1)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    same([message.id for message in await store.pending("s")], ["m"])
    await second.activate("s")
    same(await store.pending("s"), [])
    await second.close_all()


def placement_checks() -> Sequence[tuple[str, PlacementCheck]]:
    """Every check by its name, to parametrize a test with."""
    checks: Sequence[PlacementCheck] = (
        what_is_enlisted_is_activated,
        an_activation_counts_once,
        the_limit_holds_and_the_others_follow,
        one_that_fails_hinders_no_other,
        what_runs_at_the_end_gets_its_time,
        what_outlasts_its_time_is_cancelled_and_waited_for,
        what_had_not_begun_is_there_for_whoever_serves_next,
        a_session_has_one_owner,
        holding_again_in_the_same_process_is_no_other_owner,
        an_owner_that_fails_holds_nothing_any_more,
        whoever_was_refused_holds_nothing,
        any_legal_id_can_be_held,
        activating_twice_at_once_does_the_work_once,
        an_activation_finds_what_came_since_the_session_was_attached,
        a_served_session_is_worked_on,
        an_activation_that_is_cancelled_leaves_its_message_for_the_next,
    )
    return [(getattr(check, "__name__", ""), check) for check in checks]


async def _held(placement: Placement, session_id: str) -> None:
    async with placement.hold(session_id):
        pass


async def _until(holds: Callable[[], bool]) -> None:
    """Let others run until it holds."""
    for _ in count():
        if holds():
            return
        await asyncio.sleep(0)


async def _tried(work: Awaitable[None]) -> None:
    with suppress(SessionOwnedError):
        await work


def _message(id: str) -> Message:
    return Message(id=id, artifacts=(Text(content=id),))


def _manager(provider: ScriptedProvider, store: MemoryStore, placement: Placement) -> Manager:
    return Manager(AgentSpec(name="agent", provider=provider), store, services=Services(placement=placement))
