"""Conversations that are created or resumed, at the front door."""

import asyncio
from pathlib import Path

import pytest

from app.script import answer, call, until
from ore import Agent, MemoryStore, Question, Role, Store
from ore.artifact import ResultStatus, ToolResult, Usage
from ore.errors import ConflictError, InputError, ProviderError, SessionClosedError
from ore.event import Answer
from ore.ext.commands import standard_commands
from ore.ledger import Outcome
from ore.testing import ScriptedProvider
from ore.tool import tool

USAGE = Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)


@pytest.fixture(params=["memory", "sqlite", "sqlite file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str | Store:
    """Where sessions are kept: an object, or a URL that is opened anew each time."""
    if request.param == "memory":
        return MemoryStore()
    return f"sqlite:{tmp_path / ('ore.db' if request.param == 'sqlite' else 'deeper/ore.db')}"


@pytest.mark.requirement("D-session-resumed")
async def test_a_session_is_created_and_then_resumed(store: str | Store) -> None:
    """With its turns, its facts and what it used."""
    provider = ScriptedProvider([*answer("one"), USAGE], [*answer("two"), USAGE])
    agent = Agent(provider, store=store)
    async with agent.session("trip") as session:
        assert (session.id, list(session.turns)) == ("trip", [])
        assert (await session.run("first")).text == "one"
        await session.metadata.set("color", "blue")
    async with agent.session("trip") as session:
        assert [turn.role for turn in session.turns] == [Role.USER, Role.ASSISTANT]
        assert (session.metadata.all(), session.usage) == ({"color": "blue"}, USAGE)
        assert (await session.run("second")).text == "two"
        assert session.usage.total_tokens == 10
    assert len(provider.invocations[1].turns) == 3


async def test_a_result_has_what_its_own_message_added_wherever_the_conversation_went_on(store: str | Store) -> None:
    """Not what was said on branches that were left."""
    provider = ScriptedProvider([*answer("one"), USAGE], [*answer("two"), USAGE], [*answer("three"), USAGE])
    agent = Agent(provider, store=store, interceptors=[standard_commands()])
    async with agent.session("trip") as session:
        await session.run("first")
        await session.run("second")
        back = await session.run("/undo")
        assert (back.text, list(back.turns)) == ("", [])
        await session.handle.history.undo()
        result = await session.run("third")
        assert (result.text, len(result.turns), result.usage) == ("three", 2, USAGE)


async def test_a_session_without_an_id_gets_a_new_one(store: str | Store) -> None:
    agent = Agent(ScriptedProvider(), store=store)
    ids: list[str] = []
    for _ in range(2):
        async with agent.session() as session:
            ids.append(session.id)
    assert len(set(ids)) == 2


@pytest.mark.requirement("D-leaving-waits")
async def test_leaving_a_session_waits_for_what_was_submitted() -> None:
    agent = Agent(ScriptedProvider(answer("one"), answer("two")), store=MemoryStore())
    async with asyncio.timeout(5), agent.session() as session:
        runs = [session.stream("first"), session.stream("second")]
    assert [(await run.result()).text for run in runs] == ["one", "two"]


@pytest.mark.requirement("D-leaving-waits")
async def test_what_an_error_cuts_off_goes_on_when_the_session_is_opened_again(store: str | Store) -> None:
    """The running message with what was seen of it, then those that waited."""
    provider = ScriptedProvider([asyncio.Event()], answer("one"), answer("two"))
    agent = Agent(provider, store=store)
    with pytest.raises(KeyError):
        async with asyncio.timeout(5), agent.session("x") as session:
            runs = [session.stream("first"), session.stream("second")]
            await until(lambda: len(provider.invocations) == 1)
            await runs[1].accepted()
            raise KeyError("mine")
    for run in runs:
        with pytest.raises(SessionClosedError):
            await run.result()
    async with asyncio.timeout(5), agent.session("x") as session:
        await session.handle.idle()
    assert [turn.artifacts[0].for_model() for turn in session.turns] == ["first", "one", "second", "two"]


async def test_a_failed_message_leaves_the_session_usable(store: str | Store) -> None:
    failure = ProviderError("boom", provider="scripted")
    async with Agent(ScriptedProvider([failure], answer("fine")), store=store).session() as session:
        with pytest.raises(ProviderError):
            await session.run("hi")
        assert (await session.run("again")).text == "fine"


@pytest.mark.requirement("D-interrupt")
async def test_an_interrupt_stops_what_runs_and_what_waits() -> None:
    agent = Agent(ScriptedProvider([asyncio.Event()], answer("fine")), store=MemoryStore())
    async with asyncio.timeout(5), agent.session() as session:
        first, second = session.stream("first"), session.stream("second")
        await until(lambda: session.handle.snapshot().phase == "submitted")
        done = await session.interrupt()
        assert (done.cancelled, [id for id, _ in done.cleared]) == (first.id, [second.id])
        assert [(await run.result()).status for run in (first, second)] == [Outcome.CANCELLED, Outcome.CLEARED]
        assert (await session.run("third")).text == "fine"


async def test_a_waiter_that_goes_away_stops_nothing() -> None:
    hold = asyncio.Event()
    agent = Agent(ScriptedProvider([hold, *answer("late")]), store=MemoryStore())
    async with asyncio.timeout(5), agent.session() as session:
        waiter = asyncio.create_task(session.run("hi"))
        await until(lambda: session.handle.snapshot().phase == "submitted")
        waiter.cancel()
        await asyncio.wait((waiter,))
        hold.set()
    assert session.turns[-1].artifacts[0].for_model() == "late"


@pytest.mark.requirement("D-message-ids")
async def test_a_message_with_an_id_is_sent_once(store: str | Store) -> None:
    """Sending it again, also after a restart, gives its ending and no events."""
    provider = ScriptedProvider(answer("one"))
    agent = Agent(provider, store=store)
    async with agent.session("x") as session:
        await session.run("hi", id="m")
        await session.handle.idle()
        again = session.stream("hi", id="m")
        async with asyncio.timeout(5):
            assert [entry async for entry in again.events()] == []
            assert ((await again.result()).text, again.ended) == ("one", True)
    async with asyncio.timeout(5), agent.session("x") as session:
        assert (await session.run("hi", id="m")).text == "one"
        with pytest.raises(ConflictError):
            await session.run("something else", id="m")
    assert len(provider.invocations) == 1


async def test_an_id_that_could_name_a_path_is_refused(store: str | Store) -> None:
    with pytest.raises(InputError):
        async with Agent(ScriptedProvider(), store=store).session("../x"):
            raise AssertionError("never")


@pytest.mark.requirement("N10")
async def test_several_sessions_at_once_on_one_agent(store: str | Store) -> None:
    hold = asyncio.Event()
    agent = Agent(ScriptedProvider([hold, *answer("ok")], repeat=True), store=store)
    async with asyncio.timeout(10), agent.session("a") as one, agent.session("b") as other:
        runs = [one.stream("to a"), other.stream("to b")]
        for session in (one, other):
            await until(lambda session=session: session.handle.snapshot().phase == "submitted")  # type: ignore[misc]
        hold.set()
        assert [(await run.result()).text for run in runs] == ["ok", "ok"]
        assert [session.turns[0].artifacts[0].for_model() for session in (one, other)] == ["to a", "to b"]


# ── Questions ────────────────────────────────────────────────────────────────


@tool(approve=True)
async def send(to: str) -> str:
    """Send it."""
    return f"sent to {to}"


SENDING = call("send", '{"to": "ann"}')


def _result(agent: Agent, result: object) -> ToolResult:
    turns = getattr(result, "turns")  # noqa: B009
    [found] = [item for turn in turns for item in turn.artifacts if isinstance(item, ToolResult)]
    assert isinstance(found, ToolResult)
    return found


@pytest.mark.requirement("D-on-question")
async def test_without_anybody_to_ask_an_approval_is_denied_with_a_reason() -> None:
    agent = Agent(ScriptedProvider(SENDING, answer("not sent")), tools=[send])
    found = _result(agent, await agent.run("send it"))
    assert (found.status, found.is_error, "nobody" in found.content) == (ResultStatus.DENIED, True, True)


@pytest.mark.requirement("D-on-question")
@pytest.mark.parametrize("waits", [False, True])
async def test_an_approval_is_asked_with_the_arguments_that_would_run(waits: bool) -> None:
    """By a function, or by one that takes its time."""
    asked: list[Question] = []

    def now(question: Question) -> Answer:
        asked.append(question)
        return Answer(key=question.key, decision="approve")

    async def later(question: Question) -> Answer:
        await asyncio.sleep(0)
        return now(question)

    agent = Agent(ScriptedProvider(SENDING, answer("done")), tools=[send])
    found = _result(agent, await agent.run("send it", on_question=later if waits else now))
    assert (found.status, found.content) == (ResultStatus.OK, "sent to ann")
    [question] = asked
    assert (question.purpose, question.tool, question.arguments) == ("approval", "send", '{"to": "ann"}')
    assert question.key == question.call_key


@pytest.mark.requirement("D-on-question")
async def test_a_denial_reaches_the_model_with_its_reason() -> None:
    def deny(question: Question) -> Answer:
        return Answer(key=question.key, decision="deny", reason="not today")

    agent = Agent(ScriptedProvider(SENDING, answer("fine")), tools=[send])
    result = await agent.run("send it", on_question=deny)
    found = _result(agent, result)
    assert (found.status, "not today" in found.content, result.text) == (ResultStatus.DENIED, True, "fine")


@pytest.mark.requirement("D-on-question")
async def test_a_question_that_cannot_be_asked_counts_as_no(caplog: pytest.LogCaptureFixture) -> None:
    def fail(question: Question) -> Answer:
        raise ValueError("no terminal")

    agent = Agent(ScriptedProvider(SENDING, answer("fine")), tools=[send])
    result = await agent.run("send it", on_question=fail)
    assert (_result(agent, result).status, result.text) == (ResultStatus.DENIED, "fine")
    assert "no terminal" in caplog.text


@pytest.mark.requirement("D-on-question")
async def test_a_session_asks_as_well(store: str | Store) -> None:
    agent = Agent(ScriptedProvider(SENDING, answer("done")), tools=[send], store=store)
    async with agent.session(on_question=lambda q: Answer(key=q.key, decision="approve")) as session:
        assert _result(agent, await session.run("send it")).status is ResultStatus.OK
