"""The front door: one message, and what comes of it."""

import asyncio
from pathlib import Path

import pytest

from app.script import answer, call, until
from ore import Agent, Result, Role, Spec, Text, Turn, UsageLimits
from ore.artifact import Image, StopReason, Usage
from ore.errors import InputError, LimitError, ModelNotFoundError, ProviderError
from ore.ledger import MemoryStore, Outcome
from ore.testing import ScriptedProvider
from ore.tool import ToolContext

USAGE = Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)


def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C, clear"


@pytest.mark.requirement("D-result")
async def test_a_message_gets_its_answer() -> None:
    agent = Agent(ScriptedProvider([*answer("It is ", "fine."), USAGE]))
    result = await agent.run("Weather?")
    assert (result.text, result.output, result.usage, result.status, result.stop_reason) == (
        *("It is fine.", "It is fine.", USAGE, Outcome.DONE, "stop"),
    )
    assert [turn.role for turn in result.turns] == [Role.USER, Role.ASSISTANT]
    assert result.turns[1].artifacts == (Text(content="It is fine."), StopReason(reason="stop"), USAGE)


@pytest.mark.requirement("D-function-is-a-tool")
async def test_a_plain_function_is_a_tool() -> None:
    """It runs between two inferences; the usage of both counts."""
    provider = ScriptedProvider([*call("weather", '{"city": "Lisbon"}'), USAGE], [*answer("Clear."), USAGE])
    result = await Agent(provider, tools=[weather]).run("Weather in Lisbon?")
    assert (result.text, result.usage.total_tokens, len(result.turns)) == ("Clear.", 10, 4)
    assert result.turns[2].artifacts[0].for_model() == "Lisbon: 21 °C, clear"


@pytest.mark.requirement("D-run-sync")
def test_programs_without_a_loop_have_run_sync() -> None:
    result = Agent(ScriptedProvider(answer("hello"))).run_sync("hi")
    assert (type(result), result.text) == (Result, "hello")


@pytest.mark.requirement("D-run-sync")
async def test_run_sync_refuses_a_running_loop_by_name() -> None:
    provider = ScriptedProvider(answer("hello"))
    with pytest.raises(RuntimeError, match=r"run_sync.*await agent\.run"):
        Agent(provider).run_sync("hi")
    assert provider.invocations == []


@pytest.mark.requirement("B104", "D-two-loops")
@pytest.mark.parametrize("kept", ["nothing", "memory", "sqlite"])
def test_one_agent_serves_two_loops_one_after_the_other(kept: str, tmp_path: Path) -> None:
    store = {"nothing": None, "memory": MemoryStore(), "sqlite": f"sqlite:{tmp_path / 'ore.db'}"}[kept]
    agent = Agent(ScriptedProvider(answer("one"), answer("two")), tools=[weather])
    session = None if store is None else "trip"
    texts = [asyncio.run(agent.run("hi", session=session, store=store)).text for _ in range(2)]
    assert texts == ["one", "two"]


async def test_content_may_be_artifacts() -> None:
    provider = ScriptedProvider(answer("nice"))
    content = [Text(content="look"), Image(url="https://example.org/x.png")]
    await Agent(provider).run(content)
    assert provider.invocations[0].turns[-1].artifacts == tuple(content)


@pytest.mark.requirement("D-instructions")
async def test_instructions_come_first_and_stand_in_no_history() -> None:
    """The same text makes the same turn, so that prompt caches hold."""
    provider = ScriptedProvider(call("weather", '{"city": "Porto"}'), answer("ok"))
    result = await Agent(provider, instructions="Be brief.", tools=[weather]).run("hi")
    firsts = [invocation.turns[0] for invocation in provider.invocations]
    assert (firsts[0].role, firsts[0].artifacts) == (Role.SYSTEM, (Text(content="Be brief."),))
    assert firsts[0] == firsts[1]
    assert Role.SYSTEM not in {turn.role for turn in result.turns}


