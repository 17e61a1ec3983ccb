"""Budgets: what a tree of agents may use is set aside first, and never passed by more than one inference."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from decimal import Decimal
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from observe.spending import Spender, family, usage, words
from ore import Agent, UsageLimits
from ore.agent import AgentSpec
from ore.artifact import Notice, Restart, StopReason, Text, TextDelta, ToolCall, Usage
from ore.errors import ConnectionFailedError, InputError, LimitError
from ore.event import CURRENT, EventContext
from ore.ext.observe.budget import Allowance, Budget, MessageBudget, Metered, Spent
from ore.ledger import Buffer, EndingRecord, MemoryStore, Message, Outcome, Role, State, TurnStatus
from ore.models import Spec
from ore.provider import Batch, Option, Provider
from ore.session import Manager, Services
from ore.testing import ScriptedProvider, check_order
from ore.testing.sendable import check_sendable

SMALL = Spec(max_output_tokens=40)


async def read(provider: Provider, spec: Spec = SMALL) -> list[Batch]:
    """All that one inference streams."""
    state = Buffer()
    state.add(Role.USER, Text(content="hi"))
    async with aclosing(provider.invoke(state, spec)) as batches:
        return [batch async for batch in batches]


# ── A parent and its children ────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.requirement("D-budget-tree")
@given(tokens=st.integers(50, 30_000), costs=st.lists(st.integers(2, 4_000), min_size=1, max_size=12))
@settings(max_examples=20)
def test_a_parent_and_five_children_never_pass_a_budget_by_more_than_one_inference(
    tokens: int, costs: list[int]
) -> None:
    """Whatever each of them costs, as long as that is set aside."""
    agent, above, below = family(lambda before: costs[before % len(costs)], UsageLimits(rounds=4, tokens=tokens))

    async def run() -> None:
        async with asyncio.timeout(20):
            with pytest.raises(LimitError):
                await agent.run("go")

    asyncio.run(run())
    spent = above.spent + below.spent
    assert sum(spent) <= tokens + max(spent)


@pytest.mark.requirement("D-budget-tree")
async def test_children_wait_for_each_other_where_not_all_of_them_fit_at_once() -> None:
    """So none of them fails while there is something left for it."""
    team = Budget(Allowance(tokens=5 * 60 + 40))  # hardly more than one of them may use at most, five times
    spender = Spender(lambda before: 60, words(3))
    agents = [Agent(spender, spec=SMALL, limits=UsageLimits(within=team)) for _ in range(5)]
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        runs = [group.create_task(agent.run("go")) for agent in agents]
    assert [run.result().status for run in runs] == [Outcome.DONE] * 5
    assert (sum(spender.spent), team.spent.tokens, team.reserved) == (300, 300, Spent())
    assert spender.most > 1


@pytest.mark.requirement("D-budget-tree")
async def test_what_the_largest_inference_used_is_set_aside_for_the_next_ones() -> None:
    """So estimates that are too small do not add up."""
    team = Budget(Allowance(tokens=1_000))
    spender = Spender(lambda before: 400, words(3))
    await read(Metered(spender, (team,)))
    spender.most = 0
    metered = Metered(spender, (team,))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        both = [group.create_task(_quietly(read(metered))) for _ in range(3)]
    assert [task.result() for task in both].count(True) == 2
    assert (spender.most, team.spent.tokens) == (1, 1_200)


async def _quietly(work: Awaitable[object]) -> bool:
    try:
        await work
    except LimitError:
        return False
    return True


@pytest.mark.requirement("D-budget-tree")
async def test_the_inner_budget_ends_an_agent_and_the_outer_one_ends_all() -> None:
    outer = Budget(Allowance(tokens=100), name="team")
    inner = Budget(Allowance(tokens=40), name="one", within=outer)
    spender = Spender(lambda before: 20, words(1))
    assert inner.line == (outer, inner)
    for _ in range(2):
        await read(Metered(spender, inner.line))
    with pytest.raises(LimitError, match="one: all of the 40 tokens are used"):
        await read(Metered(spender, inner.line))
    assert (outer.spent, inner.spent) == (Spent(tokens=40, calls=2),) * 2
    for _ in range(3):
        await read(Metered(spender, (outer,)))
    with pytest.raises(LimitError, match="team: all of the 100 tokens are used"):
        await read(Metered(spender, (outer,)))


async def test_a_provider_that_asks_itself_does_not_wait_for_itself() -> None:
    """Such as a guardrail that asks a model about an answer while it comes."""
    team = Budget(Allowance(tokens=100))
    inside = Metered(Spender(lambda before: 10, words(1)), (team,))

    class Nested:
        name = "nested"

        async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
            yield (TextDelta(content="a"),)
            await read(inside)
            yield (usage(10),)

    async with asyncio.timeout(5):
        await read(Metered(Nested(), (team,)))
    assert team.spent == Spent(tokens=20, calls=2)


async def test_whoever_waits_for_room_comes_before_those_that_are_later() -> None:
    team = Budget(Allowance(tokens=200))
    order: list[str] = []
    hold = asyncio.Event()

    async def one(name: str, spec: Spec, *items: object) -> None:
        provider = Metered(ScriptedProvider([*items, usage(10)]), (team,))  # type: ignore[list-item]
        await read(provider, spec)
        order.append(name)

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(one("first", SMALL, TextDelta(content="a"), hold))
        await asyncio.sleep(0)
        group.create_task(one("large", Spec(max_output_tokens=180), TextDelta(content="a")))
        await asyncio.sleep(0)
        group.create_task(one("small", SMALL, TextDelta(content="a")))
        for _ in range(5):
            await asyncio.sleep(0)
        assert order == []
        hold.set()
    assert order == ["first", "large", "small"]


async def test_whoever_is_cancelled_while_waiting_or_running_leaves_nothing_set_aside() -> None:
    team = Budget(Allowance(tokens=200))
    hold = asyncio.Event()
    provider = Metered(ScriptedProvider([TextDelta(content="four"), hold], [hold]), (team,))
    running = asyncio.create_task(read(provider))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(read(provider, Spec(max_output_tokens=180)))
    await asyncio.sleep(0)
    for task in (waiting, running):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert team.reserved == Spent()
    assert team.spent.calls == 1
    assert 0 < team.spent.tokens < 20


def test_threads_with_loops_of_their_own_share_a_budget() -> None:
    team = Budget(Allowance(tokens=10_000))
    spender = Spender(lambda before: 10, words(1))

    async def many() -> None:
        for _ in range(20):
            await read(Metered(spender, (team,)), Spec(max_output_tokens=9_000))

    async def two() -> None:
        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            for _ in range(2):
                group.create_task(asyncio.to_thread(asyncio.run, many()))

    asyncio.run(two())
    assert team.spent == Spent(tokens=400, calls=40)


# ── The hard limit ───────────────────────────────────────────────────────────


@pytest.mark.requirement("D-budget-cut")
async def test_an_answer_is_cut_where_it_passes_the_limit_and_the_session_goes_on() -> None:
    spender = Spender(lambda before: 10, [*words(500), ToolCall(id="c", name="never", arguments="{}")])
    agent = Agent(spender, limits=UsageLimits(tokens=100))
    async with asyncio.timeout(10), agent.session("s", store=MemoryStore()) as session:
        run = session.stream("go")
        told = [entry async for entry in run.events()]
        check_order(told)
        with pytest.raises(LimitError, match=r"at most 100 tokens, the answer was stopped at about 10[1-9]"):
            await run.result()
        last = session.turns[-1]
        assert (last.role, last.status) == (Role.ASSISTANT, TurnStatus.FAILED)
        assert 100 <= len(last.artifacts[0].for_model()) // 4 <= 108
        assert [entry.event.code for entry in told if entry.kind == "error"] == ["limit"]  # type: ignore[union-attr]
        check_sendable(session.turns)
        with pytest.raises(LimitError):
            await session.run("again")  # each message has its own
    assert (spender.running, len(session.turns)) == (0, 4)


@pytest.mark.requirement("D-budget-cut")
async def test_the_calls_of_an_answer_that_is_cut_have_results() -> None:
    call = ToolCall(id="c", name="never", arguments="{}")
    agent = Agent(ScriptedProvider([call, *words(500)]), limits=UsageLimits(tokens=50))
    async with agent.session("s", store=MemoryStore()) as session:
        with pytest.raises(LimitError):
            await session.run("go")
        check_sendable(session.turns)
        assert [turn.role for turn in session.turns] == [Role.USER, Role.ASSISTANT, Role.TOOL]


@pytest.mark.requirement("D-budget-cut")
async def test_a_last_answer_that_passes_the_limit_is_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing would be saved by throwing it away; the next inference is refused."""
    agent = Agent(ScriptedProvider([*words(1), usage(60)], repeat=True), limits=UsageLimits(tokens=50))
    with caplog.at_level("DEBUG"):
        assert (await agent.run("go")).text == "four"
    assert [record.getMessage() for record in caplog.records if record.name.startswith("ore")] == []


