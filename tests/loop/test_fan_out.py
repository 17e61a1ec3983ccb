"""Late readers get less, larger, or the state; nobody waits for them, and nothing complete is lost."""

import asyncio
import gc
from collections.abc import Sequence
from itertools import pairwise

import pytest

from loop.stage import SPEC, steps, text
from ore.artifact import Artifact, Block, Blocks, Notice, StopReason, Text, TextDelta, ToolCall, ToolCallDelta
from ore.event import Entry, EventContext, Gap, Lifecycle, LiveBlock, Snapshot, TurnComplete
from ore.ledger import Buffer, Role, Turn
from ore.loop import EventBus, FanOut, Step
from ore.testing import Recorder, ScriptedProvider

TINY = 700


class Answer:
    """One answer that streams into a bus."""

    def __init__(self, bus: EventBus, prefix: str = "t") -> None:
        self._bus = bus
        self.blocks = Blocks(prefix, self._publish)

    def add(self, *artifacts: Artifact) -> None:
        for artifact in artifacts:
            self.blocks.add(artifact)

    def _publish(self, artifact: Artifact, block: Block | None) -> None:
        self._bus.emit(artifact, block=block, context=EventContext(block=block.id if block else None))


def fragments(count: int, first: int = 0) -> list[Artifact]:
    return [TextDelta(content=f"{place} ") for place in range(first, first + count)]


def words(count: int, first: int = 0) -> str:
    return "".join(f"{place} " for place in range(first, first + count))


def notes(count: int) -> list[Notice]:
    return [Notice(content=str(place)) for place in range(count)]


def events(entries: Sequence[Entry]) -> list[object]:
    return [entry.event for entry in entries]


# ── Late, but not lost ───────────────────────────────────────────────────────


@pytest.mark.requirement("K1", "P2", "D-coalesce")
async def test_late_within_an_open_block_means_one_fragment_with_all_that_was_let_go() -> None:
    bus = EventBus(window_bytes=TINY)
    answer = Answer(bus)
    prompt, late = bus.subscribe(), bus.subscribe()
    answer.add(*fragments(3))
    assert events(prompt.take()) == fragments(3)
    answer.add(*fragments(20, first=3))

    assert events(late.take()) == [TextDelta(content=words(14)), *fragments(9, first=14)]
    assert events(prompt.take()) == [TextDelta(content=words(11, first=3)), *fragments(9, first=14)]


@pytest.mark.requirement("D-coalesce", "D-context-block")
async def test_late_behind_a_closed_block_means_the_complete_block_alone() -> None:
    bus = EventBus(window_bytes=1000)
    answer = Answer(bus)
    late = bus.subscribe()
    answer.add(*fragments(30), StopReason(reason="stop"))
    answer.add(*fragments(3))

    found = late.take()
    assert events(found) == [Text(content=words(30)), StopReason(reason="stop"), *fragments(3)]
    assert [entry.context.block for entry in found] == ["t:1", None, "t:2", "t:2", "t:2"]


@pytest.mark.requirement("D-delta-kind-gets-complete")
async def test_whoever_asked_for_fragments_alone_gets_the_block_that_stands_for_lost_ones() -> None:
    bus = EventBus(window_bytes=TINY)
    answer = Answer(bus)
    late, prompt, other = bus.subscribe("text_delta"), bus.subscribe("text_delta"), bus.subscribe("tool_call_delta")
    seen: list[object] = []
    for fragment in fragments(30):
        answer.add(fragment)
        seen += events(prompt.take())
    answer.add(StopReason(reason="stop"))

    assert events(late.take()) == [Text(content=words(30))]
    assert (seen, events(prompt.take())) == (fragments(30), [])
    assert events(other.take()) == []


async def test_a_block_is_told_whole_when_only_its_first_fragments_are_gone() -> None:
    """Fragments that are left over would be shown as text that follows nothing."""
    bus = EventBus(window_bytes=TINY)
    answer = Answer(bus)
    answer.add(*fragments(4))
    held = bus.subscribe(policy="block")  # keeps what comes from here on
    answer.add(*fragments(4, first=4), StopReason(reason="stop"))
    for note in notes(2):
        bus.emit(note)

    again = bus.subscribe(after="1-2")
    assert events(again.take())[:2] == [Text(content=words(8)), StopReason(reason="stop")]
    held.close()


