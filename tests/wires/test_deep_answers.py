"""What is nested deeper than anybody reads is an error of the vendor's, in whatever field it stands."""

import pytest

from ore.errors import ProviderError
from ore.ext.replay.protocols import decoder_of
from wires.corpus import decode

DEPTH = 20_000
DEEP = {"lists": b"[" * DEPTH + b"]" * DEPTH, "objects": b'{"a":' * DEPTH + b"1" + b"}" * DEPTH}

BODIES = [
    ("openai-chat", b'data: {"choices":[{"delta":{"reasoning_details":@}}]}\n\n'),
    ("openai-chat", b'data: {"choices":[{"delta":{"content":@}}]}\n\n'),
    ("openai-chat", b'data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":@}}]}}]}\n\n'),
    ("openai-chat", b'data: {"error":@}\n\n'),
    ("anthropic", b'data: {"type":"content_block_start","index":0,"content_block":@}\n\n'),
    ("anthropic", b'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","input":@}}\n\n'),
    ("anthropic", b'data: {"type":"content_block_start","index":0,"content_block":{"type":"odd","x":@}}\n\n'),
    ("anthropic", b'data: {"type":"error","error":@}\n\n'),
    ("openai-responses", b'data: {"type":"response.output_item.done","output_index":0,"item":@}\n\n'),
    ("openai-responses", b'data: {"type":"response.completed","response":{"output":@}}\n\n'),
    ("openai-responses", b'data: {"type":"error","error":@}\n\n'),
    ("openai-responses", b'{"object":"response","output":@}'),
    ("gemini", b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":@}}]}}]}\n\n'),
    ("gemini", b'data: {"candidates":[{"content":{"parts":[{"odd":@}]}}]}\n\n'),
    ("gemini", b'data: {"candidates":[{"groundingMetadata":@}]}\n\n'),
    ("gemini", b'data: {"error":@}\n\n'),
    ("gemini", b"[@]"),
    ("ollama", b'{"message":{"tool_calls":[{"function":{"name":"f","arguments":@}}]}}\n'),
    ("ollama", b'{"error":@}\n'),
]


@pytest.mark.parametrize("deep", DEEP)
@pytest.mark.parametrize(("protocol", "body"), BODIES, ids=[f"{one}-{n}" for n, (one, _) in enumerate(BODIES)])
def test_an_answer_that_nobody_can_read_is_an_error_of_its_provider(protocol: str, body: bytes, deep: str) -> None:
    """So that another model is asked where there is one."""
    outcome = decode(decoder_of(protocol), [body.replace(b"@", DEEP[deep])])
    assert isinstance(outcome.error, ProviderError)
    assert len(str(outcome.error)) < 400