@pytest.mark.requirement("D-budget-tree")
async def test_inferences_are_counted_inside_calls_too() -> None:
    agent, above, below = family(lambda before: 2, UsageLimits(calls=9))
    with pytest.raises(LimitError, match="at most 9 model calls"):
        await agent.run("go")
    assert len(above.spent) + len(below.spent) == 9


@pytest.mark.requirement("D-budget-cut")
async def test_money_is_counted_by_the_price_of_the_model_and_by_what_the_vendor_says() -> None:
    """An answer of 1,000 tokens at 25 USD a million costs 0.025."""
    spec = Spec(name="claude-opus-4-5", max_output_tokens=2_000)
    team = Budget(Allowance(cost_usd=Decimal("0.05")))
    said = Usage(prompt_tokens=1, completion_tokens=1, total_tokens=2, cost_usd=Decimal("0.03"))
    await read(Metered(ScriptedProvider([*words(3), said], name="anthropic"), (team,)), spec)
    assert team.spent == Spent(tokens=2, cost_usd=Decimal("0.03"), calls=1)
    with pytest.raises(LimitError, match=r"0\.05 USD, the answer was stopped at about 0\.05"):
        await read(Metered(ScriptedProvider(words(5_000), name="anthropic"), (team,)), spec)
    assert Decimal("0.05") < team.spent.cost_usd < Decimal("0.052")
    with pytest.raises(LimitError, match=r"expected at most 0\.05 USD"):
        await read(Metered(ScriptedProvider(words(1), name="anthropic"), (team,)), spec)


