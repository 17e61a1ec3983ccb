"""A conversation begun on one vendor goes on on each other one, and comes back."""

import asyncio
import base64
import json
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace

import pytest

from ore import Agent
from ore.artifact import Image, Notice, Reasoning, Text, ToolCall, ToolResult
from ore.event import Entry
from ore.ext.providers import (
    anthropic,
    azure,
    google,
    minimax,
    ollama,
    openai,
    openai_responses,
    openrouter,
    vercel,
)
from ore.ext.providers.aiohttp_transport import AiohttpTransport
from ore.ext.providers.vendor import Access, Vendor, connect
from ore.ext.wires.anthropic import ANTHROPIC, AnthropicMessages
from ore.ext.wires.openai_chat import OPENAI, OpenAIChat
from ore.ext.wires.openai_responses import OPENAI as RESPONSES_OPENAI
from ore.ext.wires.openai_responses import OpenAIResponses
from ore.models import split_name
from ore.provider import Provider
from ore.testing.contracts.provider import Answer
from ore.testing.shapes import (
    check_anthropic,
    check_gemini,
    check_ollama,
    check_openai_chat,
    check_openai_responses,
)
from providers.loopback import Exchange, Server, serving
from providers.vendor_answers import CHAT, CLAUDE, GEMINI, OLLAMA, RESPONSES, Speech, signature_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(40))
PICTURE = Image(data=PNG, media_type="image/png", name="plan.png")
GATEWAY = ("reasoning", "reasoning_details", "reasoning_content", "cache_control", "providerOptions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A vendor as it is when it is asked at its own address.

    Attributes:
        check: Refuses what the vendor would refuse.
        signs: Whether it signs what it thinks, and gets that back.
    """

    vendor: Vendor
    model: str
    speech: Speech
    check: Callable[[bytes], object]
    signs: bool = True


def messages_of(name: str) -> Callable[[bytes], None]:
    """Anthropic's check, with all that a vendor signs here: nothing else may come back to it."""
    thoughts = [thought(name, number) for number in range(1, 5)]
    return lambda body: check_anthropic(body, issued={signature_of(one): one for one in thoughts})


def thought(name: str, number: int) -> str:
    return f"{name} thought {number}"


def chat_of_openai(body: bytes) -> None:
    check_openai_chat(body)


def chat_of_a_gateway(body: bytes) -> None:
    found = json.loads(body)
    tools = [{key: tool[key] for key in ("type", "function")} for tool in found.pop("tools", ())]
    check_openai_chat({**found, **({"tools": tools} if tools else {})}, extra=GATEWAY)


SIDES = {
    "openai": Side(
        vendor=replace(openai.VENDOR, wire=lambda address: OpenAIChat(OPENAI)),
        model="gpt-5.2",
        speech=CHAT,
        check=chat_of_openai,
        signs=False,
    ),
    "openai-responses": Side(
        vendor=replace(openai_responses.VENDOR, wire=lambda address: OpenAIResponses(RESPONSES_OPENAI)),
        model="gpt-6-sol",
        speech=RESPONSES,
        check=check_openai_responses,
    ),
    "azure": Side(vendor=azure.VENDOR, model="our-deployment", speech=RESPONSES, check=check_openai_responses),
    "anthropic": Side(
        vendor=replace(anthropic.VENDOR, wire=lambda address: AnthropicMessages(ANTHROPIC)),
        model="claude-sonnet-5-5",
        speech=CLAUDE,
        check=messages_of("anthropic"),
    ),
    "google": Side(
        vendor=google.VENDOR,
        model="gemini-3.8-flash",
        speech=GEMINI,
        check=lambda body: check_gemini(body, wants_signatures=True),
    ),
    "ollama": Side(vendor=ollama.VENDOR, model="qwen3", speech=OLLAMA, check=check_ollama, signs=False),
    "openrouter": Side(
        vendor=openrouter.VENDOR, model="anthropic/claude-sonnet-5-5", speech=CHAT, check=chat_of_a_gateway
    ),
    "vercel": Side(vendor=vercel.VENDOR, model="openai/gpt-6-sol", speech=CHAT, check=chat_of_a_gateway),
    "minimax": Side(vendor=minimax.VENDOR, model="MiniMax-M3", speech=CLAUDE, check=messages_of("minimax")),
}
PAIRS = [(one, other) for one in SIDES for other in SIDES if one != other]


@dataclass(slots=True)
class World:
    """Both vendors: each thinks and calls a tool where a message is new, then answers."""

    servers: dict[str, Server] = field(default_factory=dict)

    async def open(self, stack: AsyncExitStack, name: str) -> None:
        side = SIDES[name]

        async def answer(exchange: Exchange) -> None:
            place = len(self.servers[name].requests)
            call = ToolCall(id=f"call_{name}_{place}", name="look", arguments='{"place": "roof"}')
            said = Answer(call=call, reason="tool_use") if place % 2 else Answer(text=(f"{name} ", "says so."))
            exchange.whole(*side.speech.stream(said, thought(name, place)), headers=side.speech.headers)

        self.servers[name] = await stack.enter_async_context(serving(answer))

    def resolve(self, name: str) -> tuple[Provider, str]:
        vendor, model = split_name(name)
        side = SIDES[vendor or ""]
        access = Access(base_url=self.servers[vendor or ""].url, transport=AiohttpTransport())
        return connect(side.vendor, access), model

    def bodies(self, name: str) -> Sequence[bytes]:
        return [exchange.body for exchange in self.servers[name].requests]


async def look(place: str) -> Image:
    """A picture of a place."""
    return Image(data=PNG, media_type="image/png", name=f"{place}.png")


def is_in(name: str, number: int, body: bytes) -> bool:
    """Whether what a vendor signed is sent, in whatever form."""
    return signature_of(thought(name, number)).encode() in body


@pytest.mark.requirement("D-every-pair")
@pytest.mark.parametrize(("first", "second"), PAIRS, ids=[f"{one}-{other}" for one, other in PAIRS])
async def test_a_conversation_goes_on_on_another_vendor_and_comes_back(first: str, second: str) -> None:
    """Three messages with a picture, thinking, a tool that gives a picture: A, then B, then A again."""
    world, seen = World(), list[Entry]()
    async with AsyncExitStack() as stack, asyncio.timeout(15):
        for name in (first, second):
            await world.open(stack, name)
        names = {name: f"{name}:{SIDES[name].model}" for name in (first, second)}
        agent = Agent(names[first], tools=[look], store="memory:", resolve=world.resolve)
        async with agent.session() as session:
            for name, content in (
                (first, (Text(content="What is this?"), PICTURE)),
                (second, (Text(content="And the roof?"),)),
                (first, (Text(content="And what else?"),)),
            ):
                await session.metadata.set("ore.model.name", names[name])
                reader = session.handle.subscribe(after=seen[-1].id if seen else "")
                assert (await session.run(content)).text == f"{name} says so."
                seen += reader.take()
                reader.close()
                assert session.turns[-1].model == names[name]
            turns = session.turns
    for name in (first, second):
        for body in world.bodies(name):
            SIDES[name].check(body)
    check_signatures(world, first, second)
    check_pictures(world, first, second)
    check_told(seen, names, first, second)
    results = [artifact for turn in turns for artifact in turn.artifacts if isinstance(artifact, ToolResult)]
    assert [(result.is_error, result.media is not None) for result in results] == [(False, True)] * 3


def check_signatures(world: World, first: str, second: str) -> None:
    """What a vendor signed comes back to it, and goes to nobody else."""
    begun, gone_on = world.bodies(first), world.bodies(second)
    assert (len(begun), len(gone_on)) == (4, 2)
    for body in gone_on:
        assert not any(is_in(first, number, body) for number in (1, 2))
    for body in begun:
        assert not any(is_in(second, number, body) for number in (1, 2))
    for name, place in ((first, 1), (second, 1), (first, 3)):  # where its call is answered
        assert is_in(name, place, world.bodies(name)[place]) is SIDES[name].signs


def check_pictures(world: World, first: str, second: str) -> None:
    """Each of them sees the pictures of the user and of the tool."""
    for name in (first, second):
        assert all(base64.b64encode(PNG) in body for body in world.bodies(name))


def check_told(seen: Sequence[Entry], names: dict[str, str], first: str, second: str) -> None:
    """What is left out of each vendor's view is said when it is first asked, and once."""
    told = [entry.event.content for entry in seen if isinstance(entry.event, Notice)]
    assert len(told) == len(set(told))
    theirs = [line for line in told if "thinking are not its own" in line]
    assert [line.partition(": blocks")[0] for line in theirs] == [names[second], names[first]]
    unknown = [line for line in told if line.startswith("nothing is known of")]
    assert len(unknown) == len({"azure", "ollama"} & {first, second})


@pytest.mark.requirement("D-every-pair")
async def test_what_one_vendor_thought_is_in_the_conversation_of_none_other() -> None:
    """Nor are its words: a thought that nobody signed for another model is no text of the conversation."""
    world = World()
    async with AsyncExitStack() as stack, asyncio.timeout(15):
        for name in ("anthropic", "ollama"):
            await world.open(stack, name)
        agent = Agent("anthropic:claude-sonnet-5-5", tools=[look], store="memory:", resolve=world.resolve)
        async with agent.session() as session:
            await session.run("Hi")
            await session.metadata.set("ore.model.name", "ollama:qwen3")
            await session.run("And now?")
            thoughts = [one for turn in session.turns for one in turn.artifacts if isinstance(one, Reasoning)]
    assert [thought.content for thought in thoughts[:2]] == ["anthropic thought 1", "anthropic thought 2"]
    assert b"anthropic thought" not in b"".join(world.bodies("ollama"))
