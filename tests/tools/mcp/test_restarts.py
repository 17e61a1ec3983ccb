"""A server that dies is an error at once, and is there again for the next call."""

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.types import JSONRPCRequest

from app.script import until
from calls.stage import Stage, arguments, ask
from ore.artifact import ResultStatus
from ore.errors import ToolError
from ore.event import Activity
from ore.ext.tools.mcp import McpOptions, McpServer, Stdio
from ore.ext.tools.mcp.child import Child, UnsentError
from processes import is_alive
from tools.mcp.serving import Notes, Web, notes, tiny, web
from tools.mcp.test_tasks import processes

SUM = '{"result":3}'
MINUTE = McpOptions(call_s=60)

AT_ONCE_S = 10
"""It takes a fraction of a second; on a busy machine more, and never the minute that a call may take."""


def stage_of(*servers: McpServer) -> Stage:
    return Stage(*(tool for server in servers for tool in server.tools()))


@pytest.mark.requirement("B74")
async def test_a_child_that_dies_in_a_call_is_an_error_at_once_and_started_again_by_the_next() -> None:
    """The limit of the call is a minute; other servers do not notice."""
    dying, other = tiny("dying", tools=["exit", "echo"], options=MINUTE), tiny("other", tools=["echo", "hang"])
    async with dying, other:
        stage = stage_of(dying, other)
        async with asyncio.timeout(AT_ONCE_S):
            result = await stage.result("dying__exit")
        assert result.status is ResultStatus.ERROR
        assert "mcp server 'dying' ended (exit status 7) during the call" in result.content
        assert "whether the call took effect is unknown" in result.content
        assert dying.restarts == 0
        assert (await stage.result("dying__echo")).content == "echo {}"
        assert (dying.restarts, other.restarts) == (1, 0)
        shown = [entry.event.description for entry in stage.entries if isinstance(entry.event, Activity)]
        assert shown[0] == "connecting to dying again (restart 1)"
        assert (await stage.result("other__echo")).content == "echo {}"


@pytest.mark.requirement("B74")
async def test_a_child_of_the_dead_that_holds_their_pipe_holds_nobody_up() -> None:
    """And it is gone when the server is closed."""
    async with notes() as told, tiny(tools=["orphan"], notes=told.path, options=MINUTE) as server:
        async with asyncio.timeout(AT_ONCE_S):
            result = await stage_of(server).result("tiny__orphan")
        assert "ended (exit status 0) during the call" in result.content
        left_behind = next(int(line) for line in told.lines if line.isdigit())
    await until(lambda: not is_alive(left_behind))


@pytest.mark.requirement("B74")
async def test_a_call_that_a_server_cannot_have_heard_is_made_again() -> None:
    """Nobody has to wonder whether it took effect: nothing of it was sent."""
    async with tiny(tools=["deaf", "echo"], options=McpOptions(call_s=60, close_s=0.2)) as server:
        stage = stage_of(server)
        async with asyncio.timeout(10):
            results = [await stage.result(f"tiny__{name}") for name in ("deaf", "echo")]
        assert [(one.content, one.status) for one in results] == [("deaf {}", "ok"), ("echo {}", "ok")]
        assert server.restarts == 1


@pytest.mark.requirement("B74")
async def test_what_is_written_to_the_dead_was_not_sent_also_before_their_death_is_noticed() -> None:
    before = processes()
    child = Child("cat", Stdio(command="cat"), McpOptions())
    await child.start()
    try:
        (pid,) = processes() - before
        os.kill(pid, signal.SIGKILL)
        while is_alive(pid):  # the loop stands still: it cannot know yet
            pass
        with pytest.raises(UnsentError):
            await child.send(JSONRPCRequest(jsonrpc="2.0", id=1, method="tools/call"))
    finally:
        await child.stop(1)


async def test_calls_beside_the_one_that_kills_the_server_fail_with_it() -> None:
    async with tiny(tools=["exit", "hang"], options=MINUTE) as server:
        stage = stage_of(server)
        async with asyncio.timeout(AT_ONCE_S):
            results = await stage.results(
                ask("tiny__hang", id="1"), ask("tiny__hang", id="2"), ask("tiny__exit", id="3")
            )
        assert ["exit status 7" in result.content for result in results] == [True, True, True]


async def test_many_calls_after_a_death_start_one_server() -> None:
    async with tiny(tools=["exit", "echo"]) as server:
        stage = stage_of(server)
        await stage.result("tiny__exit")
        results = await stage.results(*(ask("tiny__echo", id=str(n)) for n in range(8)))
        assert [result.content for result in results] == ["echo {}"] * 8
        assert server.restarts == 1


async def test_a_server_that_cannot_come_back_is_given_up_after_some_tries(tmp_path: Path) -> None:
    """The tools stay listed all the while, so that a prompt's cache holds; and it may come back later."""
    program = tmp_path / "server.py"
    program.write_text(Path(__file__).with_name("tiny.py").read_text())
    server = McpServer.stdio(
        "fickle", "python3", str(program), json.dumps({"tools": ["exit", "echo"]}), options=McpOptions(attempts=3)
    )
    async with server:
        stage, before = stage_of(server), server.tools()
        await stage.result("fickle__exit")
        program.write_text("import sys; sys.exit('no licence')")
        result = await stage.result("fickle__echo")
        assert "mcp server 'fickle' ended (exit status 1); its last words were 'no licence'" in result.content
        assert (server.tools(), server.restarts) == (before, 0)
        program.write_text(Path(__file__).with_name("tiny.py").read_text())
        assert (await stage.result("fickle__echo")).content == "echo {}"
        assert (server.tools() == before, server.restarts) == (True, 1)
        assert all(one is other for one, other in zip(server.tools(), before, strict=True))


