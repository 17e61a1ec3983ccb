"""A conversation without an end on llama.cpp's own server: real tokens, real overflows, a real model that sums up."""

import asyncio
import os
from collections.abc import Callable

import pytest

from ore import Agent, Spec
from ore.artifact import Usage
from ore.ext.providers.anthropic import Anthropic
from ore.ext.providers.openai import OpenAI
from ore.ext.transforms.compaction import Compaction, CompactionSettings, boundary_of
from ore.ledger import MemoryStore, Role
from ore.provider import Provider
from peers.conftest import KEY

pytestmark = pytest.mark.slow

TURNS = int(os.environ.get("ORE_ENDLESS_TURNS", "9"))
"""Messages; 500 take half an hour."""

WINDOW = 1_024
"""Of each slot of the server."""


@pytest.mark.requirement("D-compaction-endless")
@pytest.mark.parametrize(
    ("make", "window"),
    [
        pytest.param(lambda url, key: OpenAI(base_url=url, api_key=key), WINDOW, id="openai-chat, window known"),
        pytest.param(lambda url, key: Anthropic(base_url=url, api_key=key), None, id="anthropic, window unknown"),
    ],
)
async def test_it_never_stops_working(llama: str, make: Callable[[str, str], Provider], window: int | None) -> None:
    """The small model's summaries are often cut by their limit; then the oldest turns are left out."""
    agent = Agent(
        make(llama, KEY),
        spec=Spec(name="smol", temperature=0, max_output_tokens=8, window=window),
        instructions="Be brief.",
        extensions=[Compaction(CompactionSettings(summary_tokens=32))],
    )
    async with asyncio.timeout(280 + TURNS * 10), agent.session("s", store=MemoryStore()) as session:
        prompts = []
        for n in range(TURNS):
            result = await session.run(f"Message {n}. Tell me about the sea, in a few words. " + "sea wind salt " * 40)
            assert result.text
            prompts.append(result.turns[-1])
        done = [found.strategy.value for turn in session.turns if (found := boundary_of(turn))]
        said = [turn.role for turn in session.turns if turn.role is not Role.SYSTEM]
    longest = max(usage.prompt_tokens or 0 for turn in prompts for usage in turn.artifacts if isinstance(usage, Usage))
    print(f"{TURNS} messages, {len(done)} compactions, longest prompt {longest} of {WINDOW} tokens")
    assert said == [Role.USER, Role.ASSISTANT] * TURNS
    assert done and WINDOW // 2 < longest < WINDOW
