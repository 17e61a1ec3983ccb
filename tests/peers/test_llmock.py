"""llmock breaks answers in every way it knows, and judges what its client did."""

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from ore import Agent, Spec
from ore.errors import OreError, describe
from ore.ext.providers.anthropic import VENDOR as ANTHROPIC
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.google import VENDOR as GOOGLE
from ore.ext.providers.openai import VENDOR as OPENAI
from ore.ext.providers.transport import Limits
from ore.ext.providers.vendor import Access, connect
from ore.ledger import MemoryStore
from ore.provider import Provider

pytestmark = pytest.mark.slow

LIMITS = Limits(connect_s=5, silence_s=1, total_s=30)
QUICK = Backoff(first_s=0.05)

VENDORS = {
    "openai": lambda url: connect(OPENAI, Access(api_key="any", base_url=f"{url}/v1", limits=LIMITS, backoff=QUICK)),
    "anthropic": lambda url: connect(
        ANTHROPIC, Access(api_key="any", base_url=f"{url}/anthropic", limits=LIMITS, backoff=QUICK)
    ),
    "google": lambda url: connect(
        GOOGLE, Access(api_key="any", base_url=f"{url}/gemini", limits=LIMITS, backoff=QUICK)
    ),
}

PROVIDERS = pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in VENDORS.items()])

Make = Callable[[str], Provider]


async def get_weather(city: str) -> str:
    """Get the current weather for a city."""
    return f"21 °C in {city}"


class Judge:
    """llmock's own side: what it shall do, and what it says of its client."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def queue(self, *behaviours: dict[str, Any]) -> None:
        async with aiohttp.ClientSession() as http:
            async with http.post(f"{self._url}/_llmock/reset") as answer:
                assert answer.status < 300
            if behaviours:
                async with http.post(f"{self._url}/_llmock/scenario", json={"behaviors": behaviours}) as answer:
                    assert answer.status < 300, await answer.text()

    async def findings(self) -> list[str]:
        async with aiohttp.ClientSession() as http, http.get(f"{self._url}/_llmock/verdict") as answer:
            verdict = await answer.json()
        return sorted({f"{one['severity']} {one['code']}" for one in verdict["findings"]})


# What llmock does; the code with which the message ends, `None` for an answer;
# what llmock says of it. It sees requests only: "gave up", "accepted" and
# "ignored" stand for a fault behind the first words after which no other request
# came. ore tells that as an error, keeps what was seen, and says nothing twice.
FAULTS: dict[str, tuple[dict[str, Any], str | None, list[str]]] = {
    "an error of the server, once": ({"type": "fail", "status": 500}, None, []),
    "no capacity, twice": ({"type": "fail", "status": 503, "times": 2}, None, []),
    "no capacity for good": ({"type": "fail", "status": 503, "times": None}, "overloaded", []),
    "too many requests, with a wait": ({"type": "fail", "status": 429, "retry_after": 1}, None, []),
    "too many requests, with no wait": ({"type": "fail", "status": 429}, None, []),
    "a bad request": ({"type": "fail", "status": 400}, "bad_request", []),
    "a wrong key": ({"type": "fail", "status": 401}, "authentication", []),
    "no permission": ({"type": "fail", "status": 403}, "permission", []),
    "no such model": ({"type": "fail", "status": 404}, "not_found", []),
    "a request that cannot be processed": ({"type": "fail", "status": 422}, "bad_request", []),
    "a slow answer": ({"type": "delay", "seconds": 0.5}, None, []),
    "an answer that takes too long": ({"type": "delay", "seconds": 3}, None, []),
    "a slow first word": ({"type": "slow_first_token", "seconds": 0.5}, None, []),
    "a connection that breaks": (
        {"type": "stream_fault", "kind": "disconnect", "after_chunks": 3},
        "connection",
        ["warning gave_up"],
    ),
    "a stream that ends early": (
        {"type": "stream_fault", "kind": "truncate", "after_chunks": 3},
        "protocol",
        ["error truncated_stream_accepted"],
    ),
    "a chunk that is no JSON": (
        {"type": "stream_fault", "kind": "malformed", "after_chunks": 3},
        "protocol",
        ["warning malformed_chunk_ignored"],
    ),
    "a stream that stalls": (
        {"type": "stream_fault", "kind": "stall", "after_chunks": 3, "stall_seconds": 3},
        "timeout",
        [],
    ),
    "an answer with a tool call": (
        {"type": "reply", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Paris"}}]},
        None,
        [],
    ),
    "arguments that are no JSON": ({"type": "tool_fault", "kind": "malformed_arguments"}, None, []),
    "a tool that nobody offered": ({"type": "tool_fault", "kind": "unknown_tool"}, None, []),
}


@PROVIDERS
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.requirement("D-peer-llmock")
async def test_every_fault_ends_as_it_should_and_the_session_goes_on(llmock_url: str, make: Make, name: str) -> None:
    fault, code, verdict = FAULTS[name]
    judge = Judge(llmock_url)
    tools = [] if fault["type"] == "stream_fault" else [get_weather]  # a call may come in one chunk, words do not
    agent = Agent(make(llmock_url), spec=Spec(name="gpt-4o"), tools=tools)
    async with asyncio.timeout(60), agent.session("s", store=MemoryStore()) as session:
        await judge.queue(fault)
        assert await ended(session.run("What is the weather in Paris?")) == code
        assert await judge.findings() == verdict
        await judge.queue()
        assert await ended(session.run("And in Lisbon?")) is None
        assert await judge.findings() == []


async def ended(work: Any) -> str | None:
    try:
        result = await work
    except OreError as error:
        return describe(error).code
    assert result.text
    return None


@PROVIDERS
@pytest.mark.requirement("D-peer-llmock")
async def test_a_quota_is_waited_for_as_long_as_it_says(limited_llmock_url: str, make: Make) -> None:
    """6,000 tokens are gone with the first answer; two seconds later there are enough for a short one."""
    judge = Judge(limited_llmock_url)
    await judge.queue()
    agent = Agent(make(limited_llmock_url), spec=Spec(name="gpt-4o", max_output_tokens=5_900))
    short = agent.with_(spec=Spec(max_output_tokens=300))
    async with asyncio.timeout(60):
        assert (await agent.run("Hello.")).text
        async with short.stream("Hello again.") as run:
            told = [entry.event.content async for entry in run.events("notice")]  # type: ignore[union-attr]
            assert (await run.result()).text
    assert any("attempt 2/3" in notice for notice in told)
    assert await judge.findings() == []


@PROVIDERS
@pytest.mark.requirement("D-peer-llmock")
async def test_what_does_not_fit_its_window_is_told_and_the_session_goes_on(
    limited_llmock_url: str, make: Make
) -> None:
    judge = Judge(limited_llmock_url)
    await judge.queue()
    agent = Agent(make(limited_llmock_url), spec=Spec(name="gpt-4o", max_output_tokens=9))
    async with asyncio.timeout(60), agent.session("s", store=MemoryStore()) as session:
        assert await ended(session.run("sea " * 4_000)) == "context_overflow"
        await session.handle.history.undo()
        assert await ended(session.run("Hello.")) is None
    assert await judge.findings() == []
