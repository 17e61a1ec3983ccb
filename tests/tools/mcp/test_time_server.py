"""A server from the package index, used as anybody would: over stdio and HTTP, killed and started again."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from app.script import answer, call, until
from calls.stage import arguments
from ore import Agent, MemoryStore
from ore.artifact import ResultStatus
from ore.ext.tools.mcp import McpServer
from ore.provider import tools_of
from ore.testing import ScriptedProvider
from ore.testing.sendable import check_sendable
from processes import is_alive
from tools.mcp.serving import web
from tools.mcp.test_in_a_session import results
from tools.mcp.test_tasks import processes

pytestmark = pytest.mark.slow

NOON = call("time__convert_time", arguments(source_timezone="UTC", time="12:00", target_timezone="Asia/Tokyo"))
NOWHERE = call("time__get_current_time", arguments(timezone="Nowhere/At_All"))


def in_tokyo(content: str) -> bool:
    """Whether it says what noon in Greenwich is in Tokyo, which knows no summer time."""
    told = json.loads(content)
    return bool(told["target"]["datetime"][11:] == "21:00:00+09:00" and told["time_difference"] == "+9.0h")


@pytest.mark.requirement("D-mcp-real")
async def test_over_stdio_it_answers_fails_in_words_and_is_there_again_after_it_was_killed() -> None:
    """A call right behind its death may have been written to what was left of it; then the next one reaches it."""
    before = processes()
    server = McpServer.stdio("time", str(Path(sys.executable).with_name("mcp-server-time")), "--local-timezone", "UTC")

    async def strike() -> str:
        """Kill the server."""
        (pid,) = processes() - before
        os.kill(pid, signal.SIGKILL)
        await until(lambda: not is_alive(pid))
        return "struck"

    asked = (NOON, NOWHERE, call("strike"), NOON, NOON, answer("nine"), NOON, answer("still nine"))
    provider = ScriptedProvider(*asked)
    agent = Agent(provider, tools=[strike, server], store=MemoryStore())
    async with asyncio.timeout(120), agent.session("s") as session:
        assert (await session.run("go")).text == "nine"
        assert (await session.run("again")).text == "still nine"
        first, nowhere, _, second, third, fourth = results(session.turns)
        check_sendable(session.turns)
        assert server.restarts == 1
    assert in_tokyo(first.content) and in_tokyo(third.content) and in_tokyo(fourth.content)
    assert in_tokyo(second.content) if second.status is ResultStatus.OK else "during the call" in second.content
    assert nowhere.status is ResultStatus.ERROR and "Nowhere/At_All" in nowhere.content
    assert processes() == before


@pytest.mark.requirement("D-mcp-real")
async def test_over_http_a_call_while_it_is_away_fails_and_the_next_one_reaches_it_again() -> None:
    async with web("time") as found:

        async def strike() -> str:
            """Kill the server."""
            await found.kill()
            return "struck"

        async def begin() -> str:
            """Start it again."""
            await found.start()
            return "begun"

        asked = (NOON, call("strike"), NOON, call("begin"), NOON, answer("nine"))
        provider = ScriptedProvider(*asked)
        agent = Agent(provider, tools=[strike, begin, found.client("time")], store=MemoryStore())
        async with asyncio.timeout(120), agent.session("s") as session:
            assert (await session.run("go")).text == "nine"
            first, _, away, _, second = results(session.turns)
            check_sendable(session.turns)
    assert in_tokyo(first.content) and in_tokyo(second.content)
    assert away.status is ResultStatus.ERROR and "cannot be reached" in away.content
    names = [[tool.name for tool in tools_of(one.options)] for one in provider.invocations]
    assert names == [["strike", "begin", "time__convert_time", "time__get_current_time"]] * 6
