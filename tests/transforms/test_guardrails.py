"""Guards look at what people say, at what models answer, and at what they call."""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from ore import Agent
from ore.artifact import (
    Artifact,
    Image,
    Notice,
    Reasoning,
    ResultStatus,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
)
from ore.errors import OverloadedError, ProviderError
from ore.event import Answer, Question, UserMessage
from ore.ext.transforms.guardrails import (
    REFUSAL,
    Action,
    Guard,
    Guardrails,
    Looked,
    ModelGuard,
    Verdict,
    ask,
    block,
    matching,
    only_tools,
    redacting,
    rewrite,
)
from ore.ledger import MemoryStore, Role, Turn, TurnStatus
from ore.models import Spec
from ore.provider import OutputOption, option
from ore.session import AskPolicy, Manager, Services, Stream
from ore.testing import Recorder, ScriptedProvider, check_order
from ore.testing.scripted import Item
from ore.tool import tool
from transforms.histories import texts

CARD = r"\b\d{16}\b"


class People:
    """Whoever is asked; answers in order, and remembers what was asked."""

    def __init__(self, *decisions: str) -> None:
        self._decisions = list(decisions)
        self.asked: list[Question] = []

    def __call__(self, question: Question) -> Answer:
        self.asked.append(question)
        return Answer(key=question.key, decision=self._decisions.pop(0))  # type: ignore[arg-type]  # one of the two


async def session(provider: ScriptedProvider, rails: Guardrails, *tools: Any, people: People | None = None) -> Stream:
    agent = Agent(provider, tools=tools, spec=Spec(name="m"), extensions=[rails])
    services = Services(asking=AskPolicy(answerer=people))
    return await Manager(agent.spec(), services=services).create()


def told(seen: Recorder) -> list[str]:
    return [entry.event.content for entry in seen.entries if isinstance(entry.event, Notice)]


async def later(verdict: Verdict | None) -> Verdict | None:
    await asyncio.sleep(0)
    return verdict


# ── What people say ──────────────────────────────────────────────────────────


@pytest.mark.requirement("D-guard-input")
async def test_a_message_that_is_blocked_reaches_neither_the_model_nor_the_ledger() -> None:
    provider = ScriptedProvider([Text(content="fine")])
    rails = Guardrails(input=[matching(CARD, block("no card numbers here"))])
    async with await session(provider, rails) as stream, Recorder(stream) as seen:
        outcome = await stream.process("my card is 1234567812345678")
        assert (outcome.status, outcome.turn, list(stream.turns)) == ("done", None, [])
        assert not provider.invocations
        assert told(seen) == ["the message was not taken in: no card numbers here"]
        assert (await stream.process("hello")).turn is not None
    check_order(seen.entries)


@pytest.mark.requirement("D-guard-input")
async def test_a_message_that_is_rewritten_is_stored_as_it_goes_on_and_pictures_stay() -> None:
    provider = ScriptedProvider([Text(content="fine")])
    picture = Image(data=b"\x89PNG", media_type="image/png")
    rails = Guardrails(input=[redacting(CARD, "[card]"), matching(CARD)])
    async with await session(provider, rails) as stream, Recorder(stream) as seen:
        await stream.process(UserMessage(content=(Text(content="pay with 1234567812345678"), picture)))
        assert stream.turns[0].artifacts == (Text(content="pay with [card]"), picture)
    assert provider.invocations[0].turns[0].artifacts == stream.turns[0].artifacts
    assert told(seen) == ["the message was changed before it was taken in"]


@pytest.mark.requirement("D-guard-input", "D-guard-ask")
@pytest.mark.parametrize("decision", ["approve", "deny"])
async def test_a_person_may_decide_whether_a_message_is_taken_in(decision: str) -> None:
    people = People(decision)
    provider = ScriptedProvider([Text(content="fine")])
    rails = Guardrails(input=[lambda looked: later(ask("is this meant for it?"))])
    async with await session(provider, rails, people=people) as stream, Recorder(stream) as seen:
        outcome = await stream.process(UserMessage(content="hm", id="m1"))
    assert [(one.key, one.purpose, one.text) for one in people.asked] == [
        ("m1:input0", "approval", "is this meant for it?\n\nhm")
    ]
    assert (outcome.turn is not None) == (decision == "approve")
    check_order(seen.entries)


