"""Resources and prompts, for programs and for models."""

import json
from collections.abc import AsyncIterator

import pytest

from calls.stage import Stage, arguments
from ore.artifact import Image, Text
from ore.errors import ToolError
from ore.ext.tools.mcp import McpArgument, McpOptions, McpPrompt, McpResource, McpServer
from ore.ledger import Draft, Role
from tools.mcp.serving import Web, tiny


@pytest.fixture
async def server(shared: Web) -> AsyncIterator[McpServer]:
    async with shared.client(options=McpOptions(resources=True)) as found:
        yield found


async def test_a_program_lists_and_reads_resources(server: McpServer) -> None:
    """Templates come last; text is text, a picture is a picture."""
    found = await server.resources()
    assert found[0] == McpResource(
        uri="note://today", name="today", description="What is to do.", media_type="text/plain"
    )
    assert [(item.uri, item.is_template) for item in found] == [
        ("note://today", False),
        ("picture://dot", False),
        ("note://{day}/{hour}", True),
    ]
    assert await server.read_resource("note://today") == (Text(content="buy milk"),)
    assert await server.read_resource("note://monday/9") == (Text(content="monday at 9: nothing"),)
    (picture,) = await server.read_resource("picture://dot")
    assert isinstance(picture, Image)
    assert (picture.media_type, picture.name, picture.size_bytes) == ("image/png", "picture://dot", 70)
    with pytest.raises(ToolError, match="mcp server 'tested' refused: "):
        await server.read_resource("note://")


async def test_a_program_lists_prompts_and_fills_them_in(server: McpServer) -> None:
    assert await server.prompts() == [
        McpPrompt(
            name="review",
            description="Review some code.",
            arguments=(McpArgument(name="code", required=True), McpArgument(name="style")),
        )
    ]
    drafts = await server.get_prompt("review", {"code": "1 + 1"})
    assert drafts == [Draft(role=Role.USER, artifacts=(Text(content="Review in a kind way:\n1 + 1"),))]
    with pytest.raises(ToolError, match="mcp server 'tested' refused: "):
        await server.get_prompt("sing")


async def test_a_model_reads_resources_with_two_tools_where_that_is_wanted(server: McpServer, shared: Web) -> None:
    stage = Stage(*server.tools())
    listed = json.loads((await stage.result("tested__list_resources")).content)
    assert listed[0] == {
        "uri": "note://today", "name": "today", "description": "What is to do.", "media_type": "text/plain"
    }  # fmt: skip
    assert [item["template"] for item in listed if "template" in item] == ["note://{day}/{hour}"]
    assert (await stage.result("tested__read_resource", arguments(uri="note://today"))).content == "buy milk"
    picture = await stage.result("tested__read_resource", arguments(uri="picture://dot"))
    assert picture.content == "[picture://dot] (image/png, 70 bytes)"
    assert [type(item) for item in picture.media or ()] == [Image]
    assert (await stage.result("tested__read_resource", arguments(uri="x://y"))).is_error
    async with shared.client() as plain:
        assert not any("resource" in tool.name for tool in plain.tools())


async def test_a_server_without_resources_and_prompts_has_none() -> None:
    async with tiny() as server:
        assert (await server.resources(), await server.prompts(), server.instructions) == ((), (), "")


async def test_what_a_server_wants_models_to_know_is_there_to_be_used(server: McpServer) -> None:
    assert server.instructions == "Add with add."


async def test_pages_of_resources_are_read_too() -> None:
    """The list of tools is not the only one that has pages."""
    async with tiny(capabilities={"resources": {}, "prompts": {}}) as server:
        found = await server.resources()
        assert [item.uri for item in found] == ["tiny://0", "tiny://1", "tiny://2"] * 2
        assert [item.is_template for item in found] == [False] * 3 + [True] * 3
        assert [item.name for item in await server.prompts()] == ["prompt 0", "prompt 1", "prompt 2"]