@pytest.mark.requirement("D-instructions")
async def test_instructions_may_be_a_function_that_is_asked_each_time() -> None:
    texts = iter(["Be brief.", ""])
    provider = ScriptedProvider(call("weather", '{"city": "Porto"}'), answer("ok"))
    await Agent(provider, instructions=lambda: next(texts), tools=[weather]).run("hi")
    assert [invocation.turns[0].role for invocation in provider.invocations] == [Role.SYSTEM, Role.USER]


@pytest.mark.requirement("D-deps")
async def test_tools_find_what_the_run_was_given() -> None:
    """For one run, or for every run of the agent."""
    seen: list[object] = []

    async def look(context: ToolContext) -> str:
        seen.append(context.deps)
        return "seen"

    agent = Agent(ScriptedProvider(call("look"), answer("ok"), repeat=True), tools=[look], deps="the agent's")
    await agent.run("hi")
    await agent.run("hi", deps="the run's")
    assert seen == ["the agent's", "the run's"]


@pytest.mark.requirement("D-history")
async def test_a_run_goes_on_from_a_history() -> None:
    provider = ScriptedProvider(answer("one"), answer("two"))
    agent = Agent(provider)
    first = await agent.run("hi")
    second = await agent.run("and?", history=first.turns)
    assert [turn.role for turn in provider.invocations[1].turns] == [Role.USER, Role.ASSISTANT, Role.USER]
    assert [turn.role for turn in second.turns] == [Role.USER, Role.ASSISTANT]


@pytest.mark.requirement("D-history")
async def test_a_history_is_read_in_the_order_in_which_it_is_given() -> None:
    """Turns of two runs, or of nobody, follow each other."""
    provider = ScriptedProvider(answer("one"), answer("two"), answer("three"))
    agent = Agent(provider)
    one, two = await agent.run("a"), await agent.run("b")
    made = Turn(id="", role=Role.USER, artifacts=(Text(content="made up"),))
    await agent.run("c", history=[*one.turns, *two.turns, made])
    assert [turn.artifacts[0].for_model() for turn in provider.invocations[2].turns] == [
        *("a", "one", "b", "two", "made up", "c"),
    ]


async def test_a_stored_session_has_a_history_of_its_own() -> None:
    first = await Agent(ScriptedProvider(answer("one"))).run("hi")
    provider = ScriptedProvider(answer("two"))
    with pytest.raises(ValueError):
        await Agent(provider, store=MemoryStore()).run("hi", session="x", history=first.turns)
    assert provider.invocations == []


@pytest.mark.requirement("D-in-memory")
async def test_a_run_without_a_name_keeps_nothing() -> None:
    """Even when the agent has a store."""
    store = MemoryStore()
    await Agent(ScriptedProvider(answer("hello")), store=store).run("hi")
    assert list((await store.list()).threads) == []


@pytest.mark.requirement("D-in-memory")
async def test_a_run_in_a_session_is_stored_and_gone_on_with(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'ore.db'}"
    provider = ScriptedProvider(answer("one"), answer("two"))
    agent = Agent(provider, store=store)
    first = await agent.run("hi", session="trip")
    second = await agent.run("and?", session="trip")
    assert (first.session_id, second.session_id) == ("trip", "trip")
    assert len(provider.invocations[1].turns) == 3


async def test_a_session_id_that_could_name_a_path_is_refused() -> None:
    with pytest.raises(InputError):
        await Agent(ScriptedProvider(), store=MemoryStore()).run("hi", session="../x")


# ── What goes wrong ──────────────────────────────────────────────────────────


async def test_a_failure_is_raised() -> None:
    failure = ProviderError("boom", provider="scripted")
    with pytest.raises(ProviderError) as raised:
        await Agent(ScriptedProvider([failure])).run("hi")
    assert raised.value is failure


@pytest.mark.parametrize("model", ["nobody:large", "large", ""])
async def test_an_unknown_model_is_named_with_those_that_there_are(model: str) -> None:
    with pytest.raises(ModelNotFoundError, match="local"):
        await Agent(model).run("hi")


