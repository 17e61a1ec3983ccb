"""llama.cpp's own server as a peer, over both protocols: real tokens, real cuts, real overflows."""

import asyncio
from collections.abc import Callable
from typing import Literal

import pytest
from pydantic import BaseModel

from ore import Agent, Image, Spec
from ore.artifact import ResultStatus, StopReason, Text, ToolCall, ToolResult
from ore.errors import AuthenticationError, ContextOverflowError, UnsupportedError
from ore.ext.providers.anthropic import Anthropic
from ore.ext.providers.openai import OpenAI
from ore.ledger import MemoryStore, Role, TurnStatus
from ore.provider import Provider
from peers.conftest import KEY

pytestmark = pytest.mark.slow

Make = Callable[[str, str], Provider]

PROTOCOLS = pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda url, key: OpenAI(base_url=url, api_key=key), id="openai-chat"),
        pytest.param(lambda url, key: Anthropic(base_url=url, api_key=key), id="anthropic"),
    ],
)

GREEDY = Spec(name="smol", temperature=0, max_output_tokens=24)


class City(BaseModel):
    name: Literal["Lisbon", "Porto"]
    is_rainy: bool


def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C, clear"


@PROTOCOLS
@pytest.mark.requirement("D-peer-llama")
async def test_a_conversation_streams_and_goes_on(llama: str, make: Make) -> None:
    agent = Agent(make(llama, KEY), spec=GREEDY, instructions="Be brief.")
    async with asyncio.timeout(120), agent.session("s", store=MemoryStore()) as session:
        pieces = [piece async for piece in session.stream("Say hello.").text()]
        second = await session.run("And again.")
    assert len(pieces) > 1 and second.text
    assert second.usage.prompt_tokens and second.usage.completion_tokens
    assert second.stop_reason in ("stop", "length")
    assert [turn.role for turn in session.turns] == [Role.USER, Role.ASSISTANT] * 2


@PROTOCOLS
@pytest.mark.requirement("D-peer-llama")
async def test_tools_are_offered_and_their_results_taken_in(llama: str, make: Make) -> None:
    """The model may call them or not: it is a small one. A history with a call and its result is taken."""
    agent = Agent(make(llama, KEY), spec=GREEDY, tools=[weather])
    call = ToolCall(id="call_0", name="weather", arguments='{"city": "Lisbon"}')
    async with asyncio.timeout(120), agent.session("s", store=MemoryStore()) as session:
        handle = session.handle
        await handle.append_turn(Role.USER, Text(content="Weather in Lisbon?"))
        await handle.append_turn(Role.ASSISTANT, Text(content="One moment."), call)
        await handle.append_turn(Role.TOOL, ToolResult(tool_call_id="call_0", content="21 °C", status=ResultStatus.OK))
        result = await session.run("Tell me.")
    assert result.text or any(turn.calls for turn in result.turns)


@PROTOCOLS
@pytest.mark.requirement("D-peer-llama")
async def test_an_answer_that_is_cut_by_its_limit_says_so(llama: str, make: Make) -> None:
    agent = Agent(make(llama, KEY), spec=Spec(name="smol", temperature=0, max_output_tokens=3))
    async with asyncio.timeout(120):
        result = await agent.run("Count from one to one hundred in words.")
    assert StopReason(reason="length") in result.turns[-1].artifacts


@PROTOCOLS
@pytest.mark.requirement("D-peer-llama")
async def test_an_interrupt_frees_the_server_and_keeps_what_was_said(llama: str, make: Make) -> None:
    """The server has two slots: a third message is answered only when the first two were given up."""
    agent = Agent(make(llama, KEY), spec=Spec(name="smol", temperature=0, max_output_tokens=900))
    async with asyncio.timeout(120), agent.session("s", store=MemoryStore()) as session:
        for _ in range(3):
            run = session.stream("Write a very long story about the sea.")
            async for _piece in run.text():
                await session.interrupt()
            result = await run.result()
            assert result.status == "cancelled"
            assert result.turns[-1].status is TurnStatus.INTERRUPTED and result.text
        short = agent.with_(spec=Spec(max_output_tokens=5))
        assert (await short.run("Hello.")).text


@PROTOCOLS
@pytest.mark.requirement("D-peer-llama")
async def test_what_does_not_fit_its_window_is_told_and_the_session_goes_on(llama: str, make: Make) -> None:
    agent = Agent(make(llama, KEY), spec=GREEDY)
    async with asyncio.timeout(120), agent.session("s", store=MemoryStore()) as session:
        with pytest.raises(ContextOverflowError, match="window"):
            await session.run("sea " * 3000)
        await session.handle.history.undo()
        assert (await session.run("Say hello.")).text


@PROTOCOLS
@pytest.mark.requirement("D-peer-llama", "B29")
async def test_a_picture_is_refused_at_once_and_the_session_goes_on(llama: str, make: Make) -> None:
    """The server says so with status 500; asking again would not help."""
    agent = Agent(make(llama, KEY), spec=GREEDY)
    async with asyncio.timeout(120), agent.session("s", store=MemoryStore()) as session:
        picture = Image(data=b"\x89PNG\r\n\x1a\n" + b"0" * 40, media_type="image/png", name="sea.png")
        run = session.stream([Text(content="What is it?"), picture])
        told = [entry.event.content async for entry in run.events("notice")]  # type: ignore[union-attr]
        with pytest.raises(UnsupportedError, match="the model takes no image"):
            await run.result()
        assert not any("attempt" in notice for notice in told)
        assert (await session.run("Say hello.")).text


@pytest.mark.requirement("D-peer-llama")
async def test_an_answer_of_a_schema_is_one(llama: str) -> None:
    """By the server's own grammar."""
    agent = Agent(OpenAI(base_url=llama, api_key=KEY), spec=GREEDY, output_type=City)
    async with asyncio.timeout(120):
        assert isinstance((await agent.run("Is it rainy in Lisbon?")).output, City)


@PROTOCOLS
@pytest.mark.requirement("D-peer-llama")
async def test_a_wrong_key_is_told_and_not_shown(llama: str, make: Make) -> None:
    agent = Agent(make(llama, "canary-key-of-nobody"), spec=GREEDY)
    async with asyncio.timeout(60):
        with pytest.raises(AuthenticationError) as caught:
            await agent.run("Hello.")
    assert "canary" not in str(caught.value) + repr(caught.value)
