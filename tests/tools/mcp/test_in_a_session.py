"""Servers behind a whole agent: opened by it, killed and restarted in the middle, asked for by people."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from app.script import answer, call
from calls.stage import arguments
from ore import Agent, MemoryStore, Question, Role
from ore.artifact import Image, ResultStatus, ToolResult
from ore.event import Activity, Answer
from ore.ext.tools.mcp import McpOptions, McpServer, McpServers
from ore.provider import tools_of
from ore.testing import ScriptedProvider
from ore.testing.sendable import check_sendable
from ore.tool import approve
from tools.mcp.serving import Web, notes, served, tiny, web
from tools.mcp.test_tasks import processes


def results(turns: Any) -> list[ToolResult]:
    return [artifact for turn in turns if turn.role is Role.TOOL for artifact in turn.artifacts]


@pytest.mark.requirement("D-mcp-open")
async def test_an_agent_opens_its_servers_for_a_run_and_closes_them() -> None:
    before = processes()
    provider = ScriptedProvider(call("tiny__echo", '{"x": 1}'), answer("done"))
    result = await Agent(provider, tools=tiny()).run("go")
    assert (result.text, [found.content for found in results(result.turns)]) == ("done", ['echo {"x": 1}'])
    assert [found.name for found in tools_of(provider.invocations[0].options)] == ["tiny__echo"]
    assert processes() == before


def test_a_program_without_a_loop_may_use_servers_too() -> None:
    agent = Agent(ScriptedProvider(*[call("tiny__echo"), answer("done")] * 2), tools=[tiny()])
    assert [agent.run_sync("go").text for _ in range(2)] == ["done", "done"]


@pytest.mark.requirement("D-mcp-open")
async def test_the_server_of_an_agent_inside_a_call_is_open_for_that_call() -> None:
    before = processes()
    child = Agent(
        ScriptedProvider(call("tiny__echo"), answer("found")), name="child", description="Looks.", tools=[tiny()]
    )
    parent = Agent(ScriptedProvider(call("child", '{"prompt": "look"}'), answer("done")), tools=[child.as_tool()])
    result = await parent.run("go")
    assert [found.content for found in results(result.turns)] == ["found"]
    assert processes() == before


async def test_a_server_that_is_held_open_serves_any_number_of_agents_and_functions_stand_beside_it() -> None:
    before = processes()

    def shout(text: str) -> str:
        """Shout."""
        return text.upper()

    async with tiny() as server:
        for _ in range(2):
            provider = ScriptedProvider([*call("shout", '{"text": "a"}'), *call("tiny__echo", id="d")], answer("done"))
            result = await Agent(provider, tools=[shout, server]).run("go")
            assert [found.content for found in results(result.turns)] == ["A", "echo {}"]
            assert len(processes() - before) == 1
    assert processes() == before


@pytest.mark.slow
@pytest.mark.requirement("B74")
async def test_a_server_that_is_killed_in_mid_session_costs_one_answer() -> None:
    """The model reads that it is gone, calls again, and the conversation goes on; the history can be sent all along."""
    before = processes()
    async with notes() as told, served(NOTES=told.path) as server:
        provider = ScriptedProvider(
            call("tested__add", arguments(a=1, b=2)),
            call("tested__wait"),
            call("tested__add", arguments(a=3, b=4)),
            answer("seven"),
            call("tested__show"),
            answer("seen"),
        )
        agent = Agent(provider, tools=server, store=MemoryStore())
        async with agent.session("s") as session:
            run = session.stream("go")
            async with asyncio.timeout(60):
                await told.until("wait")
                (pid,) = processes() - before
                os.kill(pid, signal.SIGKILL)
                assert (await run.result()).text == "seven"
            found = results(session.turns)
            assert [result.status for result in found] == [ResultStatus.OK, ResultStatus.ERROR, ResultStatus.OK]
            assert "ended (killed by SIGKILL) during the call" in found[1].content
            assert (await session.run("show me")).text == "seen"
            check_sendable(session.turns)
            assert isinstance(next(iter(results(session.turns)[-1].media or ())), Image)
        assert server.restarts == 1
    assert processes() == before


@pytest.mark.slow
@pytest.mark.requirement("B69", "B74")
async def test_a_web_server_that_is_restarted_in_mid_session_leaves_the_prompt_as_it_was() -> None:
    """Every inference names the same tools, in the same order, before, while it is away, and after."""
    async with web() as found, McpServers(found.client(), tiny("other", tools=["b", "a"])) as servers:

        async def restart() -> str:
            """Restart the server."""
            await found.kill()
            return "killed"

        async def begin() -> str:
            """Start the server."""
            await found.start()
            return "started"

        sums = [call("tested__add", arguments(a=n, b=n)) for n in range(3)]
        provider = ScriptedProvider(
            sums[0], call("restart"), sums[1], call("begin"), sums[2], call("other__a"), answer("done")
        )
        result = await Agent(provider, tools=[restart, begin, servers]).run("go")
    assert result.text == "done"
    assert [one.is_error for one in results(result.turns)] == [False, False, True, False, False, False]
    asked = [[(tool.name, id(tool)) for tool in tools_of(one.options)] for one in provider.invocations]
    assert asked == [asked[0]] * 7
    assert [name for name, _ in asked[0]][:4] == ["restart", "begin", "other__a", "other__b"]


@pytest.mark.slow
@pytest.mark.requirement("D-mcp-elicitation")
@pytest.mark.parametrize("kind", ["http auto", "http legacy", "stdio auto", "stdio legacy"])
async def test_a_question_of_a_server_goes_to_whoever_watches_the_session(kind: str, shared: Web) -> None:
    """With the context of its message, though it comes on the server's connection."""
    asked: list[Question] = []

    def decide(question: Question) -> Answer:
        asked.append(question)
        return Answer(key=question.key, answer={"row": 3})

    options = McpOptions(handshake="legacy" if kind.endswith("legacy") else "auto")
    server = served(options=options) if kind.startswith("stdio") else shared.client(options=options)
    provider = ScriptedProvider(call("tested__book", arguments(city="Faro")), answer("booked"))
    agent = Agent(provider, tools=server, store=MemoryStore())
    async with agent.session("s", on_question=decide) as session:
        run = session.stream("book")
        told = [entry async for entry in run.events("question", "answer")]
        assert (await run.result()).text == "booked"
        (question,) = asked
        assert [(entry.kind, entry.context.message, entry.context.path) for entry in told] == [
            (kind, run.id, (question.call_key,)) for kind in ("question", "answer")
        ]
        assert results(session.turns)[0].content == "Faro: 3 window"
    assert question.purpose == "elicitation"


