"""`ReAct` infers and runs tools until there is an answer, and ends for a reason."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ore.artifact import StopReason, Text, ToolCall, ToolResult
from ore.calls import CallHandler
from ore.cognitive import Check, Pattern, ReAct, RunLimits, Runtime, SingleShot
from ore.errors import InputError, LimitError, OutputLimitError, OverloadedError, ProtocolError
from ore.ledger import Buffer, Draft, Role, Turn
from ore.loop import Step, StepHooks
from ore.models import Spec
from ore.provider import MaxTokensOption, WithTools
from ore.testing.scripted import Item, ScriptedProvider
from ore.tool import tool

CALL = ToolCall(id="c", name="count", arguments="{}")


def said(content: str) -> Text:
    return Text(content=content)


class Scene:
    """A ledger with a question in it, a script, and a tool that counts."""

    def __init__(self, *script: Sequence[Item], repeat: bool = False) -> None:
        self.counted = 0
        self.state = Buffer()
        self.state.add(Role.USER, said("How many?"))
        self.provider = ScriptedProvider(*script, repeat=repeat)

        @tool
        async def count() -> int:
            self.counted += 1
            return self.counted

        self.step = Step(self.state, hooks=StepHooks(handlers=(CallHandler(),)), options=(WithTools((count,)),))

    async def run(self, pattern: Pattern | None = None, **settings: Any) -> Turn:
        runtime = Runtime(step=self.step, state=self.state, provider=self.provider, **settings)
        async with asyncio.timeout(5):
            return await (pattern or ReAct()).run(runtime)

    @property
    def history(self) -> list[Role]:
        return [turn.role for turn in self.state.turns]


@pytest.mark.requirement("C144")
async def test_an_answer_without_calls_takes_one_inference() -> None:
    scene = Scene([said("Two.")])
    turn = await scene.run()
    assert turn is scene.state.turns[-1]
    assert (scene.history, len(scene.provider.invocations)) == ([Role.USER, Role.ASSISTANT], 1)


@pytest.mark.requirement("C145")
async def test_a_tool_is_run_and_the_model_asked_again() -> None:
    scene = Scene([said("Let me see."), CALL], [said("One.")])
    turn = await scene.run()
    assert turn.artifacts[0] == said("One.")
    assert scene.history == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert [t.role for t in scene.provider.invocations[1].turns] == scene.history[:-1]


@pytest.mark.requirement("C146")
async def test_the_providers_error_is_raised_as_it_is() -> None:
    error = OverloadedError("busy", provider="scripted")
    with pytest.raises(OverloadedError) as raised:
        await Scene([error]).run()
    assert raised.value is error


@pytest.mark.requirement("C146")
async def test_a_handlers_error_is_raised_as_it_is() -> None:
    class Failing:
        async def handle(self, artifact: object, emitter: object) -> None:
            raise ZeroDivisionError

    scene = Scene([said("Two.")])
    scene.step = Step(scene.state, hooks=StepHooks(handlers=(Failing(),)))
    with pytest.raises(ZeroDivisionError):
        await scene.run()
    assert scene.history == [Role.USER, Role.ASSISTANT]


@pytest.mark.requirement("C146", "C147")
async def test_a_cancelled_run_makes_no_progress() -> None:
    scene = Scene([said("Two.")])
    task = asyncio.create_task(scene.run())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert scene.history == [Role.USER]


@pytest.mark.requirement("C146")
async def test_a_run_that_is_cancelled_in_a_tool_ends_there() -> None:
    scene = Scene([CALL], [said("never")])
    task = asyncio.current_task()
    assert task is not None

    @tool
    async def count() -> None:
        task.cancel()
        await asyncio.Event().wait()

    with pytest.raises(asyncio.CancelledError):
        await scene.run(options=(WithTools((count,)),))
    task.uncancel()
    assert (scene.history, len(scene.provider.invocations)) == ([Role.USER, Role.ASSISTANT, Role.TOOL], 1)


@pytest.mark.requirement("L5", "B30")
async def test_the_rounds_are_limited_and_every_call_has_its_result() -> None:
    scene = Scene([CALL], repeat=True)
    with pytest.raises(LimitError):
        await scene.run(limits=RunLimits(rounds=5))
    assert (scene.counted, scene.history) == (5, [Role.USER, *[Role.ASSISTANT, Role.TOOL] * 5])


@pytest.mark.requirement("L5")
async def test_an_inference_that_adds_no_turn_ends_the_run() -> None:
    """As a Step does that works on another ledger."""

    class Elsewhere:
        async def turn(self, *args: object) -> Turn:
            return await Step().turn(other, Spec(), ScriptedProvider([CALL]))

        async def submit(self, *args: object) -> Turn:
            raise NotImplementedError

    other = Buffer()
    scene = Scene()
    with pytest.raises(LimitError):
        async with asyncio.timeout(5):
            await ReAct().run(Runtime(step=Elsewhere(), state=scene.state, provider=scene.provider))
    assert len(other.turns) == 1


@pytest.mark.requirement("B13")
async def test_calls_that_the_output_limit_cuts_again_and_again_end_the_run() -> None:
    """None of them ran, and all of them have results."""
    scene = Scene([CALL, StopReason(reason="length")], repeat=True)
    with pytest.raises(OutputLimitError):
        await scene.run()
    assert (scene.counted, scene.history) == (0, [Role.USER, *[Role.ASSISTANT, Role.TOOL] * 3])


async def test_a_whole_answer_in_between_begins_the_count_of_cut_ones_anew() -> None:
    cut = [CALL, StopReason(reason="length")]
    scene = Scene(cut, cut, [CALL], cut, cut, [said("Done.")])
    assert (await scene.run()).artifacts[0] == said("Done.")


async def test_text_that_the_output_limit_cuts_is_an_answer() -> None:
    scene = Scene([said("Two and"), StopReason(reason="length")])
    assert (await scene.run()).artifacts[0] == said("Two and")


def digits(turn: Turn | Draft) -> str | None:
    """Wants an answer of digits."""
    text = "".join(artifact.content for artifact in turn.artifacts if isinstance(artifact, Text))
    return None if text.isdigit() else "write digits"


async def test_an_answer_that_does_not_fit_goes_back_with_what_is_wrong() -> None:
    scene = Scene([said("two")], [said("2")])
    turn = await scene.run(check=digits)
    assert turn.artifacts[0] == said("2")
    assert scene.history == [Role.USER, Role.ASSISTANT, Role.USER, Role.ASSISTANT]
    assert scene.state.turns[2].artifacts == (said("write digits"),)


@pytest.mark.parametrize("retries", [0, 2])
async def test_a_model_that_never_fits_fails_the_run_without_its_words(retries: int) -> None:
    scene = Scene([said("my secret")], repeat=True)
    with pytest.raises(ProtocolError) as raised:
        await scene.run(check=lambda turn: "got my secret", limits=RunLimits(output_retries=retries))
    assert "secret" not in str(raised.value)
    assert scene.history == [*[Role.USER, Role.ASSISTANT] * (retries + 1)]


async def test_only_answers_are_checked() -> None:
    checked: list[Turn | Draft] = []

    def check(turn: Turn | Draft) -> None:
        checked.append(turn)

    scene = Scene([CALL], [said("One.")])
    turn = await scene.run(check=check)
    assert checked == [turn]


async def test_a_message_that_waits_to_steer_keeps_the_loop_going() -> None:
    """The answer that was there stands, and the steering message is asked next."""
    scene = Scene([said("Two.")], [said("Three.")])
    waiting = ["No, with me."]

    async def steer(state: object) -> None:
        if len(scene.provider.invocations) == 1:
            await scene.step.record(Draft(role=Role.USER, artifacts=(said(waiting.pop()),)))

    scene.step = Step(scene.state, hooks=StepHooks(before=(steer,)))
    turn = await scene.run(waits=lambda: bool(waiting))
    assert turn.artifacts[0] == said("Three.")
    assert scene.history == [Role.USER, Role.ASSISTANT] * 2


@pytest.mark.requirement("C150")
@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM])
async def test_single_shot_asks_once_whatever_the_last_turn_is(role: Role) -> None:
    """And passes all that it has on."""
    scene = Scene([CALL])
    scene.state.add(role, ToolResult(tool_call_id="x", content="") if role is Role.TOOL else said("there"))
    spec, option = Spec(name="m", seed=7), MaxTokensOption(5)
    turn = await scene.run(SingleShot(), spec=spec, options=(option,))
    (invocation,) = scene.provider.invocations
    assert (invocation.spec, invocation.options[-1]) == (spec, option)
    assert tuple(turn.calls) == (CALL,)
    assert scene.history[-2:] == [Role.ASSISTANT, Role.TOOL]


@pytest.mark.requirement("C150")
def test_patterns_have_names() -> None:
    assert (SingleShot().name, ReAct().name) == ("single_shot", "react")


@pytest.mark.parametrize("make", [ReAct, SingleShot])
def test_a_draft_ends_a_run_when_it_calls_nothing(make: Callable[[], Pattern]) -> None:
    """Known before it is recorded, so that the ending goes into the same append."""
    answer = Draft(role=Role.ASSISTANT, artifacts=(said("Two."), StopReason(reason="stop")))
    asking = Draft(role=Role.ASSISTANT, artifacts=(said("Let me see."), CALL))
    assert (make().ends(answer), make().ends(asking)) == (True, False)


@pytest.mark.parametrize(
    "wrong", [{"rounds": 0}, {"cut_rounds": 0}, {"output_retries": -1}, {"run_s": 0.0}, {"run_s": float("nan")}]
)
def test_a_limit_under_which_nothing_could_be_answered_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        RunLimits(**wrong)


def test_a_check_is_a_plain_function() -> None:
    check: Check = digits
    assert check(Draft(role=Role.ASSISTANT, artifacts=(said("2"),))) is None