@pytest.mark.requirement("D-guard-ask")
async def test_where_nobody_can_be_asked_nothing_passes() -> None:
    provider = ScriptedProvider([Text(content="fine")])
    async with (
        await session(provider, Guardrails(input=[matching("hm", ask("?"))])) as stream,
        Recorder(stream) as seen,
    ):
        assert (await stream.process("hm")).turn is None
    assert told(seen) == ["the message was not taken in: nobody allowed it"]


@pytest.mark.requirement("D-guard-input")
async def test_what_steers_is_looked_at_too() -> None:
    hold = asyncio.Event()
    provider = ScriptedProvider([hold, Text(content="a")], [Text(content="b")])
    rails = Guardrails(input=[redacting(CARD, "[card]")])
    async with asyncio.timeout(5), await session(provider, rails) as stream, Recorder(stream) as seen:
        ticket = stream.submit("go")
        await seen.until("turn_complete")
        steered = stream.submit(UserMessage(content="1234567812345678", mode="steer"))
        await steered.accepted()
        hold.set()
        await ticket
    assert texts(stream.turns) == ["go", "a", "[card]", "b"]


# ── What models answer ───────────────────────────────────────────────────────

USED = Usage(prompt_tokens=5, completion_tokens=3, total_tokens=8)
SECRET: Sequence[Item] = [
    Reasoning(content="hm", provider_data={"provider": "p", "model": "m", "signature": "S"}),
    TextDelta(content="the key is "),
    TextDelta(content="hunter2"),
    ToolCall(id="c", name="send", arguments="{}"),
    StopReason(reason="tool_use"),
    USED,
]


@pytest.mark.requirement("D-guard-output")
@pytest.mark.parametrize("hold", [True, False], ids=["held", "streaming"])
async def test_an_answer_that_is_blocked_is_not_stored_and_none_of_its_calls_run(hold: bool) -> None:
    ran: list[int] = []

    @tool
    async def send() -> None:
        """Send it."""
        ran.append(1)

    provider = ScriptedProvider(SECRET)
    rails = Guardrails(output=[matching("hunter2", block("it tells a secret"))], hold=hold)
    async with await session(provider, rails, send) as stream, Recorder(stream) as seen:
        outcome = await stream.process("what is the key?")
        assert outcome.turn is not None
        assert outcome.turn.artifacts == (Text(content=REFUSAL), StopReason(reason="refusal"), USED)
        assert len(stream.turns) == 2
    assert ran == []
    assert told(seen) == ["an answer was kept back: it tells a secret"]
    shown = b"".join(entry.json for entry in seen.entries)
    assert (b"hunter2" in shown) == (not hold)
    assert ("turn_restarted" in seen.kinds) == (not hold)
    check_order(seen.entries)


@pytest.mark.requirement("D-guard-output")
@pytest.mark.parametrize("hold", [True, False], ids=["held", "streaming"])
async def test_an_answer_that_is_rewritten_keeps_its_calls_and_signed_thoughts(hold: bool) -> None:
    @tool(read_only=True)
    async def send() -> str:
        """Send it."""
        return "sent"

    provider = ScriptedProvider(SECRET, [Text(content="done")])
    rails = Guardrails(output=[redacting("hunter2", "***")], hold=hold)
    async with await session(provider, rails, send) as stream, Recorder(stream) as seen:
        await stream.process("what is the key?")
        answer = stream.turns[1]
    assert answer.artifacts == (
        SECRET[0],
        Text(content="the key is ***"),
        ToolCall(id="c", name="send", arguments="{}"),
        StopReason(reason="tool_use"),
        USED,
    )
    assert texts(stream.turns)[2:] == ["←c", "done"]
    assert told(seen) == ["an answer was changed: something was redacted"]
    check_order(seen.entries)


@pytest.mark.requirement("D-guard-output")
async def test_an_answer_that_passes_comes_in_the_same_pieces_but_not_before_it_was_looked_at() -> None:
    hold = asyncio.Event()
    looked: list[Looked] = []

    async def slow(one: Looked) -> None:
        looked.append(one)
        await hold.wait()

    provider = ScriptedProvider([TextDelta(content="Hel"), Notice(content="by the way"), TextDelta(content="lo")])
    rails = Guardrails(output=[slow])
    async with asyncio.timeout(5), await session(provider, rails) as stream, Recorder(stream) as seen:
        ticket = stream.submit("hi")
        await seen.until("notice")
        for _ in range(20):
            await asyncio.sleep(0)
        assert "text_delta" not in seen.kinds
        hold.set()
        await ticket
    assert [entry.event for entry in seen.entries if isinstance(entry.event, TextDelta)] == [
        TextDelta(content="Hel"),
        TextDelta(content="lo"),
    ]
    assert looked == [Looked(where="output", text="Hello")]
    check_order(seen.entries)


