"""What was recorded is played without a network, and a recording is a test for any wire."""

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from ore import Agent, Spec
from ore.artifact import Artifact, StopReason, TextDelta, ToolCall, Usage
from ore.errors import ConnectionFailedError, InputError, OverloadedError, ProtocolError
from ore.ext.mock import MockServer, script_of
from ore.ext.providers.anthropic import VENDOR as ANTHROPIC
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.openai import VENDOR as OPENAI
from ore.ext.providers.script import Failure, Item
from ore.ext.providers.shared_transport import shared_transport
from ore.ext.providers.transport import Transport
from ore.ext.providers.vendor import Access, connect
from ore.ext.replay import NoNetwork, Recording, Replaying, read_cassette, unpack
from ore.provider import Provider

VENDORS = {"openai": OPENAI, "anthropic": ANTHROPIC}
BOTH = pytest.mark.parametrize("vendor", VENDORS)

CALLING = [TextDelta(content="Let me see."), ToolCall(id="c1", name="weather", arguments='{"city": "Lisbon"}')]
ANSWER = [TextDelta(content="It is "), TextDelta(content="21 °C."), StopReason(reason="stop"), Usage(prompt_tokens=3)]


def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C"


def agent(vendor: str, url: str, transport: Transport) -> Agent:
    access = Access(api_key="canary-key", base_url=url, transport=transport, backoff=Backoff(attempts=1))
    provider: Provider = connect(VENDORS[vendor], access)
    return Agent(provider, tools=[weather], spec=Spec(name="a-model", max_output_tokens=100))


async def record(vendor: str, folder: Path, *calls: Sequence[Item | Artifact]) -> str:
    """A cassette of one message; its text, or the name of its error."""
    async with MockServer(script_of(*calls), vendor=vendor) as server:
        transport = Recording(shared_transport(), folder)
        try:
            return (await agent(vendor, server.url, transport).run("Weather in Lisbon?")).text
        except Exception as error:
            return type(error).__name__


@BOTH
@pytest.mark.requirement("D-cassette")
async def test_what_was_recorded_is_played_without_a_network(tmp_path: Path, vendor: str) -> None:
    """At another address, too: the path and the JSON count."""
    text = await record(vendor, tmp_path, CALLING, ANSWER)
    player = Replaying(tmp_path, block_bytes=7)
    result = await agent(vendor, "http://127.0.0.1:9/v1", player).run("Weather in Lisbon?")
    assert result.text == text == "It is 21 °C."
    assert [turn.role for turn in result.turns] == ["user", "assistant", "tool", "assistant"]
    assert player.left == ()


@BOTH
@pytest.mark.requirement("D-cassette")
async def test_a_request_that_was_not_recorded_is_refused_and_says_where_it_differs(
    tmp_path: Path, vendor: str
) -> None:
    """Without showing what was asked."""
    await record(vendor, tmp_path, CALLING, ANSWER)
    with pytest.raises(InputError, match=r"differs from 001-\S+ at /messages/0/content") as caught:
        await agent(vendor, "http://127.0.0.1:9", Replaying(tmp_path)).run("Weather in the secret town?")
    assert "secret town" not in str(caught.value)
    with pytest.raises(InputError, match="no counterpart among the 0 that are left"):
        await agent(vendor, "http://127.0.0.1:9", Replaying(tmp_path / "nothing")).run("x")


@BOTH
@pytest.mark.requirement("D-cassette")
async def test_no_key_is_in_a_cassette(tmp_path: Path, vendor: str) -> None:
    await record(vendor, tmp_path, ANSWER)
    path = tmp_path / "001-anthropic.json" if vendor == "anthropic" else tmp_path / "001-openai-chat.json"
    content = await asyncio.to_thread(path.read_text)
    mode = os.lstat(path).st_mode
    assert "canary" not in content and mode & 0o777 == 0o600


FAILURES = [
    (Failure(code="overloaded", message="full"), OverloadedError),
    (Failure(code="protocol", message="cut"), ProtocolError),
    (Failure(code="connection", message="gone"), ConnectionFailedError),
]


@BOTH
@pytest.mark.parametrize(("failure", "kind"), FAILURES, ids=["overloaded", "protocol", "connection"])
@pytest.mark.parametrize("before", [[], [TextDelta(content="It ")]], ids=["at-once", "in-the-middle"])
@pytest.mark.requirement("D-cassette")
async def test_what_failed_fails_again_with_the_same_code(
    tmp_path: Path, vendor: str, failure: Failure, kind: type[Exception], before: list[Artifact]
) -> None:
    recorded = await record(vendor, tmp_path, [*before, failure])
    with pytest.raises(Exception) as caught:
        await agent(vendor, "http://127.0.0.1:9", Replaying(tmp_path)).run("Weather in Lisbon?")
    assert type(caught.value).__name__ == recorded == kind.__name__


@BOTH
@pytest.mark.requirement("D-cassette")
async def test_a_recording_becomes_a_test_for_a_wire(tmp_path: Path, vendor: str) -> None:
    """The body as it came, and beside it what has to come of it; a result that was mended by hand stays."""
    await record(vendor, tmp_path, CALLING, ANSWER)
    made = await asyncio.to_thread(unpack, tmp_path)
    protocol = "openai-chat" if vendor == "openai" else "anthropic"
    assert [path.name for path in made] == [
        f"001-{protocol}.sse",
        f"001-{protocol}.expected.json",
        f"002-{protocol}.sse",
        f"002-{protocol}.expected.json",
    ]
    expected = json.loads(await asyncio.to_thread(made[1].read_text))
    assert (expected["protocol"], expected["error"]) == (protocol, None)
    assert [one["kind"] for one in expected["artifacts"]][:2] == ["text", "tool_call"]
    await asyncio.to_thread(made[1].write_text, "mended")
    assert await asyncio.to_thread(unpack, tmp_path) == []
    assert len(read_cassette(tmp_path)) == 2


async def test_a_folder_that_has_recordings_is_gone_on_with(tmp_path: Path) -> None:
    await record("openai", tmp_path, ANSWER)
    await record("openai", tmp_path, ANSWER)
    assert [exchange.name for exchange in read_cassette(tmp_path)] == ["001-openai-chat", "002-openai-chat"]


def test_what_is_no_capture_is_named(tmp_path: Path) -> None:
    (tmp_path / "001-x.json").write_text("{}")
    with pytest.raises(InputError, match=r"001-x\.json: expected a capture"):
        read_cassette(tmp_path)


def test_a_cassette_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="expected a folder"):
        Recording(NoNetwork(), tmp_path / "file")
