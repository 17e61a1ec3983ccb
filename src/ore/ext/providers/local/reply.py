"""`Reply`: llama.cpp's chunks to artifacts."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from ore.artifact import Artifact, ReasoningDelta, StopReason, Usage
from ore.errors import BadRequestError, ContextOverflowError, OverloadedError, ProtocolError, ProviderError
from ore.ext.providers.local.decoder import Decoder

__all__ = ["Reply"]


class _Delta(msgspec.Struct):
    content: str | None = None
    reasoning_content: str | None = None


class _Choice(msgspec.Struct):
    delta: _Delta = msgspec.field(default_factory=_Delta)
    finish_reason: str | None = None


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    prompt_tokens_details: _Details = msgspec.field(default_factory=_Details)


class _Error(msgspec.Struct):
    message: str = ""
    type: str = ""
    code: int | None = None
    n_prompt_tokens: int | None = None
    n_ctx: int | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: _Error | None = None


class Reply:
    """Reads one answer; what only its end can tell comes from `close`."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder = decoder
        self._finish: str | None = None
        self._usage: _Usage | None = None

    def read(self, chunks: Sequence[Mapping[str, Any]]) -> Iterator[Artifact]:
        """The fragments in some chunks.

        Raises:
            ContextOverflowError: Prompt and answer do not fit the window.
            ProviderError: The runtime says that it failed.
        """
        for raw in chunks:
            chunk = _chunk(raw)
            if chunk.error is not None:
                raise _failure(chunk.error)
            self._usage = chunk.usage or self._usage
            for choice in chunk.choices:
                self._finish = choice.finish_reason or self._finish
                if choice.delta.reasoning_content:
                    yield ReasoningDelta(content=choice.delta.reasoning_content)
                yield from self._decoder.add(choice.delta.content or "")

    def close(self) -> Iterator[Artifact]:
        """What was held back, why the model stopped, what it cost.

        Raises:
            ProtocolError: The answer has no end.
        """
        if self._finish is None:
            raise ProtocolError("the runtime ended without a finish reason", provider="local")
        cut = self._finish == "length"
        yield from self._decoder.close(cut=cut)
        yield StopReason(reason="length" if cut else "tool_use" if self._decoder.called else "stop")
        if self._usage is not None:
            yield Usage(
                prompt_tokens=self._usage.prompt_tokens,
                completion_tokens=self._usage.completion_tokens,
                total_tokens=self._usage.total_tokens,
                cache_read_tokens=self._usage.prompt_tokens_details.cached_tokens,
                cost_usd=Decimal(0),
            )


def _chunk(raw: Mapping[str, Any]) -> _Chunk:
    try:
        return msgspec.convert(raw, _Chunk)
    except msgspec.ValidationError as exc:
        raise ProtocolError(f"the runtime sent a chunk of another shape: {exc}", provider="local") from None


def _failure(error: _Error) -> ProviderError:
    if error.type == "exceed_context_size_error":
        return ContextOverflowError(
            f"the prompt has {error.n_prompt_tokens} tokens, the window {error.n_ctx}", provider="local", status=400
        )
    said = f"llama.cpp: {error.message[:300]}"
    if error.type == "unavailable_error":
        return OverloadedError(said, provider="local", status=error.code)
    if error.code is not None and 400 <= error.code < 500:
        return BadRequestError(said, provider="local", status=error.code)
    return ProviderError(said, provider="local", status=error.code)