@pytest.mark.parametrize("url", ["nowhere:x", "memory", "postgres"])
async def test_an_unknown_store_is_named_with_those_that_there_are(url: str) -> None:
    with pytest.raises(InputError, match="sqlite"):
        await Agent(ScriptedProvider(), store=url).run("hi", session="x")


@pytest.mark.requirement("D-usage-limits")
async def test_a_run_stops_at_its_limit_of_inferences() -> None:
    provider = ScriptedProvider(call("weather", '{"city": "Porto"}'), repeat=True)
    with pytest.raises(LimitError):
        await Agent(provider, tools=[weather], limits=UsageLimits(rounds=2)).run("hi")
    assert len(provider.invocations) == 2


@pytest.mark.requirement("D-usage-limits")
async def test_a_run_stops_behind_the_inference_that_goes_over_its_tokens() -> None:
    """None of the calls of that inference runs."""
    ran: list[str] = []

    async def work() -> str:
        ran.append("work")
        return "worked"

    provider = ScriptedProvider([*call("work"), USAGE], repeat=True)
    with pytest.raises(LimitError):
        await Agent(provider, tools=[work], limits=UsageLimits(tokens=9)).run("hi")
    assert (len(provider.invocations), len(ran)) == (2, 1)


@pytest.mark.requirement("D-usage-limits")
async def test_each_run_has_its_own_count_of_tokens() -> None:
    """Also in one session, with calls, behind which a run that has spent too much goes no further."""
    turns = [[*call("weather", '{"city": "Porto"}'), USAGE], [*answer("ok"), USAGE]] * 3
    agent = Agent(ScriptedProvider(*turns), tools=[weather], limits=UsageLimits(tokens=9))
    async with agent.session("x", store=MemoryStore()) as session:
        results = [await session.run("hi") for _ in range(3)]
    assert [result.status for result in results] == [Outcome.DONE] * 3


@pytest.mark.requirement("D-usage-limits")
async def test_a_run_stops_at_its_limit_of_seconds() -> None:
    """A limit of nothing is over at once; nothing has to be waited for."""
    provider = ScriptedProvider([asyncio.Event()])
    with pytest.raises(LimitError):
        async with asyncio.timeout(5):
            await Agent(provider, limits=UsageLimits(run_s=0.001)).run("hi")


# ── Several at once, and other agents ────────────────────────────────────────


@pytest.mark.requirement("N10")
async def test_one_agent_runs_many_at_once() -> None:
    together = asyncio.Barrier(5)

    async def meet() -> str:
        await together.wait()
        return "met"

    agent = Agent(ScriptedProvider(*[call("meet")] * 5, *[answer("ok")] * 5), tools=[meet])
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        tasks = [group.create_task(agent.run(f"run {number}")) for number in range(5)]
    results = [task.result() for task in tasks]
    assert [result.text for result in results] == ["ok"] * 5
    assert [result.turns[0].artifacts for result in results] == [(Text(content=f"run {n}"),) for n in range(5)]
    assert len({result.session_id for result in results}) == 5


async def test_another_agent_is_made_from_one_and_leaves_it_as_it_is() -> None:
    one, other = ScriptedProvider(answer("one")), ScriptedProvider(answer("other"))
    agent = Agent(one, spec=Spec(temperature=0.1), instructions="Be brief.")
    changed = agent.with_(model=other, tools=[weather], spec=Spec(top_p=0.5))
    assert [(await each.run("hi")).text for each in (agent, changed)] == ["one", "other"]
    assert (one.invocations[0].spec, other.invocations[0].spec) == (
        *(Spec(temperature=0.1), Spec(temperature=0.1, top_p=0.5)),
    )


@pytest.mark.requirement("D-cancelled-run")
async def test_cancelling_whoever_awaits_a_run_stops_its_tools_first() -> None:
    """The tool's cleaning up is over before the caller sees the cancellation."""
    began, cleaned = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.set()

    running = asyncio.create_task(Agent(ScriptedProvider(call("work")), tools=[work]).run("hi"))
    await began.wait()
    running.cancel()
    await until(running.done)
    assert (running.cancelled(), cleaned.is_set()) == (True, True)
