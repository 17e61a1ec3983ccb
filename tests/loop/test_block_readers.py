"""Readers with policy `block`: the turn waits for them, nobody else does, and they hold nobody for ever."""

import asyncio
import gc
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise

import pytest

from loop.stage import SPEC, Custom, steps
from ore.artifact import Notice, Text, TextDelta
from ore.errors import LimitError, SessionClosedError
from ore.ledger import Buffer, Turn, TurnStatus
from ore.loop import EventBus, Step, Subscription
from ore.provider import Batch
from ore.testing import Recorder


@dataclass
class Play:
    """A turn of five fragments, one to a batch."""

    step: Step
    turn: "asyncio.Task[Turn]"
    asked: list[int]
    """The batches that the provider was asked for."""


async def five(asked: list[int]) -> AsyncGenerator[Batch, None]:
    for place in range(5):
        asked.append(place)
        yield [TextDelta(content=str(place))]


@asynccontextmanager
async def playing(step: Step) -> AsyncIterator[Play]:
    asked: list[int] = []
    provider = Custom(lambda: five(asked))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        turn = group.create_task(step.turn(Buffer(), SPEC, provider))
        await steps(30)
        yield Play(step, turn, asked)


async def read_all(reader: Subscription) -> list[str]:
    return [entry.kind async for entry in reader]


@pytest.mark.requirement("K1", "D-block-reader")
async def test_the_turn_goes_on_only_when_the_reader_comes_back_for_more() -> None:
    step = Step()
    more = asyncio.Semaphore(0)
    got: list[str] = []

    async def read(reader: Subscription) -> None:
        async for entry in reader:
            got.append(entry.event.content)  # type: ignore[union-attr]  # only fragments
            await more.acquire()

    async with asyncio.timeout(5), step.subscribe("text_delta", policy="block") as reader, asyncio.TaskGroup() as group:
        group.create_task(read(reader))
        async with playing(step) as play:
            for count in range(1, 6):
                assert (got, play.asked) == ([str(n) for n in range(count)], list(range(count)))
                more.release()
                await steps(30)
        step.close()
    assert got == list("01234")


@pytest.mark.requirement("D-block-reader")
async def test_a_reader_of_batches_holds_the_turn_until_it_asks_for_the_next_one() -> None:
    step = Step()
    more = asyncio.Semaphore(0)
    sizes: list[int] = []

    async def read(reader: Subscription) -> None:
        async with aclosing(reader.batches()) as batches:
            async for batch in batches:
                sizes.append(len(batch))
                await more.acquire()

    async with asyncio.timeout(5), step.subscribe("text_delta", policy="block") as reader, asyncio.TaskGroup() as group:
        group.create_task(read(reader))
        async with playing(step) as play:
            for count in range(1, 6):
                assert (sizes, len(play.asked)) == ([1] * count, count)
                more.release()
                await steps(30)
        step.close()


@pytest.mark.requirement("D-block-reader")
async def test_a_reader_that_takes_what_waits_holds_the_turn_between_two_looks() -> None:
    step = Step()
    reader = step.subscribe("text_delta", policy="block")
    async with playing(step) as play:
        for count in range(1, 6):
            assert len(play.asked) == count
            assert [entry.event for entry in reader.take()] == [TextDelta(content=str(count - 1))]
            await steps(30)
    reader.close()


async def leaves(reader: Subscription) -> None:
    async with reader:
        await anext(reader)


async def closes(reader: Subscription) -> None:
    await anext(reader)
    reader.close()


async def is_cancelled(reader: Subscription) -> None:
    await anext(reader)
    raise asyncio.CancelledError


async def is_cancelled_at_its_work(reader: Subscription) -> None:
    await anext(reader)
    await steps(30)
    raise asyncio.CancelledError


async def fails(reader: Subscription) -> None:
    await anext(reader)
    raise LookupError("the reader's own trouble")