@pytest.mark.requirement("D-coalesce")
async def test_parallel_calls_that_are_late_keep_their_fragments_apart() -> None:
    bus = EventBus(window_bytes=300)
    answer = Answer(bus)
    late = bus.subscribe()
    parts = [ToolCallDelta(index=place % 2, id=f"c{place % 2}", name="f", arguments=str(place)) for place in range(8)]
    answer.add(*parts)
    found = late.take()
    answer.add(StopReason(reason="tool_use"))

    for index in (0, 1):
        mine = [entry.event for entry in found if isinstance(entry.event, ToolCallDelta) and entry.event.index == index]
        whole = ToolCallDelta.assemble(mine)
        assert whole == ToolCallDelta.assemble([part for part in parts if part.index == index])
        assert whole in events(late.take()) or isinstance(whole, ToolCall)


@pytest.mark.requirement("D-gap", "P3")
async def test_late_behind_dropped_events_means_one_gap_with_the_state() -> None:
    turn = Turn(id="a" * 16, role=Role.USER, artifacts=(Text(content="hi"),))
    bus = EventBus(window_bytes=TINY, snapshot=lambda cursor: Snapshot(id=cursor, turns=[turn], phase="streaming"))
    late, some = bus.subscribe(), bus.subscribe("turn_complete")
    for note in notes(10):
        bus.emit(note)

    [gap] = late.take()
    assert gap.event == Gap(snapshot=Snapshot(id="1-10", turns=[turn], phase="streaming"))
    assert (gap.id, gap.kind, gap.context) == ("1-10", "gap", EventContext())
    assert [entry.kind for entry in some.take()] == ["gap"]
    bus.emit(Notice(content="next"))
    assert events(late.take()) == [Notice(content="next")]


@pytest.mark.requirement("D-gap")
async def test_a_gap_shows_open_blocks_as_far_as_they_got() -> None:
    bus = EventBus(window_bytes=TINY)
    answer = Answer(bus)
    late = bus.subscribe()
    for note in notes(10):
        bus.emit(note)
    answer.add(*fragments(5))

    [gap] = late.take()
    assert gap.event == Gap(
        snapshot=Snapshot(id="1-15", blocks=[LiveBlock(block="t:1", artifact=Text(content=words(5)))])
    )
    answer.add(*fragments(1, first=5))
    assert events(late.take()) == fragments(1, first=5)


@pytest.mark.requirement("D-nobody-slowed", "P3")
async def test_a_reader_that_never_reads_costs_the_others_nothing() -> None:
    bus = EventBus(window_bytes=2000)
    stuck, prompt = bus.subscribe(), Recorder(bus)
    answer = Answer(bus)
    for fragment in fragments(200):
        answer.add(fragment)
        assert prompt.entries[-1].event == fragment
    answer.add(StopReason(reason="stop"))
    assert prompt.text == words(200)
    assert events(stuck.take()) == [Text(content=words(200)), StopReason(reason="stop")]


@pytest.mark.requirement("D-nobody-slowed")
async def test_a_reader_that_keeps_up_gets_every_fragment_however_often_the_window_is_full() -> None:
    """A session that never rests fills its window; what this reader wants of the newest answer is not read yet."""
    bus = EventBus(window_bytes=4000)
    reader = bus.subscribe("text_delta")
    for turn in range(50):
        answer = Answer(bus, f"t{turn}")
        answer.add(*fragments(7), StopReason(reason="stop"))
        assert events(reader.take()) == fragments(7)


@pytest.mark.requirement("D-nobody-slowed")
async def test_a_reader_that_never_reads_takes_no_fragment_from_one_that_keeps_up() -> None:
    bus = EventBus(window_bytes=4000)
    stuck, reader = bus.subscribe("text_delta"), bus.subscribe("text_delta")
    for turn in range(50):
        answer = Answer(bus, f"t{turn}")
        answer.add(*fragments(7), StopReason(reason="stop"))
        assert events(reader.take()) == fragments(7)
    assert stuck.behind


@pytest.mark.requirement("D-event-window")
async def test_the_window_holds_no_more_than_its_bytes() -> None:
    bus = EventBus(window_bytes=4000)
    answer = Answer(bus)
    for size in (10, 1000, 3000, 50_000):
        answer.add(*fragments(70))
        bus.emit(Notice(content="x" * size))
        answer.add(StopReason(reason="stop"))
        bus.emit(TurnComplete(turn=Turn(id="a" * 16, role=Role.USER, artifacts=(Text(content="y" * size),))))
        assert bus.fan_out.held_bytes <= 4000
    assert bus.fan_out.held_bytes == sum(entry.weight for entry in bus.fan_out.log)