@pytest.mark.requirement("D-guard-output")
async def test_an_answer_that_breaks_off_while_it_is_held_is_shown_to_nobody() -> None:
    provider = ScriptedProvider([TextDelta(content="hunter2"), OverloadedError("busy")])
    rails = Guardrails(output=[matching("hunter2")])
    async with await session(provider, rails) as stream, Recorder(stream) as seen:
        with pytest.raises(OverloadedError):
            await stream.process("hi")
        assert [turn.role for turn in stream.turns] == [Role.USER]
    assert b"hunter2" not in b"".join(entry.json for entry in seen.entries)
    check_order(seen.entries)


@pytest.mark.requirement("D-guard-output", "D-guard-ask")
@pytest.mark.parametrize("decision", ["approve", "deny"])
async def test_a_person_may_decide_whether_an_answer_is_given(decision: str) -> None:
    people = People(decision)
    provider = ScriptedProvider([Text(content="sell everything")])
    rails = Guardrails(output=[matching("sell", ask("is this sound advice?"))])
    async with await session(provider, rails, people=people) as stream, Recorder(stream) as seen:
        await stream.process("what now?")
        assert texts(stream.turns)[1] == ("sell everything" if decision == "approve" else REFUSAL)
    assert people.asked[0].text == "is this sound advice?\n\nsell everything"
    check_order(seen.entries)


async def test_an_interrupted_answer_that_is_held_leaves_nothing() -> None:
    reached, hold = asyncio.Event(), asyncio.Event()

    async def slow(looked: Looked) -> None:
        reached.set()
        await hold.wait()

    provider = ScriptedProvider([Text(content="hunter2")])
    async with asyncio.timeout(5), await session(provider, Guardrails(output=[slow])) as stream:
        ticket = stream.submit("hi")
        await reached.wait()
        await stream.interrupt()
        assert (await ticket).status == "cancelled"
        assert [turn.status for turn in stream.turns] == [TurnStatus.COMPLETE]
    assert provider.closed == 0


# ── What models call ─────────────────────────────────────────────────────────


def paying() -> tuple[list[tuple[str, int]], Callable[..., Any], Callable[..., Any]]:
    """A tool that pays, as one that waits and as one that blocks, and what was paid."""
    paid: list[tuple[str, int]] = []

    async def pay(to: str, amount: int) -> str:
        """Pay."""
        paid.append((to, amount))
        return f"paid {amount} to {to}"

    def pay_in_a_thread(to: str, amount: int) -> str:
        """Pay."""
        assert threading.current_thread() is not threading.main_thread()
        paid.append((to, amount))
        return f"paid {amount} to {to}"

    return paid, tool(pay, name="pay"), tool(pay_in_a_thread, name="pay")  # type: ignore[return-value]  # tools


PAY = ToolCall(id="c", name="pay", arguments='{"to": "Ann", "amount": 500}')


async def paid_with(
    guard: Guard, *, blocking: bool, people: People | None = None
) -> tuple[list[tuple[str, int]], ToolResult]:
    paid, awaited, threaded = paying()
    provider = ScriptedProvider([PAY], [Text(content="ok")])
    rails = Guardrails(calls=[guard])
    made = await session(provider, rails, threaded if blocking else awaited, people=people)
    async with asyncio.timeout(10), made as stream, Recorder(stream) as seen:
        await stream.process("pay Ann")
        result = stream.turns[2].artifacts[0]
    check_order(seen.entries)
    assert isinstance(result, ToolResult)
    return paid, result


BOTH = pytest.mark.parametrize("blocking", [False, True], ids=["async", "thread"])
NOW_OR_LATER = pytest.mark.parametrize("waits", [False, True], ids=["at once", "waited for"])


def guard_of(verdict: Verdict | None, *, waits: bool) -> Guard:
    return (lambda looked: later(verdict)) if waits else (lambda looked: verdict)


