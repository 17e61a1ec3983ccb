"""The body of a request: a conversation, a spec and options."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import msgspec

from ore.artifact import Media, Notice, clean, to_json
from ore.errors import BadRequestError
from ore.ext.wires.answer_tool import AnswerTool
from ore.ext.wires.encoded import encode_units, keep, keep_of_tools, last_unit, units
from ore.ext.wires.omissions import Omissions
from ore.ext.wires.openai_chat.beside_tools import BesideTools, anything
from ore.ext.wires.openai_chat.content import cannot_take, media_part
from ore.ext.wires.openai_chat.dialect import Dialect
from ore.ext.wires.openai_chat.effort import goes_on_thinking
from ore.ext.wires.openai_chat.messages import Form, encode_unit, goes_on, has_words
from ore.ext.wires.openai_chat.tools import choice_of, response_format, written_tools
from ore.ext.wires.wire import Ask, WireRequest
from ore.ledger import Role, Turn
from ore.models import Spec, ThinkingLevel
from ore.provider import MaxTokensOption, OutputOption, PromptCacheOption, WithTools, option, tools_of
from ore.tool.names import wire_name

__all__ = ["answer_tool", "build"]

_PATH: Final = "chat/completions"

_KEY_CHARACTERS: Final = 64
"""OpenAI refuses longer keys of the prompt cache."""

_SPECS: Final = 256
"""Specs whose fields are held."""

_ALWAYS: Final[Mapping[str, Any]] = {"stream": True, "stream_options": {"include_usage": True}}


def build(ask: Ask, dialect: Dialect) -> WireRequest:
    """The request for an inference: the same bytes for the same ask.

    Raises:
        UnsupportedError: The model cannot take something that was asked for.
        BadRequestError: No model is named, or no turn has anything that can be sent.
    """
    model = ask.spec.name
    if not model:
        raise BadRequestError(f"{ask.provider}: expected the name of a model, got none", provider=ask.provider)
    omissions = Omissions(ask.provider, lenient=ask.lenient)
    cache = option(ask.options, PromptCacheOption) or PromptCacheOption()
    marks = cache.marks and dialect.cache_marks is not None and dialect.cache_marks.match(model) is not None
    _check_media(ask, dialect, omissions)
    ask, beside = _beside_tools(ask, dialect, omissions)
    messages = _messages(ask, Form(dialect=dialect, provider=ask.provider, model=model), marks=marks)
    if not messages:
        raise BadRequestError(
            f"{ask.provider}: expected a conversation with a message that can be sent, got none", provider=ask.provider
        )
    rest = {
        **_tools(ask, dialect, marks=marks),
        **beside.fields,
        **_given(ask, dialect, omissions, has_tools=bool(tools_of(ask.options))),
        **_cache(ask, dialect, cache),
        **dialect.extra,
        **_ALWAYS,
    }
    head = b'{"model":%b,"messages":[%b],' % (to_json(clean(model)), b",".join(messages))
    return WireRequest(path=_PATH, body=head + to_json(rest)[1:], notices=omissions.notices)


def answer_tool(ask: Ask, dialect: Dialect) -> AnswerTool | None:
    """The tool that is called to answer; `None` where the server has its own means, or text will do."""
    output, tools = option(ask.options, OutputOption), tools_of(ask.options)
    if output is None or dialect.output == "always" or (dialect.output == "alone" and not tools):
        return None
    return AnswerTool.of(OutputOption(wire_name(output.name), output.schema), tools)


def _messages(ask: Ask, form: Form, *, marks: bool) -> list[bytes]:
    """The messages: the system's first ones, and all from a mark on, are written anew, the rest only once."""
    turns = ask.turns if isinstance(ask.turns, list) else list(ask.turns)
    head = next((place for place, turn in enumerate(turns) if turn.role is not Role.SYSTEM), len(turns))
    marked = _marked(turns) if marks else len(turns)
    key = ("openai-chat", form.dialect, form.provider, form.model)
    found = [
        *([encode_unit(turns[:head], form, first=True, mark="system" if marks else None)] if head else []),
        *encode_units(turns[head:marked], goes_on, lambda unit: encode_unit(unit, form), kept=ask.encoded, key=key),
    ]
    for unit in units(turns[marked:], goes_on):
        found.append(encode_unit(unit, form, mark="words" if unit[0] is turns[marked] else None))
    return [piece for piece in found if piece]


def _marked(turns: Sequence[Turn]) -> int:
    """Where the last unit begins in which somebody says something; behind all where there is none."""
    place = next((place for place in range(len(turns) - 1, -1, -1) if has_words(turns[place])), None)
    return len(turns) if place is None else last_unit(turns[: place + 1], goes_on)


def _check_media(ask: Ask, dialect: Dialect, omissions: Omissions) -> None:
    """Refuse what was just sent and cannot be taken; in earlier turns its place is held by a text."""
    last = ask.turns[-1] if ask.turns else None
    if last is None or last.role is not Role.USER:
        return
    for artifact in last.artifacts:
        if isinstance(artifact, Media) and media_part(artifact, dialect) is None:
            omissions.leave(artifact.kind, cannot_take(artifact), "send it as text, or use another model")