@pytest.mark.requirement("D-event-window")
async def test_the_text_of_any_event_counts_wherever_it_stands() -> None:
    long = "x" * 1000
    bus = EventBus()
    for event in (
        Notice(content=long),
        Text(content="", provider_data={"provider": "p", "deep": [{"signature": long}]}),
        Lifecycle(phase="done", content=(Text(content=long),)),
        TurnComplete(turn=Turn(id="a" * 16, role=Role.USER, artifacts=(Text(content=long),))),
    ):
        bus.emit(event)
    assert all(1256 <= entry.weight < 1400 for entry in bus.fan_out.log)


async def test_an_event_that_holds_itself_weighs_something() -> None:
    knot: list[object] = []
    knot.append(knot)
    bus = EventBus()
    bus.emit(Text(content="", provider_data={"knot": knot}))
    assert bus.fan_out.log[0].weight >= 256


@pytest.mark.requirement("D-event-window")
async def test_a_closed_block_lets_go_of_its_fragments() -> None:
    bus = EventBus()
    answer = Answer(bus)
    answer.add(*fragments(100), StopReason(reason="stop"))
    [whole] = [entry for entry in bus.fan_out.log if isinstance(entry.event, Text)]
    assert whole.block is not None
    assert (whole.block.closed, whole.block.parts) == (True, [])


# ── Sharing ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-shared-log")
async def test_readers_at_one_place_share_one_batch_and_one_json() -> None:
    bus = EventBus()
    readers = [bus.subscribe() for _ in range(3)] + [bus.subscribe(deltas=False) for _ in range(2)]
    Answer(bus).add(*fragments(3), StopReason(reason="stop"))
    batches = [reader.take() for reader in readers]

    assert batches[0] is batches[1] is batches[2]
    assert batches[3] is batches[4]
    assert events(batches[3]) == [Text(content=words(3)), StopReason(reason="stop")]
    assert batches[0][-1].json is batches[3][-1].json


@pytest.mark.requirement("D-shared-log")
async def test_one_pass_of_the_loop_wakes_all_readers_for_a_whole_burst() -> None:
    bus = EventBus()
    got: list[int] = []

    async def read() -> None:
        async for batch in bus.subscribe().batches():
            got.append(len(batch))

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(read())
        await steps()
        for note in notes(50):
            bus.emit(note)
        await steps()
        bus.close()
    assert got == [50, 50, 50]


# ── Going on behind an id ────────────────────────────────────────────────────


@pytest.mark.requirement("D-resume", "P4")
async def test_a_reader_that_returns_gets_exactly_the_rest_wherever_it_left() -> None:
    """At every id of a turn, live ones and those of larger pieces."""
    bus = EventBus()
    step = Step(None, bus=bus)
    seen = Recorder(step)
    await step.turn(Buffer(), SPEC, ScriptedProvider(text(*"Hello")))
    entries = list(seen.entries)
    assert len(entries) == 10
    for place, entry in enumerate(entries):
        assert list(bus.subscribe(after=entry.id).take()) == entries[place + 1 :]
        assert list(bus.subscribe("text_delta", after=entry.id).take()) == [
            entry for entry in entries[place + 1 :] if entry.kind == "text_delta"
        ]


@pytest.mark.requirement("D-resume")
async def test_replay_and_live_meet_without_a_gap_or_a_double() -> None:
    bus = EventBus()
    for note in notes(5):
        bus.emit(note)
    reader = bus.subscribe(after="1-2")

    async def read() -> list[str]:
        return [entry.id async for entry in reader]

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        task = group.create_task(read())
        for note in notes(5):
            await asyncio.sleep(0)
            bus.emit(note)
        await steps()
        bus.close()
    assert task.result() == [f"1-{place}" for place in range(3, 11)]