async def test_a_call_that_is_approved_runs_and_one_that_is_denied_does_not(shared: Web) -> None:
    provider = ScriptedProvider(*[call("tested__say", arguments(text="hi")), answer("done")] * 2)
    decisions = iter(("approve", "deny"))

    def decide(question: Question) -> Answer:
        return Answer(key=question.key, decision=next(decisions))  # type: ignore[arg-type]  # one of its words

    agent = Agent(provider, tools=approve(shared.client()))
    found = [results((await agent.run("go", on_question=decide)).turns)[0] for _ in range(2)]
    assert [(one.status, one.content) for one in found] == [
        (ResultStatus.OK, "hi"),
        (ResultStatus.DENIED, "denied by the user"),
    ]


async def test_progress_of_a_server_is_an_activity_of_the_session(shared: Web) -> None:
    agent = Agent(ScriptedProvider(call("tested__steps"), answer("done")), tools=shared.client(), store=MemoryStore())
    async with agent.session("s") as session:
        run = session.stream("go")
        shown = [entry.event async for entry in run.events("activity")]
    assert isinstance(shown[0], Activity)
    assert (shown[0].active, shown[0].description) == (True, "half (50%)")


async def test_interrupting_a_session_stops_the_call_at_the_server() -> None:
    async with notes() as told, web(NOTES=told.path) as found:
        agent = Agent(
            ScriptedProvider(call("tested__wait"), answer("never")), tools=found.client(), store=MemoryStore()
        )
        async with agent.session("s") as session:
            run = session.stream("go")
            await told.until("wait")
            await session.interrupt()
            assert (await run.result()).status == "cancelled"
            await told.until("cancelled")
            assert results(session.turns)[0].status is ResultStatus.CANCELLED


async def test_what_a_session_has_of_a_server_is_stored_with_it(shared: Web, tmp_path: Path) -> None:
    """Pictures of a result come back from the store as they were."""
    store = f"sqlite:{tmp_path}/ore.db"
    agent = Agent(ScriptedProvider(call("tested__show"), answer("seen")), tools=shared.client(), store=store)
    async with agent.session("s") as session:
        await session.run("show me")
        before = results(session.turns)
    async with Agent(ScriptedProvider(), store=store).session("s") as session:
        assert results(session.turns) == before
    assert before[0].media is not None


def test_a_server_is_named_in_its_repr_and_nothing_secret_is() -> None:
    server = McpServer.http("web", "https://user:hunter2@example.org/mcp?key=k", token="t-9", headers={"X": "h-8"})
    assert "hunter2" not in repr(server) + repr(server.where)
    assert "t-9" not in repr(server)
    assert "h-8" not in repr(server)
    assert "'web'" in repr(server)