@pytest.mark.requirement("D-budget-cut")
async def test_time_is_over_in_mid_turn_and_for_all_that_comes_later() -> None:
    now = [0.0]
    team = Budget(Allowance(run_s=10), clock=lambda: now[0])
    await read(Metered(ScriptedProvider(words(1)), (team,)))
    now[0] = 9.999
    with pytest.raises(LimitError, match="at most 10 seconds"):
        async with asyncio.timeout(5):
            await read(Metered(ScriptedProvider([TextDelta(content="a"), asyncio.Event()]), (team,)))
    now[0] = 10.0
    never = ScriptedProvider(words(1))
    with pytest.raises(LimitError, match="at most 10 seconds"):
        await read(Metered(never, (team,)))
    assert never.invocations == []


@pytest.mark.requirement("D-budget-cut")
async def test_time_that_goes_on_while_it_is_read_cuts_all_the_same_and_what_was_seen_is_kept() -> None:
    """The one whose time is over first says so."""
    ticks = count()
    outer = Budget(Allowance(run_s=1_000), name="outer", clock=lambda: next(ticks) * 1e-4)
    team = Budget(Allowance(run_s=0.01), name="team", within=outer, clock=lambda: next(ticks) * 1e-4)
    provider = ScriptedProvider([TextDelta(content="seen"), asyncio.Event()])
    agent = Agent(provider, limits=UsageLimits(within=team))
    async with asyncio.timeout(5), agent.session("s", store=MemoryStore()) as session:
        with pytest.raises(LimitError, match=r"team: expected at most 0\.01 seconds"):
            await session.run("go")
        assert [artifact.for_model() for artifact in session.turns[-1].artifacts] == ["seen"]
        check_sendable(session.turns)
    assert (outer.reserved, team.reserved) == (Spent(), Spent())


async def test_a_provider_may_run_into_a_time_limit_of_its_own() -> None:
    team = Budget(Allowance(run_s=1_000))
    with pytest.raises(TimeoutError):
        await read(Metered(ScriptedProvider([TimeoutError()]), (team,)))


# ── What counts ──────────────────────────────────────────────────────────────


async def test_an_inference_that_never_began_costs_nothing() -> None:
    team = Budget(Allowance(tokens=100))
    with pytest.raises(ConnectionFailedError):
        await read(Metered(ScriptedProvider([ConnectionFailedError("no", provider="p")]), (team,)))
    assert (team.spent, team.reserved) == (Spent(), Spent())


async def test_an_answer_that_began_again_is_paid_for_twice() -> None:
    team = Budget(Allowance(tokens=1_000))
    items = [TextDelta(content="four" * 25), Restart(attempt=2), TextDelta(content="a"), usage(10)]
    await read(Metered(ScriptedProvider(items), (team,)))
    assert team.spent.calls == 2
    assert 35 <= team.spent.tokens <= 45  # the prompt and 25 tokens, then 10
    items = [Notice(content="retry"), Restart(attempt=2), TextDelta(content="a"), usage(10)]
    await read(Metered(ScriptedProvider(items), (team,)))
    assert team.spent.calls == 3


