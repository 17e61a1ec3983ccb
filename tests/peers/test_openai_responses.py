"""Real servers over OpenAI's Responses: llama.cpp's own, and llmock with every fault that it has."""

import asyncio
from typing import Final

import pytest

from ore import Agent, Spec
from ore.artifact import ResultStatus, StopReason, Text, ToolCall, ToolResult
from ore.errors import ContextOverflowError
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.transport import Limits
from ore.ext.providers.vendor import Access, Vendor, connect
from ore.ext.wires.openai_responses import COMPATIBLE, OPENAI, Dialect, OpenAIResponses
from ore.ledger import MemoryStore, Role, TurnStatus
from ore.provider import Provider
from peers.conftest import KEY
from peers.test_llmock import FAULTS, Judge, ended, get_weather

pytestmark = pytest.mark.slow

GREEDY: Final = Spec(name="smol", temperature=0, max_output_tokens=24)


def provider(url: str, dialect: Dialect, *, silence_s: float = 30) -> Provider:
    """Whoever speaks the protocol there."""
    vendor = Vendor(
        name="peer",
        wire=lambda address: OpenAIResponses(dialect),
        path="responses",
        base_url=url,
        key_variable="PEER_API_KEY",
    )
    limits = Limits(connect_s=5, silence_s=silence_s, total_s=100)
    return connect(vendor, Access(api_key=KEY, base_url=f"{url}/v1", limits=limits, backoff=Backoff(first_s=0.05)))


@pytest.mark.requirement("D-peer-llama")
async def test_a_conversation_with_tools_streams_and_goes_on(llama: str) -> None:
    """What this server issued goes back to it: its ids, and a call with its result."""
    agent = Agent(provider(llama, COMPATIBLE), spec=GREEDY, instructions="Be brief.", tools=[get_weather])
    call = ToolCall(id="call_0", name="get_weather", arguments='{"city": "Lisbon"}')
    done = ToolResult(tool_call_id="call_0", content="21 °C", status=ResultStatus.OK)
    async with asyncio.timeout(120), agent.session("s", store=MemoryStore()) as session:
        pieces = [piece async for piece in session.stream("Say hello.").text()]
        await session.handle.append_turn(Role.USER, Text(content="Weather in Lisbon?"))
        await session.handle.append_turn(Role.ASSISTANT, Text(content="One moment."), call)
        await session.handle.append_turn(Role.TOOL, done)
        second = await session.run("And again.")
    assert len(pieces) > 1
    assert second.text
    assert second.usage.prompt_tokens
    assert second.usage.completion_tokens


@pytest.mark.requirement("D-peer-llama")
async def test_an_answer_that_is_cut_by_its_limit_is_seen_to_be_though_it_says_completed(llama: str) -> None:
    agent = Agent(provider(llama, COMPATIBLE), spec=Spec(name="smol", temperature=0, max_output_tokens=3))
    async with asyncio.timeout(120):
        result = await agent.run("Count from one to one hundred in words.")
    assert StopReason(reason="length") in result.turns[-1].artifacts


@pytest.mark.requirement("D-peer-llama")
async def test_an_interrupt_frees_the_server_and_keeps_what_was_said(llama: str) -> None:
    """The server has two slots: a third message is answered only when the first two were given up."""
    agent = Agent(provider(llama, COMPATIBLE), spec=Spec(name="smol", temperature=0, max_output_tokens=900))
    async with asyncio.timeout(120), agent.session("s", store=MemoryStore()) as session:
        for _ in range(3):
            run = session.stream("Write a very long story about the sea.")
            async for _piece in run.text():
                await session.interrupt()
            result = await run.result()
            assert result.turns[-1].status is TurnStatus.INTERRUPTED
        assert (await agent.with_(spec=Spec(max_output_tokens=5)).run("Hello.")).text


@pytest.mark.requirement("D-peer-llama")
async def test_what_does_not_fit_its_window_is_told_and_the_session_goes_on(llama: str) -> None:
    agent = Agent(provider(llama, COMPATIBLE), spec=GREEDY)
    async with asyncio.timeout(120), agent.session("s", store=MemoryStore()) as session:
        with pytest.raises(ContextOverflowError, match="window"):
            await session.run("sea " * 3000)
        await session.handle.history.undo()
        assert (await session.run("Say hello.")).text


@pytest.mark.parametrize("dialect", [OPENAI, COMPATIBLE], ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.requirement("D-peer-llmock")
async def test_every_fault_ends_as_it_should_and_the_session_goes_on(
    llmock_url: str, dialect: Dialect, name: str
) -> None:
    fault, code, verdict = FAULTS[name]
    judge = Judge(llmock_url)
    agent = Agent(provider(llmock_url, dialect, silence_s=1), spec=Spec(name="gpt-4o"), tools=[get_weather])
    async with asyncio.timeout(60), agent.session("s", store=MemoryStore()) as session:
        await judge.queue(fault)
        assert await ended(session.run("What is the weather in Paris?")) == code
        assert await judge.findings() == verdict
        await judge.queue()
        assert await ended(session.run("And in Lisbon?")) is None
        assert await judge.findings() == []
