"""`Ollama`: the chat protocol of Ollama's server, without I/O.

By "Generate a chat message" and "Thinking" of its documentation (read 2026-11).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ore.artifact import to_json
from ore.errors import BadRequestError, ProviderError
from ore.ext.wires.answer_tool import AnswerTool
from ore.ext.wires.encoded import encode_units, keep_of_tools
from ore.ext.wires.ollama.decoder import OllamaDecoder
from ore.ext.wires.ollama.failure import answer_failure
from ore.ext.wires.ollama.messages import Messages, why_not
from ore.ext.wires.omissions import Omissions, leave_media
from ore.ext.wires.wire import Ask, Decoder, WireRequest
from ore.models import Spec, ThinkingLevel
from ore.provider import MaxTokensOption, OutputOption, option, tools_of
from ore.tool import Tool, wire_name

__all__ = ["Ollama"]

_OPTIONS: Final[Mapping[str, str]] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "seed": "seed",
    "window": "num_ctx",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}

_LEVELS: Final[Mapping[ThinkingLevel, str]] = {
    ThinkingLevel.MINIMAL: "low",
    ThinkingLevel.LOW: "low",
    ThinkingLevel.MEDIUM: "medium",
}
"""The rest is `high`."""

_BY_LEVEL: Final = "gpt-oss"
"""Models of this name take a level; others refuse one, and only think or do not."""


class Ollama:
    """Asks `api/chat`, for lines.

    It takes all of a spec. A conversation that does not fit the window is an
    error rather than one without its beginning, as the server would have it.
    An output goes as `format`; beside tools, which that would keep from being
    called, as a tool that answers.
    """

    @property
    def protocol(self) -> str:
        """`ollama`."""
        return "ollama"

    def request(self, ask: Ask) -> WireRequest:
        """The request for an inference; see `Wire`."""
        model = _model(ask)
        omissions = Omissions(ask.provider, lenient=ask.lenient)
        leave_media(ask.turns, why_not, omissions)
        encoder = Messages(ask.provider, model)
        key = ("ollama", ask.provider, model)
        messages = encode_units(ask.turns, encoder.goes_on, encoder.encode, kept=ask.encoded, key=key)
        if not messages:
            raise BadRequestError("expected a message to answer, got none", provider=ask.provider)
        fields: dict[str, bytes] = {"model": to_json(model), "stream": b"true", "truncate": b"false", "shift": b"false"}
        tools, output, answer = tools_of(ask.options), option(ask.options, OutputOption), _answer_tool(ask)
        if tools:
            sources = (*tools, output)
            fields["tools"] = keep_of_tools(
                ask.encoded, ("ollama", "tools"), sources, lambda: _declarations(tools, answer)
            )
        elif output is not None:
            fields["format"] = to_json(output.schema)
        if ask.spec.thinking_level is not None:
            fields["think"] = to_json(_think(ask.spec.thinking_level, model))
        options = _options(ask.spec, option(ask.options, MaxTokensOption))
        if options:
            fields["options"] = to_json(options)
        return WireRequest(path="api/chat", body=_body(messages, fields), notices=tuple(omissions.notices))

    def decoder(self, ask: Ask) -> Decoder:
        """Reads the answer to an ask; see `Wire`."""
        answer = _answer_tool(ask)
        name = None if answer is None else answer.name
        return OllamaDecoder(provider=ask.provider, model=_model(ask), answer_tool=name)

    def failure(self, provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """The error of an answer whose status is not 200; see `Wire`."""
        return answer_failure(provider, status, headers, body)


def _model(ask: Ask) -> str:
    if not ask.spec.name:
        raise BadRequestError("expected the name of a model, got none", provider=ask.provider)
    return ask.spec.name


def _answer_tool(ask: Ask) -> AnswerTool | None:
    output, tools = option(ask.options, OutputOption), tools_of(ask.options)
    return AnswerTool.of(output, tools) if output is not None and tools else None


def _declarations(tools: Sequence[Tool], answer: AnswerTool | None) -> bytes:
    given: Sequence[Tool | AnswerTool] = tools if answer is None else (*tools, answer)
    return to_json(
        [
            {
                "type": "function",
                "function": {"name": wire_name(tool.name), "description": tool.description, "parameters": tool.schema},
            }
            for tool in given
        ]
    )


def _think(level: ThinkingLevel, model: str) -> bool | str:
    if level is ThinkingLevel.OFF or _BY_LEVEL not in model.lower():
        return level is not ThinkingLevel.OFF
    return _LEVELS.get(level, "high")


def _options(spec: Spec, limit: MaxTokensOption | None) -> dict[str, Any]:
    options = {field: value for name, field in _OPTIONS.items() if (value := getattr(spec, name)) is not None}
    tokens = limit.tokens if limit is not None and limit.tokens > 0 else spec.max_output_tokens
    if tokens is not None and tokens > 0:
        options["num_predict"] = tokens
    stops = [text for text in spec.stop_sequences or () if text]
    return {**options, "stop": stops} if stops else options


def _body(messages: Sequence[bytes], fields: Mapping[str, bytes]) -> bytes:
    pieces: list[bytes] = [b'{"messages":[', b",".join(messages), b"]"]
    for name, value in fields.items():
        pieces += (b',"', name.encode(), b'":', value)
    return b"".join((*pieces, b"}"))
