"""Agents inside calls: their events, budget, permissions and cancellation nest inside their caller's."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.script import answer, call, until
from ore import Agent, Answer, Question, UsageLimits, tool
from ore.artifact import TextDelta, ToolResult, Usage
from ore.errors import LimitError
from ore.event import Entry
from ore.ext.stores.sqlite import SqliteStore
from ore.ext.tools.subagent import subagent
from ore.ledger import INNER, MemoryStore, Role, delete_thread
from ore.session import Manager
from ore.testing import ScriptedProvider, check_order

PROMPT = '{"prompt": "look it up"}'
USAGE = Usage(prompt_tokens=5, completion_tokens=5, total_tokens=10)


def researcher(provider: ScriptedProvider, **options: object) -> Agent:
    return Agent(provider, name="researcher", description="Looks things up.", **options)  # type: ignore[arg-type]


async def events_of(agent: Agent, **options: object) -> Sequence[Entry]:
    """All events of one message that the agent answers."""
    async with agent.stream("go", **options) as run:  # type: ignore[arg-type]
        found = [entry async for entry in run.events()]
        await run.result()
    check_order(found)
    return found


@pytest.mark.requirement("D-child-nests")
async def test_an_agent_is_a_tool_whose_answer_is_its_last_turn() -> None:
    """A turn with calls before it is not the answer."""
    child = researcher(
        ScriptedProvider([TextDelta(content="Wait. "), *call("find")], answer("It is ", "42.")), tools=[find]
    )
    parent = Agent(ScriptedProvider(call("researcher", PROMPT), answer("So 42.")), tools=[child.as_tool()])
    result = await parent.run("What is it?")
    assert result.text == "So 42."
    assert result.turns[2].artifacts[0].for_model() == "It is 42."


def find() -> str:
    """Find it."""
    return "found"


@pytest.mark.requirement("D-child-nests")
async def test_what_an_agent_does_is_told_inside_its_call_and_not_as_the_callers_text() -> None:
    child = researcher(ScriptedProvider(call("find"), answer("It is 42.")), tools=[find])
    parent = Agent(ScriptedProvider(call("researcher", PROMPT), answer("So 42.")), tools=[child.as_tool()])
    found = await events_of(parent)
    own = {entry.context.path for entry in found if entry.kind == "tool_result"}
    (key,) = min(path for path in own if path)
    inside = [(entry.kind, len(entry.context.path or ())) for entry in found if entry.context.path]
    assert ("tool_call", 1) in inside and ("tool_result", 2) in inside and ("text_delta", 1) in inside
    assert all((entry.context.path or (key,))[0] == key for entry in found)
    assert {entry.context.message for entry in found} == {found[0].context.message}
    assert [entry.event.phase for entry in found if entry.kind == "lifecycle"].count("done") == 1  # type: ignore[union-attr]
    async with Agent(
        ScriptedProvider(call("researcher", PROMPT), answer("So 42.")),
        tools=[researcher(ScriptedProvider(answer("It is 42."))).as_tool()],
    ).stream("go") as run:
        assert [piece async for piece in run.text()] == ["So 42."]


@pytest.mark.requirement("D-child-cancel")
async def test_stopping_one_agent_leaves_its_siblings_and_the_message() -> None:
    began: list[str] = []
    release = asyncio.Event()

    @tool
    async def work(name: str) -> str:
        """Work until released."""
        began.append(name)
        await release.wait()
        return f"{name} worked"

    def child(name: str) -> Agent:
        return Agent(
            ScriptedProvider(call("work", f'{{"name": "{name}"}}'), answer(f"{name} done")),
            name=name,
            description="Works.",
            tools=[work],
        )

    three = [*call("a", PROMPT, id="c0"), *call("b", PROMPT, id="c1"), *call("c", PROMPT, id="c2")]
    parent = Agent(ScriptedProvider(three, answer("ok")), tools=[child(name).as_tool() for name in "abc"])
    async with asyncio.timeout(10), parent.session("s", store=MemoryStore()) as session:
        run = session.stream("go")
        await until(lambda: len(began) == 3)
        async with session.handle.subscribe("tool_result") as told:
            assert session.handle.cancel(f"{session.turns[-1].id}:1")
            assert (await anext(told)).event.tool_call_id == "c1"  # type: ignore[union-attr]
        release.set()
        result = await run.result()
    results = [artifact for artifact in result.turns[2].artifacts if isinstance(artifact, ToolResult)]
    assert [(one.status, one.content) for one in results] == [
        ("ok", "a done"),
        ("cancelled", "cancelled by the user"),
        ("ok", "c done"),
    ]


@pytest.mark.requirement("D-child-budget")
@pytest.mark.parametrize(("tokens", "rounds"), [(25, 2), (9, 0)])
async def test_an_agent_never_uses_more_than_its_caller_may(tokens: int, rounds: int) -> None:
    """Nor does the caller: what is used inside its calls counts for it too."""
    provider = ScriptedProvider(*[[*call("find", f'{{"n": {n}}}'), USAGE] for n in range(9)])

    @tool(name="find")
    async def search(n: int) -> str:
        """Find it."""
        return f"found {n}"

    child = researcher(provider, tools=[search])
    parent = Agent(
        ScriptedProvider([*call("researcher", PROMPT), USAGE], answer("never")),
        tools=[child.as_tool()],
        limits=UsageLimits(tokens=tokens),
    )
    with pytest.raises(LimitError, match=f"at most {tokens} tokens"):
        await parent.run("go")
    assert len(provider.invocations) == rounds


@pytest.mark.requirement("D-child-budget")
async def test_an_agent_that_reaches_its_own_limit_fails_its_call_and_nothing_else() -> None:
    child = researcher(ScriptedProvider([*call("find"), USAGE]), tools=[find], limits=UsageLimits(tokens=5))
    parent = Agent(ScriptedProvider(call("researcher", PROMPT), answer("sorry")), tools=[child.as_tool()])
    result = await parent.run("go")
    [told] = result.turns[2].artifacts
    assert isinstance(told, ToolResult) and told.is_error
    assert "agent 'researcher' failed (limit): usage: expected at most 5 tokens, used 10" in told.content


@pytest.mark.requirement("D-child-permissions")
@pytest.mark.parametrize(("asked", "ran"), [(None, 0), ("approve", 1), ("deny", 0)])
async def test_what_an_agent_may_do_is_asked_where_its_caller_is_asked(asked: str | None, ran: int) -> None:
    """Where nobody answers for the caller, nobody answers for the agent."""
    runs: list[str] = []
    questions: list[Question] = []

    @tool(approve=True)
    def book(city: str) -> str:
        """Book a hotel."""
        runs.append(city)
        return f"booked in {city}"

    def decide(question: Question) -> Answer:
        questions.append(question)
        return Answer(key=question.key, decision=asked)  # type: ignore[arg-type]

    child = Agent(
        ScriptedProvider(call("book", '{"city": "Porto"}'), answer("ok")),
        name="booker",
        description="Books.",
        tools=[book],
    )
    parent = Agent(ScriptedProvider(call("booker", PROMPT), answer("done")), tools=[child.as_tool()])
    await parent.run("go", on_question=decide if asked else None)
    assert len(runs) == ran
    assert [question.tool for question in questions] == (["book"] if asked else [])


async def test_agents_inside_agents_end_somewhere() -> None:
    provider = ScriptedProvider(call("loop", PROMPT), repeat=True)
    agent = Agent(provider, name="loop", description="Calls itself.")
    once = UsageLimits(rounds=1)
    loop = subagent("loop", "Calls itself.", lambda: agent.with_(tools=[loop], limits=once).spec())
    with pytest.raises(LimitError):
        await agent.with_(tools=[loop], limits=once).run("go")
    assert 1 < len(provider.invocations) < 1000


@pytest.mark.parametrize("prompt", ["", "  "])
async def test_an_agent_wants_a_task(prompt: str) -> None:
    child = researcher(ScriptedProvider())
    parent = Agent(
        ScriptedProvider(call("researcher", f'{{"prompt": "{prompt}"}}'), answer("ok")), tools=[child.as_tool()]
    )
    result = await parent.run("go")
    assert "expected a task" in result.turns[2].artifacts[0].for_model()


def test_an_agent_without_a_description_is_no_tool() -> None:
    with pytest.raises(ValueError, match="expected a description"):
        Agent(ScriptedProvider()).as_tool()


# ── Where its conversation is ────────────────────────────────────────────────


@pytest.mark.requirement("D-child-thread")
async def test_its_conversation_is_stored_beside_its_callers_and_goes_with_it() -> None:
    """No list and no search shows it."""
    store = MemoryStore()
    child = researcher(ScriptedProvider(call("find"), answer("It is 42.")), tools=[find])
    parent = Agent(ScriptedProvider(call("researcher", PROMPT), answer("So 42.")), tools=[child.as_tool()])
    result = await parent.run("go", session="s", store=store)
    name = f"{INNER}{result.turns[1].id}.0"
    thread = await store.load(name)
    assert [turn.role for turn in thread.turns] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert thread.metadata == {"ore.parent": "s"}
    assert [one.id for one in (await store.list()).threads] == ["s"]
    assert {hit.id for hit in await store.search("42")} == {"s"}
    assert await delete_thread(store, "s")
    assert await store.get_by("ore.parent", "s") is None


@pytest.mark.requirement("D-child-resume")
async def test_a_caller_that_is_left_leaves_its_agent_which_goes_on_where_it_was(tmp_path: Path) -> None:
    """Nothing that had finished runs again, and the first model is not asked again."""
    finds: list[str] = []
    hold = asyncio.Event()

    @tool(name="find")
    async def search() -> str:
        """Find it."""
        finds.append("x")
        return "found"

    path = tmp_path / "ore.db"
    child = ScriptedProvider(call("find"), [TextDelta(content="I"), hold])
    parent = ScriptedProvider(call("researcher", PROMPT))
    agent = Agent(parent, tools=[researcher(child, tools=[search]).as_tool()])
    with pytest.raises(KeyError):
        async with asyncio.timeout(10), agent.session("s", store=SqliteStore(path)) as session:
            session.stream("go", id="m")
            await until(lambda: len(child.invocations) == 2)
            raise KeyError
    again = researcher(ScriptedProvider(answer("It is 42.")), tools=[search])
    agent = Agent(ScriptedProvider(answer("So 42.")), tools=[again.as_tool()])
    async with asyncio.timeout(10), agent.session("s", store=SqliteStore(path)) as session:
        result = await session.run("go", id="m")
    assert (result.text, len(finds)) == ("So 42.", 1)
    assert result.turns[-2].artifacts[0].for_model() == "It is 42."
    async with asyncio.timeout(10):
        store = SqliteStore(path)
        assert await store.unfinished() == []
        await store.aclose()


@pytest.mark.requirement("D-child-resume")
async def test_a_session_of_a_call_is_not_taken_up_by_itself(tmp_path: Path) -> None:
    """It goes on when its call does: nobody else knows its agent."""
    hold = asyncio.Event()
    child = ScriptedProvider([TextDelta(content="I"), hold])
    agent = Agent(ScriptedProvider(call("researcher", PROMPT)), tools=[researcher(child).as_tool()])
    path = tmp_path / "ore.db"
    with pytest.raises(KeyError):
        async with asyncio.timeout(10), agent.session("s", store=SqliteStore(path)) as session:
            session.stream("go")
            await until(lambda: len(child.invocations) == 1)
            raise KeyError
    store = SqliteStore(path)
    assert len(await store.unfinished()) == 2
    again = researcher(ScriptedProvider(answer("It is 42.")))
    spec = Agent(ScriptedProvider(answer("So 42.")), tools=[again.as_tool()]).spec()
    async with asyncio.timeout(10), Manager(spec, store) as manager:
        found = await manager.recover()
        assert [stream.id for stream in found] == ["s"]
        await found[0].idle()
        assert found[0].turns[-1].artifacts[0].for_model() == "So 42."
