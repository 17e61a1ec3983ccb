"""llama.cpp's server as a transport: its window, its words when a request does not fit, its chunks."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

import msgspec

from ore.artifact import to_json
from ore.ext.providers.transport import Limits

Message = Mapping[str, Any]
Play = Callable[[Sequence[Message]], Mapping[str, Any]]
"""Makes the delta of the one chunk that an answer is, of the messages."""

SUMMARY = {"content": "They talked about the sea, and looked things up."}


class Reply:
    """An answer in one block."""

    def __init__(self, status: int, body: bytes, kind: str) -> None:
        self.status = status
        self.headers = {"content-type": kind, "server": "llama.cpp"}
        self._blocks = [body]

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if not self._blocks:
            raise StopAsyncIteration
        return self._blocks.pop()

    def close(self) -> None:
        """Nothing is held."""


class LlamaServer:
    """Answers chat completions as llama.cpp's server does, recorded 2026-12-01 from xllamacpp 2026.10.

    Args:
        window: Of a slot, in tokens.
        play: What it says.
        bytes_per_token: Its tokenizer.

    Attributes:
        bodies: The requests that it took.
        refused: How many did not fit.
    """

    def __init__(self, window: int, play: Play, *, bytes_per_token: float = 3.6) -> None:
        self.window = window
        self._play = play
        self._bytes = bytes_per_token
        self.bodies: list[bytes] = []
        self.refused = 0
        self.summaries = 0

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        """Refuse what does not fit; answer the rest."""
        asked = msgspec.json.decode(body)
        tokens = self.count(asked)
        if tokens >= self.window:
            self.refused += 1
            full = f"exceeds the available context size ({self.window} tokens), try increasing it"
            said = f"request ({tokens} tokens) {full}"
            error = {"code": 400, "message": said, "type": "exceed_context_size_error"}
            counts = {"n_prompt_tokens": tokens, "n_ctx": self.window}
            return Reply(400, to_json({"error": error | counts}), "application/json; charset=utf-8")
        self.bodies.append(body)
        summed_up = "handover" in str(asked["messages"][-1]["content"])
        self.summaries += summed_up
        delta = SUMMARY if summed_up else self._play(asked["messages"])
        return Reply(200, _events(delta, tokens, self._tokens(delta)), "text/event-stream")

    def count(self, asked: Mapping[str, Any]) -> int:
        """Tokens of a request."""
        return (
            8 + sum(4 + self._tokens(message) for message in asked["messages"]) + self._tokens(asked.get("tools", []))
        )

    def _tokens(self, value: object) -> int:
        return round(len(to_json(value)) / self._bytes)


def _events(delta: Mapping[str, Any], prompt: int, completion: int) -> bytes:
    base = {
        "created": 1,
        "id": "chatcmpl-1",
        "model": "smol",
        "system_fingerprint": "b1",
        "object": "chat.completion.chunk",
    }
    reason = "tool_calls" if "tool_calls" in delta else "stop"
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    chunks: list[dict[str, Any]] = [
        {"choices": [{"finish_reason": None, "index": 0, "delta": {"role": "assistant", **delta}}]},
        {"choices": [{"finish_reason": reason, "index": 0, "delta": {}}]},
        {"choices": [], "usage": usage},
    ]
    return b"".join(b"data: %s\n\n" % to_json(base | chunk) for chunk in chunks) + b"data: [DONE]\n\n"
