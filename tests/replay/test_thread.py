"""A stored conversation as a test: the first thing that comes out otherwise is named."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Literal

import pytest

from app.script import answer, call
from ore import Agent, Role, Spec, Text
from ore.artifact import Artifact, ToolResult
from ore.errors import ProtocolError
from ore.event import TurnComplete, UserMessage
from ore.ext.replay import Fault, Faulty, Replay, replay, slow
from ore.ledger import MemoryStore, State, StoredThread
from ore.provider import Batch, Option
from ore.testing import ScriptedProvider
from ore.tool import Tool, tool


def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C"


ANSWERS: Sequence[Sequence[Artifact]] = (
    call("weather", '{"city": "Lisbon"}'),
    answer("21 in Lisbon."),
    answer("You are ", "welcome."),
)


async def stored() -> StoredThread:
    """A conversation of two messages, the first one with a call."""
    store = MemoryStore()
    async with Agent(ScriptedProvider(*ANSWERS), tools=[weather]).session("s", store=store) as session:
        await session.run("Weather in Lisbon?")
        await session.run("Thanks.")
    return await store.load("s")


async def again(*answers: Sequence[Artifact], tools: Sequence[object] = (weather,), **how: str) -> Replay:
    agent = Agent(ScriptedProvider(*answers), tools=list(tools))  # type: ignore[arg-type]
    return await replay(await stored(), agent.spec(), **how)  # type: ignore[arg-type]


@pytest.mark.requirement("D-replay")
async def test_unchanged_code_gives_the_same_conversation() -> None:
    came = await again()
    came.check()
    assert len(came.turns) == 6 and came.turns[-1].artifacts[0] == Text(content="You are welcome.")


@pytest.mark.requirement("D-replay")
async def test_a_tool_that_changed_is_where_it_first_differs() -> None:
    @tool(name="weather")
    def changed(city: str) -> str:
        """Current weather in a city."""
        return f"{city}: 22 °C"

    came = await again(tools=[changed])
    assert came.first is not None
    assert (came.first.place, came.first.what) == (2, "result 0")
    assert (came.first.before, came.first.now) == ("Lisbon: 21 °C", "Lisbon: 22 °C")
    with pytest.raises(AssertionError, match=r"turn 2 .*result 0: expected 'Lisbon: 21 °C', got 'Lisbon: 22 °C'"):
        came.check()


CHANGES = [
    ((call("weather", '{"city":"Lisbon"}'), answer("21 in Lisbon."), answer("You are welcome.")), None),
    ((call("weather", '{"city": "Porto"}'), answer("x"), answer("y")), (1, "call 0 arguments")),
    ((call("other", "{}"), answer("x"), answer("y")), (1, "call 0")),
    ((answer("No idea."),), (1, "text")),
    ((call("weather", '{"city": "Lisbon"}'), answer("22."), answer("y")), (3, "text")),
    ((call("weather", '{"city": "Lisbon"}'), answer("21 in Lisbon."), answer("Bye.")), (5, "text")),
]


@pytest.mark.requirement("D-replay")
@pytest.mark.parametrize(("answers", "first"), CHANGES)
async def test_another_model_is_compared_turn_by_turn(
    answers: Sequence[Sequence[Artifact]], first: tuple[int, str] | None
) -> None:
    """Arguments as JSON, however they are written."""
    came = await again(*answers, model="agent")
    assert (came.first and (came.first.place, came.first.what)) == first


@pytest.mark.requirement("D-replay")
async def test_tools_may_give_what_they_gave_then_and_do_nothing() -> None:
    ran: list[str] = []

    @tool(name="weather", approve=True)
    def costly(city: str) -> str:
        """Current weather in a city."""
        ran.append(city)
        return "never"

    agent = Agent(ScriptedProvider(*ANSWERS), tools=[costly])
    came = await replay(await stored(), agent.spec(), model="agent", tools="recorded")
    came.check()
    assert ran == []
    other = Agent(ScriptedProvider(call("weather", '{"city": "Porto"}'), answer("x")), tools=[costly])
    first = (await replay(await stored(), other.spec(), model="agent", tools="recorded")).first
    assert first is not None and first.what == "call 0 arguments"


@pytest.mark.requirement("D-replay")
async def test_what_steered_a_message_steers_it_again() -> None:
    store = MemoryStore()
    release = asyncio.Event()

    @tool(name="weather")
    async def waits(city: str) -> str:
        """Current weather in a city."""
        await release.wait()
        return f"{city}: 21 °C"

    async with Agent(ScriptedProvider(*ANSWERS), tools=[waits]).session("s", store=store) as session:
        run = session.stream("Weather?")
        async with session.handle.subscribe("turn_complete") as told:
            async for entry in told:
                if isinstance(entry.event, TurnComplete) and entry.event.turn.calls:
                    break
        await session.handle.submit(UserMessage(content="Be brief.", mode="steer")).accepted()
        release.set()
        await run.result()
    thread = await store.load("s")
    assert [turn.role for turn in thread.turns] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER, Role.ASSISTANT]
    (await replay(thread, Agent(ScriptedProvider(), tools=[weather]).spec())).check()


@pytest.mark.requirement("D-replay")
async def test_calls_that_are_the_same_give_what_each_of_them_gave() -> None:
    store, count = MemoryStore(), iter(range(9))

    @tool
    def roll() -> int:
        """Roll a die."""
        return next(count)

    answers = (call("roll"), call("roll"), answer("0 and 1"))
    async with Agent(ScriptedProvider(*answers), tools=[roll]).session("s", store=store) as session:
        await session.run("Roll twice.")
    agent = Agent(ScriptedProvider(*answers), tools=[roll])
    (await replay(await store.load("s"), agent.spec(), model="agent", tools="recorded")).check()
    assert next(count) == 2


async def test_an_empty_conversation_is_the_same_at_once() -> None:
    empty = StoredThread(id="s", metadata={}, turns=())
    assert (await replay(empty, Agent(ScriptedProvider()).spec())).first is None


@pytest.mark.requirement("D-replay")
async def test_the_model_that_was_chosen_then_is_not_chosen_again() -> None:
    """The agent's own is asked, by the name that it has there; what else was set holds."""
    store, provider = MemoryStore(), ScriptedProvider(answer("one"))
    async with Agent(ScriptedProvider(answer("one"))).session("s", store=store) as session:
        await session.run("hi")
        await session.metadata.set("ore.model.name", "elsewhere:big")
        await session.metadata.set("ore.model.temperature", "0.5")
    agent = Agent(provider, spec=Spec(name="small"))
    (await replay(await store.load("s"), agent.spec(), model="agent")).check()
    assert [(one.spec.name, one.spec.temperature) for one in provider.invocations] == [("small", 0.5)]


