"""Inferences beside a conversation, a guard's and a summary's: they count and are traced like all others."""

import asyncio
import io
import json
import logging
from collections.abc import Sequence
from typing import Any

import pytest

from observe.spending import calls, usage
from observe.tracing import Traced
from ore import Agent, UsageLimits
from ore.artifact import Artifact, Text, ToolCall
from ore.errors import LimitError, RateLimitError
from ore.event import ErrorEvent, UserMessage
from ore.ext.commands import standard_commands
from ore.ext.observe.budget import Allowance, Budget
from ore.ext.observe.logs import LogTracer, log_json
from ore.ext.observe.tracers import Tracers
from ore.ext.transforms.compaction import Compaction, CompactionSettings, compact
from ore.ext.transforms.guardrails import Guardrails, ModelGuard
from ore.ledger import MemoryStore
from ore.models import Spec
from ore.session import Manager
from ore.testing import Recorder, ScriptedProvider

ALLOWED = Text(content='{"allowed": true, "reason": "secret-verdict"}')
ASK = ToolCall(id="c", name="work", arguments="{}")
LONG = "secret-" + "word " * 60


def judge(tokens: int = 500) -> ScriptedProvider:
    """A model that allows everything, for a price."""
    return ScriptedProvider([ALLOWED, usage(tokens)], repeat=True, name="judge")


def talker(*answers: Sequence[Artifact], tokens: int = 10) -> ScriptedProvider:
    """A model whose inferences have a price."""
    said = answers or ([Text(content="secret-answer")],)
    return ScriptedProvider(*[[*artifacts, usage(tokens)] for artifacts in said], repeat=True)


def work() -> str:
    """Work."""
    return "secret-result"


def rails(where: str, provider: ScriptedProvider) -> Guardrails:
    """Guardrails with a model in one place."""
    guards: dict[str, Any] = {where: [ModelGuard(provider, "secret-policy")]}
    return Guardrails(**guards)


# ── Budgets ──────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-budget-asides")
@pytest.mark.parametrize("where", ["input", "calls"])
async def test_what_a_guard_uses_counts_for_the_message(where: str) -> None:
    provider = talker([ASK], [Text(content="done")])
    agent = Agent(provider, tools=[work], extensions=[rails(where, judge())], limits=UsageLimits(tokens=300))
    with pytest.raises(LimitError, match="expected at most 300 tokens, used 5"):
        await agent.run("go")
    assert len(provider.invocations) == {"input": 0, "calls": 1}[where]


@pytest.mark.requirement("D-budget-asides")
@pytest.mark.parametrize(("where", "spent"), [("input", 520), ("output", 520), ("calls", 520)])
async def test_what_a_guard_uses_counts_for_all_that_share_a_budget(where: str, spent: int) -> None:
    team = Budget(Allowance(tokens=5_000))
    provider = talker([ASK], [Text(content="done")])
    await Agent(
        provider, tools=[work], extensions=[rails(where, judge())], limits=UsageLimits(within=team, tokens=2_000)
    ).run("go")
    assert (team.spent.tokens, team.spent.calls) == (spent, 3)


@pytest.mark.requirement("D-budget-asides")
async def test_where_nothing_is_left_for_a_guard_the_message_fails_with_that() -> None:
    """It is no guard that failed."""
    team = Budget(Allowance(tokens=100))
    agent = Agent(talker(), extensions=[rails("input", judge(100))], limits=UsageLimits(within=team))
    async with Manager(agent.spec()) as manager, asyncio.timeout(5):
        stream = await manager.create()
        async with Recorder(stream) as seen:
            outcomes = [await stream.submit(text) for text in ("first", "second")]
        codes = [entry.event.code for entry in seen.entries if isinstance(entry.event, ErrorEvent)]
    assert [str(outcome.error) for outcome in outcomes] == ["budget: all of the 100 tokens are used"] * 2
    assert codes == ["limit", "limit"]