def _beside_tools(ask: Ask, dialect: Dialect, omissions: Omissions) -> tuple[Ask, BesideTools]:
    """The ask with the tools that its model takes, and what that takes beside them."""
    model = ask.spec.name or ""
    if not tools_of(ask.options):
        return ask, anything(model)
    beside = dialect.beside_tools(model)
    if beside.takes:
        return ask, beside
    omissions.leave("tools", f"{model} takes no tools over chat completions", f"use openai-responses:{model}")
    return replace(ask, options=[option for option in ask.options if type(option) is not WithTools]), anything(model)


def _tools(ask: Ask, dialect: Dialect, *, marks: bool) -> dict[str, Any]:
    tools, output = tools_of(ask.options), option(ask.options, OutputOption)
    answer = answer_tool(ask, dialect)
    found: dict[str, Any] = {}
    if tools or answer is not None:
        found["tools"] = keep_of_tools(
            ask.encoded,
            ("openai-chat", "tools", marks, answer is None),
            (*tools, output),
            lambda: msgspec.Raw(to_json(written_tools(tools, answer, mark=marks))),
        )
    if answer is not None and dialect.tool_choice:
        found["tool_choice"] = choice_of(tools, answer)
    if output is not None and answer is None:
        found["response_format"] = keep(
            ask.encoded, ("openai-chat", "format"), (output,), lambda: msgspec.Raw(to_json(response_format(output)))
        )
    return found


def _given(ask: Ask, dialect: Dialect, omissions: Omissions, *, has_tools: bool) -> Mapping[str, Any]:
    """The fields of the spec that have an opinion; made once for each spec."""
    spec = ask.spec
    if isinstance(spec.stop_sequences, list):  # which has no hash; somebody knows no types
        spec = msgspec.structs.replace(spec, stop_sequences=tuple(spec.stop_sequences))
    found, notices = _spec(spec, _max_tokens(ask), dialect, ask.provider, ask.lenient, has_tools)
    omissions.notices += notices
    return found


@lru_cache(_SPECS)
def _spec(
    spec: Spec, limit: int | None, dialect: Dialect, provider: str, lenient: bool, has_tools: bool
) -> tuple[Mapping[str, Any], Sequence[Notice]]:
    """The fields of the spec that have an opinion; `window` is nobody's business but ours."""
    model = spec.name or ""
    omissions = Omissions(provider, lenient=lenient)
    beside = dialect.beside_tools(model) if has_tools else anything(model)
    given = {name: getattr(spec, name) for name in (*_FIELDS, "thinking_level")}
    given["max_output_tokens"] = limit
    given = {name: value for name, value in given.items() if value is not None and value != ()}
    if not beside.thinks and given.get("thinking_level") not in (None, ThinkingLevel.OFF):
        said = f"{model} does not think over chat completions when it has tools"
        omissions.leave("thinking_level", said, f"use openai-responses:{model}, or no tools")
        del given["thinking_level"]
    told = {"thinking_level": ThinkingLevel.OFF} if beside.fields else {}
    refused = dialect.refused(model, {**told, **given})
    found: dict[str, Any] = {}
    for name, value in given.items():
        fields = _field(name, value, model, dialect)
        if fields is None or (fields and name in refused):
            omissions.leave(name, f"{model} at {provider} does not take {name}={_shown(value)}")
        else:
            found.update(fields)
            if name == "thinking_level" and goes_on_thinking(value, fields, model):
                omissions.mention(
                    f"{provider} cannot be told that {model} shall not think; thinking_level off is left out"
                )
    return found, omissions.notices


_FIELDS: Final = (
    *("max_output_tokens", "temperature", "top_p", "top_k", "seed", "stop_sequences"),
    *("frequency_penalty", "presence_penalty"),
)


def _field(name: str, value: Any, model: str, dialect: Dialect) -> Mapping[str, Any] | None:
    """A field as it is sent; `None` when the server does not take it."""
    if name == "thinking_level":
        return dialect.effort(value, model)
    key = dialect.renamed(model).get(name) or dialect.fields.get(name)
    if key is None:
        return None
    if name == "stop_sequences":
        if dialect.most_stops is not None and len(value) > dialect.most_stops:
            return None
        return {key: list(value)}
    return {key: value}


def _shown(value: Any) -> str:
    """A number or a level; stop sequences may be anybody's words."""
    return f"{len(value)} of them" if isinstance(value, tuple) else str(value)


def _max_tokens(ask: Ask) -> int | None:
    limit = option(ask.options, MaxTokensOption)
    tokens = limit.tokens if limit is not None and limit.tokens > 0 else ask.spec.max_output_tokens
    return tokens if tokens is not None and tokens > 0 else None


def _cache(ask: Ask, dialect: Dialect, cache: PromptCacheOption) -> Mapping[str, Any]:
    key = cache.key or ask.session
    found: dict[str, Any] = dict(dialect.cache_fields) if cache.marks else {}
    if key and dialect.cache_key is not None:
        found[dialect.cache_key] = key if len(key) <= _KEY_CHARACTERS else hashlib.sha256(key.encode()).hexdigest()
    return found