@pytest.mark.requirement("D-replay-faults")
@pytest.mark.parametrize("model", ["recorded", "agent"])
async def test_what_goes_wrong_on_purpose_is_where_it_differs(model: Literal["recorded", "agent"]) -> None:
    agent = Agent(ScriptedProvider(*ANSWERS), tools=[weather])
    came = await replay(await stored(), agent.spec(), model=model, faults={3: Fault(kind="error", code="rate_limit")})
    assert came.first is not None and (came.first.place, came.first.what, came.first.now) == (5, "turn", None)
    mended = await replay(await stored(), agent.spec(), faults={9: Fault(kind="cut")})
    mended.check()


# ── Faults ───────────────────────────────────────────────────────────────────

FAULTS = [
    (Fault(kind="cut", after=1), "protocol"),
    (Fault(kind="cut", after=99), "protocol"),
    (Fault(kind="error", code="timeout", after=99), "timeout"),
    (Fault(kind="error", code="rate_limit"), "rate_limit"),
    (Fault(kind="error", code="overloaded", after=1), "overloaded"),
]


@pytest.mark.requirement("D-replay-faults")
@pytest.mark.parametrize(("fault", "code"), FAULTS)
async def test_a_fault_ends_a_message_and_the_session_goes_on(fault: Fault, code: str) -> None:
    provider = Faulty(ScriptedProvider(answer("one"), answer("one"), answer("two")), {1: fault})
    async with Agent(provider).session("s", store=MemoryStore()) as session:
        run = session.stream("hi")
        with pytest.raises(Exception) as caught:
            await run.result()
        assert getattr(caught.value, "code", "") == code
        assert (await session.run("again")).status == "done"


class Bare:
    """A provider that says nothing behind its text."""

    name = "bare"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        yield [Text(content="Hi.")]


@pytest.mark.requirement("D-replay-faults")
@pytest.mark.parametrize(("after", "kept"), [(0, ""), (1, "Hi."), (2, "Hi."), (9, "Hi.")])
async def test_a_fault_comes_also_where_the_answer_ends_before_it(after: int, kept: str) -> None:
    provider = Faulty(Bare(), {1: Fault(kind="cut", after=after)})
    async with Agent(provider).session("s", store=MemoryStore()) as session:
        with pytest.raises(ProtocolError):
            await session.run("hi")
        said = "".join(one.content for turn in session.turns[1:] for one in turn.artifacts if isinstance(one, Text))
    assert said == kept


@pytest.mark.requirement("D-replay-faults")
async def test_arguments_that_break_are_an_error_to_the_model_and_no_call() -> None:
    provider = Faulty(
        ScriptedProvider(call("weather", '{"city": "Lisbon"}'), answer("sorry")), {1: Fault(kind="bad_json")}
    )
    result = await Agent(provider, tools=[weather]).run("hi")
    told = result.turns[2].artifacts[0]
    assert isinstance(told, ToolResult) and told.is_error
    assert result.text == "sorry"


@pytest.mark.requirement("D-replay-faults")
@pytest.mark.parametrize("blocking", [False, True])
async def test_a_slow_tool_ends_at_its_limit_of_time(blocking: bool) -> None:
    async def soon(city: str) -> str:
        return weather(city)

    given: Tool = tool(weather if blocking else soon, name="weather", description="Weather.", timeout_s=0.05)
    agent = Agent(ScriptedProvider(call("weather", '{"city": "Lisbon"}'), answer("sorry")), tools=[slow(given, 5)])
    told = (await agent.run("hi")).turns[2].artifacts[0]
    assert isinstance(told, ToolResult) and "timed out after 0.05 s" in told.content
    quick = Agent(ScriptedProvider(call("weather", '{"city": "Lisbon"}'), answer("ok")), tools=[slow(given, 0)])
    assert "21 °C" in (await quick.run("hi")).turns[2].artifacts[0].for_model()
