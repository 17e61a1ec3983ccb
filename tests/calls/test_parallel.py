"""Calls of one turn run at once; their results stand in one turn, in call order."""

import asyncio

import pytest

from calls.stage import Stage, ask
from ore.artifact import ResultStatus, ToolResult
from ore.calls import CallHandler, CallLimits
from ore.errors import InputError
from ore.event import TurnComplete
from ore.ledger import Role
from ore.tool import tool


def _result(content: str, id: str = "c") -> ToolResult:
    return ToolResult(tool_call_id=id, content=content, status=ResultStatus.OK)


async def test_calls_of_one_turn_run_at_once() -> None:
    """Nobody passes the barrier before all three are there."""
    barrier = asyncio.Barrier(3)

    @tool
    async def meet(name: str) -> str:
        await barrier.wait()
        return name

    async with asyncio.timeout(5):
        results = await Stage(meet).results(*(ask("meet", f'{{"name": "{n}"}}', id=n) for n in "abc"))
    assert results == [_result(n, n) for n in "abc"]


@pytest.mark.requirement("K23")
async def test_results_stand_in_one_turn_in_call_order_and_are_seen_as_they_finish() -> None:
    """The first call finishes last."""
    gates = [asyncio.Event() for _ in range(3)]

    @tool
    async def wait(index: int) -> int:
        await gates[index].wait()
        if index:
            gates[index - 1].set()
        return index

    gates[2].set()
    stage = Stage(wait)
    async with asyncio.timeout(5):
        results = await stage.results(*(ask("wait", f'{{"index": {n}}}', id=str(n)) for n in range(3)))

    assert results == [_result(str(n), str(n)) for n in range(3)]
    assert [turn.role for turn in stage.state.turns] == [Role.ASSISTANT, Role.TOOL]
    seen = [entry.artifact for entry in stage.entries if isinstance(entry.artifact, ToolResult)]
    assert seen == [_result(str(n), str(n)) for n in (2, 1, 0)]
    assert stage.entries[-1].event == TurnComplete(turn=stage.state.turns[-1])


async def test_an_event_of_a_call_names_the_call_it_belongs_to() -> None:
    """By its key, since vendors repeat their ids."""

    @tool
    async def echo(text: str) -> str:
        return text

    stage = Stage(echo)
    turn = await stage.turn(ask("echo", '{"text": "a"}'), ask("echo", '{"text": "b"}'))
    paths = {
        entry.artifact.content: entry.context.path for entry in stage.entries if isinstance(entry.artifact, ToolResult)
    }
    assert paths == {"a": (f"{turn.id}:0",), "b": (f"{turn.id}:1",)}


async def test_a_tool_that_runs_alone_has_no_other_beside_it() -> None:
    """And those before and after it keep their places."""
    running: list[str] = []
    beside: dict[str, list[str]] = {}
    pair = asyncio.Barrier(2)

    async def note(name: str) -> None:
        running.append(name)
        if name in "ab":
            await pair.wait()
        await asyncio.sleep(0)
        beside[name] = [other for other in running if other != name]
        await asyncio.sleep(0)
        running.remove(name)

    @tool
    async def free(name: str) -> None:
        await note(name)

    @tool(alone=True)
    async def alone(name: str) -> None:
        await note(name)

    calls = [ask("free", '{"name": "a"}'), ask("free", '{"name": "b"}'), ask("alone", '{"name": "c"}')]
    calls += [ask("alone", '{"name": "d"}'), ask("free", '{"name": "e"}')]
    async with asyncio.timeout(5):
        await Stage(free, alone).results(*calls)
    assert (set(beside["a"]), set(beside["b"])) == ({"b"}, {"a"})
    assert list(beside.items())[2:] == [("c", []), ("d", []), ("e", [])]


async def test_no_more_calls_run_at_once_than_the_limit_says() -> None:
    most = running = 0

    @tool
    async def count(n: int) -> None:
        nonlocal most, running
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    stage = Stage(count, handler=CallHandler(limits=CallLimits(parallel=3)))
    async with asyncio.timeout(5):
        results = await stage.results(*(ask("count", f'{{"n": {n}}}') for n in range(10)))
    assert (len(results), most) == (10, 3)


@pytest.mark.parametrize(
    "wrong", [{"parallel": 0}, {"timeout_s": 0}, {"timeout_s": -1.0}, {"repeats": -1}, {"threads": -1}]
)
def test_a_limit_that_would_stop_everything_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError):
        CallLimits(**wrong)


@pytest.mark.requirement("B47")
async def test_a_call_that_fails_takes_nothing_from_the_others() -> None:
    """It fails while both others still run."""
    failed = asyncio.Event()

    @tool
    async def good(name: str) -> str:
        await failed.wait()
        return name

    @tool
    async def bad() -> None:
        failed.set()
        raise ValueError("no such city")

    calls = ask("good", '{"name": "a"}'), ask("bad"), ask("good", '{"name": "b"}')
    async with asyncio.timeout(5):
        first, second, third = await Stage(good, bad).results(*calls)
    assert (first, third) == (_result("a"), _result("b"))
    assert (second.status, second.is_error) == (ResultStatus.ERROR, True)
    assert second.content.endswith("**Error:** ValueError: no such city")


async def test_two_calls_of_one_id_keep_their_own_results() -> None:
    """Pairing is by place."""

    @tool
    async def echo(text: str) -> str:
        return text

    stage = Stage(echo)
    results = await stage.results(ask("echo", '{"text": "a"}'), ask("echo", '{"text": "b"}'))
    assert results == [_result("a"), _result("b")]
