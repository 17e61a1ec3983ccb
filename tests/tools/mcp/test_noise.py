"""Servers that print where only messages may stand."""

import logging
import tracemalloc
from typing import Any

import pytest

from calls.stage import Stage, arguments
from ore.errors import ToolError
from ore.ext.tools.mcp import McpOptions, McpServer
from tools.mcp.serving import Web, tiny


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.requirement("B77")
async def test_noise_is_passed_over_with_one_warning_that_names_the_server(caplog: pytest.LogCaptureFixture) -> None:
    """Banners, empty lines, a log glued to the first message, a line of a megabyte, a byte that is no UTF-8."""
    noise = ["Server started", "", "caf\xe9", ["x", 1_000_000], '{"level": "info"}']
    async with tiny(print=noise, glued="[50] log text") as server:
        stage = Stage(*server.tools())
        assert (await stage.result("tiny__echo", arguments(a=1))).content == 'echo {"a": 1}'
        assert server.restarts == 0
    (warning,) = warnings(caplog)
    assert "'tiny' prints what is no message" in warning
    assert "'Server started'" in warning


@pytest.mark.requirement("B77")
async def test_a_server_that_only_prints_noise_fails_in_bounded_time_and_the_failure_shows_it() -> None:
    server = tiny(print=["Listening on port 3000"], mute=True, options=McpOptions(connect_s=0.7))
    with pytest.raises(ToolError) as caught:
        await server.open()
    assert str(caught.value) == (
        "mcp server 'tiny' did not answer within 0.7 s; it printed 'Listening on port 3000' on its standard output, "
        "where only messages may stand"
    )


@pytest.mark.requirement("B77")
@pytest.mark.slow
async def test_a_flood_of_noise_in_a_call_takes_next_to_no_memory() -> None:
    """60 MB on one line, in front of the answer."""
    async with tiny(tools=["flood", "echo"]) as server:
        stage = Stage(*server.tools())
        await stage.result("tiny__echo")
        tracemalloc.start()
        try:
            result = await stage.result("tiny__flood", arguments(bytes=60_000_000))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert result.content.startswith("flood")
    assert peak < 2_000_000


async def test_a_message_that_is_too_long_ends_the_connection_and_says_so() -> None:
    """Nobody can know whose answer it was, so nobody waits for it."""
    async with tiny(tools=["endless", "echo"], options=McpOptions(message_bytes=100_000)) as server:
        stage = Stage(*server.tools())
        result = await stage.result("tiny__endless", arguments(bytes=200_000))
        assert "sent a message of more than 100,000 bytes during the call" in result.content
        assert (await stage.result("tiny__echo")).content == "echo {}"


@pytest.mark.parametrize("handshake", ["auto", "legacy"])
async def test_a_message_over_http_that_is_too_long_fails_only_its_call(handshake: Any, shared: Web) -> None:
    async with shared.client(options=McpOptions(message_bytes=50_000, handshake=handshake)) as server:
        stage = Stage(*server.tools())
        result = await stage.result("tested__say", arguments(text="x", times=200_000))
        assert (result.is_error, len(result.content) < 2_000) == (True, True)
        assert (await stage.result("tested__say", arguments(text="x", times=3))).content == "xxx"


async def test_what_a_server_complains_of_is_shown_without_the_secrets_that_it_was_given(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TINY_KEY", "sk-inherited-1")
    program = "import os, sys; print('hi', os.environ['TOKEN']); sys.exit(os.environ['TOKEN'] + os.environ['TINY_KEY'])"
    server = McpServer.stdio("s", "python3", "-c", program, env={"TOKEN": "tok-given-2"}, inherit=["TINY_KEY"])
    with pytest.raises(ToolError) as caught:
        await server.open()
    text = str(caught.value) + caplog.text + repr(server)
    assert "its last words were '******'" in text
    assert "it printed 'hi ***'" in text
    assert "sk-inherited-1" not in text
    assert "tok-given-2" not in text
