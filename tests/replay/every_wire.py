"""Cassettes of every vendor, recorded from a server on this machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ore import Agent, Spec
from ore.artifact import ToolCall
from ore.ext.providers import anthropic, azure, google, ollama, openai, openai_responses
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.shared_transport import shared_transport
from ore.ext.providers.transport import Transport
from ore.ext.providers.vendor import Access, Vendor, connect
from ore.ext.replay import Recording
from ore.testing.contracts.provider import Answer
from providers.loopback import serving
from providers.vendor_answers import CHAT, CLAUDE, GEMINI, OLLAMA, RESPONSES, Speech, answering

__all__ = ["VENDORS", "Kind", "agent", "record"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A vendor, how it speaks, and what its cassettes are called."""

    vendor: Vendor
    model: str
    speech: Speech
    protocol: str
    ending: str = "sse"


VENDORS = {
    "openai": Kind(vendor=openai.VENDOR, model="gpt-5-mini", speech=CHAT, protocol="openai-chat"),
    "openai-responses": Kind(
        vendor=openai_responses.VENDOR, model="gpt-6-sol", speech=RESPONSES, protocol="openai-responses"
    ),
    "azure": Kind(vendor=azure.VENDOR, model="ours", speech=RESPONSES, protocol="openai-responses"),
    "anthropic": Kind(vendor=anthropic.VENDOR, model="claude-sonnet-4-5", speech=CLAUDE, protocol="anthropic"),
    "google": Kind(vendor=google.VENDOR, model="gemini-3.8-flash", speech=GEMINI, protocol="gemini"),
    "ollama": Kind(vendor=ollama.VENDOR, model="qwen3", speech=OLLAMA, protocol="ollama", ending="ndjson"),
}

CALL = ToolCall(id="call_weather_1", name="weather", arguments='{"city": "Lisbon", "id": "12"}')
ANSWERS = (Answer(call=CALL, reason="tool_use"), Answer(text=("It is ", "21 °C.")))


def weather(city: str, id: str = "") -> str:
    """Current weather in a city."""
    return f"{city}: 21 °C"


def agent(kind: Kind, url: str, transport: Transport, *, attempts: int = 1) -> Agent:
    backoff = Backoff(attempts=attempts, first_s=0.01)
    access = Access(api_key="canary-key", base_url=url, transport=transport, backoff=backoff)
    return Agent(
        connect(kind.vendor, access),
        tools=[weather],
        spec=Spec(name=kind.model, max_output_tokens=100),
        store="memory:",
    )


async def record(kind: Kind, folder: Path, answers: Sequence[Answer] = ANSWERS) -> str:
    """A cassette of one message; its text."""
    async with serving(answering(answers, kind.speech)) as server:
        transport = Recording(shared_transport(), folder)
        return (await agent(kind, server.url, transport).run("Weather in Lisbon?")).text
