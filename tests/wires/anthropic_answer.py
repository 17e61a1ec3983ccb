"""Answers of Anthropic's protocol, written for tests, and what the decoder makes of them."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ore.artifact import Restart
from ore.ext.wires.anthropic.decoder import AnthropicDecoder
from ore.ext.wires.anthropic.digest import digest
from wires.corpus import Outcome, decode, folded

PROVIDER: Final = "anthropic"
MODEL: Final = "claude-sonnet-4-5"
ISSUER: Final = {"provider": PROVIDER, "model": MODEL}


def signed_data(text: str, signature: str) -> dict[str, Any]:
    """What signed thinking keeps."""
    return {**ISSUER, "signature": signature, "digest": digest(text)}


TEXT: Final = {"type": "text", "text": ""}
THINKING: Final = {"type": "thinking", "thinking": "", "signature": ""}


def sse(*events: Mapping[str, Any]) -> bytes:
    """A body with these events, framed as the vendor does it."""
    return b"".join(
        b"event: %s\ndata: %s\n\n" % (str(event["type"]).encode(), json.dumps(event).encode()) for event in events
    )


def start(**usage: Any) -> dict[str, Any]:
    """`message_start`."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": MODEL}
    return {"type": "message_start", "message": message | ({"usage": usage} if usage else {})}


def block(index: int, begun: Mapping[str, Any], *deltas: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A whole block: its start, its fragments, its stop."""
    return [
        {"type": "content_block_start", "index": index, "content_block": dict(begun)},
        *({"type": "content_block_delta", "index": index, "delta": dict(delta)} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def said(*texts: str) -> list[dict[str, Any]]:
    """Fragments of text."""
    return [{"type": "text_delta", "text": text} for text in texts]


def thought(*texts: str) -> list[dict[str, Any]]:
    """Fragments of thinking."""
    return [{"type": "thinking_delta", "thinking": text} for text in texts]


def signed(signature: str) -> dict[str, Any]:
    """The signature of thinking."""
    return {"type": "signature_delta", "signature": signature}


def arguments(*pieces: str) -> list[dict[str, Any]]:
    """Fragments of arguments."""
    return [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def call(id: str = "toolu_1", name: str = "get", **more: Any) -> dict[str, Any]:
    """How a call begins."""
    return {"type": "tool_use", "id": id, "name": name, "input": {}, **more}


def end(reason: str | None = "end_turn", **usage: Any) -> list[dict[str, Any]]:
    """`message_delta` and `message_stop`."""
    changed: dict[str, Any] = {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}}
    return [changed | ({"usage": usage} if usage else {}), {"type": "message_stop"}]


def decoder(*, answer_tool: str | None = None) -> AnthropicDecoder:
    """Reads one answer."""
    return AnthropicDecoder(provider=PROVIDER, model=MODEL, answer_tool=answer_tool)


def outcome(*blocks: bytes, answer_tool: str | None = None) -> Outcome:
    """What comes of a body in these pieces; a restart drops what came before it."""
    return restarted(decode(decoder(answer_tool=answer_tool), blocks))


def restarted(found: Outcome) -> Outcome:
    """The outcome with the artifacts of its last beginning alone, as a pipeline has it."""
    places = [place for place, artifact in enumerate(found.stream) if type(artifact) is Restart]
    return dataclasses.replace(found, artifacts=folded(found.stream[places[-1] + 1 :])) if places else found


def of_blocks(blocks: Iterable[bytes]) -> Outcome:
    """The same, of any iterable."""
    return restarted(decode(decoder(), blocks))
