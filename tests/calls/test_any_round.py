"""Whatever tools do, and whenever a round is cut: each call has one result, in call order."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from calls.stage import Person, Stage, ask, no, yes
from ore.artifact import ResultStatus, ToolCall, ToolResult
from ore.calls import CallHandler, CallLimits
from ore.errors import ConflictError, LimitError
from ore.ledger import EffectRecord, Role, parted, unanswered
from ore.tool import Tool, ToolContext, tool


async def quick() -> str:
    return "quick"


async def steps(context: ToolContext) -> str:
    for n in range(3):
        context.progress(str(n))
        await asyncio.sleep(0)
    return "steps"


async def fails() -> None:
    await asyncio.sleep(0)
    raise ValueError("fails")


async def exits() -> None:
    raise SystemExit(1)


async def cancelled_inside() -> None:
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


async def gives_up() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def swallows() -> str:
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    return "swallowed"


async def cleans_up() -> None:
    try:
        for _ in range(5):
            await asyncio.sleep(0)
    finally:
        await asyncio.sleep(0)


def blocks() -> str:
    return "blocks"


TOOLS: Sequence[Tool] = [
    *(
        tool(function)
        for function in (quick, steps, fails, exits, cancelled_inside, gives_up, swallows, cleans_up, blocks)
    ),
    tool(steps, name="alone", alone=True),
    tool(quick, name="approved", approve=True),
    tool(steps, name="looks", read_only=True),
]
NAMES = [one.name for one in TOOLS] + ["unknown"]

calls = st.lists(
    st.builds(ask, st.sampled_from(NAMES), st.sampled_from(["{}", "", '{"x":', '{"y": 1}']), id=st.sampled_from("ab")),
    min_size=1,
    max_size=6,
)


async def play(
    round: Sequence[ToolCall], cut_after: int | None, stop: int | None, approve: bool, limits: CallLimits
) -> tuple[Stage, bool]:
    """Run one round; cut it after so many passes of the loop, stop a call in each of them."""
    person = Person(*[yes() if approve else no()] * len(round))
    stage = Stage(*TOOLS, handler=CallHandler(asker=person, limits=limits))
    task = asyncio.create_task(stage.turn(*round))
    passes = 0
    async with asyncio.timeout(5):
        while not task.done():
            await asyncio.sleep(0)
            passes += 1
            running = stage.handler.running
            if stop is not None and running:
                assert stage.handler.stop(running[stop % len(running)])
            if passes == cut_after:
                task.cancel()
    assert stage.handler.running == ()
    return stage, task.cancelled()


@given(
    round=calls,
    cut_after=st.none() | st.integers(1, 30),
    stop=st.none() | st.integers(0, 5),
    approve=st.booleans(),
    limits=st.builds(CallLimits, parallel=st.sampled_from([1, 2, 16])),
)
def test_each_call_of_any_round_has_one_result_in_call_order(
    round: list[ToolCall], cut_after: int | None, stop: int | None, approve: bool, limits: CallLimits
) -> None:
    stage, cancelled = asyncio.run(play(round, cut_after, stop, approve, limits))
    if not stage.state.turns or stage.state.turns[0].status != "complete":
        assert cancelled  # before the model had said anything, or while it spoke
        return
    assert [turn.role for turn in stage.state.turns] == [Role.ASSISTANT, Role.TOOL]
    assert [result.tool_call_id for result in stage.last_results] == [call.id for call in round]
    assert not parted(stage.state.turns)
    assert not unanswered(stage.state.turns)
    recorded = {effect.key: effect.result for effect in stage.effects if effect.result is not None}
    for index, result in enumerate(stage.last_results):
        assert recorded.get(f"{stage.state.turns[0].id}:{index}", result) == result
    if not cancelled and stop is None:
        seen = [entry.artifact for entry in stage.entries if isinstance(entry.artifact, ToolResult)]
        assert sorted(map(repr, seen)) == sorted(map(repr, stage.last_results))


@given(round=calls, others=st.integers(0, 5))
def test_a_store_that_fails_once_loses_no_result_that_is_known(round: list[ToolCall], others: int) -> None:
    """The message fails with that error, and what finished keeps what it came to."""

    async def play_refused() -> Stage:
        stage = Stage(*TOOLS, handler=CallHandler(asker=Person(*[yes()] * len(round))))

        def wait_for(others: int) -> None:
            stage.when("tool_result", lambda: wait_for(others - 1) if others else refuse())

        def refuse() -> None:
            stage.refuse(EffectRecord, ConflictError("once"))

        wait_for(others)
        async with asyncio.timeout(5):
            with suppress(ConflictError, LimitError):
                await stage.turn(*round)
        return stage

    stage = asyncio.run(play_refused())
    assert [result.tool_call_id for result in stage.last_results] == [call.id for call in round]
    seen = [entry.artifact for entry in stage.entries if isinstance(entry.artifact, ToolResult)]
    cut = [result for result in stage.last_results if result.status is ResultStatus.CANCELLED]
    assert all(result in stage.last_results for result in seen)
    assert len(seen) + len(cut) >= len(round)