async def test_without_a_count_of_the_vendor_the_estimate_counts() -> None:
    team = Budget(Allowance(tokens=1_000))
    await read(Metered(ScriptedProvider([*words(100), Usage()]), (team,)))
    assert 100 <= team.spent.tokens <= 110


async def test_where_nobody_limits_anything_the_stream_is_the_providers_own() -> None:
    """So it costs nothing on the path of a fragment."""
    provider = ScriptedProvider(words(1))
    stream: Any = Agent(provider).spec().provider.invoke(Buffer(), SMALL)
    assert stream.__name__ == "invoke"
    await stream.aclose()
    counted = Agent(provider, limits=UsageLimits(tokens=9)).spec()
    token = CURRENT.set(EventContext(message="m", thread_id="s"))  # as inside a message
    counted.transforms[0](Buffer())
    CURRENT.reset(token)
    stream = counted.provider.invoke(Buffer(), SMALL)
    assert stream.__name__ != "invoke"
    await stream.aclose()


@pytest.mark.requirement("D-budget-tree")
async def test_a_session_that_changes_its_model_is_counted_all_the_same() -> None:
    script = ScriptedProvider([*words(1), usage(60)], repeat=True)
    team = Budget(Allowance(tokens=100))
    agent = Agent("p:a", resolve=lambda name: (script, name), limits=UsageLimits(within=team))
    async with agent.session("s", store=MemoryStore()) as session:
        await session.run("hi")
        await session.metadata.set("ore.model.name", "p:b")
        await session.run("hi")
        with pytest.raises(LimitError):
            await session.run("hi")
    assert [invocation.spec.name for invocation in script.invocations] == ["p:a", "p:b"]


@pytest.mark.requirement("D-budget-tree")
async def test_a_message_that_goes_on_after_a_crash_has_used_what_its_turns_say() -> None:
    """It is left in the middle of a call, and goes on in another manager."""
    began = asyncio.Event()

    async def work() -> str:
        """Work."""
        began.set()
        await asyncio.Event().wait()
        return "never"

    store = MemoryStore()

    def agent(*script: object) -> AgentSpec:
        limits = UsageLimits(tokens=100)
        return Agent(ScriptedProvider(*script), tools=[work], limits=limits).spec()  # type: ignore[arg-type]

    call = ToolCall(id="c", name="work", arguments="{}")
    first = Manager(agent([call, usage(90)]), store)
    stream = await first.create_with_id("s")
    ticket = stream.submit("go")
    async with asyncio.timeout(5):
        await began.wait()
        await first.leave(0.0)
    with pytest.raises(Exception, match="goes on at the next attach"):
        await ticket
    other = ToolCall(id="d", name="none", arguments="{}")
    second = Manager(agent([other, usage(20)], [other, usage(1)]), store)
    stream = await second.attach("s")
    async with asyncio.timeout(5):
        await stream.idle()
    ending = await store.submit("s", Message(id=ticket.id, artifacts=(Text(content="go"),)))
    assert isinstance(ending, EndingRecord) and ending.error is not None
    assert ending.error.message == "usage: expected at most 100 tokens, used 110"
    await second.close_all()


async def test_a_plain_agent_of_the_core_is_counted_too() -> None:
    team = Budget(Allowance(tokens=15))
    counted = MessageBudget(within=team)
    script = ScriptedProvider([*words(1), StopReason(reason="stop"), usage(10)], repeat=True)
    plain = AgentSpec(name="plain", provider=script)
    manager = Manager(counted.over(plain), services=Services(resolve=counted.resolve(lambda name: (script, name))))
    stream = await manager.create()
    outcomes = [await stream.submit("hi") for _ in range(3)]
    assert [outcome.status for outcome in outcomes] == [Outcome.DONE, Outcome.DONE, Outcome.FAILED]
    await manager.close_all()


@pytest.mark.parametrize(
    "allowance",
    [{"tokens": 0}, {"cost_usd": Decimal(-1)}, {"run_s": 0.0}, {"soft": 1.5, "tokens": 1}, {"ask": True, "tokens": 1}],
)
def test_limits_under_which_nothing_could_be_done_are_refused(allowance: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Allowance(**allowance)  # type: ignore[arg-type]
