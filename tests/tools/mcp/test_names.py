"""Names and order of tools: legal, distinct, the same every time; every page is read."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from app.script import until
from calls.stage import Stage, arguments
from ore.artifact import ToolCall
from ore.errors import ToolError
from ore.ext.tools.mcp import McpOptions, McpServers
from ore.ledger import Buffer
from ore.tool import Tool, approve, as_toolset, combine, is_wire_name, prefix
from tools.mcp.serving import TINY, Web, notes, tiny, web

ODD = ["a.b", "a/b", "ключ", "x" * 120]


def names(tools: Sequence[Tool]) -> list[str]:
    return [found.name for found in tools]


@pytest.mark.requirement("B70")
async def test_tools_of_any_name_get_legal_distinct_ones_and_calls_reach_the_right_tool() -> None:
    async with McpServers(tiny("my srv", tools=ODD), tiny("other", tools=["a.b"])) as servers:
        tools = servers.tools()
        assert len({*names(tools)}) == 5
        assert all(map(is_wire_name, names(tools)))
        stage = Stage(*tools)
        reached = [((await stage.result(found.name)).content, found.title) for found in tools]
    assert sorted(reached, key=str) == sorted(
        [*((f"{name} {{}}", f"my srv/{name}") for name in ODD), ("a.b {}", "other/a.b")], key=str
    )


async def test_people_see_a_call_under_the_original_name() -> None:
    async with tiny("my srv", tools=["a.b"]) as server:
        stage = Stage(*server.tools())
        turn = await stage.turn(ToolCall(id="c", name=server.tools()[0].name, arguments='{"x": 1}'))
        seen = [entry.event.display for entry in stage.entries if isinstance(entry.event, ToolCall)]
    assert turn.calls[0].arguments == '{"x": 1}'
    assert seen == ['my srv/a.b {"x":1}']


LOOK = """
import asyncio, json, sys
from ore.ext.tools.mcp import McpServer, McpServers

async def main():
    order = sys.argv[2:]
    servers = McpServers(*(McpServer.stdio(name, sys.executable, sys.argv[1], json.dumps({"tools": ["c", "a.b", "b"]}))
                           for name in order))
    async with servers:
        print(json.dumps([[tool.name, tool.description, tool.schema] for tool in servers.tools()]))

asyncio.run(main())
"""


@pytest.mark.slow
@pytest.mark.requirement("B69")
def test_the_list_of_tools_is_the_same_in_every_process_and_whatever_came_first() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", LOOK, str(TINY), *order],
            env=os.environ | {"PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed, order in (("1", ["one", "two"]), ("2", ["two", "one"]))
    }
    assert len(found) == 1


@pytest.mark.requirement("B69")
async def test_reaching_a_server_again_changes_nothing_about_the_list() -> None:
    """The tools are the same objects, so that what was encoded of them stays good."""
    async with McpServers(tiny("two", tools=["exit", "echo"]), tiny("one")) as servers:
        toolset = combine(as_toolset([print_it]), approve(prefix(servers, "mcp")))
        before = toolset.tools(Buffer())
        assert names(before) == ["print_it", "mcp__one__echo", "mcp__two__echo", "mcp__two__exit"]
        stage = Stage(*servers.tools())
        await stage.result("two__exit")
        assert [id(found) for found in toolset.tools(Buffer())] == [id(found) for found in before]
        assert (await stage.result("two__echo")).content == "echo {}"
        assert servers.servers["two"].restarts == 1
        assert [id(found) for found in toolset.tools(Buffer())] == [id(found) for found in before]


def print_it(text: str) -> str:
    """Print it."""
    return text


@pytest.mark.requirement("B72")
async def test_every_page_of_a_list_is_read() -> None:
    """101 tools, 50 at once, three requests, the cursor as it came."""
    every = [f"t{number:03}" for number in range(101)]
    async with notes() as told, tiny(tools=every, page=50, notes=told.path) as server:
        assert names(server.tools()) == [f"tiny__{name}" for name in every]
        asked = [line for line in told.lines if line.startswith("tools/list")]
    assert asked == ["tools/list", "tools/list from-50", "tools/list from-100"]


@pytest.mark.requirement("B72")
async def test_a_list_without_an_end_is_an_error() -> None:
    with pytest.raises(ToolError, match="expected a list that ends, got a cursor again"):
        await tiny(tools=["a", "b", "c"], page=1, loop=True).open()


async def test_a_tool_that_cannot_be_described_to_a_model_is_left_out_and_the_others_stay(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One of them would make a vendor refuse every request."""
    tools: list[Any] = [
        {"name": "dangling", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}},
        {"name": "odd", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}, "strict": True}},
        {"name": "twice", "description": "first", "inputSchema": {"type": "object"}},
        {"name": "twice", "description": "second", "inputSchema": {"type": "object"}},
        "good",
    ]
    async with tiny(tools=tools) as server:
        found = {tool.name: tool for tool in server.tools()}
    assert [*found] == ["tiny__good", "tiny__odd", "tiny__twice"]
    assert found["tiny__odd"].schema == {"type": "object", "properties": {"a": {"type": "string"}}}
    assert found["tiny__twice"].description == "first"
    assert "tool 'dangling' is left out" in caplog.text


@pytest.mark.slow
async def test_a_server_that_was_restarted_is_listened_to_again() -> None:
    """It says that its tools changed, and is heard; nothing was called meanwhile."""
    async with web() as found, found.client() as server:
        await found.kill()
        await found.start()
        async with found.client() as other:
            await Stage(*other.tools()).result("tested__learn", arguments(name="trick"))
        async with asyncio.timeout(30):
            while "tested__trick" not in names(server.tools()):  # noqa: ASYNC110  # another process decides when
                await asyncio.sleep(0.01)
        assert server.restarts == 0


@pytest.mark.parametrize("handshake", ["auto", "legacy"])
async def test_the_next_inference_has_the_tools_that_a_server_learnt_meanwhile(shared: Web, handshake: Any) -> None:
    """Those that were there before stay the same."""
    name = f"trick_{handshake}"
    async with shared.client(options=McpOptions(handshake=handshake)) as server:
        before = {tool.name: tool for tool in server.tools()}
        assert f"tested__{name}" not in before
        result = await Stage(*server.tools()).result("tested__learn", arguments(name=name))
        assert result.content == "learnt"
        await until(lambda: len(server.tools()) > len(before))
        after = {tool.name: tool for tool in server.tools()}
        assert after.keys() - before.keys() == {f"tested__{name}"}
        assert all(after[known] == before[known] for known in before)
        assert (await Stage(*server.tools()).result(f"tested__{name}")).content == name
