"""What calls of a server's tools come to, over HTTP, in both generations of the protocol."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from calls.stage import Stage, arguments, ask
from ore.artifact import Audio, File, Image, ResultStatus
from ore.calls import CallHandler
from ore.event import Activity
from ore.ext.tools.mcp import McpOptions, McpServer
from ore.tool import Traits
from tools.mcp.serving import Web, notes, served, tiny, web

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture(params=["auto", "legacy"])
async def server(request: pytest.FixtureRequest, shared: Web) -> AsyncIterator[McpServer]:
    """The shared server, spoken to as the newest protocol wants it and as the one before."""
    async with shared.client(options=McpOptions(handshake=request.param)) as found:
        yield found


@pytest.fixture
def stage(server: McpServer) -> Stage:
    """Calls of its tools."""
    return Stage(*server.tools())


@pytest.mark.parametrize(
    ("name", "given", "content"),
    [
        ("add", {"a": 1, "b": 2}, '{"result":3}'),
        ("say", {"text": "Grüße"}, "Grüße"),
        ("say", {"text": "a\x1b[2J\0\rb\r\n\tc"}, "a␛[2J␀␍b\r\n\tc"),
        ("steps", {}, '{"result":"done"}'),
    ],
)
async def test_what_a_server_answers_reaches_the_model(
    stage: Stage, name: str, given: dict[str, Any], content: str
) -> None:
    """Structured content as JSON, else the text."""
    result = await stage.result(f"tested__{name}", arguments(**given))
    assert (result.content, result.status) == (content, ResultStatus.OK)


async def test_structured_content_is_the_value_for_programs(stage: Stage) -> None:
    await stage.result("tested__add", arguments(a=1, b=2))
    assert [entry.value for entry in stage.entries if entry.kind == "tool_result"] == [{"result": 3}]


async def test_pictures_sounds_documents_and_links_are_kept_in_their_place(stage: Stage) -> None:
    """Of its real type whatever the server says; what is none is named and left out."""
    result = await stage.result("tested__show")
    assert result.content.split("\n") == [
        "before",
        "[image] (image/png, 70 bytes)",
        "[audio] (audio/wav, 4 bytes)",
        "[note://1]",
        "remember",
        "[file:///a.pdf] (application/pdf, 4 bytes)",
        "[second](note://2) (text/plain, 7 bytes): Another note.",
        "[image/png: left out, its 0 bytes are no such thing]",
        "after",
    ]
    assert result.media == (
        Image(data=PNG, media_type="image/png", size_bytes=70),
        Audio(data=b"RIFF", media_type="audio/wav", size_bytes=4),
        File(data=b"%PDF", media_type="application/pdf", name="file:///a.pdf", size_bytes=4),
    )


@pytest.mark.requirement("B61")
async def test_a_long_text_is_cut_and_the_picture_beside_it_is_untouched(stage: Stage) -> None:
    result = await stage.result("tested__big_picture")
    assert len(result.content.encode()) < 51_000
    assert result.truncation is not None
    assert (result.truncation.original_bytes or 0) > 5_000_000
    assert result.media == (Image(data=PNG, media_type="image/png", size_bytes=70),)


async def test_a_result_brings_only_as_much_as_it_may(shared: Web) -> None:
    async with shared.client(options=McpOptions(media_bytes=72)) as server:
        result = await Stage(*server.tools()).result("tested__show")
    assert [artifact.size_bytes for artifact in result.media or ()] == [70]
    assert "[audio] (audio/wav, 4 bytes): left out, a result may bring 72 bytes" in result.content


@pytest.mark.parametrize(
    ("name", "given", "says"),
    [
        ("fail", {"why": "out of paper\x1b[2J"}, "out of paper␛[2J"),
        ("crash", {}, "the server reports that the call failed, and not why"),
        ("add", {"a": "x"}, "arguments do not fit: b: missing, expected integer; a: expected integer"),
        ("add", {"a": 1, "b": 1.5}, "b: expected integer, got 1.5"),
    ],
)
async def test_what_fails_is_an_error_result(stage: Stage, name: str, given: dict[str, Any], says: str) -> None:
    result = await stage.result(f"tested__{name}", arguments(**given))
    assert (result.is_error, result.status) == (True, ResultStatus.ERROR)
    assert says in result.content


async def test_calls_of_one_turn_run_side_by_side_and_keep_their_order(stage: Stage) -> None:
    results = await stage.results(*(ask("tested__add", arguments(a=n, b=n), id=str(n)) for n in range(20)))
    assert [json.loads(result.content)["result"] for result in results] == [2 * n for n in range(20)]


async def test_progress_is_shown_while_the_call_runs(stage: Stage) -> None:
    """With what the server says, else with how far it is; the last word is that it is over."""
    await stage.result("tested__steps")
    shown = [entry.event for entry in stage.entries if isinstance(entry.event, Activity)]
    assert (shown[0].active, shown[0].description) == (True, "half (50%)")
    assert shown[-1].active is False


@pytest.mark.parametrize("kind", ["stdio auto", "stdio legacy", "http auto", "http legacy", "sse legacy"])
@pytest.mark.slow
async def test_cancelling_a_call_cancels_it_at_the_server(kind: str) -> None:
    """And the connection goes on being of use."""
    transport, handshake = kind.split()
    options = McpOptions(handshake="legacy" if handshake == "legacy" else "auto")
    async with notes() as told:
        if transport == "stdio":
            await cancel_a_call(served(options=options, NOTES=told.path), told)
        else:
            async with web(transport, NOTES=told.path) as found:
                await cancel_a_call(found.client(options=options), told)


async def cancel_a_call(client: McpServer, told: Any) -> None:
    async with client as server:
        stage = Stage(*server.tools())
        task = asyncio.create_task(stage.turn(ask("tested__wait")))
        await told.until("wait")
        task.cancel()
        await asyncio.wait((task,))
        assert stage.last_results[0].status is ResultStatus.CANCELLED
        await told.until("cancelled")
        assert (await stage.result("tested__add", arguments(a=1, b=2))).content == '{"result":3}'
        assert server.restarts == 0


async def test_a_call_that_takes_too_long_ends_at_its_limit() -> None:
    async with tiny(tools=["hang", "echo"], options=McpOptions(call_s=0.05)) as server:
        stage = Stage(*server.tools())
        result = await stage.result("tiny__hang")
        assert (result.status, "timed out after 0.05 s" in result.content) == (ResultStatus.ERROR, True)
        assert (await stage.result("tiny__echo")).content == "echo {}"
        assert server.restarts == 0


async def test_an_error_of_the_server_with_the_code_of_a_lost_connection_is_just_an_error() -> None:
    """Servers use that code for anything."""
    async with tiny(tools=["same code", "echo"]) as server:
        stage = Stage(*server.tools())
        names = [found.name for found in server.tools()]
        assert "refused: busy" in (await stage.result(names[1])).content
        assert (await stage.result("tiny__echo")).content == "echo {}"
        assert server.restarts == 0


@pytest.mark.parametrize(
    ("options", "add", "process", "say"),
    [
        (McpOptions(), (True, True, False), (False, True, False), (False, False, False)),
        (McpOptions(trusted=False), (False, False, False), (False, False, False), (False, False, False)),
        (McpOptions(approve="writes"), (True, True, False), (False, True, True), (False, False, True)),
        (McpOptions(approve="always"), (True, True, True), (False, True, True), (False, False, True)),
    ],
)
async def test_what_a_server_says_of_its_tools_becomes_their_traits(
    shared: Web, options: McpOptions, add: Any, process: Any, say: Any
) -> None:
    """Whether they only read, whether they may be repeated; and who is asked before them."""

    def of(traits: Traits) -> tuple[object, ...]:
        return traits.read_only, traits.idempotent, traits.approve

    async with shared.client(options=options) as server:
        found = {tool.title: of(tool.traits) for tool in server.tools()}
    assert [found[f"tested/{name}"] for name in ("add", "process", "say")] == [add, process, say]


async def test_a_tool_that_only_reads_leaves_no_note_of_its_start(server: McpServer) -> None:
    stage = Stage(*server.tools(), handler=CallHandler())
    await stage.result("tested__add", arguments(a=1, b=2))
    await stage.result("tested__say", arguments(text="x"))
    assert [(effect.result is None, effect.idempotent) for effect in stage.effects] == [(True, False)]
