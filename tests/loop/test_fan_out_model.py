"""The event log against a plain list: any order of emitting, reading, lagging, joining and leaving."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loop.log_model import Model
from ore.artifact import Notice, ReasoningDelta, StopReason, TextDelta, ToolCallDelta
from ore.errors import SessionClosedError
from ore.event import Lifecycle, TurnRestarted

Operation = Callable[[Model], object]

KINDS = ["text_delta", "text", "reasoning_delta", "reasoning", "tool_call_delta", "tool_call", "notice", "stop_reason"]
GARBAGE = ["x", "1", "-", "1-", "0-0", "1-999999", "99-1", "1--1", "1-0x1", "²-1", "1-1-1", "1-" + "9" * 60]


class Do:
    """An operation with a name that shows in a failing example."""

    def __init__(self, name: str, run: Operation) -> None:
        self.name = name
        self.run = run

    def __repr__(self) -> str:
        return self.name


def do(name: str, run: Callable[..., object], *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Do]:
    def made(values: tuple[Any, ...]) -> Do:
        return Do(f"{name}{values}", lambda model: run(model, *values))

    return st.tuples(*arguments).map(made)


def text(model: Model, content: str) -> None:
    model.blocks.add(TextDelta(content=content))


def many(model: Model, count: int) -> None:
    for place in range(count):
        model.blocks.add(TextDelta(content=f"{place} "))


def restart(model: Model) -> None:
    model.blocks.restart()
    model.emit(TurnRestarted(attempt=2))


def end(model: Model, cut: bool) -> None:
    if cut:
        model.blocks.cut()
    else:
        model.blocks.close()
    model.new_turn()


def join(
    model: Model, kinds: frozenset[str], deltas: bool, policy: Any, place: int | None, garbage: str | None
) -> None:
    after = garbage if garbage is not None else None if place is None else model.ids[place % len(model.ids)]
    model.join(kinds, deltas, policy, after)


def with_reader(model: Model, place: int, way: str) -> object:
    readers = [reader for reader in model.readers if not reader.left]
    if readers:
        return getattr(readers[place % len(readers)], way)()
    return None


def expire(model: Model) -> None:
    model.dropped = True
    model.bus.fan_out.expire()


def renew(model: Model) -> None:
    model.dropped = True
    model.bus.fan_out.renew(model.bus.fan_out.epoch + 1)


contents = st.sampled_from(["", "a", "bc", "x" * 40])
joins = do(
    "join",
    join,
    st.just(frozenset()) | st.just(frozenset()) | st.frozensets(st.sampled_from(KINDS), min_size=1, max_size=3),
    st.sampled_from([True, True, False]),
    st.sampled_from(["coalesce", "coalesce", "block"]),
    st.none() | st.integers(0, 200),
    st.none() | st.none() | st.just("") | st.sampled_from(GARBAGE),
)
tells = st.one_of(
    do("text", text, contents),
    do("many", many, st.integers(2, 30)),
    do("thought", lambda model, piece: model.blocks.add(ReasoningDelta(content=piece)), contents),
    do(
        "call",
        lambda model, index, piece: model.blocks.add(ToolCallDelta(index=index, id=f"c{index}", arguments=piece)),
        st.integers(0, 2),
        contents,
    ),
    do("notice", lambda model, size: model.emit(Notice(content="n" * size)), st.sampled_from([0, 10, 300, 5000])),
    do("phase", lambda model: model.emit(Lifecycle(phase="submitted"))),
    do("stop", lambda model: model.blocks.add(StopReason(reason="stop"))),
    do("restart", restart),
    do("end", end, st.booleans()),
)
reads = do("read", with_reader, st.integers(0, 5), st.sampled_from(["one", "one", "batch", "take", "leave"]))
rarely = st.one_of(
    do("rest", lambda model: model.bus.fan_out.rest()),
    do("rest", lambda model: model.bus.fan_out.rest()),
    do("expire", expire),
    do("renew", renew),
)
operations = st.tuples(
    st.lists(joins, min_size=1, max_size=3),
    st.lists(tells | tells | tells | reads | reads | joins | rarely, min_size=8, max_size=60),
).map(lambda parts: [*parts[0], *parts[1]])


@pytest.mark.slow
@settings(max_examples=300)
@given(window=st.sampled_from([300, 700, 1500, 4000, 100_000]), steps=operations)
async def test_whoever_reads_however_late_gets_everything_once_or_the_state(window: int, steps: list[Do]) -> None:
    model = Model(window)
    for step in steps:
        found = step.run(model)
        if inspect.isawaitable(found):
            await found
        model.settle()
    for reader in model.readers:
        if not reader.left:
            reader.one()
    model.bus.close()
    with pytest.raises(SessionClosedError):
        model.bus.emit(Notice(content="late"))
    for reader in model.readers:
        if not reader.left:
            reader.take()
        if not reader.subscription.lost:
            async with asyncio.timeout(5):
                assert [entry async for entry in reader.subscription] == []
