"""How many calls Python makes for one chunk of a streamed answer, beside those of the transport."""

import asyncio
import cProfile
import json
import pstats
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from ore.agent import AgentSpec
from ore.ext.providers.anthropic import VENDOR as ANTHROPIC
from ore.ext.providers.openai import VENDOR as OPENAI
from ore.ext.providers.transport import Limits, Reply
from ore.ext.providers.vendor import Access, Vendor, connect
from ore.models import Spec
from ore.session import Manager

CHUNKS = 2_000
BLOCK_BYTES = 16_384
"""What one read of a saturated connection brings."""

BAR = 4
"""Calls for one chunk; the requirement allows ten."""


class Played:
    """A transport without a network: the same answer to every request, in large blocks."""

    def __init__(self, body: bytes) -> None:
        self._blocks = [body[start : start + BLOCK_BYTES] for start in range(0, len(body), BLOCK_BYTES)]

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        return _Blocks(iter(self._blocks))


class _Blocks:
    status = 200
    headers: Mapping[str, str] = {"content-type": "text/event-stream"}

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks

    def __aiter__(self) -> "_Blocks":
        return self

    async def __anext__(self) -> bytes:
        for block in self._blocks:
            return block
        raise StopAsyncIteration

    def close(self) -> None:
        """Nothing is held."""


def chat() -> bytes:
    """An answer of OpenAI's chat completions, with the fields that real ones have."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "usage": None}

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return b"data: %b\n\n" % json.dumps({**head, "choices": [choice]}).encode()

    words = b"".join(chunk({"content": f" token{number % 10}"}) for number in range(CHUNKS))
    return b"%b%b%bdata: [DONE]\n\n" % (chunk({"role": "assistant", "content": ""}), words, chunk({}, "stop"))


def messages() -> bytes:
    """An answer of Anthropic's messages."""

    def event(kind: str, **fields: Any) -> bytes:
        return b"event: %b\ndata: %b\n\n" % (kind.encode(), json.dumps({"type": kind, **fields}).encode())

    usage = {"input_tokens": 1, "output_tokens": 1}
    start = event("message_start", message={"id": "m", "role": "assistant", "content": [], "usage": usage})
    begin = event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    words = b"".join(
        event("content_block_delta", index=0, delta={"type": "text_delta", "text": f" token{number % 10}"})
        for number in range(CHUNKS)
    )
    end = event("content_block_stop", index=0)
    stop = event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 9})
    return start + begin + words + end + stop + event("message_stop")


async def calls_a_chunk(manager: Manager, delta: str = "text_delta") -> float:
    """All calls for one message, from its submission to its reader, divided by its chunks."""
    session = await manager.create()
    profile = cProfile.Profile()
    profile.enable()
    count = 0
    async with session.subscribe(delta, "lifecycle") as reader:
        session.submit("Hello?")
        async for batch in reader.batches():
            for entry in batch:
                if entry.kind == delta:
                    count += 1
            if batch[-1].kind == "lifecycle" and getattr(batch[-1].event, "phase", "") == "done":
                break
    profile.disable()
    assert count == CHUNKS
    counts = pstats.Stats(profile).stats.values()  # type: ignore[attr-defined]  # typeshed does not know it
    return float(sum(calls for _, calls, *_ in counts) / CHUNKS)


@pytest.mark.requirement("D-bar-chunk")
@pytest.mark.parametrize(
    ("vendor", "body"), [(OPENAI, chat()), (ANTHROPIC, messages())], ids=["openai-chat", "anthropic"]
)
async def test_a_chunk_of_a_saturated_stream_costs_few_calls_from_the_socket_to_the_reader(
    vendor: Vendor, body: bytes
) -> None:
    """Framing, decoding, session and event log together; what the message itself costs is among them."""
    provider = connect(vendor, Access(api_key="any", base_url="http://127.0.0.1:9", transport=Played(body)))
    agent = AgentSpec(name="a", provider=provider, spec=Spec(name="m", max_output_tokens=9))
    async with asyncio.timeout(20), Manager(agent) as manager:
        await calls_a_chunk(manager)
        assert await calls_a_chunk(manager) <= BAR
