"""Every vendor keeps the promises of `Provider`, over a network."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from ore.ext.providers.anthropic import Anthropic
from ore.ext.providers.azure import Azure
from ore.ext.providers.google import Google
from ore.ext.providers.minimax import MiniMax
from ore.ext.providers.ollama import Ollama
from ore.ext.providers.openai import OpenAI
from ore.ext.providers.openai_responses import OpenAIResponses
from ore.ext.providers.openrouter import OpenRouter
from ore.ext.providers.vercel import Vercel
from ore.provider import Provider
from ore.testing.contracts.provider import Answer, ProviderCheck, provider_checks
from providers.loopback import Server, serving
from providers.vendor_answers import CHAT, CLAUDE, GEMINI, OLLAMA, RESPONSES, Speech, answering

VENDORS: dict[str, tuple[Callable[..., Provider], str, Speech]] = {
    "openai": (OpenAI, "gpt-6-sol", CHAT),
    "openai-responses": (OpenAIResponses, "gpt-6-sol", RESPONSES),
    "azure": (Azure, "our-deployment", RESPONSES),
    "anthropic": (Anthropic, "claude-sonnet-5-5", CLAUDE),
    "google": (Google, "gemini-3.8-flash", GEMINI),
    "ollama": (Ollama, "qwen3", OLLAMA),
    "openrouter": (OpenRouter, "anthropic/claude-sonnet-5-5", CHAT),
    "vercel": (Vercel, "openai/gpt-6-sol", CHAT),
    "minimax": (MiniMax, "MiniMax-M3", CLAUDE),
}


class VendorBench:
    """The world is a server that answers as the vendor does."""

    def __init__(self, vendor: str, stack: AsyncExitStack) -> None:
        self._make, self.model, self._speech = VENDORS[vendor]
        self._stack = stack
        self._server: Server | None = None

    async def provider(self, *answers: Answer) -> Provider:
        self._server = await self._stack.enter_async_context(serving(answering(answers, self._speech)))
        return self._make(base_url=f"{self._server.url}/v1", api_key="sk-none")

    async def released(self) -> None:
        assert self._server is not None
        await self._server.settled()

    def requests(self) -> Sequence[object]:
        assert self._server is not None
        return [(exchange.target, exchange.body) for exchange in self._server.requests]


@pytest_asyncio.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize(("name", "check"), provider_checks(), ids=[name for name, _ in provider_checks()])
@pytest.mark.requirement("D-vendors")
async def test_a_vendor_keeps_its_promises(stack: AsyncExitStack, vendor: str, name: str, check: ProviderCheck) -> None:
    async with asyncio.timeout(15):
        await check(VendorBench(vendor, stack))
