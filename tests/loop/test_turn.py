"""One inference turn: what is told in which order, what is kept, and what reaches whom."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from itertools import pairwise

import pytest

from loop.stage import SPEC, Custom, text
from ore.artifact import (
    Artifact,
    Delta,
    Notice,
    Reasoning,
    ReasoningDelta,
    Restart,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolResult,
    Usage,
)
from ore.errors import ProtocolError, ProviderError, RateLimitError
from ore.event import CURRENT, EventContext, Lifecycle, TurnComplete, TurnRestarted
from ore.ledger import Buffer, Control, Draft, Role, State, Thread, Turn, TurnStatus, prepend, unanswered, view
from ore.loop import Pipeline, Step, StepHooks, TurnExecutor, TurnRunner, TurnSubmitter
from ore.models import Spec
from ore.provider import Batch, Option, Provider
from ore.testing import Recorder, ScriptedProvider, check_order

STOP = StopReason(reason="stop")


async def played(*items: Artifact, state: State | None = None) -> tuple[Turn, Recorder]:
    """One turn of these artifacts, and what was told of it."""
    step = Step()
    seen = Recorder(step)
    turn = await step.turn(state or Buffer(), SPEC, ScriptedProvider(items))
    check_order(seen.entries)
    return turn, seen


class Ping(Delta, frozen=True, kw_only=True, tag="x_ping"):
    """A third party's fragment that folds into nothing."""

    beat: int


# ── The order of one turn ────────────────────────────────────────────────────


@pytest.mark.requirement("D-turn-order", "K7", "P22")
async def test_a_turn_tells_each_thing_once_and_in_its_place() -> None:
    usage = Usage(prompt_tokens=1, completion_tokens=2, total_tokens=3)
    turn, seen = await played(*text("Hel", "lo"), STOP, usage)

    assert [entry.event for entry in seen.entries] == [
        Lifecycle(phase="submitted"),
        Lifecycle(phase="streaming"),
        *text("Hel", "lo"),
        Text(content="Hello"),
        STOP,
        usage,
        TurnComplete(turn=turn),
    ]
    assert turn.artifacts == (Text(content="Hello"), STOP, usage)
    assert (turn.role, turn.status, turn.control, turn.model) == (
        Role.ASSISTANT,
        TurnStatus.COMPLETE,
        Control.CONTINUE,
        "scripted:m",
    )


@pytest.mark.requirement("D-turn-order")
async def test_a_fragment_is_seen_before_the_turn_ends() -> None:
    hold = asyncio.Event()
    step = Step()
    async with asyncio.timeout(5), step.subscribe("text_delta") as events, asyncio.TaskGroup() as group:
        turn = group.create_task(
            step.turn(Buffer(), SPEC, ScriptedProvider([TextDelta(content="Hel"), hold, TextDelta(content="lo")]))
        )
        assert (await anext(events)).artifact == TextDelta(content="Hel")
        assert not turn.done()
        hold.set()
        assert (await anext(events)).artifact == TextDelta(content="lo")
    assert turn.result().artifacts == (Text(content="Hello"), STOP)


@pytest.mark.requirement("C114")
@pytest.mark.parametrize(
    ("items", "phases"),
    [
        (text("x"), ["submitted", "streaming"]),
        ([ProviderError("no")], ["submitted"]),
        ([Notice(content="waits for the vendor"), ProviderError("no")], ["submitted"]),
    ],
)
async def test_streaming_is_said_with_the_first_artifact_and_only_then(
    items: Sequence[Artifact | ProviderError], phases: list[str]
) -> None:
    step = Step()
    seen = Recorder(step, "lifecycle")
    with suppress(ProviderError):
        await step.turn(Buffer(), SPEC, ScriptedProvider(items))
    assert seen.words == phases


@pytest.mark.requirement("D-context-block")
async def test_a_block_and_its_fragments_carry_one_name_and_nothing_else_does() -> None:
    _, seen = await played(*text("a", "b"), ReasoningDelta(content="hm"), TextDelta(content="c"), Usage())
    blocks = [(entry.kind, (entry.context.block or "").partition(":")[2]) for entry in seen.entries]
    assert [pair for pair in blocks if pair[1]] == [
        ("text_delta", "1"),
        ("text_delta", "1"),
        ("text", "1"),
        ("reasoning_delta", "2"),
        ("reasoning", "2"),
        ("text_delta", "3"),
        ("text", "3"),
    ]