@pytest.mark.requirement("D-budget-asides")
async def test_a_guard_of_what_steers_counts_for_the_message_that_it_joins_and_resets_nothing() -> None:
    hold = asyncio.Event()
    provider = ScriptedProvider([hold, Text(content="a"), usage(10)], [Text(content="b"), usage(10)])
    agent = Agent(provider, extensions=[rails("input", judge(100))], limits=UsageLimits(tokens=205))
    async with asyncio.timeout(5), agent.session("s", store=MemoryStore()) as session:
        ticket = session.handle.submit("go")
        async with session.handle.subscribe("lifecycle") as events:
            async for entry in events:
                if entry.event.phase == "submitted":  # type: ignore[union-attr]  # it is a lifecycle
                    break
        steered = session.handle.submit(UserMessage(content="and on", mode="steer"))
        await steered.accepted()
        hold.set()
        outcome = await ticket
    assert isinstance(outcome.error, LimitError)  # 100 + 10 + 100: nothing is left for another answer
    assert len(provider.invocations) == 1


@pytest.mark.requirement("D-budget-tree", "D-budget-asides")
async def test_five_children_with_guards_never_pass_a_budget_by_more_than_one_inference() -> None:
    team = Budget(Allowance(tokens=2_000))
    names = [f"child{place}" for place in range(5)]
    guard = ModelGuard(judge(90), "secret-policy")
    children = [
        Agent(
            talker([ASK]),
            name=name,
            description="Works.",
            tools=[work],
            extensions=[Guardrails(input=[guard], calls=[guard])],
            limits=UsageLimits(rounds=9),
        ).as_tool()
        for name in names
    ]
    parent = Agent(talker(calls(*names)), tools=children, limits=UsageLimits(within=team))
    with pytest.raises(LimitError):
        await parent.run("go")
    assert 2_000 <= team.spent.tokens <= 2_000 + team.largest.tokens


@pytest.mark.requirement("D-budget-asides")
async def test_a_summary_counts_whoever_makes_it_and_whenever() -> None:
    team = Budget(Allowance(tokens=5_000))
    other = ScriptedProvider([Text(content="They talked."), usage(300)], repeat=True)
    for settings, cost in ((None, 10), (CompactionSettings(summarizer=(other, Spec())), 300)):
        agent = Agent(
            talker(),
            extensions=[Compaction(settings)],
            limits=UsageLimits(within=team, tokens=400),
            interceptors=[standard_commands()],
        )
        async with agent.session("s", store=MemoryStore()) as session:
            await session.run("hi")
            for _ in range(3):  # each by itself, and not together as one message
                before = team.spent
                assert await compact(session.handle) is not None
                assert (team.spent.tokens - before.tokens, team.spent.calls - before.calls) == (cost, 1)
                await session.run("go on")
            before = team.spent
            await session.run("/compact")
            assert team.spent.tokens - before.tokens == cost


@pytest.mark.requirement("D-budget-asides")
async def test_a_summary_by_another_model_counts_for_the_message_in_which_it_is_made() -> None:
    other = ScriptedProvider([Text(content="They talked."), usage(600)], repeat=True)
    settings = CompactionSettings(window=400, summarizer=(other, Spec()))
    agent = Agent(talker(tokens=350), extensions=[Compaction(settings)], limits=UsageLimits(tokens=500))
    async with agent.session("s", store=MemoryStore()) as session:
        await session.run(LONG)
        with pytest.raises(LimitError, match="used 600"):
            await session.run(LONG)
    assert len(other.invocations) == 1


# ── Traces and logs ──────────────────────────────────────────────────────────


def told(traced: Traced, name: str) -> list[object]:
    """What an attribute says, of each inference."""
    return [(span.attributes or {}).get(name) for span in traced.spans if span.name.startswith("chat")]