@pytest.mark.requirement("D-block-released")
@pytest.mark.parametrize("ends", [leaves, closes, is_cancelled, is_cancelled_at_its_work, fails])
async def test_a_reader_that_ends_lets_the_turn_go_on(ends: Callable[[Subscription], Awaitable[None]]) -> None:
    step = Step()
    reader = step.subscribe(policy="block")
    go = asyncio.Event()

    async def later() -> None:
        await go.wait()
        await ends(reader)

    task = asyncio.ensure_future(later())
    await asyncio.sleep(0)
    async with playing(step) as play:
        assert play.asked == [0]
        go.set()
        await asyncio.wait((task,))
    assert play.turn.result().status is TurnStatus.COMPLETE
    assert task.cancelled() or task.exception() is None or isinstance(task.exception(), LookupError)


@pytest.mark.requirement("D-block-released")
async def test_a_reader_that_is_dropped_lets_the_turn_go_on() -> None:
    step = Step()
    readers = [step.subscribe(policy="block")]
    async with playing(step) as play:
        assert play.asked == [0]
        readers.clear()
        gc.collect()
    assert play.turn.result().status is TurnStatus.COMPLETE


@pytest.mark.requirement("D-block-released")
async def test_closing_the_bus_lets_the_turn_go_on_and_keeps_what_was_seen() -> None:
    state = Buffer()
    step = Step(state)
    reader = step.subscribe(policy="block")
    asked: list[int] = []
    provider = Custom(lambda: five(asked))
    async with asyncio.timeout(5):
        turn = asyncio.ensure_future(step.turn(state, SPEC, provider))
        await steps(30)
        assert asked == [0]
        step.close()
        await asyncio.wait((turn,))
    assert isinstance(turn.exception(), SessionClosedError)
    assert [(kept.status, kept.artifacts) for kept in state.turns] == [(TurnStatus.FAILED, (Text(content="01"),))]
    reader.close()


@pytest.mark.requirement("D-block-released")
async def test_a_cancelled_turn_does_not_wait_for_the_reader() -> None:
    state = Buffer()
    step = Step(state)
    reader = step.subscribe(policy="block")
    provider = Custom(lambda: five([]))
    async with asyncio.timeout(5):
        turn = asyncio.ensure_future(step.turn(state, SPEC, provider))
        await steps(30)
        turn.cancel()
        await asyncio.wait((turn,))
    assert turn.cancelled()
    assert [(kept.status, kept.artifacts) for kept in state.turns] == [(TurnStatus.INTERRUPTED, (Text(content="0"),))]
    reader.close()


async def test_two_turns_on_one_bus_are_both_held_and_both_let_go() -> None:
    bus = EventBus()
    reader = bus.subscribe(policy="block")
    async with playing(Step(bus=bus)) as one, playing(Step(bus=bus)) as two:
        assert one.asked == two.asked == [0]
        two.turn.cancel()
        await steps(30)
        assert one.asked == [0]
        reader.close()
    assert one.turn.result().artifacts == (Text(content="01234"),)
    assert two.turn.cancelled()


@pytest.mark.requirement("D-block-refused")
@pytest.mark.parametrize("has_read", [True, False])
async def test_a_reader_in_the_task_that_runs_the_turn_is_refused(has_read: bool) -> None:
    state = Buffer()
    step = Step(state)
    async with asyncio.timeout(5), step.subscribe(policy="block") as reader:
        if has_read:
            step.emit(Notice(content="a"))
            await anext(reader)
        with pytest.raises(RuntimeError, match="another"):
            await step.turn(state, SPEC, Custom(lambda: five([])))
    assert [turn.status for turn in state.turns] == [TurnStatus.FAILED]


@pytest.mark.requirement("D-block-refused")
async def test_a_reader_that_another_task_took_over_is_not_refused() -> None:
    step = Step()
    async with asyncio.timeout(5), step.subscribe("text_delta", policy="block") as reader, asyncio.TaskGroup() as group:
        reading = group.create_task(read_all(reader))
        turn = await step.turn(Buffer(), SPEC, Custom(lambda: five([])))
        step.close()
    assert reading.result() == ["text_delta"] * 5
    assert turn.artifacts == (Text(content="01234"),)


