"""A stand-in for llama.cpp: plays answers in its own chunks, and stops where it would."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ore.artifact import ToolCall
from ore.ext.providers.local import LocalProvider, OnChunk, Runtimes, Settings
from ore.testing.contracts.provider import Answer

OVERFLOW = {
    "error": {
        "code": 400,
        "message": "request (6031 tokens) exceeds the available context size (2048 tokens), try increasing it",
        "type": "exceed_context_size_error",
        "n_prompt_tokens": 6031,
        "n_ctx": 2048,
    }
}

Script = Answer | Sequence[Mapping[str, Any]] | Exception


class ScriptedEngine:
    """Answers in order, from any thread.

    Args:
        scripts: Answers, or chunks as llama.cpp sends them, or what it raises.
    """

    def __init__(self, *scripts: Script) -> None:
        self.requests: list[Mapping[str, Any]] = []
        self._scripts = list(scripts)
        self._lock = threading.Lock()

    def handle_chat_completions(self, request: Mapping[str, Any], on_chunk: OnChunk, /) -> None:
        with self._lock:
            self.requests.append(request)
            script = self._scripts.pop(0)
        if isinstance(script, Exception):
            raise script
        for chunk in _chunks(script) if isinstance(script, Answer) else script:
            if on_chunk(chunk):
                return
        if isinstance(script, Answer) and script.end == "hangs":
            # Reading on: a chunk now and then, as while a long prompt is read.
            while not on_chunk(_chunk(content=None)):
                threading.Event().wait(0.001)


def scripted(
    folder: Path, engine: ScriptedEngine, *, slots: int = 2, lenient: bool = False
) -> tuple[LocalProvider, str]:
    """A provider over the engine, and the name of its model."""
    path = folder / "scripted.gguf"
    path.write_bytes(b"GGUF")
    runtimes = Runtimes(load=lambda path, settings: engine)
    return LocalProvider(settings=Settings(slots=slots), lenient=lenient, runtimes=runtimes), f"local:{path}"


def pieces(text: str, size: int = 3) -> Sequence[str]:
    """`text` cut into pieces of `size` characters."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def _chunks(answer: Answer) -> Iterator[Mapping[str, Any]]:
    if answer.end == "overflows":
        yield OVERFLOW
        return
    yield _chunk(role="assistant", content=None)
    for piece in answer.text if answer.call is None else _union(answer.call):
        yield _chunk(content=piece)
    if answer.end == "whole":
        yield {
            "choices": [{"index": 0, "delta": {}, "finish_reason": "length" if answer.reason == "length" else "stop"}]
        }
        yield {"choices": [], "usage": _usage(answer), "timings": {"cache_n": 2}}


def _union(call: ToolCall) -> Sequence[str]:
    return pieces(f'{{\n  "name": "{call.name}",\n  "arguments": {call.arguments}\n}}')


def _chunk(**delta: Any) -> Mapping[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def _usage(answer: Answer) -> Mapping[str, Any]:
    return {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "total_tokens": answer.prompt_tokens + answer.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": 2},
    }
