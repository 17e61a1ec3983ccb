"""What runs around an inference: before hooks, transforms, tools, display hints, handlers, spans."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from loop.stage import SPEC, Log, text
from ore.artifact import Artifact, StopReason, Text, ToolCall, ToolCallDelta, Usage
from ore.event import Attribute, Emitter, Span
from ore.ledger import Buffer, Draft, EffectRecord, Record, Role, State, Thread, Turn, TurnStatus, prepend, view
from ore.loop import Handler, Step, StepHooks
from ore.models import Spec
from ore.provider import Batch, Option, ToolsOption, ViewOption, WithTools, option, tools_of
from ore.testing import Recorder, ScriptedProvider
from ore.tool import Tool, tool

STOP = StopReason(reason="stop")


def system(content: str) -> Turn:
    return Turn(id="5" * 16, role=Role.SYSTEM, artifacts=(Text(content=content),))


def shown(provider: ScriptedProvider) -> list[list[str]]:
    """What the provider saw, inference by inference."""
    return [[turn.artifacts[0].for_model() for turn in asked.turns] for asked in provider.invocations]


# ── Before hooks and transforms ──────────────────────────────────────────────


@pytest.mark.requirement("D-before-hooks")
async def test_before_hooks_may_add_turns_that_the_inference_sees_when_every_call_has_its_result() -> None:
    state = Buffer()
    seen_roles: list[list[Role]] = []

    async def steer(base: State) -> None:
        seen_roles.append([turn.role for turn in base.turns])
        await step.record(Draft(role=Role.USER, artifacts=(Text(content="steered"),)), into=base)

    step = Step(hooks=StepHooks(before=(steer,)))
    seen = Recorder(step)
    state.add(Role.ASSISTANT, ToolCall(id="a", name="f", arguments="{}"))
    provider = ScriptedProvider(text("ok"))
    await step.turn(state, SPEC, provider)

    assert seen_roles == [[Role.ASSISTANT, Role.TOOL]]
    assert shown(provider)[0][-1] == "steered"
    assert seen.words[:3] == ["turn_complete", "turn_complete", "submitted"]


async def test_a_before_hook_that_raises_stops_the_turn_before_anything_is_said() -> None:
    async def broken(base: State) -> None:
        raise LookupError("no such thing")

    step = Step(hooks=StepHooks(before=(broken,)))
    seen, provider = Recorder(step), ScriptedProvider(text("ok"))
    with pytest.raises(LookupError):
        await step.turn(Buffer(), SPEC, provider)
    assert (seen.words, provider.invocations) == ([], [])


@pytest.mark.requirement("C116")
async def test_transforms_run_in_their_order_each_on_what_the_one_before_made() -> None:
    order: list[int] = []

    def first(state: State) -> State:
        order.append(len(state.turns))
        return prepend(state, [system("one")])

    def second(state: State) -> State:
        order.append(len(state.turns))
        return prepend(state, [system("two")])

    state = Buffer()
    state.add(Role.USER, Text(content="hi"))
    provider = ScriptedProvider(text("ok"))
    await Step(hooks=StepHooks(transforms=(first, second))).turn(state, SPEC, provider)
    assert (order, shown(provider)) == ([1, 2], [["two", "one", "hi"]])


@pytest.mark.requirement("C117", "K7")
async def test_a_transform_that_raises_stops_before_the_provider_and_is_one_error() -> None:
    called: list[str] = []

    def broken(state: State) -> State:
        raise LookupError("template of the system prompt is missing")

    def later(state: State) -> State:
        called.append("later")
        return state

    state = Buffer()
    step = Step(hooks=StepHooks(transforms=(broken, later)))
    seen, provider = Recorder(step), ScriptedProvider(text("ok"))
    with pytest.raises(LookupError):
        await step.turn(state, SPEC, provider)
    assert (called, provider.invocations, list(state.turns)) == ([], [], [])
    assert seen.words == ["submitted", "error"]
    assert b"template of the system prompt" in seen.entries[-1].json


@pytest.mark.requirement("D-transforms-view")
@pytest.mark.parametrize("make", [prepend, view])
async def test_transforms_never_reach_history_however_often_they_run(
    make: Callable[[State, Sequence[Turn]], State],
) -> None:
    state = Thread()
    step = Step(state, hooks=StepHooks(transforms=(lambda state: make(state, [system("be brief"), *state.turns]),)))
    provider = ScriptedProvider(text("a"), text("b"), text("c"))
    for _ in range(3):
        await step.turn(state, SPEC, provider)
    assert [turn.role for turn in state.turns] == [Role.ASSISTANT] * 3
    assert [turns.count("be brief") for turns in shown(provider)] == [1, 1, 1]


# ── Tools ────────────────────────────────────────────────────────────────────


@tool
def look(place: str) -> str:
    """Look somewhere."""
    return place


@pytest.mark.requirement("K19")
async def test_tools_are_looked_up_once_for_a_turn_with_the_view_of_the_provider() -> None:
    asked: list[int] = []

    def resolve(state: State) -> Sequence[Tool]:
        asked.append(len(state.turns))
        return (look,)

    class Sees(Kept):
        async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
            self.tools.append(tools_of(emitter.options))

    handler = Sees()
    hooks = StepHooks(transforms=(lambda state: prepend(state, [system("x")]),), handlers=(handler,))
    provider = ScriptedProvider([Text(content="ok"), STOP])
    await Step(hooks=hooks, options=(ToolsOption(resolve),)).turn(Buffer(), SPEC, provider)
    assert asked == [1]
    assert tools_of(provider.invocations[0].options) == (look,)
    assert handler.tools == [(look,), (look,)]
    assert handler.prepared_with == [(look,)]


async def test_tools_that_cannot_be_looked_up_fail_the_turn_before_the_provider() -> None:
    def broken(state: State) -> Sequence[Tool]:
        raise LookupError("registry is gone")

    step = Step(options=(ToolsOption(broken),))
    seen, provider = Recorder(step), ScriptedProvider(text("ok"))
    with pytest.raises(LookupError):
        await step.turn(Buffer(), SPEC, provider)
    assert (seen.words, provider.invocations) == (["submitted", "error"], [])


# ── Display hints ────────────────────────────────────────────────────────────


def hinted(hint: Callable[[Mapping[str, Any]], Any]) -> Tool:
    return replace(look, traits=replace(look.traits, display_hint=hint))


async def displays(hint: Callable[[Mapping[str, Any]], Any], *items: Artifact) -> list[str | None]:
    """What is displayed of calls: as told, which is as kept."""
    step = Step(options=(WithTools((hinted(hint),)),))
    seen = Recorder(step, "tool_call")
    turn = await step.turn(Buffer(), SPEC, ScriptedProvider(items))
    told = [entry.event for entry in seen.entries]
    assert told == list(turn.calls)
    return [call.display for call in turn.calls]


def call(arguments: str, name: str = "look", **fields: Any) -> ToolCall:
    return ToolCall(id="c", name=name, arguments=arguments, **fields)


@pytest.mark.requirement("C134", "K20", "P22")
async def test_a_call_shows_its_tool_s_hint_when_it_is_told_folded_or_complete() -> None:
    def hint(arguments: Mapping[str, Any]) -> str:
        return f"looks at {arguments['place']}"

    fragments = [ToolCallDelta(index=0, id="c", name="look"), ToolCallDelta(index=0, arguments='{"place": "home"}')]
    assert await displays(hint, *fragments) == ["looks at home"]
    assert await displays(hint, Text(content="x"), call('{"place": "home"}'), Usage()) == ["looks at home"]
    assert await displays(hint, call('{"place": "home"}', display="its own")) == ["its own"]
    assert await displays(lambda arguments: {"at": 1}, call("{}")) == ['{"at":1}']
    assert await displays(lambda arguments: "nowhere", call("")) == ["nowhere"]


@pytest.mark.requirement("C135", "L37")
@pytest.mark.parametrize(
    ("arguments", "name"),
    [("{", "look"), ("[1]", "look"), ('"x"', "look"), ("[" * 100_000, "look"), ('{"place": "home"}', "other")],
)
async def test_a_call_without_a_tool_or_without_an_object_shows_plainly(arguments: str, name: str) -> None:
    assert await displays(lambda arguments: "shown", call(arguments, name)) == [None]


@pytest.mark.requirement("L37")
async def test_a_hint_that_raises_is_logged_and_the_call_shows_plainly(caplog: pytest.LogCaptureFixture) -> None:
    def broken(arguments: Mapping[str, Any]) -> str:
        raise LookupError("no such thing")

    with caplog.at_level(logging.ERROR):
        assert await displays(broken, call("{}"), call("{}")) == [None, None]
    assert len(caplog.records) == 2


# ── Handlers ─────────────────────────────────────────────────────────────────


class Kept:
    """A handler that keeps what it was given."""

    def __init__(self, name: str = "", log: list[str] | None = None) -> None:
        self.name = name
        self.log = [] if log is None else log
        self.tools: list[Sequence[Tool]] = []
        self.prepared_with: list[Sequence[Tool]] = []

    def prepare(self, draft: Draft, options: Sequence[Option]) -> Sequence[Record]:
        self.prepared_with.append(tools_of(options))
        self.log.append(f"{self.name}prepare {draft.id is not None}")
        return (EffectRecord(key=f"{draft.id}:{self.name}"),)

    async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
        self.log.append(f"{self.name}{artifact.kind}")

    async def finish(self, turn: Turn, emitter: Emitter) -> None:
        self.log.append(f"{self.name}finish")


@pytest.mark.requirement("C120", "C125", "D-handlers")
async def test_every_handler_sees_every_artifact_in_order_then_the_turn_once() -> None:
    log: list[str] = []
    state = Buffer()
    usage = Usage(prompt_tokens=7, completion_tokens=3)
    numbers: list[tuple[int | None, int | None]] = []

    class Counts(Kept):
        async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
            await super().handle(artifact, emitter)
            assert len(state.turns) == 1
            if isinstance(artifact, Usage):
                numbers.append((artifact.prompt_tokens, artifact.completion_tokens))

    step = Step(hooks=StepHooks(handlers=(Counts("1 ", log), Kept("2 ", log))))
    await step.turn(state, SPEC, ScriptedProvider([*text("a"), STOP, usage]))
    assert log == [
        *("1 prepare True", "2 prepare True"),
        *("1 text", "2 text", "1 stop_reason", "2 stop_reason", "1 usage", "2 usage"),
        *("1 finish", "2 finish"),
    ]
    assert numbers == [(7, 3)]


@pytest.mark.requirement("D-handlers")
async def test_what_handlers_prepare_stands_in_the_turn_s_own_append() -> None:
    log = Log()
    state = Thread()
    step = Step(state, journal=log, hooks=StepHooks(handlers=(Kept("1"), Kept("2"))))
    turn = await step.turn(state, SPEC, ScriptedProvider(text("a")))
    [append] = log.appends
    assert append[1:] == (EffectRecord(key=f"{turn.id}:1"), EffectRecord(key=f"{turn.id}:2"))


@pytest.mark.requirement("K21")
async def test_the_turn_stands_and_is_told_before_the_first_handler_runs() -> None:
    told: list[list[str]] = []

    class Looks:
        async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
            told.append(seen.kinds)
            emitter.emit(Text(content="from the handler"))

    step = Step(hooks=StepHooks(handlers=(Looks(),)))
    seen = Recorder(step)
    await step.turn(Buffer(), SPEC, ScriptedProvider([Text(content="x"), STOP]))
    assert [kinds[-1] for kinds in told] == ["turn_complete", "text"]


@pytest.mark.requirement("C126")
async def test_a_handler_s_emitter_speaks_to_the_ledger_and_the_session_of_the_turn() -> None:
    state, log = Thread(), Log()

    class Answers:
        async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
            if isinstance(artifact, Text):
                assert emitter.state is state
                assert list(emitter.options) == ["option"]
                await emitter.record(Draft(role=Role.TOOL), EffectRecord(key="a:0"))
                await emitter.journal(EffectRecord(key="a:1"))
                await emitter.journal()

    step = Step(state, journal=log, hooks=StepHooks(handlers=(Answers(),)), options=("option",))
    await step.turn(prepend(state, [system("x")]), SPEC, ScriptedProvider([Text(content="x")]))
    assert [len(append) for append in log.appends] == [1, 2, 1]
    assert [turn.role for turn in state.turns] == [Role.ASSISTANT, Role.TOOL]


@pytest.mark.requirement("C128")
async def test_a_handler_that_raises_fails_the_submission_and_the_turn_stays() -> None:
    log: list[str] = []

    class Broken(Kept):
        async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
            raise LookupError("no such thing")

    state = Buffer()
    step = Step(hooks=StepHooks(handlers=(Kept("1 ", log), Broken(), Kept("2 ", log))))
    seen = Recorder(step)
    with pytest.raises(LookupError):
        await step.submit(state, Role.USER, Text(content="a"), Text(content="b"))
    assert ([turn.role for turn in state.turns], log) == ([Role.USER], ["1 text"])
    assert seen.kinds == ["turn_complete"]


async def test_a_handler_that_cannot_prepare_costs_nobody_the_answer() -> None:
    class Broken(Kept):
        def prepare(self, draft: Draft, options: Sequence[Option]) -> Sequence[Record]:
            raise LookupError("no such thing")

    state = Thread()
    step = Step(hooks=StepHooks(handlers=(Broken(),)))
    seen = Recorder(step)
    with pytest.raises(LookupError):
        await step.turn(state, SPEC, ScriptedProvider([Text(content="x"), call("{}")]))
    assert [(turn.role, turn.status) for turn in state.turns] == [
        (Role.ASSISTANT, TurnStatus.FAILED),
        (Role.TOOL, TurnStatus.COMPLETE),
    ]
    assert seen.kinds[-3:] == ["turn_complete", "turn_complete", "error"]


async def test_cut_turns_are_not_handled_and_prepare_nothing() -> None:
    log = Log()
    handler = Kept()
    state = Thread()
    step = Step(state, journal=log, hooks=StepHooks(handlers=(handler,)))
    turn = asyncio.ensure_future(step.turn(state, SPEC, ScriptedProvider([*text("x"), asyncio.Event()])))
    for _ in range(10):
        await asyncio.sleep(0)
    turn.cancel()
    await asyncio.wait((turn,))
    assert (handler.log, [len(append) for append in log.appends]) == ([], [1])


async def test_submitted_calls_find_the_tools_of_the_step() -> None:
    found: list[Sequence[Tool]] = []

    class Sees(Kept):
        async def finish(self, turn: Turn, emitter: Emitter) -> None:
            found.append(tools_of(emitter.options))

    step = Step(hooks=StepHooks(handlers=(Sees(),)), options=(ToolsOption(lambda state: (look,)),))
    await step.submit(Buffer(), Role.ASSISTANT, call("{}"))
    assert found == [(look,)]


# ── Spans ────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-spans")
async def test_a_turn_is_one_span_that_is_over_when_the_turn_is() -> None:
    log: list[str] = []

    class Tracer:
        def span(self, name: str, **attributes: Attribute) -> AbstractContextManager[Span]:
            return self._span(name)

        @contextmanager
        def _span(self, name: str) -> Iterator[Span]:
            log.append(f"{name} begins")
            try:
                yield Nothing()
            finally:
                log.append(f"{name} ends")

    class Nothing:
        def set(self, name: str, value: Attribute) -> None: ...
        def fail(self, error: BaseException) -> None: ...

    step = Step(hooks=StepHooks(handlers=(Kept("", log),), tracer=Tracer()))
    await step.turn(Buffer(), SPEC, ScriptedProvider([Text(content="x"), STOP]))
    assert (log[0], log[-2:], log.count("loop.turn begins")) == ("loop.turn begins", ["finish", "loop.turn ends"], 1)


async def test_handlers_need_no_more_than_handle() -> None:
    class Small:
        async def handle(self, artifact: Artifact, emitter: Emitter) -> None: ...

    handlers: Sequence[Handler] = (Small(),)
    turn = await Step(hooks=StepHooks(handlers=handlers)).turn(Buffer(), SPEC, ScriptedProvider(text("x")))
    assert turn.status is TurnStatus.COMPLETE


async def test_a_provider_that_added_to_the_conversation_can_look_at_it_again() -> None:
    class Adding:
        name = "adding"

        async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
            found = option(options, ViewOption)
            assert found is not None
            before = state.turns
            await step.submit(state.base, Role.SYSTEM, Text(content="added"))
            seen.extend((list(before), list(found.look().turns)))
            yield (Text(content="hm"),)

    seen: list[list[Turn]] = []
    virtual = system("be brief")
    step = Step(hooks=StepHooks(transforms=[lambda state: prepend(state, (virtual,))]))
    buffer = Buffer()
    said = buffer.add(Role.USER, Text(content="hi"))

    await step.turn(buffer, SPEC, Adding())

    assert seen == [[virtual, said], [virtual, said, buffer.turns[1]]]


async def test_an_artifact_that_no_model_can_get_makes_no_turn_that_is_sent() -> None:
    """Also of a kind that core does not know."""

    class Note(Artifact, frozen=True, kw_only=True, tag="x_note"):
        sendable: ClassVar[bool] = False

    state = Thread()
    await Step().turn(state, SPEC, ScriptedProvider([STOP, Usage(prompt_tokens=1), Note()]))
    await Step().turn(state, SPEC, ScriptedProvider([Text(content="hi"), Note()]))
    assert [len(turn.artifacts) for turn in state.all_turns] == [3, 3]
    assert len(state.turns) == 1