@BOTH
@NOW_OR_LATER
@pytest.mark.requirement("D-guard-calls")
async def test_a_call_that_is_blocked_does_not_run_and_the_model_reads_why(blocking: bool, waits: bool) -> None:
    paid, result = await paid_with(guard_of(block("too much"), waits=waits), blocking=blocking)
    assert paid == []
    assert "blocked by a guardrail: too much" in result.content and result.is_error


@BOTH
@NOW_OR_LATER
@pytest.mark.requirement("D-guard-calls")
async def test_a_call_that_is_rewritten_runs_with_the_other_arguments(blocking: bool, waits: bool) -> None:
    paid, result = await paid_with(guard_of(rewrite({"to": "Ann", "amount": 50}), waits=waits), blocking=blocking)
    assert paid == [("Ann", 50)]
    assert result.content == "paid 50 to Ann"


@BOTH
@NOW_OR_LATER
@pytest.mark.parametrize("decision", ["approve", "deny"])
@pytest.mark.requirement("D-guard-calls", "D-guard-ask")
async def test_a_person_may_decide_whether_a_call_runs(blocking: bool, waits: bool, decision: str) -> None:
    people = People(decision)
    paid, result = await paid_with(guard_of(ask("so much?"), waits=waits), blocking=blocking, people=people)
    assert paid == ([("Ann", 500)] if decision == "approve" else [])
    assert result.is_error == (decision == "deny")
    (question,) = people.asked
    assert (question.purpose, question.tool) == ("approval", "pay")
    assert question.arguments in (PAY.arguments, '{"to":"Ann","amount":500}')
    if not waits:  # as an approval: before the call is begun
        assert question.arguments == PAY.arguments and question.key == question.call_key
        assert result.status is (ResultStatus.DENIED if decision == "deny" else ResultStatus.OK)


@pytest.mark.requirement("D-guard-calls", "D-guard-ask")
async def test_what_is_asked_about_is_what_runs() -> None:
    """A guard that changes the arguments and one that asks: the person sees the changed ones."""
    people = People("approve")

    def both(looked: Looked) -> Verdict | None:
        assert looked.arguments is not None
        return rewrite({**looked.arguments, "amount": 50}) if looked.arguments["amount"] > 50 else None

    paid, awaited, _ = paying()
    provider = ScriptedProvider([PAY], [Text(content="ok")])
    rails = Guardrails(calls=[both, only_tools("pay", guard=lambda looked: ask("so much?"))])
    async with await session(provider, rails, awaited, people=people) as stream:
        await stream.process("pay Ann")
    assert [question.arguments for question in people.asked] == ['{"to":"Ann","amount":50}']
    assert paid == [("Ann", 50)]


@pytest.mark.requirement("D-guard-calls")
async def test_secrets_are_taken_out_of_arguments_however_deep_they_are() -> None:
    seen: list[Mapping[str, Any]] = []

    @tool
    async def post(body: dict[str, Any], tags: list[str]) -> None:
        """Post it."""
        seen.append({"body": body, "tags": tags})

    call = ToolCall(id="c", name="post", arguments='{"body": {"a": ["x hunter2"], "n": 1}, "tags": ["hunter2", "b"]}')
    provider = ScriptedProvider([call], [Text(content="ok")])
    async with await session(provider, Guardrails(calls=[redacting("hunter2", "***")]), post) as stream:
        await stream.process("go")
    assert seen == [{"body": {"a": ["x ***"], "n": 1}, "tags": ["***", "b"]}]


async def test_tools_stay_the_same_objects_and_other_tools_are_no_ones_business() -> None:
    _, pay, _ = paying()
    spec = Agent(
        ScriptedProvider(), tools=[pay], extensions=[Guardrails(calls=[only_tools("other", guard=matching("."))])]
    ).spec()
    assert spec.tools is not None
    state: Any = None
    assert spec.tools(state)[0] is spec.tools(state)[0]
    paid, result = await paid_with(only_tools("other", guard=matching(".")), blocking=False)
    assert paid and not result.is_error


# ── All of them ──────────────────────────────────────────────────────────────


def broken(looked: Looked) -> Verdict | None:
    raise LookupError(f"no policy for {looked.text}")


def odd(looked: Looked) -> Any:
    return "yes"


async def broken_later(looked: Looked) -> Verdict | None:
    raise LookupError(f"no policy for {looked.text}")