async def test_a_call_that_is_cancelled_while_the_server_starts_again_stops_only_itself() -> None:
    async with notes() as told, tiny(tools=["exit", "echo"], notes=told.path) as server:
        stage = stage_of(server)
        await stage.result("tiny__exit")
        task = asyncio.create_task(stage.turn(ask("tiny__echo")))
        await until(lambda: server.is_connecting)
        task.cancel()
        await asyncio.wait((task,))
        assert stage.last_results[0].status is ResultStatus.CANCELLED
        assert (await stage.result("tiny__echo")).content == "echo {}"
        assert server.restarts == 1


@pytest.mark.slow
@pytest.mark.requirement("B74")
@pytest.mark.parametrize("kind", ["http auto", "http legacy", "sse legacy"])
async def test_a_web_server_that_is_killed_in_a_call_is_an_error_at_once_and_reached_again_by_the_next(
    kind: str,
) -> None:
    async with notes() as told, web(kind.split()[0], NOTES=told.path) as found:
        options = McpOptions(call_s=60, handshake="legacy" if kind.endswith("legacy") else "auto")
        async with found.client(options=options) as server:
            await killed_and_restarted(found, server, told)


async def killed_and_restarted(found: Web, server: McpServer, told: Notes) -> None:
    stage = stage_of(server)
    task = asyncio.create_task(stage.turn(ask("tested__wait")))
    await told.until("wait")
    await found.kill()
    async with asyncio.timeout(AT_ONCE_S):
        await task
    result = stage.last_results[0]
    assert (result.status, "whether the call took effect is unknown" in result.content) == (ResultStatus.ERROR, True)

    result = await stage.result("tested__add", arguments(a=1, b=2))
    assert (result.status, "cannot be reached" in result.content) == (ResultStatus.ERROR, True)

    await found.start()
    assert (await stage.result("tested__add", arguments(a=1, b=2))).content == SUM
    assert server.restarts == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["http auto", "http legacy", "sse legacy"])
async def test_a_web_server_that_was_restarted_between_two_calls_is_not_noticed(kind: str) -> None:
    async with web(kind.split()[0]) as found:
        options = McpOptions(handshake="legacy" if kind.endswith("legacy") else "auto")
        async with found.client(options=options) as server:
            stage = stage_of(server)
            assert (await stage.result("tested__add", arguments(a=1, b=2))).content == SUM
            await found.kill()
            await found.start()
            assert (await stage.result("tested__add", arguments(a=1, b=2))).content == SUM


@pytest.mark.slow
@pytest.mark.parametrize("handshake", ["auto", "legacy"])
async def test_a_call_that_surely_did_not_arrive_is_not_said_to_have_unknown_effects(handshake: Any) -> None:
    """The server was killed while nobody called it, and does not come back."""
    async with web() as found, found.client(options=McpOptions(handshake=handshake, attempts=2)) as server:
        await found.kill()
        result = await stage_of(server).result("tested__add", arguments(a=1, b=2))
    assert "mcp server 'tested' cannot be reached" in result.content
    assert "unknown" not in result.content


@pytest.mark.slow
@pytest.mark.requirement("B74")
@pytest.mark.parametrize("kind", ["http auto", "http legacy", "sse legacy"])
async def test_a_status_of_500_is_an_error_at_once_that_says_so(kind: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    async with web(kind.split()[0], BROKEN=str(broken)) as found:
        options = McpOptions(call_s=60, handshake="legacy" if kind.endswith("legacy") else "auto")
        async with found.client(options=options) as server:
            stage = stage_of(server)
            broken.touch()
            async with asyncio.timeout(AT_ONCE_S):
                result = await stage.result("tested__add", arguments(a=1, b=2))
            assert "answered with HTTP status 500 Internal Server Error" in result.content
            broken.unlink()
            assert (await stage.result("tested__add", arguments(a=1, b=2))).content == SUM
            assert server.restarts == 1


@pytest.mark.slow
async def test_a_failing_call_leaves_those_beside_it_alone(tmp_path: Path) -> None:
    """Over HTTP each has a connection of its own; the one that still runs ends as it would have."""
    broken = tmp_path / "broken"
    async with notes() as told, web(BROKEN=str(broken), NOTES=told.path) as found, found.client() as server:
        stage, other = stage_of(server), stage_of(server)
        task = asyncio.create_task(other.turn(ask("tested__wait")))
        await told.until("wait")
        broken.touch()
        assert (await stage.result("tested__add", arguments(a=1, b=2))).is_error
        broken.unlink()
        assert (await stage.result("tested__add", arguments(a=1, b=2))).content == SUM
        assert not task.done()
        task.cancel()
        await asyncio.wait((task,))
        await told.until("cancelled")


@pytest.mark.parametrize(
    ("where", "says"),
    [
        (lambda: tiny(print=["x"], tools=[{"name": 3}]), "does not speak the protocol"),
        (lambda: McpServer.stdio("gone", "no-such-command-anywhere"), "'no-such-command-anywhere' cannot be started"),
        (lambda: McpServer.stdio("gone", "false"), "ended (exit status 1)"),
        (lambda: McpServer.http("gone", "http://127.0.0.1:9/mcp"), "cannot be reached"),
    ],
)
async def test_a_server_that_cannot_be_opened_says_why(where: Callable[[], McpServer], says: str) -> None:
    server = where()
    with pytest.raises(ToolError) as caught:
        await server.open()
    assert says in str(caught.value)
    with pytest.raises(RuntimeError, match="is not open"):
        server.tools()
