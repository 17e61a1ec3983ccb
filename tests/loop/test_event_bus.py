"""One order for everything that happens, seen by callbacks first, then by every reader."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from loop.stage import SPEC, Log, text
from ore.artifact import Artifact, Notice, Severity, Text, TextDelta
from ore.errors import SessionClosedError
from ore.event import CURRENT, Activity, Entry, Event, EventContext, Lifecycle, TurnComplete, provenance
from ore.ledger import Buffer, Draft, Role, Thread, Turn
from ore.loop import EventBus, Step
from ore.testing import Recorder, ScriptedProvider


class Deployed(Event, frozen=True, kw_only=True, tag="deployed"):
    """A kind that a third party added."""

    place: str


def said(content: str) -> Notice:
    return Notice(content=content)


def contents(entries: Sequence[Entry]) -> list[str]:
    return [entry.event.content for entry in entries if isinstance(entry.event, Notice)]


# ── Callbacks ────────────────────────────────────────────────────────────────


@pytest.mark.requirement("C082", "D-emit-turn")
async def test_a_bound_ledger_has_the_turn_before_the_first_callback_sees_it() -> None:
    state = Thread()
    seen: list[Sequence[Turn]] = []
    step = Step(state, bus=EventBus(on_emit=[lambda entry: seen.append(state.turns)]))
    turn = Turn(id="a" * 16, role=Role.USER, artifacts=(Text(content="hi"),))

    step.emit(TurnComplete(turn=turn))

    assert seen == [[turn]]


@pytest.mark.requirement("C083", "D-on-emit")
async def test_callbacks_run_in_their_order_each_to_its_end_and_before_any_reader() -> None:
    seen: list[str] = []

    def one(entry: Entry) -> None:
        seen.extend(["one", f"waits {len(reader.entries)}", "one is done"])

    bus = EventBus(on_emit=[one, lambda entry: seen.append("two")])
    reader = Recorder(bus)
    bus.emit(said("x"))

    assert seen == ["one", "waits 0", "one is done", "two"]
    assert reader.kinds == ["notice"]


@pytest.mark.requirement("C084", "D-emit-turn")
async def test_only_a_complete_turn_touches_the_ledger_and_one_that_is_there_is_not_added_again() -> None:
    for state in (Buffer(), Thread()):
        step = Step(state)
        step.emit(Text(content="an artifact"))
        step.emit(Lifecycle(phase="submitted"))
        assert list(state.turns) == []

        turn = await step.record(Draft(role=Role.USER, artifacts=(Text(content="hi"),)))
        step.emit(TurnComplete(turn=turn))
        assert list(state.turns) == [turn]


@pytest.mark.requirement("C085")
async def test_without_a_ledger_emitting_tells_and_stores_nothing() -> None:
    step = Step(None)
    seen = Recorder(step)
    step.emit(TurnComplete(turn=Turn(id="a" * 16, role=Role.USER)))
    assert seen.kinds == ["turn_complete"]


@pytest.mark.requirement("D-emit-turn")
async def test_with_a_journal_a_complete_turn_is_recorded_and_never_just_emitted() -> None:
    state = Buffer()
    step = Step(state, journal=Log())
    seen = Recorder(step)
    with pytest.raises(RuntimeError, match="record"):
        step.emit(TurnComplete(turn=Turn(id="a" * 16, role=Role.USER)))
    assert (list(state.turns), seen.kinds) == ([], [])


@pytest.mark.requirement("L25", "D-on-emit")
async def test_a_callback_that_raises_is_logged_and_costs_nobody_anything(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[str] = []

    def broken(entry: Entry) -> None:
        raise LookupError("no such thing")

    bus = EventBus(on_emit=[broken, lambda entry: heard.append(entry.kind)])
    state = Buffer()
    step = Step(state, bus=bus)
    seen = Recorder(bus)
    with caplog.at_level(logging.ERROR):
        turn = await step.turn(state, SPEC, ScriptedProvider(text("hi")))

    assert turn.artifacts[0] == Text(content="hi")
    assert heard == seen.kinds
    assert len(caplog.records) == len(heard)


@pytest.mark.requirement("D-on-emit")
async def test_what_a_callback_emits_comes_after_the_current_event_for_all_callbacks_and_readers() -> None:
    first: list[str] = []
    second: list[str] = []

    def answers(entry: Entry) -> None:
        first.extend(contents([entry]))
        if contents([entry]) == ["ping"]:
            bus.emit(said("pong"))
            bus.emit(said("pung"))

    bus = EventBus(on_emit=[answers, lambda entry: second.extend(contents([entry]))])
    seen = Recorder(bus)
    bus.emit(said("ping"))
    bus.emit(said("next"))

    assert first == second == contents(seen.entries) == ["ping", "pong", "pung", "next"]
    assert [entry.number for entry in seen.entries] == [1, 2, 3, 4]


async def test_callbacks_may_come_and_go_while_they_are_called() -> None:
    heard: list[str] = []

    def once(entry: Entry) -> None:
        callbacks.remove(once)
        callbacks.append(lambda entry: heard.append("late"))

    callbacks = [once, lambda entry: heard.append("stays")]
    bus = EventBus(on_emit=callbacks)
    bus.emit(said("x"))
    bus.emit(said("y"))
    assert heard == ["stays", "stays", "late"]


async def test_an_interrupted_callback_loses_no_event() -> None:
    """Ctrl-C strikes wherever it likes."""

    def struck(entry: Entry) -> None:
        if contents([entry]) == ["one"]:
            bus.emit(said("nested"))
            raise KeyboardInterrupt

    bus = EventBus(on_emit=[struck])
    seen = Recorder(bus)
    with pytest.raises(KeyboardInterrupt):
        bus.emit(said("one"))
    bus.emit(said("two"))
    assert contents(seen.entries) == ["one", "nested", "two"]


@pytest.mark.requirement("N16", "L24")
async def test_callbacks_and_all_readers_see_one_order_whoever_emits() -> None:
    heard: list[str] = []
    bus = EventBus(on_emit=[lambda entry: heard.extend(contents([entry]))])
    readers = [Recorder(bus) for _ in range(3)]
    barrier = asyncio.Barrier(5)

    async def emit(name: str) -> None:
        for count in range(20):
            await barrier.wait()
            bus.emit(said(f"{name}{count}"))

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for name in "abcde":
            group.create_task(emit(name))

    assert len(heard) == 100
    assert [contents(reader.entries) for reader in readers] == [heard] * 3


# ── Readers ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("C087", "C090")
async def test_a_reader_gets_its_kinds_in_the_order_of_emitting_and_nothing_else() -> None:
    bus = EventBus()
    some, none = bus.subscribe("notice", "activity"), bus.subscribe("deployed")
    events: list[Event | Artifact] = [
        said("a"),
        Activity(id="t", active=True),
        Lifecycle(phase="submitted"),
        Text(content="b"),
        said("c"),
    ]
    for event in events:
        bus.emit(event)
    bus.close()

    async with asyncio.timeout(5):
        assert [entry.event async for entry in some] == [events[0], events[1], events[4]]
        assert [entry async for entry in none] == []


@pytest.mark.requirement("C088", "C089", "C096")
async def test_a_reader_without_kinds_gets_everything_and_readers_take_nothing_from_each_other() -> None:
    bus = EventBus()
    readers = [bus.subscribe(), bus.subscribe(), bus.subscribe("deployed")]
    context = EventContext(message="m", provenance="ci")
    bus.emit(Deployed(place="prod"), context=context)
    bus.close()

    async with asyncio.timeout(5):
        found = [[(entry.event, entry.context) async for entry in reader] for reader in readers]
    assert found == [[(Deployed(place="prod"), context)]] * 3


@pytest.mark.requirement("C094", "P1")
async def test_events_arrive_one_by_one_or_together_in_the_order_of_emitting() -> None:
    bus = EventBus()
    slow, fast = bus.subscribe(), bus.subscribe()
    for count in range(100):
        bus.emit(said(str(count)))
    bus.close()
    expected = [str(count) for count in range(100)]
    async with asyncio.timeout(5):
        assert contents([entry async for entry in slow]) == expected
        batches = [batch async for batch in fast.batches()]
    assert [contents(batch) for batch in batches] == [expected]


@pytest.mark.requirement("C095")
async def test_readers_come_and_go_while_others_emit() -> None:
    bus = EventBus()

    async def read(after: int) -> list[str]:
        async with bus.subscribe() as reader:
            return [contents([await anext(reader)])[0] for _ in range(5)]

    async def emit() -> None:
        for count in range(60):
            bus.emit(said(str(count)))
            await asyncio.sleep(0)

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(emit())
        readers = []
        for count in range(20):
            readers.append(group.create_task(read(count)))
            await asyncio.sleep(0)
    for found in (reader.result() for reader in readers):
        first = int(found[0])
        assert found == [str(count) for count in range(first, first + 5)]


@pytest.mark.requirement("C142")
async def test_an_activity_begins_and_ends_in_this_order() -> None:
    bus = EventBus()
    seen = Recorder(bus)
    begun = Activity(id="t:0", active=True, description="looks it up")
    bus.emit(begun)
    bus.emit(Activity(id="t:0", active=False))
    assert [entry.event for entry in seen.entries] == [begun, Activity(id="t:0", active=False)]


# ── Closing ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-closed-bus")
async def test_a_closed_bus_refuses_at_once_and_readers_still_get_what_was_told() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    bus.emit(said("last"))
    bus.close()
    bus.close()
    with pytest.raises(SessionClosedError):
        bus.emit(said("late"))
    async with asyncio.timeout(5):
        assert contents([entry async for entry in reader]) == ["last"]
        assert [entry async for entry in bus.subscribe()] == []


async def test_a_closed_bus_keeps_a_turn_out_of_the_ledger_that_nobody_would_hear_of() -> None:
    state = Buffer()
    step = Step(state)
    step.close()
    with pytest.raises(SessionClosedError):
        step.emit(TurnComplete(turn=Turn(id="a" * 16, role=Role.USER)))
    assert list(state.turns) == []


async def test_a_reader_that_leaves_hears_no_more_and_ends_whoever_iterates_it() -> None:
    bus = EventBus()
    reader = bus.subscribe()

    async def read() -> list[str]:
        return contents([entry async for entry in reader])

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        task = group.create_task(read())
        bus.emit(said("one"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        reader.close()
    bus.emit(said("two"))
    assert task.result() == ["one"]
    assert list(reader.take()) == []


async def test_leaving_in_the_middle_of_a_batch_drops_the_rest_of_it() -> None:
    bus = EventBus()
    async with bus.subscribe() as reader:
        for content in "abc":
            bus.emit(said(content))
        assert contents([await anext(reader)]) == ["a"]
    async with asyncio.timeout(5):
        assert [entry async for entry in reader] == []


# ── The envelope ─────────────────────────────────────────────────────────────


async def test_an_event_carries_the_context_of_whoever_emits_or_the_one_that_is_given() -> None:
    bus = EventBus()
    seen = Recorder(bus)
    token = CURRENT.set(EventContext(message="m1"))
    try:
        bus.emit(said("here"))
        with provenance("tui", traceparent="00-1-2-01"):
            bus.emit(said("inside"))
        bus.emit(said("given"), context=EventContext(message="m2"))
    finally:
        CURRENT.reset(token)
    bus.emit(said("outside"))
    assert [entry.context for entry in seen.entries] == [
        EventContext(message="m1"),
        EventContext(message="m1", provenance="tui", traceparent="00-1-2-01"),
        EventContext(message="m2"),
        EventContext(),
    ]


async def test_a_value_rides_along_in_the_process_and_never_in_the_json() -> None:
    bus = EventBus()
    seen = Recorder(bus)
    secret = object()
    bus.emit(Text(content="hi"), value=secret)
    [entry] = seen.entries
    assert entry.value is secret
    assert entry.artifact == Text(content="hi")
    assert entry.json == b'{"kind":"text","content":"hi","provider_data":null,"context":{"id":"1-1"}}'
    assert entry.json is entry.json


async def test_a_severity_that_nobody_knows_is_one() -> None:
    assert Severity("Loud") is Severity.INFO


async def test_a_fragment_outside_any_block_is_an_event_like_others() -> None:
    bus = EventBus(window_bytes=1000)
    seen = Recorder(bus, "text_delta")
    bus.emit(TextDelta(content="x"))
    assert [entry.event for entry in seen.entries] == [TextDelta(content="x")]