@pytest.mark.requirement("D-context-of-a-turn")
async def test_every_event_of_a_turn_carries_the_context_in_which_it_runs_and_none_leaks_into_the_next() -> None:
    state, step = Buffer(), Step()
    seen = Recorder(step)
    token = CURRENT.set(EventContext(message="m1", provenance="http"))
    try:
        await step.turn(state, SPEC, ScriptedProvider(text("a")))
    finally:
        CURRENT.reset(token)
    first = len(seen.entries)
    await step.turn(state, SPEC, ScriptedProvider(text("b")))
    found = [(entry.context.message, entry.context.provenance) for entry in seen.entries]
    assert found == [("m1", "http")] * first + [(None, None)] * (len(found) - first)


# ── Folding ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("C102", "C108")
async def test_fragments_in_a_row_fold_into_one_block() -> None:
    turn, seen = await played(
        *text("He", "llo"), ReasoningDelta(content="I "), ReasoningDelta(content="see"), *text("a", "b", "c")
    )
    assert turn.artifacts[:3] == (Text(content="Hello"), Reasoning(content="I see"), Text(content="abc"))
    assert seen.kinds[-6:] == ["text_delta", "text_delta", "text_delta", "text", "stop_reason", "turn_complete"]


@pytest.mark.requirement("C104")
async def test_calls_that_arrive_in_turns_fold_into_two() -> None:
    parts = [
        ToolCallDelta(index=0, id="a", name="f"),
        ToolCallDelta(index=1, id="b", name="g"),
        ToolCallDelta(index=0, arguments='{"x"'),
        ToolCallDelta(index=1, arguments='{"y"'),
        ToolCallDelta(index=0, arguments=":1}"),
        ToolCallDelta(index=1, arguments=":2}"),
    ]
    turn, _ = await played(*parts)
    assert turn.artifacts == (
        ToolCall(id="a", name="f", arguments='{"x":1}'),
        ToolCall(id="b", name="g", arguments='{"y":2}'),
        StopReason(reason="tool_use"),
    )


@pytest.mark.requirement("C106")
async def test_a_complete_artifact_in_the_middle_closes_what_is_open() -> None:
    turn, _ = await played(*text("Hello", " "), Text(content="big"), *text("world"))
    assert turn.artifacts[:3] == (Text(content="Hello "), Text(content="big"), Text(content="world"))


@pytest.mark.requirement("C109")
async def test_fragments_that_nobody_watches_are_kept_all_the_same() -> None:
    state = Thread()
    turn = await Step().turn(state, SPEC, ScriptedProvider(text("un", "seen")))
    assert list(state.turns) == [turn]
    assert turn.artifacts[0] == Text(content="unseen")


async def test_a_fragment_that_folds_into_nothing_is_seen_and_not_kept() -> None:
    turn, seen = await played(Ping(beat=1), Ping(beat=2), *text("x"))
    assert turn.artifacts == (Text(content="x"), STOP)
    assert seen.kinds.count("x_ping") == 2


# ── Nothing to say ───────────────────────────────────────────────────────────


async def nothing() -> AsyncGenerator[Batch, None]:
    none: list[Batch] = []
    for batch in none:
        yield batch


async def empty_batches() -> AsyncGenerator[Batch, None]:
    yield []
    yield [Notice(content="thinking hard")]


@pytest.mark.requirement("C101", "D-nothing")
@pytest.mark.parametrize("invoke", [nothing, empty_batches])
async def test_an_answer_without_a_single_artifact_breaks_the_protocol(
    invoke: Callable[[], AsyncGenerator[Batch, None]],
) -> None:
    state = Buffer()
    step = Step()
    seen = Recorder(step)
    with pytest.raises(ProtocolError) as caught:
        await step.turn(state, SPEC, Custom(invoke, name="mute"))
    assert caught.value.provider == "mute"
    assert list(state.turns) == []
    assert seen.words == ["submitted", *(["notice"] if invoke is empty_batches else []), "error"]
    check_order(seen.entries)


