"""The contract of an event bus: run every check against each implementation."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from ore.artifact import Artifact, Block, Blocks, Notice, StopReason, Text, TextDelta
from ore.errors import LimitError, SessionClosedError
from ore.event import Entry, Event, EventContext, Gap, OnEmit, Snapshot
from ore.loop import Policy, Subscription
from ore.testing.contracts.expectations import same, true

__all__ = ["Bus", "BusBench", "BusCheck", "bus_checks"]

WINDOW_BYTES = 2_000


class Bus(Protocol):
    """What takes events in and gives them to any number of readers, in one order."""

    def emit(self, event: Event | Artifact, *, block: Block | None = None, context: EventContext | None = None) -> None:
        """Publish at once; never waits.

        Raises:
            SessionClosedError: The bus is closed.
        """
        ...

    def subscribe(
        self, *kinds: str, after: str | None = None, policy: Policy = "coalesce", deltas: bool = True
    ) -> Subscription:
        """Read events from now on, or behind the event `after`."""
        ...

    async def flow(self, *, full: bool = True) -> None:
        """Let readers run; waits only for those with policy `block`."""
        ...

    def close(self) -> None:
        """End every subscription behind its last event."""
        ...


class BusBench(Protocol):
    """Makes the buses that a check works with."""

    def fresh(
        self, *, window_bytes: int, on_emit: Sequence[OnEmit] = (), snapshot: Callable[[str], Snapshot] | None = None
    ) -> Bus:
        """An empty bus of its own that holds `window_bytes` of events."""
        ...


BusCheck = Callable[[BusBench], Awaitable[None]]
"""Raises `AssertionError` when the promise in its name is not kept."""


def _said(count: int, first: int = 0) -> list[Notice]:
    return [Notice(content=str(place)) for place in range(first, first + count)]


def _tell(bus: Bus, events: Sequence[Event | Artifact]) -> None:
    for event in events:
        bus.emit(event)


def _answer(bus: Bus, pieces: int, *, closed: bool) -> str:
    """Stream a block of text; the text."""
    blocks = Blocks("t", lambda artifact, block: bus.emit(artifact, block=block, context=_of(block)))
    for place in range(pieces):
        blocks.add(TextDelta(content=f"{place} "))
    if closed:
        blocks.add(StopReason(reason="stop"))
    return "".join(f"{place} " for place in range(pieces))


def _of(block: Block | None) -> EventContext:
    return EventContext(message="m", block=block.id if block else None)


def _events(entries: Sequence[Entry]) -> list[Event | Artifact]:
    return [entry.event for entry in entries]


async def _read(reader: Subscription) -> list[Entry]:
    return [entry async for entry in reader]


async def every_reader_gets_its_kinds_in_the_order_of_emitting(bench: BusBench) -> None:
    """Each once, with an id that rises."""
    bus = bench.fresh(window_bytes=1 << 20)
    readers = [bus.subscribe(), bus.subscribe(), bus.subscribe("notice"), bus.subscribe("never")]
    events: list[Event | Artifact] = [*_said(3), Text(content="x"), *_said(3, first=3)]
    _tell(bus, events)
    bus.close()
    found = [await _read(reader) for reader in readers]
    same([_events(entries) for entries in found], [events, events, [*events[:3], *events[4:]], []])
    places = [(entry.epoch, entry.number) for entry in found[0]]
    same(places, sorted(set(places)))
    same([entry.id for entry in found[1]], [entry.id for entry in found[0]])


async def callbacks_see_each_event_before_every_reader(bench: BusBench) -> None:
    """In one order, nested emits behind the current event; one that raises costs nobody anything."""
    heard: list[Event | Artifact] = []
    waiting: list[int] = []

    def answers(entry: Entry) -> None:
        waiting.append(len(reader.take()))
        if entry.event == Notice(content="0"):
            bus.emit(Notice(content="answer"))
        heard.append(entry.event)

    def broken(entry: Entry) -> None:
        raise LookupError("a callback's own trouble")

    bus = bench.fresh(window_bytes=1 << 20, on_emit=(broken, answers))
    reader, watcher = bus.subscribe(), bus.subscribe()
    _tell(bus, _said(2))
    same(heard, [Notice(content="0"), Notice(content="answer"), Notice(content="1")])
    same(_events(watcher.take()), heard)
    same(waiting, [0, 1, 1])


async def a_reader_that_returns_goes_on_behind_its_last_event(bench: BusBench) -> None:
    """No gap, no double, for every id that was given."""
    bus = bench.fresh(window_bytes=1 << 20)
    first = bus.subscribe()
    _answer(bus, 5, closed=True)
    _tell(bus, _said(3))
    entries = list(first.take())
    for place, entry in enumerate(entries):
        same([found.id for found in bus.subscribe(after=entry.id).take()], [rest.id for rest in entries[place + 1 :]])
    newest = bus.subscribe(after=entries[-1].id)
    _tell(bus, _said(1))
    same(_events(newest.take()), _said(1))


async def an_id_that_was_never_given_gets_the_state(bench: BusBench) -> None:
    """Once, at once, and then what follows."""
    bus = bench.fresh(window_bytes=1 << 20, snapshot=lambda cursor: Snapshot(id=cursor, phase="streaming"))
    watcher = bus.subscribe()
    _tell(bus, _said(2))
    cursor = watcher.take()[-1].id
    for garbage in ("garbage", "1-999", "999-1", "-", "0-0-0"):
        reader = bus.subscribe(after=garbage)
        [gap] = reader.take()
        same(gap.event, Gap(snapshot=Snapshot(id=cursor, phase="streaming")))
        same(list(reader.take()), [])


async def a_late_reader_gets_larger_pieces_and_loses_no_text(bench: BusBench) -> None:
    """An open block in one piece, a closed one complete."""
    bus = bench.fresh(window_bytes=WINDOW_BYTES)
    late, only_fragments = bus.subscribe(), bus.subscribe("text_delta")
    text = _answer(bus, 200, closed=False)
    found = late.take()
    same("".join(event.content for event in _events(found) if isinstance(event, TextDelta)), text)
    true(len(found) < 200, f"fewer pieces than 200, got {len(found)}")

    bus = bench.fresh(window_bytes=WINDOW_BYTES)
    late, only_fragments = bus.subscribe(), bus.subscribe("text_delta")
    text = _answer(bus, 200, closed=True)
    same(_events(late.take()), [Text(content=text), StopReason(reason="stop")])
    same(_events(only_fragments.take()), [Text(content=text)])


async def a_reader_that_is_too_late_gets_one_gap(bench: BusBench) -> None:
    """And the others everything."""
    bus = bench.fresh(window_bytes=WINDOW_BYTES)
    late, prompt = bus.subscribe(), bus.subscribe()
    got: list[Event | Artifact] = []
    for event in _said(100):
        bus.emit(event)
        got += _events(prompt.take())
    same(got, _said(100))
    same([entry.kind for entry in late.take()], ["gap"])
    _tell(bus, _said(1))
    same(_events(late.take()), _said(1))


async def a_closed_bus_refuses_and_its_readers_end(bench: BusBench) -> None:
    """Behind their last event; closing twice is fine."""
    bus = bench.fresh(window_bytes=1 << 20)
    reader, waiting = bus.subscribe(), asyncio.ensure_future(_read(bus.subscribe()))
    await asyncio.sleep(0)
    _tell(bus, _said(2))
    bus.close()
    bus.close()
    try:
        bus.emit(Notice(content="late"))
    except SessionClosedError:
        pass
    else:
        raise AssertionError("expected SessionClosedError")
    same(_events(await _read(reader)), _said(2))
    same(_events(await waiting), _said(2))
    same(await _read(bus.subscribe()), [])


async def a_reader_that_leaves_ends(bench: BusBench) -> None:
    """Also while somebody waits in it."""
    bus = bench.fresh(window_bytes=1 << 20)
    reader = bus.subscribe()
    waiting = asyncio.ensure_future(_read(reader))
    await asyncio.sleep(0)
    reader.close()
    same(await waiting, [])
    _tell(bus, _said(1))
    same(list(reader.take()), [])


async def a_flow_waits_for_readers_that_asked_for_it_and_for_no_others(bench: BusBench) -> None:
    """Until they have caught up, or left."""
    bus = bench.fresh(window_bytes=1 << 20)
    slow = bus.subscribe()
    _tell(bus, _said(3))
    await bus.flow()
    reader = bus.subscribe(policy="block")
    _tell(bus, _said(3))
    waiting = asyncio.ensure_future(bus.flow())
    for _ in range(5):
        await asyncio.sleep(0)
    true(not waiting.done(), "the flow to wait for a reader with policy 'block'")
    same(len(reader.take()), 3)
    await waiting
    _tell(bus, _said(1))
    waiting = asyncio.ensure_future(bus.flow())
    for _ in range(5):
        await asyncio.sleep(0)
    reader.close()
    await waiting
    same(len(slow.take()), 7)


async def past_four_windows_a_reader_that_blocks_is_disconnected(bench: BusBench) -> None:
    """And holds nothing any more."""
    bus = bench.fresh(window_bytes=WINDOW_BYTES)
    reader = bus.subscribe(policy="block")
    _tell(bus, _said(100))
    try:
        await anext(reader)
    except LimitError:
        await bus.flow()
    else:
        raise AssertionError("expected LimitError")


def bus_checks() -> Sequence[tuple[str, BusCheck]]:
    """Every check by its name, to parametrize a test with."""
    checks = (
        every_reader_gets_its_kinds_in_the_order_of_emitting,
        callbacks_see_each_event_before_every_reader,
        a_reader_that_returns_goes_on_behind_its_last_event,
        an_id_that_was_never_given_gets_the_state,
        a_late_reader_gets_larger_pieces_and_loses_no_text,
        a_reader_that_is_too_late_gets_one_gap,
        a_closed_bus_refuses_and_its_readers_end,
        a_reader_that_leaves_ends,
        a_flow_waits_for_readers_that_asked_for_it_and_for_no_others,
        past_four_windows_a_reader_that_blocks_is_disconnected,
    )
    return [(check.__name__, check) for check in checks]