@pytest.mark.requirement("D-too-old")
@pytest.mark.parametrize(
    "after", ["x", "garbage", "1-99", "2-3", "0-3", "1-", "-3", "1-3-3", "1-x", "٣-٣", "1-" + "9" * 50]
)
async def test_an_id_that_was_never_given_gets_the_state_at_once(after: str) -> None:
    bus = EventBus()
    for note in notes(5):
        bus.emit(note)
    reader = bus.subscribe(after=after)
    bus.emit(Notice(content="next"))
    assert [entry.kind for entry in reader.take()] == ["gap"]
    assert list(reader.take()) == []


@pytest.mark.requirement("D-too-old")
async def test_the_newest_id_is_never_too_old() -> None:
    bus = EventBus(window_bytes=TINY)
    first = bus.subscribe(after=bus.fan_out.cursor)
    assert list(first.take()) == []
    for note in notes(50):
        bus.emit(note)
        newest = bus.fan_out.cursor
        reader = bus.subscribe(after=newest)
        bus.emit(Notice(content="next"))
        assert events(reader.take()) == [Notice(content="next")]
    bus.fan_out.expire()
    assert list(bus.subscribe(after=bus.fan_out.cursor).take()) == []
    assert [entry.kind for entry in bus.subscribe(after="1-3").take()] == ["gap"]


@pytest.mark.requirement("D-resume")
async def test_an_empty_id_begins_with_the_oldest_event_that_is_still_there() -> None:
    bus = EventBus(window_bytes=TINY)
    assert list(bus.subscribe(after="").take()) == []
    for note in notes(10):
        bus.emit(note)
    assert events(bus.subscribe(after="").take()) == notes(10)[-2:]


@pytest.mark.requirement("D-ids")
async def test_ids_go_on_through_epochs_and_those_of_another_process_are_not_taken_for_own_ones() -> None:
    bus = EventBus(epoch=4)
    seen = Recorder(bus)
    bus.emit(Notice(content="a"))
    bus.fan_out.epoch = 6
    for note in notes(3):
        bus.emit(note)
    assert [entry.id for entry in seen.entries] == ["4-1", "6-2", "6-3", "6-4"]
    assert all((one.epoch, one.number) < (two.epoch, two.number) for one, two in pairwise(seen.entries))

    for given, kinds in (("4-1", ["notice"] * 3), ("6-3", ["notice"]), ("6-4", []), ("5-3", ["gap"]), ("3-1", ["gap"])):
        assert [entry.kind for entry in bus.subscribe(after=given).take()] == kinds


@pytest.mark.requirement("D-foreign-writer")
async def test_when_another_owner_wrote_meanwhile_every_reader_gets_one_gap() -> None:
    bus = EventBus(epoch=2)
    bus.emit(Notice(content="a"))
    prompt, late, asleep = bus.subscribe(), bus.subscribe(after="2-0"), Recorder(bus)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        waits = group.create_task(asleep.until("gap"))
        await steps()
        bus.fan_out.renew(5)
    assert waits.result().id == "5-2"
    bus.emit(Notice(content="b"))

    for reader in (prompt, late):
        assert [(entry.kind, entry.id) for entry in [*reader.take(), *reader.take()]] == [("gap", "5-3")]
    for given, kinds in (("2-1", ["gap"]), ("5-2", ["notice"]), ("4-2", ["gap"]), ("2-2", ["gap"])):
        assert [entry.kind for entry in bus.subscribe(after=given).take()] == kinds


async def test_a_window_that_is_made_anew_counts_on() -> None:
    bus = EventBus(epoch=3)
    bus.fan_out.last = bus.fan_out.floor = 41
    reader = bus.subscribe(after="3-41")
    bus.emit(Notice(content="a"))
    assert [entry.id for entry in reader.take()] == ["3-42"]
    assert [entry.kind for entry in bus.subscribe(after="3-40").take()] == ["gap"]


# ── At rest ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-idle-window")
async def test_a_session_at_rest_keeps_the_fragments_that_a_reader_has_not_seen_and_no_others() -> None:
    bus = EventBus()
    step = Step(None, bus=bus)
    prompt, late = Recorder(step), bus.subscribe()
    await step.turn(Buffer(), SPEC, ScriptedProvider(text("a", "b")))
    assert prompt.text == "ab"
    bus.fan_out.rest()
    assert [entry.kind for entry in bus.fan_out.log].count("text_delta") == 2

    assert [entry.kind for entry in late.take()].count("text_delta") == 2
    bus.fan_out.rest()
    assert [entry.kind for entry in bus.fan_out.log].count("text_delta") == 0