@pytest.mark.requirement("P24", "D-nothing")
@pytest.mark.parametrize(
    "items",
    [
        [STOP],
        [STOP, Usage(prompt_tokens=1)],
        [TextDelta(content=""), STOP],
        [Text(content=""), STOP],
        [ReasoningDelta(content="unsigned"), STOP],
    ],
)
async def test_a_turn_that_says_nothing_is_stored_and_counted_and_never_sent(items: Sequence[Artifact]) -> None:
    state = Thread()
    turn, _ = await played(*items, state=state)
    assert (turn.control, list(state.turns), list(state.all_turns)) == (Control.SKIP, [], [turn])


@pytest.mark.parametrize(
    "item",
    [
        Text(content="x"),
        Text(content="", provider_data={"provider": "p", "signature": "s"}),
        Reasoning(content="", provider_data={"provider": "p", "signature": "s"}),
        ToolCall(id="c", name="f", arguments=""),
    ],
)
async def test_a_turn_that_a_model_can_get_back_is_on_the_path(item: Artifact) -> None:
    turn, _ = await played(item)
    assert turn.control is Control.CONTINUE


@pytest.mark.requirement("D-notices")
async def test_notices_pass_by_and_are_not_kept() -> None:
    turn, seen = await played(Notice(content="retries in 2 s"), *text("hi"), Notice(content="slow today"))
    assert turn.artifacts == (Text(content="hi"), STOP)
    assert seen.words[:5] == ["submitted", "notice", "streaming", "text_delta", "text"]
    assert seen.kinds.count("notice") == 2


# ── Beginning again ──────────────────────────────────────────────────────────


@pytest.mark.requirement("D-restart", "B31")
async def test_a_restart_drops_every_block_closed_ones_too_and_no_text_comes_twice() -> None:
    turn, seen = await played(
        ReasoningDelta(content="hm"),
        *text("Hello ", "wor"),
        ToolCallDelta(index=0, id="c", name="f", arguments="{"),
        Restart(attempt=2, model="other:m2"),
        *text("Hello world"),
    )
    assert (turn.artifacts, turn.model) == ((Text(content="Hello world"), STOP), "other:m2")
    assert seen.words == [
        *("submitted", "streaming", "reasoning_delta", "reasoning", "text_delta", "text_delta", "text"),
        *("tool_call_delta", "turn_restarted", "text_delta", "text", "stop_reason", "turn_complete"),
    ]
    place = seen.kinds.index("turn_restarted")
    assert seen.entries[place].event == TurnRestarted(attempt=2)
    attempts = [entry.context.attempt for entry in seen.entries]
    assert attempts == [None] * place + [2] * 4 + [None]
    before = {entry.context.block for entry in seen.entries[:place]} - {None}
    assert before.isdisjoint({entry.context.block for entry in seen.entries[place:]})


@pytest.mark.requirement("D-restart")
async def test_a_restart_before_anything_came_is_told_and_streaming_follows() -> None:
    turn, seen = await played(Restart(attempt=2), *text("x"))
    assert seen.words[:4] == ["submitted", "turn_restarted", "streaming", "text_delta"]
    assert turn.model == "scripted:m"


@pytest.mark.requirement("D-restart")
async def test_a_reader_that_was_late_is_told_no_fragment_of_what_was_dropped() -> None:
    step = Step()
    late = step.subscribe("text_delta", "text", "turn_restarted")
    await step.turn(Buffer(), SPEC, ScriptedProvider([*text(*"abc"), Restart(attempt=2), *text(*"xyz")]))
    kinds = [entry.kind for entry in late.take()]
    assert kinds == [*["text_delta"] * 3, "turn_restarted", *["text_delta"] * 3, "text"]


# ── Failures ─────────────────────────────────────────────────────────────────


@pytest.mark.requirement("C100", "C112", "N11")
@pytest.mark.parametrize("watched", [True, False])
async def test_a_failure_is_told_once_and_raised_as_it_is(watched: bool) -> None:
    state = Buffer()
    step = Step()
    seen = Recorder(step) if watched else None
    error = RateLimitError("slow down", provider="p", retry_after_s=3)
    with pytest.raises(RateLimitError) as caught:
        await step.turn(state, SPEC, ScriptedProvider([error]))
    assert caught.value is error
    assert list(state.turns) == []
    if seen is not None:
        assert [entry.json for entry in seen.entries if entry.kind == "error"] == [
            b'{"kind":"error","code":"rate_limit","message":"slow down","retryable":true,"retry_after_s":3,'
            b'"provider":"p","context":{"id":"1-2"}}'
        ]


