"""So much at once and in a minute, for all who use a provider."""

import asyncio
import heapq
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore import Agent
from ore.artifact import Artifact, StopReason, Text, TextDelta, Usage
from ore.errors import OverloadedError
from ore.ext.providers.limits import Limited
from ore.ext.providers.pace import Pace
from ore.ext.providers.turnstile import Turnstile
from ore.ledger import Buffer, Role, State
from ore.models import Spec
from ore.provider import Batch, Option
from ore.testing.scripted import ScriptedProvider

HI = TextDelta(content="hi")


class Clock:
    """Time that passes only when everybody sleeps."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    def __call__(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        self._count += 1
        heapq.heappush(self._sleepers, (self.now_s + seconds, self._count, future))
        await future

    async def run(self, work: "asyncio.Future[Any]") -> None:
        """Let time pass until `work` is done."""
        while not work.done():
            for _ in range(20):
                await asyncio.sleep(0)
            while self._sleepers and self._sleepers[0][2].done():
                heapq.heappop(self._sleepers)
            if not work.done() and self._sleepers:
                self.now_s, _, future = heapq.heappop(self._sleepers)
                future.set_result(None)


class Held:
    """A provider whose answers begin at once and end when they are let go."""

    name = "held"

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.running = 0
        self.most = 0

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        who = str(spec.name)
        self.begun.append(who)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            yield (HI,)
            await self.ends.setdefault(who, asyncio.Event()).wait()
            yield (StopReason(reason="stop"),)
        finally:
            self.running -= 1

    def let_go(self, who: str) -> None:
        self.ends.setdefault(who, asyncio.Event()).set()


def asked() -> Buffer:
    state = Buffer()
    state.add(Role.USER, Text(content="Hello?"))
    return state


async def answer(provider: Limited, who: str = "m") -> list[Artifact]:
    async with aclosing(provider.invoke(asked(), Spec(name=who))) as batches:
        return [artifact async for batch in batches for artifact in batch]


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_no_more_than_so_many_at_once_and_in_order_of_arrival() -> None:
    held = Held()
    provider = Limited(held, concurrency=2)
    names = ["a", "b", "c", "d", "e"]
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for name in names:
            group.create_task(answer(provider, name))
        await settle()
        assert held.begun == ["a", "b"]
        held.let_go("b")
        await settle()
        assert held.begun == ["a", "b", "c"]
        for name in names:
            held.let_go(name)
    assert (held.begun, held.most) == (names, 2)


async def test_whoever_is_cancelled_while_waiting_leaves_nothing_behind() -> None:
    held = Held()
    provider = Limited(held, concurrency=1)
    async with asyncio.timeout(5):
        tasks = {name: asyncio.ensure_future(answer(provider, name)) for name in "abc"}
        await settle()
        tasks["b"].cancel()
        await settle()
        held.let_go("a")
        held.let_go("c")
        await asyncio.wait(tasks.values())
    assert (tasks["b"].cancelled(), held.begun, held.running) == (True, ["a", "c"], 0)


async def test_whoever_is_cancelled_as_it_is_let_in_gives_its_place_on() -> None:
    turnstile = Turnstile(1)
    await turnstile.enter()
    async with asyncio.timeout(5):
        first, second = (asyncio.ensure_future(turnstile.enter()) for _ in range(2))
        await settle()
        turnstile.leave()
        first.cancel()
        await asyncio.wait((first, second))
    assert (first.cancelled(), second.result()) == (True, None)
    turnstile.leave()
    assert (turnstile.free, turnstile.waiting) == (1, 0)


async def test_an_answer_that_fails_or_is_left_gives_its_place_back() -> None:
    provider = Limited(ScriptedProvider([OverloadedError("no")], [HI, asyncio.Event()], [HI]), concurrency=1)
    async with asyncio.timeout(5):
        with pytest.raises(OverloadedError):
            await answer(provider)
        async with aclosing(provider.invoke(asked(), Spec())) as batches:
            await anext(batches)
        assert await answer(provider) == [HI, StopReason(reason="stop")]


async def test_sessions_share_the_limit() -> None:
    held = Held()
    agent = Agent(Limited(held, concurrency=1), store="memory:")
    async with asyncio.timeout(5), agent.session() as one, agent.session() as other:
        first, second = one.stream("a"), other.stream("b")
        await settle()
        assert len(held.begun) == 1
        held.let_go("None")
        assert [(await run.result()).text for run in (first, second)] == ["hi", "hi"]
    assert (len(held.begun), held.most) == (2, 1)


async def test_event_loops_share_the_limit() -> None:
    scripted = ScriptedProvider(*([HI] for _ in range(8)))
    provider = Limited(scripted, concurrency=1)

    def run() -> list[Artifact]:
        return asyncio.run(answer(provider))

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        tasks = [group.create_task(asyncio.to_thread(run)) for _ in range(8)]
    assert [task.result()[0] for task in tasks] == [HI] * 8


@pytest.mark.parametrize("limit", ["concurrency", "requests_per_minute", "tokens_per_minute"])
def test_a_limit_of_nothing_is_refused_by_name(limit: str) -> None:
    with pytest.raises(ValueError, match=f"^{limit}: expected at least 1 or None, got 0$"):
        make: Callable[..., Limited] = Limited
        make(ScriptedProvider(), **{limit: 0})


async def test_in_any_minute_begin_no_more_than_so_many() -> None:
    clock = Clock()
    pace = Pace(3, clock=clock, sleep=clock.sleep)
    begun: list[float] = []

    async def one() -> None:
        await pace.admit()
        begun.append(clock.now_s)

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        tasks = [group.create_task(one()) for _ in range(8)]
        await clock.run(tasks[-1])
    assert begun == [0, 0, 0, 60, 60, 60, 120, 120]


async def test_whoever_is_cancelled_while_it_waits_for_its_minute_does_not_count() -> None:
    clock = Clock()
    pace = Pace(1, clock=clock, sleep=clock.sleep)
    await pace.admit()
    async with asyncio.timeout(5):
        tasks = [asyncio.ensure_future(pace.admit()) for _ in range(2)]
        await settle()
        tasks[0].cancel()
        await clock.run(tasks[1])
        await asyncio.wait(tasks)
    assert (tasks[0].cancelled(), clock.now_s) == (True, 60)


async def test_tokens_that_were_used_count_for_a_minute() -> None:
    clock = Clock()
    pace = Pace(tokens=100, clock=clock, sleep=clock.sleep)
    usage = Usage(prompt_tokens=50, completion_tokens=20)
    scripted = ScriptedProvider(*([HI, usage] for _ in range(4)))
    provider = Limited(scripted, pace=pace)
    times: list[float] = []
    async with asyncio.timeout(5):
        for _ in range(4):
            await clock.run(asyncio.ensure_future(answer(provider)))
            times.append(clock.now_s)
            clock.now_s += 1
    assert times == [0, 1, 60, 61]


class Talker:
    """Says so much, with or without a count of its own."""

    name = "talker"

    def __init__(self, *, words: int, usage: Usage | None) -> None:
        self._words = words
        self._usage = usage
        self.ended = asyncio.Event()

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        yield [TextDelta(content="four")] * self._words
        await self.ended.wait()
        if self._usage is not None:
            yield (self._usage,)


@pytest.mark.parametrize("usage", [Usage(prompt_tokens=6, completion_tokens=30), None])
async def test_those_that_run_at_once_stay_within_the_tokens_that_are_expected_of_them(usage: Usage | None) -> None:
    """After the first answer each is expected to use 36 tokens, also where the vendor counts none."""
    clock = Clock()
    talker = Talker(words=30, usage=usage)
    provider = Limited(talker, pace=Pace(tokens=100, clock=clock, sleep=clock.sleep))
    talker.ended.set()
    async with asyncio.timeout(5):
        await clock.run(asyncio.ensure_future(answer(provider)))
        clock.now_s = 100
        talker.ended.clear()
        tasks = [asyncio.ensure_future(answer(provider)) for _ in range(5)]
        await settle()
        begun: list[float] = []
        for number, task in enumerate(tasks):
            task.add_done_callback(lambda _, number=number: begun.append(number))  # type: ignore[misc]
        talker.ended.set()
        await clock.run(asyncio.ensure_future(asyncio.wait(tasks)))
    assert begun == [0, 1, 2, 3, 4]
    assert clock.now_s == 220


async def test_one_that_is_larger_than_a_minute_begins_when_nothing_else_counts() -> None:
    clock = Clock()
    pace = Pace(tokens=10, clock=clock, sleep=clock.sleep)
    async with asyncio.timeout(5):
        times: list[float] = []
        for _ in range(3):
            await clock.run(asyncio.ensure_future(pace.admit(500)))
            times.append(clock.now_s)
    assert times == [0, 60, 120]


async def test_what_was_not_used_is_there_for_the_next_one() -> None:
    clock = Clock()
    pace = Pace(tokens=100, clock=clock, sleep=clock.sleep)
    grant = await pace.admit(90)
    waiting = asyncio.ensure_future(pace.admit(50))
    await settle()
    assert not waiting.done()
    pace.settle(grant, 10)
    async with asyncio.timeout(5):
        await clock.run(waiting)
    assert clock.now_s == 1


async def test_a_request_that_was_refused_used_nothing() -> None:
    clock = Clock()
    scripted = ScriptedProvider(*([OverloadedError("no")] for _ in range(3)), [HI])
    provider = Limited(scripted, pace=Pace(tokens=10, clock=clock, sleep=clock.sleep))
    async with asyncio.timeout(5):
        for _ in range(3):
            with pytest.raises(OverloadedError):
                await answer(provider)
        await answer(provider)
    assert clock.now_s == 0


@given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=10),
    st.integers(60, 120),
)
async def test_whatever_is_expected_and_used_no_minute_is_promised_more_than_its_tokens(
    arrivals: Sequence[tuple[int, int, int]], limit: int
) -> None:
    clock = Clock()
    pace = Pace(tokens=limit, clock=clock, sleep=clock.sleep)
    let_in: list[tuple[float, int]] = []

    async def one(after_s: int, expected: int, used: int) -> None:
        await clock.sleep(after_s)
        grant = await pace.admit(expected)
        let_in.append((clock.now_s, min(expected, used)))
        pace.settle(grant, min(expected, used))

    tasks = [asyncio.ensure_future(one(*arrival)) for arrival in arrivals]
    await clock.run(asyncio.ensure_future(asyncio.wait(tasks)))
    assert len(let_in) == len(arrivals)
    for at_s, _ in let_in:
        assert sum(tokens for then_s, tokens in let_in if at_s - 60 < then_s <= at_s) <= limit


@given(st.lists(st.tuples(st.floats(0, 100), st.booleans()), min_size=1, max_size=12), st.integers(1, 4))
async def test_whenever_they_come_and_go_the_pace_is_kept_and_nobody_is_forgotten(
    arrivals: Sequence[tuple[float, bool]], limit: int
) -> None:
    clock = Clock()
    pace = Pace(limit, clock=clock, sleep=clock.sleep)
    begun: list[tuple[float, int]] = []

    async def one(number: int, after_s: float, goes: bool) -> None:
        await clock.sleep(after_s)
        waiting = asyncio.ensure_future(pace.admit())
        await asyncio.sleep(0)
        if goes and not waiting.done():
            waiting.cancel()
            await asyncio.wait((waiting,))
            return
        await waiting
        begun.append((clock.now_s, number))

    tasks = [asyncio.ensure_future(one(number, *arrival)) for number, arrival in enumerate(arrivals)]
    await clock.run(asyncio.ensure_future(asyncio.wait(tasks)))
    times = [time_s for time_s, _ in begun]
    assert times == sorted(times)
    assert all(later - earlier >= 60 - 1e-6 for earlier, later in zip(times, times[limit:], strict=False))
    stayed = {number for number, (_, goes) in enumerate(arrivals) if not goes}
    assert stayed <= {number for _, number in begun}


@given(st.lists(st.sampled_from(["come", "go", "cancel"]), max_size=40), st.integers(1, 3))
async def test_whatever_happens_at_a_turnstile_places_are_neither_lost_nor_made(
    steps: Sequence[str], places: int
) -> None:
    turnstile = Turnstile(places)
    waiting: list[asyncio.Task[None]] = []
    order: list[asyncio.Task[None]] = []
    inside = 0
    for step in steps:
        if step == "come":
            task = asyncio.create_task(turnstile.enter())
            waiting.append(task)
            order.append(task)
        elif step == "go" and inside:
            turnstile.leave()
            inside -= 1
        elif step == "cancel" and waiting:
            waiting[len(waiting) // 2].cancel()
        await settle() if len(order) % 2 else None
        inside += sum(task.done() and not task.cancelled() for task in waiting)
        waiting = [task for task in waiting if not task.done()]
    await settle()
    inside += sum(task.done() and not task.cancelled() for task in waiting)
    waiting = [task for task in waiting if not task.done()]
    assert inside <= places
    assert turnstile.free == (places - inside if not waiting else 0)
    assert turnstile.waiting == len(waiting)
    came = [place for place, task in enumerate(order) if task.done() and not task.cancelled()]
    still = [place for place, task in enumerate(order) if not task.done()]
    assert not came or not still or max(came) < min(still)
    for task in waiting:
        task.cancel()
    if waiting:
        await asyncio.wait(waiting)
    assert all(one <= other for one, other in pairwise(came))
