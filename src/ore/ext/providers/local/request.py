"""What llama.cpp is asked: a turn's spec and options as one request."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ore.artifact import Notice, Severity
from ore.errors import BadRequestError, UnsupportedError
from ore.ext.providers.local.chat import messages, repeats
from ore.ext.providers.local.choice import choice_schema, instructions, portable
from ore.ext.providers.local.decoder import ChoiceDecoder, Decoder, TextDecoder
from ore.ledger import Turn
from ore.models import Spec, ThinkingLevel
from ore.provider import MaxTokensOption, Option, OutputOption, option, tools_of
from ore.tool import Tool

__all__ = ["MAX_OUTPUT_TOKENS", "TEMPERATURE", "TOP_P", "build", "unsupported"]

MAX_OUTPUT_TOKENS: Final = 512
"""Tokens of an answer when nobody says how many: about ten seconds, and a small
model that has lost its thread does not find it again."""

TEMPERATURE: Final = 0.2
"""When nobody says: SmolLM2-Instruct's model card."""

TOP_P: Final = 0.9
"""When nobody says: SmolLM2-Instruct's model card."""

_FIELDS: Final[Mapping[str, str]] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "seed": "seed",
    "stop_sequences": "stop",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}


def unsupported(spec: Spec, *, lenient: bool) -> Sequence[Notice]:
    """What of a spec is left out, as notices.

    Raises:
        UnsupportedError: There is something, and `lenient` is off.
    """
    if spec.thinking_level in (None, ThinkingLevel.OFF):
        return ()
    said = f"the embedded model does not think: thinking_level {spec.thinking_level!s} cannot be had"
    if not lenient:
        raise UnsupportedError(f"{said}; leave it out or set it to off", field="thinking_level", provider="local")
    return (Notice(content=f"{said} and was left out", severity=Severity.WARN),)


def build(turns: Sequence[Turn], spec: Spec, options: Sequence[Option]) -> tuple[dict[str, Any], Decoder]:
    """The request, and who reads its answer.

    With tools the model answers by the schema of `choice_schema`. Once it has
    repeated a call of this message it may only answer.

    Raises:
        BadRequestError: No turn has anything that a model can read.
    """
    tools, output = tools_of(options), option(options, OutputOption)
    answer = output.schema if output is not None else None
    told = instructions(tools, answer) if tools else ""
    request: dict[str, Any] = {
        "messages": messages(turns, told=told),
        "max_tokens": _max_tokens(spec, options),
        "temperature": TEMPERATURE,
        "top_p": TOP_P,
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,  # a chance to cancel while a long prompt is read
    }
    if not request["messages"]:
        raise BadRequestError("expected a turn with text, got none", provider="local")
    for name, field in _FIELDS.items():
        if (value := getattr(spec, name)) is not None:
            request[field] = list(value) if isinstance(value, tuple) else value
    schema, decoder = _decoding(turns, tools, answer)
    if schema is not None:
        request["response_format"] = {"type": "json_schema", "json_schema": {"schema": schema}}
    return request, decoder


def _max_tokens(spec: Spec, options: Sequence[Option]) -> int:
    limit = option(options, MaxTokensOption)
    if limit is not None and limit.tokens > 0:
        return limit.tokens
    given = spec.max_output_tokens
    return given if given is not None and given > 0 else MAX_OUTPUT_TOKENS


def _decoding(
    turns: Sequence[Turn], tools: Sequence[Tool], answer: Mapping[str, Any] | None
) -> tuple[Mapping[str, Any] | None, Decoder]:
    if tools:
        callable_now = () if repeats(turns) else tools
        return choice_schema(callable_now, answer), ChoiceDecoder(text=answer is None)
    return (None if answer is None else portable(answer, "#")), TextDecoder()