@pytest.mark.requirement("L7", "D-cut-turns", "K8")
async def test_what_was_seen_of_a_failed_answer_is_kept_and_its_half_call_is_not() -> None:
    state = Thread()
    step = Step()
    seen = Recorder(step)
    error = ProviderError("connection reset")
    half = ToolCallDelta(index=0, id="c", name="f", arguments='{"a"')
    with pytest.raises(ProviderError):
        await step.turn(state, SPEC, ScriptedProvider([*text("Hel", "lo"), half, error]))
    [turn] = state.turns
    assert (turn.status, turn.artifacts) == (TurnStatus.FAILED, (Text(content="Hello"),))
    assert seen.words[-3:] == ["tool_call_delta", "turn_complete", "error"]
    check_order(seen.entries)


async def test_a_half_call_is_not_kept_though_an_account_came_before_the_failure() -> None:
    """Vendors that fail in mid-stream say first what it cost so far."""
    state, step = Thread(), Step()
    half = ToolCallDelta(index=0, id="c", name="f", arguments='{"a"')
    whole = ToolCallDelta(index=1, id="d", name="f", arguments="{}")
    with pytest.raises(ProviderError):
        await step.turn(
            state, SPEC, ScriptedProvider([*text("Hel"), half, whole, Usage(prompt_tokens=1), ProviderError("no")])
        )
    kept = state.all_turns[0].artifacts
    assert [artifact.kind for artifact in kept] == ["text", "tool_call", "stop_reason", "usage"]
    assert [call.id for call in state.all_turns[0].calls] == ["d"]
    assert not unanswered(state.all_turns)


@pytest.mark.requirement("L6", "D-cut-turns")
async def test_complete_calls_of_a_failed_answer_get_results_that_say_why() -> None:
    state = Thread()
    step = Step()
    calls = [ToolCall(id="a", name="f", arguments="{}"), ToolCall(id="b", name="g", arguments="{}")]
    with pytest.raises(ProviderError):
        await step.turn(state, SPEC, ScriptedProvider([*calls, ProviderError("reset")]))
    assert [turn.role for turn in state.turns] == [Role.ASSISTANT, Role.TOOL]
    results = state.turns[1].artifacts
    assert [(item.tool_call_id, item.is_error) for item in results if isinstance(item, ToolResult)] == [
        ("a", True),
        ("b", True),
    ]


@pytest.mark.requirement("L6")
async def test_calls_that_nobody_answered_get_results_before_anything_else_is_recorded() -> None:
    """No handler runs them here; a model never gets a call without its result."""
    for role in (None, Role.USER, Role.ASSISTANT):
        state = Thread()
        step = Step(state)
        await step.turn(state, SPEC, ScriptedProvider([ToolCall(id="a", name="f", arguments="{}")]))
        assert len(unanswered(state.turns)) == 1
        if role is None:
            await step.turn(state, SPEC, ScriptedProvider(text("x")))
        else:
            await step.submit(state, role, Text(content="x"))
        assert [turn.role for turn in state.turns] == [Role.ASSISTANT, Role.TOOL, role or Role.ASSISTANT]
        assert len(unanswered(state.turns)) == 0


async def test_a_failure_that_a_provider_raises_without_being_asked_for_a_batch_is_a_failure_too() -> None:
    class Broken:
        name = "broken"

        def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
            raise ProviderError("no key")

    step = Step()
    seen = Recorder(step)
    with pytest.raises(ProviderError):
        await step.turn(Buffer(), SPEC, Broken())
    assert seen.words == ["submitted", "error"]


# ── Ledgers and views ────────────────────────────────────────────────────────


@pytest.mark.requirement("D-bound-step", "K4")
async def test_a_bound_step_records_into_its_ledger_and_refuses_every_other() -> None:
    mine = Thread()
    step = Step(mine)
    virtual = [Turn(id="v" * 16, role=Role.SYSTEM)]
    for shown in (mine, prepend(mine, virtual), view(mine, virtual)):
        await step.turn(shown, SPEC, ScriptedProvider(text("x")))
    await step.record(Draft(role=Role.USER))
    assert [turn.role for turn in mine.turns] == [Role.ASSISTANT] * 3 + [Role.USER]

    other, provider = Thread(), ScriptedProvider(text("x"))
    for refused in (
        step.turn(other, SPEC, provider),
        step.submit(other, Role.USER),
        step.record(Draft(role=Role.USER), into=other),
        step.set_metadata([], into=other),
    ):
        with pytest.raises(ValueError, match="bound"):
            await refused
    assert (list(other.turns), provider.invocations) == ([], [])


