"""What a played vendor streams is what ore's own wires read out of it."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import (
    Artifact,
    Reasoning,
    ReasoningDelta,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from ore.ext.mock import Anthropic, Failure, OpenAI, Vendor, script_of
from ore.ext.mock.asked import Asked
from ore.ext.mock.playing import Break
from ore.ext.wires.anthropic import AnthropicMessages
from ore.ext.wires.openai_chat import OpenAIChat
from ore.ext.wires.wire import Wire
from wires.corpus import an_ask, decode, folded

BODY = {"model": "m", "stream": True, "stream_options": {"include_usage": True}}
PLAYED: list[tuple[Vendor, Wire]] = [(OpenAI(), OpenAIChat()), (Anthropic(), AnthropicMessages())]

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)
texts = st.lists(words.map(lambda word: TextDelta(content=word)), max_size=3)
thoughts = st.lists(words.map(lambda word: ReasoningDelta(content=word)), max_size=3)
usages = st.builds(
    lambda prompt, completion, cached: Usage(
        prompt_tokens=prompt + cached,
        completion_tokens=completion,
        total_tokens=prompt + cached + completion,
        cache_read_tokens=cached,
    ),
    *[st.integers(0, 99)] * 3,
)


@st.composite
def calls(draw: st.DrawFn) -> list[ToolCallDelta]:
    """Fragments of up to three calls, in any order behind their first ones."""
    count = draw(st.integers(0, 3))
    heads = [ToolCallDelta(index=place, id=f"c{place}", name="f", arguments="{") for place in range(count)]
    pieces = [ToolCallDelta(index=place, arguments=draw(words)) for place in range(count) for _ in range(2)]
    return [*heads, *draw(st.permutations(pieces))]


@st.composite
def answers(draw: st.DrawFn) -> list[Artifact]:
    return [*draw(thoughts), *draw(texts), *draw(calls()), draw(usages)]


def bytes_of(vendor: Vendor, items: Sequence[Any]) -> list[bytes]:
    """The answer of a vendor, to its end or to where it breaks."""
    steps = vendor.endpoints[0].stream(script_of(items).calls[0], Asked(number=1, body=BODY))
    found = [step.event if isinstance(step, Break) else step for step in steps]
    return [step for step in found if isinstance(step, bytes)]


def essence(artifacts: Iterable[Artifact]) -> list[tuple[Any, ...]]:
    """What artifacts say, without what vendors add to it."""
    found: list[tuple[Any, ...]] = []
    for artifact in artifacts:
        match artifact:
            case Text(content=content) | Reasoning(content=content):
                found.append((artifact.kind, content))
            case ToolCall(id=id, name=name, arguments=arguments):
                found.append((artifact.kind, id, name, arguments))
            case StopReason(reason=reason):
                found.append((artifact.kind, reason))
            case Usage():
                found.append((artifact.prompt_tokens, artifact.completion_tokens, artifact.total_tokens))
    return found


@pytest.mark.requirement("D-mock")
@pytest.mark.parametrize(("vendor", "wire"), PLAYED, ids=["openai", "anthropic"])
@given(items=answers())
def test_a_script_comes_out_as_it_went_in(vendor: Vendor, wire: Wire, items: list[Artifact]) -> None:
    outcome = decode(wire.decoder(an_ask()), bytes_of(vendor, items))
    *content, usage = essence(folded(items))
    reason = "tool_use" if any(isinstance(item, ToolCallDelta) for item in items) else "stop"
    assert outcome.error is None
    assert essence(outcome.artifacts) == [*content, ("stop_reason", reason), usage]


@pytest.mark.requirement("D-mock-failures")
@pytest.mark.parametrize(("vendor", "wire"), PLAYED, ids=["openai", "anthropic"])
@pytest.mark.parametrize("code", ["rate_limit", "overloaded", "timeout", "context_overflow"])
def test_a_failure_is_known_by_its_code(vendor: Vendor, wire: Wire, code: str) -> None:
    failure = Failure(code, "why", 2)
    refusal = vendor.refusal(failure, 1)
    headers = {name.lower(): value for name, value in refusal.headers.items()}
    error = wire.failure("vendor", refusal.status, headers, json.dumps(refusal.body).encode())
    streamed = decode(wire.decoder(an_ask()), bytes_of(vendor, [TextDelta(content="Hi"), failure]))
    assert (error.code, error.status) == (code, refusal.status)
    assert streamed.error is not None
    assert streamed.error.code == code
    assert essence(streamed.artifacts)[0] == ("text", "Hi")