@pytest.mark.requirement("D-idle-window")
async def test_fragments_go_when_the_last_reader_that_needs_them_has_read_or_left() -> None:
    for leaves in (True, False):
        bus = EventBus()
        step = Step(None, bus=bus)
        late = bus.subscribe()
        await step.turn(Buffer(), SPEC, ScriptedProvider(text("a", "b")))
        bus.fan_out.rest()
        assert "text_delta" in [entry.kind for entry in bus.fan_out.log]
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            if leaves:
                late.close()
            else:
                group.create_task(drain(late))
                await steps()
            assert "text_delta" not in [entry.kind for entry in bus.fan_out.log]
            bus.close()


async def drain(reader: object) -> None:
    async for _ in reader:  # type: ignore[attr-defined]  # a Subscription
        pass


@pytest.mark.requirement("D-idle-window")
async def test_the_window_goes_after_a_while_without_readers_and_no_sooner() -> None:
    gone = asyncio.Event()
    bus = EventBus(idle_s=0.01, on_expire=gone.set)
    reader = bus.subscribe()
    bus.emit(Notice(content="a"))
    bus.fan_out.rest()
    await steps(20)
    assert (gone.is_set(), len(bus.fan_out.log)) == (False, 1)
    reader.close()
    async with asyncio.timeout(5):
        await gone.wait()
    assert (bus.fan_out.log, bus.fan_out.held_bytes) == ([], 0)


@pytest.mark.requirement("D-idle-window")
async def test_the_while_without_readers_begins_anew_with_each_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[bool] = []
    loop = asyncio.get_running_loop()
    begin, passed_s = loop.time(), 0.0
    monkeypatch.setattr(loop, "time", lambda: begin + passed_s)
    bus = EventBus(idle_s=10, on_expire=lambda: gone.append(True))
    bus.emit(Notice(content="a"))
    bus.fan_out.rest()
    for passed_s, expected in ((6.0, []), (11.0, []), (15.9, []), (16.1, [True])):
        if passed_s == 6.0:
            bus.emit(Notice(content="b"))
            bus.fan_out.rest()
        await steps()
        assert gone == expected


@pytest.mark.requirement("D-idle-window")
async def test_a_reader_that_was_just_dropped_does_not_keep_the_window() -> None:
    gone = asyncio.Event()
    bus = EventBus(idle_s=0.0, on_expire=gone.set)
    reader = bus.subscribe()
    bus.emit(Notice(content="a"))
    bus.fan_out.rest()
    await steps()
    assert not gone.is_set()
    del reader
    gc.collect()
    async with asyncio.timeout(5):
        await gone.wait()


async def test_work_that_begins_again_keeps_the_window() -> None:
    gone: list[bool] = []
    bus = EventBus(idle_s=0.0, on_expire=lambda: gone.append(True))
    bus.emit(Notice(content="a"))
    bus.fan_out.rest()
    bus.emit(Notice(content="b"))
    await steps(50)
    assert (gone, len(bus.fan_out.log)) == ([], 2)


async def test_readers_may_leave_and_be_dropped_after_the_loop_has_ended() -> None:
    def outside() -> None:
        runner = asyncio.Runner()
        bus = EventBus()

        async def inside() -> list[object]:
            readers = [bus.subscribe(), bus.subscribe(), bus.subscribe(policy="block")]
            bus.emit(Notice(content="a"))
            await anext(readers[0])
            bus.fan_out.rest()
            return list(readers)

        first, *others = runner.run(inside())
        runner.close()
        first.close()  # type: ignore[attr-defined]  # a Subscription
        del others
        gc.collect()

    await asyncio.to_thread(outside)


async def test_readers_that_come_and_go_while_nothing_happens_leave_nothing_behind() -> None:
    bus = EventBus()
    before = futures()
    for _ in range(20):
        async with bus.subscribe() as reader:
            task = asyncio.ensure_future(anext(reader))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait((task,))
    assert futures() < before + 5
    bus.close()


def futures() -> int:
    """How many futures there are in this process."""
    gc.collect()
    return sum(type(thing) is asyncio.Future for thing in gc.get_objects())


async def test_a_fan_out_can_be_used_without_a_bus() -> None:
    fan_out = FanOut(window_bytes=1000)
    assert (fan_out.cursor, list(fan_out.blocks), fan_out.closed) == ("1-0", [], False)