@pytest.mark.requirement("D-trace-tree")
async def test_guards_and_summaries_are_inferences_inside_what_asks_for_them() -> None:
    traced = Traced()
    summary = ScriptedProvider([Text(content="secret-summary"), usage(7)], repeat=True, name="scripted")
    settings = CompactionSettings(window=400, summarizer=(summary, Spec(name="summarizer")))
    guard = ModelGuard(judge(5), "secret-policy", spec=Spec(name="judge-1"))
    agent = Agent(
        talker([Text(content=LONG), ASK], [Text(content=LONG)], tokens=350),
        name="boss",
        tools=[work],
        spec=Spec(name="m"),
        extensions=[Compaction(settings), Guardrails(input=[guard], output=[guard], calls=[guard])],
        tracer=traced.tracer,
    )
    async with agent.session("s", store=MemoryStore()) as session:
        await session.run("hi")
        await session.run(LONG, id="m2")
    second = traced.roots[1]
    assert [span.name for span in traced.roots] == ["invoke_agent boss"] * 2
    answered = ("chat m", ["chat summarizer", "chat judge-1", ("execute_tool work", ["chat judge-1"])])
    last = ("chat m", ["chat summarizer", "chat judge-1"])
    assert traced.tree(second) == ("invoke_agent boss", ["chat judge-1", answered, last])
    assert (second.attributes or {})["gen_ai.request.model"] == "m"
    asides = [span for span in traced.spans if (span.attributes or {}).get("ore.aside")]
    assert {((s.attributes or {})["ore.aside"], s.name) for s in asides} == {
        ("guardrail", "chat judge-1"),
        ("summary", "chat summarizer"),
    }
    assert {(span.attributes or {}).get("gen_ai.conversation.id") for span in traced.spans} == {"s"}
    assert all("secret" not in span.to_json() for span in traced.spans)


@pytest.mark.requirement("D-trace-tree")
async def test_a_summary_by_hand_is_a_span_of_its_own_or_below_that_of_whoever_asks() -> None:
    traced = Traced()
    agent = Agent(
        talker(),
        extensions=[Compaction()],
        interceptors=[standard_commands()],
        tracer=traced.tracer,
        spec=Spec(name="m"),
    )
    async with agent.session("s", store=MemoryStore()) as session:
        await session.run("hi")
        await compact(session.handle)
        with traced.provider.get_tracer("app").start_as_current_span("app"):
            await session.run("go on")
            await session.run("/compact")
        await session.run("/help")
    assert [traced.tree(root) for root in traced.roots] == [
        ("invoke_agent agent", ["chat m"]),
        "chat m",
        ("app", [("invoke_agent agent", ["chat m"]), "chat m"]),
    ]
    assert told(traced, "ore.aside") == [None, "summary", None, "summary"]


@pytest.mark.requirement("D-logs")
async def test_a_line_says_what_an_inference_was_for_and_in_which_message() -> None:
    out = io.StringIO()
    handler = log_json(out)
    try:
        traced = Traced()
        agent = Agent(talker(), extensions=[rails("input", judge())], tracer=Tracers(LogTracer(), traced.tracer))
        async with agent.session("s", store=MemoryStore()) as session:
            run = session.stream("secret-question", id="m1")
            await run.result()
    finally:
        logging.getLogger("ore").removeHandler(handler)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    found = [(line["event"], line.get("aside"), line["session"], line["message"]) for line in lines]
    assert found == [
        ("inference", "guardrail", "s", "m1"),
        ("inference", None, "s", "m1"),
        ("message", None, "s", "m1"),
    ]
    assert "secret" not in out.getvalue()


async def test_what_fails_beside_a_conversation_is_told_by_whoever_asked_and_only_there() -> None:
    """A guard that cannot be asked blocks; a summary that fails when a person asks for it says so once."""
    failing = ScriptedProvider([RateLimitError("slow down", provider="judge")], repeat=True)
    agent = Agent(talker(), extensions=[rails("input", failing)])
    async with Manager(agent.spec(), MemoryStore()) as manager:
        stream = await manager.create_with_id("s")
        async with stream.subscribe("error", "notice", "lifecycle") as events:
            assert (await stream.process("hi")).turn is None
            kinds = []
            async for entry in events:
                kinds.append(entry.kind)
                if entry.kind == "lifecycle":
                    break
    assert kinds == ["notice", "lifecycle"]
