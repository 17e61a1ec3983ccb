"""aimock as a peer over Gemini, Ollama, Azure and Responses: whole conversations, faults, and changes of vendor."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ore import Agent
from ore.artifact import Artifact, Reasoning, StopReason, ToolCall, ToolResult, Usage
from ore.errors import OreError, describe
from ore.ext.providers import azure, google, ollama, openai_responses
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.shared_transport import shared_transport
from ore.ext.providers.transport import Limits
from ore.ext.providers.vendor import Access, Vendor, connect
from ore.ext.replay import Recording, read_cassette
from ore.ledger import MemoryStore, Role
from ore.models import split_name
from ore.provider import Provider
from ore.testing import check_gemini, check_ollama, check_openai_responses
from peers.aimock import aimock_server, installed

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A vendor that it plays, and who judges what that is asked.

    Attributes:
        counts: Whether it reports the tokens of its fixtures.
        thinks: Whether it streams thinking under the vendor's own name.
    """

    vendor: Vendor
    model: str
    check: Callable[[Any], None]
    counts: bool = True
    thinks: bool = True


def gemini(body: Any) -> None:
    check_gemini(body, wants_signatures=True, issued=())


SIDES = {
    "google": Side(vendor=google.VENDOR, model="gemini-3.8-flash", check=gemini),
    "ollama": Side(vendor=ollama.VENDOR, model="qwen3", check=check_ollama, counts=False, thinks=False),
    "azure": Side(vendor=azure.VENDOR, model="our-deployment", check=check_openai_responses),
    "openai-responses": Side(vendor=openai_responses.VENDOR, model="gpt-6-sol", check=check_openai_responses),
}
EACH = pytest.mark.parametrize("name", SIDES)


def fixture(words: str, response: Mapping[str, Any], *, answered: bool | None = None, **more: Any) -> Mapping[str, Any]:
    after = {} if answered is None else {"hasToolResult": answered}
    return {"match": {"userMessage": words, **after}, "response": response, **more}


