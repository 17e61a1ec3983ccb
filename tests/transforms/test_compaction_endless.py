"""A conversation without an end, against the very words in which llama.cpp refuses what does not fit."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ore import Agent, Spec
from ore.ext.providers.openai import OpenAI
from ore.ext.transforms.compaction import Compaction, boundary_of
from ore.ledger import Role
from ore.session import Manager
from ore.testing import check_openai_chat
from ore.tool import tool
from transforms.histories import texts
from transforms.llama import LlamaServer

WINDOW = 4_096
SIZES = (5, 400, 30, 2_600, 90, 1_200, 15, 700)
"""Words of what is said, one after the other: the longest fits the window, but beside little else."""


ANSWER = "The sea is calm tonight. " * 6


@tool
def look(place: str) -> str:
    """Look somewhere."""
    return f"in {place}: " + "sand " * 300


def play(messages: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Every fifth message is answered behind two calls at once."""
    last = messages[-1]
    if last["role"] == "user" and "look" in str(last["content"]):
        calls = [("c1", "Porto"), ("c2", "Faro")]
        return {
            "tool_calls": [
                {
                    "index": n,
                    "id": id,
                    "type": "function",
                    "function": {"name": "look", "arguments": f'{{"place":"{place}"}}'},
                }
                for n, (id, place) in enumerate(calls)
            ]
        }
    return {"content": ANSWER}


@pytest.mark.requirement("D-compaction-endless")
@pytest.mark.parametrize(
    ("window", "messages"),
    [
        pytest.param(WINDOW, 100, id="window known"),
        pytest.param(None, 500, id="window unknown", marks=pytest.mark.slow),
    ],
)
async def test_every_message_is_answered_on_a_small_window(window: int | None, messages: int) -> None:
    """Where nobody knows the window, refusals alone say how large it is, and need to say so only a few times."""
    server = LlamaServer(WINDOW, play)
    agent = Agent(
        OpenAI(base_url="http://127.0.0.1:1", api_key="k", transport=server),
        tools=[look],
        spec=Spec(name="smol", max_output_tokens=256, window=window),
        extensions=[Compaction()],
    )
    async with asyncio.timeout(120), Manager(agent.spec()) as manager:
        stream = await manager.create()
        for n in range(messages):
            verb = "look" if n % 5 == 0 else "say"
            outcome = await stream.process(f"{verb} {n}: " + "wave " * SIZES[n % len(SIZES)])
            assert (outcome.status, texts(outcome.turns[-1:])) == ("done", [ANSWER]), n
        users = [turn for turn in stream.turns if turn.role is Role.USER]
        done = [found.strategy.value for turn in stream.turns if (found := boundary_of(turn))]
    assert len(users) == messages
    assert server.refused <= (0 if window else 5)
    assert set(done) == {"summarize", "move_outputs"}
    for body in server.bodies[::17]:
        check_openai_chat(body)