@pytest.mark.requirement("D-block-disconnected")
async def test_past_four_windows_the_slowest_reader_is_disconnected_and_only_that_one() -> None:
    bus = EventBus(window_bytes=1000)
    slow, other, prompt = bus.subscribe(policy="block"), bus.subscribe(policy="block"), Recorder(bus)
    sent: list[Notice] = []

    def send(count: int) -> None:
        for _ in range(count):
            sent.append(Notice(content=f"{len(sent):0200}"))
            bus.emit(sent[-1])
            assert prompt.entries[-1].event is sent[-1]
            assert bus.fan_out.held_bytes <= 4000

    send(5)
    got = list(other.take())
    send(8)
    with pytest.raises(LimitError):
        slow.take()
    async with asyncio.timeout(5):
        for _ in range(2):
            with pytest.raises(LimitError):
                await anext(slow)
    got += other.take()
    assert [entry.event for entry in got] == sent

    send(3)
    assert bus.fan_out.held_bytes > 700
    other.close()
    assert bus.fan_out.held_bytes <= 1000
    slow.close()


@pytest.mark.requirement("D-block-disconnected")
async def test_a_disconnected_reader_first_gets_what_it_already_had() -> None:
    bus = EventBus(window_bytes=1000)
    reader = bus.subscribe(policy="block")
    for count in range(3):
        bus.emit(Notice(content=str(count)))
    async with asyncio.timeout(5):
        await anext(reader)
        for _ in range(30):
            bus.emit(Notice(content="x" * 200))
        assert [(await anext(reader)).event for _ in range(2)] == [Notice(content="1"), Notice(content="2")]
        with pytest.raises(LimitError):
            await anext(reader)
    reader.close()


@pytest.mark.requirement("D-block-disconnected", "D-nobody-slowed")
async def test_a_disconnected_reader_keeps_nothing_and_holds_nobody() -> None:
    bus = EventBus(window_bytes=1000)
    reader = bus.subscribe(policy="block")
    for _ in range(100):
        bus.emit(Notice(content="x" * 200))
    assert bus.fan_out.held_bytes <= 1000
    async with playing(Step(bus=bus)) as play:
        pass
    assert play.turn.result().artifacts == (Text(content="01234"),)
    reader.close()


@pytest.mark.requirement("D-nobody-slowed")
async def test_what_is_kept_for_one_reader_is_seen_by_no_other_twice() -> None:
    bus = EventBus(window_bytes=1000)
    slow, late = bus.subscribe(policy="block"), bus.subscribe()
    for count in range(10):
        bus.emit(Notice(content=str(count)))
    assert [entry.number for entry in late.take()] == list(range(1, 11))
    assert [entry.number for entry in slow.take()] == list(range(1, 11))
    bus.emit(Notice(content="next"))
    assert [entry.number for entry in late.take()] == [11]
    slow.close()


@pytest.mark.requirement("D-flow")
async def test_a_full_batch_lets_others_run_and_a_small_one_within_a_millisecond_does_not() -> None:
    passes: list[int] = []

    async def invoke() -> AsyncGenerator[Batch, None]:
        for size in (1, 64, 64, 1, 1):
            passes.append(count)
            yield [TextDelta(content="x")] * size
        passes.append(count)

    count = 0
    bus = EventBus()
    await bus.flow(full=True)

    def tick() -> None:
        nonlocal count
        count += 1
        asyncio.get_running_loop().call_soon(tick)

    tick()
    await Step(bus=bus).turn(Buffer(), SPEC, Custom(invoke))
    first, *others = [after - before for before, after in pairwise(passes)]
    assert first in (0, 1)
    assert others[:2] == [1, 1]
    count = -(10**9)


@pytest.mark.requirement("D-block-released")
@pytest.mark.parametrize("closes", [True, False])
async def test_a_batch_that_is_done_with_lets_the_turn_go_on(closes: bool) -> None:
    step = Step()
    reader = step.subscribe("text_delta", policy="block")
    iterators = [reader.batches()]
    async with playing(step) as play:
        await anext(iterators[0])
        await steps(30)
        assert play.asked == [0]
        if closes:
            await iterators[0].aclose()
        iterators.clear()
        gc.collect()
        await steps(30)
        assert play.asked == [0, 1]
        reader.close()