def counts(prompt: int, completion: int) -> Mapping[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


CALLS = [{"name": "weather", "arguments": f'{{"city": "{city}"}}'} for city in ("Lisbon", "Porto")]
FIXTURES = [
    fixture("and then", {"content": "Fine."}),  # first, since what failed before it stands beside it
    fixture(
        "two places",
        {"content": "Let me see.", "reasoning": "two of them", "toolCalls": CALLS, "usage": counts(11, 7)},
        answered=False,
    ),
    fixture("two places", {"content": "Both are clear. 👋", "usage": counts(30, 5)}, answered=True),
    fixture("too often", {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429}),
    fixture("in the dark", {"error": {"message": "who are you?", "type": "authentication_error"}, "status": 401}),
    fixture("break off", {"content": "A long story about the sea and the wind."}, truncateAfterChunks=3, latency=20),
]


@pytest.fixture(scope="session")
def aimock_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where it answers."""
    with aimock_server(installed(), FIXTURES, tmp_path_factory.mktemp("aimock")) as url:
        yield url


async def weather(city: str) -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C, clear"


class World:
    """Its vendors by name; what they are asked is kept, and judged at the end."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder

    def resolve(self, name: str) -> tuple[Provider, str]:
        vendor, model = split_name(name)
        assert vendor is not None
        access = Access(
            api_key="any",
            base_url=self._url,
            transport=Recording(shared_transport(), self._folder / vendor),
            limits=Limits(connect_s=5, silence_s=20, total_s=60),
            backoff=Backoff(attempts=2, first_s=0.01),
        )
        return connect(SIDES[vendor].vendor, access), model

    def agent(self, name: str) -> Agent:
        return Agent(f"{name}:{SIDES[name].model}", tools=[weather], instructions="Be brief.", resolve=self.resolve)

    def judged(self, name: str) -> int:
        """How often a vendor was asked what it takes."""
        asked = read_cassette(self._folder / name)
        for exchange in asked:
            SIDES[name].check(exchange.request)
        return len(asked)


def shown(artifact: Artifact) -> tuple[str, str]:
    if isinstance(artifact, ToolCall):
        return "tool_call", artifact.arguments.replace(" ", "")
    return artifact.kind, artifact.reason if isinstance(artifact, StopReason) else artifact.for_human()


@EACH
@pytest.mark.requirement("D-peer-aimock")
async def test_a_conversation_with_thinking_and_two_calls_at_once(aimock_url: str, tmp_path: Path, name: str) -> None:
    world = World(aimock_url, tmp_path)
    async with asyncio.timeout(120), world.agent(name).session("s", store=MemoryStore()) as session:
        run = session.stream("Weather in two places?")
        pieces = [piece async for piece in run.text()]
        result = await run.result()
        assert (await session.run("and then?")).text == "Fine."
    assert "".join(pieces).endswith("Both are clear. 👋") and len(pieces) > 4
    asked, tools, last = (turn.artifacts for turn in result.turns[1:])
    assert [shown(one) for one in asked if not isinstance(one, Usage)] == [
        *([("reasoning", "two of them")] if SIDES[name].thinks else []),
        ("text", "Let me see."),
        ("tool_call", '{"city":"Lisbon"}'),
        ("tool_call", '{"city":"Porto"}'),
        ("stop_reason", "tool_use"),
    ]
    calls = [one for one in asked if isinstance(one, ToolCall)]
    results = [one for one in tools if isinstance(one, ToolResult)]
    assert [one.tool_call_id for one in results] == [one.id for one in calls] and len({one.id for one in calls}) == 2
    assert [one.content for one in results] == ["Lisbon: 21 °C, clear", "Porto: 21 °C, clear"]
    said = [shown(one) for one in last if not isinstance(one, Usage)]
    assert [one for one in said if one != ("reasoning", "")] == [
        ("text", "Both are clear. 👋"),
        ("stop_reason", "stop"),
    ]
    used = [(one.prompt_tokens, one.completion_tokens) for one in (*asked, *last) if isinstance(one, Usage)]
    assert used == ([(11, 7), (30, 5)] if SIDES[name].counts else [(0, 0), (0, 0)])
    assert await asyncio.to_thread(world.judged, name) == 3


FAULTS = {
    "too often": ("rate_limit", (2,)),
    "in the dark": ("authentication", (1,)),
    "break off": ("connection", (1, 2)),
}
"""What is said, how that ends, and how many requests it takes: what broke off before a word was seen is asked again."""


@EACH
@pytest.mark.parametrize("words", FAULTS)
@pytest.mark.requirement("D-peer-aimock")
async def test_a_fault_ends_as_it_should_and_the_session_goes_on(
    aimock_url: str, tmp_path: Path, name: str, words: str
) -> None:
    world, (code, requests) = World(aimock_url, tmp_path), FAULTS[words]
    async with asyncio.timeout(120), world.agent(name).session("s", store=MemoryStore()) as session:
        with pytest.raises(OreError) as caught:
            await session.run(f"Say something {words}.")
        assert describe(caught.value).code == code
        assert (await session.run("and then?")).text == "Fine."
    assert await asyncio.to_thread(world.judged, name) - 1 in requests


@pytest.mark.requirement("D-peer-aimock", "D-every-pair")
async def test_a_conversation_goes_through_all_of_them(aimock_url: str, tmp_path: Path) -> None:
    world = World(aimock_url, tmp_path)
    async with asyncio.timeout(120), world.agent("google").session("s", store=MemoryStore()) as session:
        for name in (*SIDES, *SIDES):
            await session.metadata.set("ore.model.name", f"{name}:{SIDES[name].model}")
            assert (await session.run("Weather in two places?")).text == "Both are clear. 👋"
            assert (await session.run("and then?")).text == "Fine."
        thoughts = [one for turn in session.turns for one in turn.artifacts if isinstance(one, Reasoning)]
        roles = [turn.role for turn in session.turns if turn.role is not Role.SYSTEM]
    assert len([one for one in thoughts if one.content]) == 6 and len(roles) == 48
    assert [await asyncio.to_thread(world.judged, name) for name in SIDES] == [6] * 4