@pytest.mark.requirement("D-guard-fails")
@pytest.mark.parametrize("guard", [broken, odd, broken_later, lambda looked: rewrite({"a": 1})])
async def test_what_could_not_be_checked_does_not_pass_and_the_log_tells_nothing_of_it(
    guard: Guard, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    provider = ScriptedProvider([Text(content="hunter2")])
    async with await session(provider, Guardrails(input=[guard])) as stream:
        assert (await stream.process("hunter2")).turn is None
    async with await session(provider, Guardrails(output=[guard])) as stream:
        assert texts([(await stream.process("hi")).turn]) == [REFUSAL]  # type: ignore[list-item]  # there is one
    paid, result = await paid_with(lambda looked: "yes" if guard is odd else broken(looked), blocking=False)  # type: ignore[return-value, arg-type]  # wrong on purpose
    assert paid == [] and "blocked by a guardrail: it could not be checked" in result.content
    assert "hunter2" not in caplog.text and "Ann" not in caplog.text


@pytest.mark.requirement("D-guard-model")
async def test_a_model_is_asked_by_its_policy_in_an_inference_of_its_own() -> None:
    judge = ScriptedProvider(
        [Text(content='{"allowed": false, "reason": "it asks for a key"}')],
        [Text(content='{"allowed": true, "reason": ""}')],
        [Text(content='{"allowed": true, "reason": "fine"}')],
        name="judge",
    )
    guard = ModelGuard(judge, "No keys.", spec=Spec(name="small"))
    provider = ScriptedProvider([Text(content="fine")])
    rails = Guardrails(input=[guard], output=[guard])
    async with await session(provider, rails) as stream, Recorder(stream) as seen:
        await stream.process("give me the key")
        await stream.process("hello")
    assert told(seen) == ["the message was not taken in: it asks for a key"]
    assert texts(stream.turns) == ["hello", "fine"]
    first, second, third = judge.invocations
    assert "No keys." in texts(first.turns)[0] and "a message of the user" in texts(first.turns)[0]
    assert "give me the key" in texts(first.turns)[1]
    assert "an answer of the model" in texts(third.turns)[0] and "fine" in texts(third.turns)[1]
    assert first.spec == Spec(name="small")
    assert option(second.options, OutputOption) is not None
    check_order(seen.entries)


@pytest.mark.requirement("D-guard-model", "D-guard-fails")
@pytest.mark.parametrize("said", [[Text(content="sure!")], [OverloadedError("busy")], [StopReason(reason="stop")]])
async def test_a_model_that_gives_no_verdict_lets_nothing_pass(said: Sequence[Artifact | ProviderError]) -> None:
    provider = ScriptedProvider([Text(content="fine")])
    rails = Guardrails(input=[ModelGuard(ScriptedProvider(said), "No keys.")])
    async with await session(provider, rails) as stream, Recorder(stream) as seen:
        assert (await stream.process("hello")).turn is None
    assert told(seen) == ["the message was not taken in: it could not be checked"]
    assert "error" not in seen.kinds
    check_order(seen.entries)


@pytest.mark.requirement("D-guard-model", "D-guard-ask")
async def test_a_model_that_says_no_may_leave_it_to_a_person() -> None:
    people = People("approve")
    judge = ScriptedProvider([Text(content='{"allowed": false, "reason": "odd"}')])
    rails = Guardrails(input=[ModelGuard(judge, "No odd things.", action=Action.ASK)])
    async with await session(ScriptedProvider([Text(content="fine")]), rails, people=people) as stream:
        assert (await stream.process("odd")).turn is not None
    assert people.asked[0].text == "odd\n\nodd"


@pytest.mark.requirement("D-guard-input")
async def test_guards_hold_when_another_agent_calls_this_one() -> None:
    inner = ScriptedProvider([Text(content="hunter2")])
    guarded = Agent(
        inner, name="inner", description="Knows.", extensions=[Guardrails(output=[redacting("hunter2", "***")])]
    )
    call = ToolCall(id="c", name="inner", arguments='{"prompt": "the key?"}')
    outer = Agent(ScriptedProvider([call], [Text(content="ok")]), tools=[guarded.as_tool()])
    async with outer.session("s", store=MemoryStore()) as conversation:
        result = await conversation.run("go")
    assert [turn.artifacts[0].for_model() for turn in result.turns if turn.role is Role.TOOL] == ["***"]
    assert isinstance(result.turns[0], Turn)


def test_no_guards_change_nothing() -> None:
    spec = Agent(ScriptedProvider()).spec()
    assert Guardrails()(spec) is spec
