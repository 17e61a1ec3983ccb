"""One call without end is stopped when it always comes to the same, and never otherwise."""

import pytest

from calls.stage import Stage, arguments, ask
from ore.artifact import ResultStatus, Text, ToolCall, ToolResult
from ore.calls import CallHandler, CallLimits
from ore.errors import LimitError
from ore.ledger import Draft, Role
from ore.tool import tool


class Machine:
    """A tool that counts how often it ran.

    Attributes:
        runs: How often.
    """

    def __init__(self, *, changing: bool = False) -> None:
        self.runs = 0
        self._changing = changing

    def stage(self, repeats: int = 3) -> Stage:
        async def noop(x: int = 0) -> int:
            self.runs += 1
            return self.runs if self._changing else x

        return Stage(
            tool(noop, read_only=True),
            tool(noop, name="other"),
            handler=CallHandler(limits=CallLimits(repeats=repeats)),
        )


async def contents(stage: Stage, rounds: int, name: str = "noop", arguments: str = "{}") -> list[str]:
    return [(await stage.result(name, arguments)).content for _ in range(rounds)]


REFUSED = "not run: 'noop' was called 3 times in a row with these arguments and gave the same result; "


@pytest.mark.requirement("B30")
async def test_after_three_equal_rounds_a_call_is_refused_and_then_the_message_fails() -> None:
    """Every call has its result, also the one that ends it."""
    machine = Machine()
    stage = machine.stage()
    assert await contents(stage, 3) == ["0", "0", "0"]
    assert (await stage.result("noop")).content.startswith(REFUSED)
    with pytest.raises(LimitError):
        await stage.turn(ask("noop"))
    assert stage.last_results[0].content.startswith(REFUSED)
    assert machine.runs == 3


@pytest.mark.requirement("B30")
async def test_a_call_whose_result_changes_is_never_stopped() -> None:
    machine = Machine(changing=True)
    assert await contents(machine.stage(), 20) == [str(n) for n in range(1, 21)]


async def test_another_call_in_between_begins_the_count_anew() -> None:
    machine = Machine()
    stage = machine.stage()
    await contents(stage, 3)
    await contents(stage, 1, arguments='{"x": 1}')
    assert await contents(stage, 3) == ["0", "0", "0"]
    assert machine.runs == 7


async def test_a_call_that_is_refused_may_be_made_with_other_arguments() -> None:
    stage = Machine().stage()
    await contents(stage, 4)
    assert await contents(stage, 2, arguments='{"x": 1}') == ["1", "1"]


async def test_a_refusal_counts_for_the_call_that_was_refused_only() -> None:
    """Another call of the same tool in the same round is judged by its own results."""
    stage = Machine(changing=True).stage()
    changing, steady = ask("noop", '{"x": 1}'), ask("frob")
    for _ in range(4):
        await stage.turn(changing, steady)
    assert stage.last_results[1].content.startswith("not run: 'frob'")
    await stage.turn(changing)
    assert stage.last_results[0].content.isdigit()


async def test_calls_of_one_tool_beside_a_refused_one_go_on() -> None:
    """The one that changes stands in one round with one that does not, under one name."""
    n = 0

    @tool
    async def poll(job: str) -> int:
        nonlocal n
        n += job == "b"
        return n if job == "b" else 0

    stage = Stage(poll)
    a, b = ask("poll", '{"job": "a"}'), ask("poll", '{"job": "b"}')
    for _ in range(4):
        await stage.turn(a, b)
    assert stage.last_results[0].content.startswith("not run")
    await stage.turn(b)
    assert stage.last_results[0].content == "5"


async def test_a_person_who_says_something_begins_the_count_anew() -> None:
    stage = Machine().stage()
    await contents(stage, 3)
    await stage.step.record(Draft(role=Role.USER, artifacts=(Text(content="go on"),)))
    assert await contents(stage, 3) == ["0", "0", "0"]


@pytest.mark.parametrize("repeats", [1, 2, 5])
async def test_the_number_of_rounds_is_a_limit_like_others(repeats: int) -> None:
    machine = Machine()
    stage = machine.stage(repeats)
    assert await contents(stage, repeats) == ["0"] * repeats
    assert (await stage.result("noop")).content.startswith("not run")
    with pytest.raises(LimitError):
        await stage.result("noop")
    assert machine.runs == repeats


async def test_without_that_limit_nothing_is_stopped() -> None:
    assert await contents(Machine().stage(0), 20) == ["0"] * 20


@pytest.mark.requirement("B30")
@pytest.mark.parametrize("call", [ask("frob"), ask("noop", '{"x": "y"}')])
async def test_what_is_asked_wrongly_without_end_is_stopped_too(call: ToolCall) -> None:
    stage = Machine().stage()
    with pytest.raises(LimitError):
        for _ in range(5):
            await stage.turn(call)


async def test_equal_calls_of_one_round_count_once() -> None:
    """Seeing the same thing three times at once is no loop."""
    machine = Machine()
    stage = machine.stage()
    for _ in range(3):
        await stage.turn(*[ask("noop")] * 5)
    assert machine.runs == 15


async def test_results_that_stand_in_turns_of_their_own_count_too() -> None:
    """As an import may bring them."""
    machine = Machine()
    stage = machine.stage()
    for _ in range(3):
        await stage.step.record(Draft(role=Role.ASSISTANT, artifacts=(ask("other", id="a"), ask("noop", id="b"))))
        for id in "ab":
            await stage.step.record(Draft(role=Role.TOOL, artifacts=(ToolResult(tool_call_id=id, content="0"),)))
    assert (await stage.result("noop")).content.startswith(REFUSED)


@pytest.mark.requirement("B10")
async def test_a_call_whose_id_was_used_before_is_a_call_of_its_own() -> None:
    """Vendors repeat their ids: both calls and both results stand in the ledger, in order."""

    @tool
    async def search(q: str) -> str:
        return f"found {q}"

    def found(q: str) -> ToolResult:
        return ToolResult(tool_call_id="search:1", content=f"found {q}", status=ResultStatus.OK)

    stage = Stage(search)
    for q in "ab":
        await stage.turn(ask("search", arguments(q=q), id="search:1"))
    assert [
        [artifact for artifact in turn.artifacts if artifact.kind != "stop_reason"] for turn in stage.state.turns
    ] == [
        [ask("search", '{"q": "a"}', id="search:1")],
        [found("a")],
        [ask("search", '{"q": "b"}', id="search:1")],
        [found("b")],
    ]