@pytest.mark.requirement("D-bound-step")
async def test_a_step_without_a_ledger_takes_whatever_each_call_brings_and_nothing_less() -> None:
    step = Step()
    one, two = Buffer(), Buffer()
    await step.submit(one, Role.USER, Text(content="a"))
    await step.submit(two, Role.USER, Text(content="b"))
    assert [len(one.turns), len(two.turns)] == [1, 1]
    with pytest.raises(ValueError, match="into"):
        await step.record(Draft(role=Role.USER))


@pytest.mark.requirement("C110")
async def test_the_pipeline_touches_no_ledger() -> None:
    state = Buffer()
    step = Step()
    pipeline = Pipeline(step.bus, "t")
    await pipeline.run(ScriptedProvider(text("x")), state, SPEC, ())
    assert (list(state.turns), pipeline.artifacts) == ([], (Text(content="x"), STOP))


@pytest.mark.requirement("C143")
async def test_a_step_and_a_simple_fake_are_runners_submitters_and_executors() -> None:
    class Fake:
        async def turn(self, state: State, spec: Spec, provider: Provider, *options: Option) -> Turn:
            return Turn(id="f" * 16, role=Role.ASSISTANT)

        async def submit(self, state: State, role: Role, *artifacts: Artifact) -> Turn:
            return Turn(id="f" * 16, role=role)

    def uses(runner: TurnRunner, submitter: TurnSubmitter, executor: TurnExecutor) -> list[object]:
        return [runner, submitter, executor]

    step, fake = Step(), Fake()
    assert uses(step, step, step) + uses(fake, fake, fake) == [step] * 3 + [fake] * 3


# ── Submitting ───────────────────────────────────────────────────────────────


@pytest.mark.requirement("C127", "C129")
async def test_submitting_records_and_tells_one_turn_of_any_role_in_order() -> None:
    state = Buffer()
    step = Step()
    seen = Recorder(step)
    for role in (Role.SYSTEM, Role.USER, Role.TOOL):
        await step.submit(state, role, Text(content=role.value))
    await step.submit(state, Role.USER)
    await step.turn(state, SPEC, ScriptedProvider(text("hi")))

    told = [entry.event.turn for entry in seen.entries if isinstance(entry.event, TurnComplete)]
    assert told == list(state.turns)
    assert [turn.role for turn in told] == [Role.SYSTEM, Role.USER, Role.TOOL, Role.USER, Role.ASSISTANT]
    assert seen.words[:5] == ["turn_complete"] * 4 + ["submitted"]
    assert all(one.id == two.parent_id for one, two in pairwise(told))


@pytest.mark.requirement("D-hooks-options")
async def test_the_step_s_own_options_come_before_those_of_the_call() -> None:
    provider = ScriptedProvider(text("x"))
    step = Step(options=("own",), spec=Spec(temperature=0.5, seed=1), hooks=StepHooks())
    await step.turn(Buffer(), Spec(name="m", seed=2), provider, "call's")
    [asked] = provider.invocations
    assert (asked.options, asked.spec) == (("own", "call's"), Spec(name="m", temperature=0.5, seed=2))


class Broken(Delta, frozen=True, kw_only=True, tag="x_broken"):
    """A third party's fragment that cannot be put together."""

    family = "broken"
    at: int = 0

    @property
    def key(self) -> str:
        return f"broken:{self.at}"

    @classmethod
    def assemble(cls, parts: Sequence[Delta]) -> Artifact | None:
        raise LookupError("half of it is missing")


async def test_a_block_that_cannot_be_put_together_fails_the_turn_and_leaves_nothing_open() -> None:
    state, step = Thread(), Step()
    seen = Recorder(step)
    with pytest.raises(ProtocolError, match="do not fit together"):
        await step.turn(state, SPEC, ScriptedProvider([*text("said"), Broken(at=0), Broken(at=1), *text("more")]))
    assert list(step.bus.fan_out.blocks) == []
    (turn,) = state.turns
    assert (turn.status, turn.artifacts[:2]) == (TurnStatus.FAILED, (Text(content="said"), Text(content="more")))
    assert seen.kinds[-2:] == ["turn_complete", "error"]
