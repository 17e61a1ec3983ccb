"""The conduit with a server of its own, on real sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from ore import Agent, MemoryStore, TextDelta, ToolContext, tool
from ore.agent import AgentSpec
from ore.app import ConduitSettings, conduit_by_name, live_sessions, serve
from ore.errors import InputError
from ore.ext.conduits.http import HttpConduit, HttpOptions
from ore.session import Host, Manager
from ore.testing import ScriptedProvider

HELLO = [TextDelta(content="Hello")]


@asynccontextmanager
async def running(work: Any, ready: "asyncio.Future[str]") -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server that is cancelled at the end."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait((task, ready), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        async with httpx.AsyncClient(base_url=ready.result().removeprefix("listening on "), timeout=10) as client:
            yield client
    finally:
        task.cancel()
        await asyncio.wait((task,))


def line() -> "asyncio.Future[str]":
    return asyncio.get_running_loop().create_future()


async def test_a_host_runs_it_beside_others() -> None:
    ready = line()
    spec = AgentSpec(name="agent", provider=ScriptedProvider(HELLO, repeat=True))
    async with Manager(spec) as sessions:
        host = Host(sessions)
        conduit = HttpConduit(port=0, listening=ready.set_result, drain_s=0)
        assert conduit.descriptor.name == "http"
        host.add(conduit)
        async with running(host.run(), ready) as client:
            id = (await client.post("/sessions")).json()["id"]
            answer = await client.post(f"/sessions/{id}/messages", json={"content": "hi"})
            assert '"outcome":"done"' in answer.text.splitlines()[-1]


async def test_it_listens_on_the_other_loopback_too() -> None:
    ready = line()
    async with Manager(AgentSpec(name="agent", provider=ScriptedProvider())) as sessions:
        conduit = HttpConduit(host="::1", port=0, listening=ready.set_result, drain_s=0)
        async with running(conduit.serve(sessions), ready) as client:
            assert ready.result().startswith("listening on http://[::1]:")
            assert (await client.get("/healthz")).status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "no such host", "\udc80"])
def test_what_would_let_anybody_in_is_refused_when_it_is_made(host: str) -> None:
    with pytest.raises(InputError):
        HttpConduit(host=host)


async def test_several_agents_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = line()
    agents = [Agent(ScriptedProvider(HELLO, repeat=True), name=name) for name in ("one", "two")]
    work = serve(agents, port=0, store="memory:", listening=ready.set_result, drain_s=0)
    async with running(work, ready) as client:
        assert [agent["name"] for agent in (await client.get("/agents")).json()["agents"]] == ["one", "two"]


async def test_an_agent_serves_itself(capsys: pytest.CaptureFixture[str]) -> None:
    agent = Agent(ScriptedProvider(HELLO, repeat=True))
    task = asyncio.ensure_future(agent.serve(port=0, store="memory:", token="s3cret", drain_s=0))
    said = ""
    async with asyncio.timeout(10):
        while not said:
            await asyncio.sleep(0)
            said = capsys.readouterr().err
    address = said.split()[2]
    async with httpx.AsyncClient(base_url=address) as client:
        assert (await client.get("/sessions")).status_code == 401
        assert (await client.get("/sessions", headers={"Authorization": "Bearer s3cret"})).status_code == 200
    task.cancel()
    await asyncio.wait((task,))


async def test_sessions_that_an_earlier_process_left_go_on_at_the_start() -> None:
    store = MemoryStore()
    stuck = Agent(ScriptedProvider([asyncio.Event()]))
    async with live_sessions([stuck], store=store) as sessions:
        stream = await sessions.create()
        ticket = stream.submit("hi")
        await ticket.accepted()
    async with live_sessions([Agent(ScriptedProvider(HELLO, repeat=True))], store=store) as sessions:
        (again,) = sessions.list()
        await again.idle()
        assert again.turns[-1].artifacts[0].for_human() == "Hello"


async def test_questions_wait_for_front_ends() -> None:
    @tool
    async def which(context: ToolContext) -> str:
        """Ask."""
        return str((await context.ask("Which?")).answer)

    from ore import Answer, ToolCall

    agent = Agent(ScriptedProvider([ToolCall(id="c", name="which", arguments="{}")], HELLO), tools=[which])
    async with live_sessions([agent], store="memory:") as sessions:
        stream = await sessions.create()
        async with stream.subscribe("question") as questions:
            ticket = stream.submit("hi")
            question: Any = (await anext(questions)).event
            await stream.answer(question.key, Answer(key=question.key, answer="b"))
            outcome = await ticket
        assert outcome.turns[2].artifacts[0].for_human() == "b"


@pytest.mark.parametrize("agents", [[], [Agent("local"), Agent("local")]])
async def test_agents_need_names_that_differ(agents: list[Agent]) -> None:
    with pytest.raises(InputError, match="agents"):
        async with live_sessions(agents, store="memory:"):
            raise AssertionError


def test_a_conduit_is_found_by_its_name() -> None:
    assert isinstance(conduit_by_name("http", ConduitSettings(port=0)), HttpConduit)
    with pytest.raises(InputError, match="expected one of http"):
        conduit_by_name("pigeon", ConduitSettings())
    assert "s3cret" not in repr(ConduitSettings(token="s3cret"))
    assert HttpOptions().token is None
