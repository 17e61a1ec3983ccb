"""`Dialect`: what a server takes of chat completions, and under which names."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ore.ext.wires.openai_chat.beside_tools import ToolsRule, anything, of_openai, of_those_like_openai
from ore.ext.wires.openai_chat.effort import (
    Effort,
    effort,
    effort_or_none,
    gateway_effort,
    no_effort,
    on_or_off,
    openai_effort,
)
from ore.ext.wires.openai_models import abilities, reasons_at_openai
from ore.models import ThinkingLevel

__all__ = ["COMPATIBLE", "LLAMA_CPP", "MINIMAX", "OPENAI", "OPENROUTER", "VERCEL", "Dialect"]

_COMMON: Final[Mapping[str, str]] = {
    "max_output_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "stop_sequences": "stop",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}

_NEW: Final = "max_completion_tokens"

ModelRule = Callable[[str, Mapping[str, Any]], frozenset[str]]
"""Of a model's name and the fields of a request: those that this model does not take."""


def _anything(model: str, fields: Mapping[str, Any]) -> frozenset[str]:
    return frozenset()


def _nothing(model: str) -> Mapping[str, str]:
    return {}


# Not compared by value: what was encoded is kept under it, and a mapping has no hash.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dialect:
    """What a server takes, where servers differ.

    Attributes:
        fields: Fields of a spec by their names in a request; one that is
            missing is not taken.
        renamed: Fields that one of its models knows by another name.
        effort: How it is told how hard to think.
        refused: Fields that a model does not take, though others of this
            server do.
        beside_tools: What a model takes when tools are offered to it.
        most_stops: Stop sequences that it takes at most.
        output: Its own means for JSON of a schema: `always`; `alone`, where no
            tools stand beside it; `never`. Else a tool is called to answer.
        tool_choice: Whether it can be told to call a tool.
        cache_key: The field for what requests with one beginning share.
        cache_marks: Models for which what stays the same is marked.
        cache_fields: Fields by which it marks that itself.
        media: What it takes in a user's turn: `image`, `file`, `audio`.
        file_urls: Whether a file may stand elsewhere.
        images_in_results: Whether results of tools may hold images; else they
            follow in a user's message.
        system_first: Whether only the first messages may be the system's;
            later ones are folded into the user's, in their place, in a tag.
        returns_reasoning: Whether thinking goes back to the model that issued
            it, in the form in which it came.
        extra: What every request has.
    """

    fields: Mapping[str, str] = field(default_factory=lambda: _COMMON)
    renamed: Callable[[str], Mapping[str, str]] = _nothing
    effort: Effort = effort
    refused: ModelRule = _anything
    beside_tools: ToolsRule = anything
    most_stops: int | None = None
    output: Literal["always", "alone", "never"] = "always"
    tool_choice: bool = True
    cache_key: str | None = None
    cache_marks: re.Pattern[str] | None = None
    cache_fields: Mapping[str, Any] = field(default_factory=dict)
    media: frozenset[str] = frozenset(("image", "file", "audio"))
    file_urls: bool = False
    images_in_results: bool = False
    system_first: bool = False
    returns_reasoning: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)


_NO_STOPS: Final = re.compile(r"o[34]|gpt-6")
_SAMPLING: Final[Mapping[str, float]] = {"temperature": 1, "top_p": 1, "frequency_penalty": 0, "presence_penalty": 0}


def _openai_refused(model: str, fields: Mapping[str, Any]) -> frozenset[str]:
    """What OpenAI's models refuse, by their names ("Using reasoning models", read 2026-11).

    Where they think they take only the defaults of what steers sampling. A
    name that says nothing refuses nothing: then the vendor decides.
    """
    known = abilities(model)
    refused = {"thinking_level"} if known.reasons is False else set()
    level = fields.get("thinking_level")
    if not known.samples("none" if level is ThinkingLevel.OFF else level):
        refused |= {name for name, usual in _SAMPLING.items() if fields.get(name) not in (None, usual)}
    return frozenset(refused | ({"stop_sequences"} if _NO_STOPS.match(model.rpartition("/")[2]) else set()))


OPENAI: Final = Dialect(
    fields={**_COMMON, "max_output_tokens": _NEW},
    effort=openai_effort,
    refused=_openai_refused,
    beside_tools=of_openai,
    most_stops=4,
    cache_key="prompt_cache_key",
    returns_reasoning=False,
)
"""OpenAI itself, by its API reference (read 2026-11). Every model takes
`max_completion_tokens`; those that reason take nothing else. Its thinking does
not leave it over this protocol."""


def _refused_wherever(model: str, fields: Mapping[str, Any]) -> frozenset[str]:
    """What OpenAI's own models refuse behind another server as well; the open ones take what their server takes."""
    known = abilities(model)
    return _openai_refused(model, fields) if reasons_at_openai(model) or known.reasons is False else frozenset()


COMPATIBLE: Final = Dialect(
    renamed=lambda model: {"max_output_tokens": _NEW} if reasons_at_openai(model) else {},
    effort=effort_or_none,
    refused=_refused_wherever,
    output="alone",
    beside_tools=of_those_like_openai,
)
"""Any server that speaks like it: vLLM, DeepSeek, Groq, Mistral and others.

Some of them ask OpenAI, so its own models get what it takes of them; a server
that has a model of its own under such a name takes that as well.
Only what nearly all of them take is sent. Several refuse a schema beside
tools. DeepSeek refuses calls that come back without the thinking before them
("Thinking mode", read 2026-11); whoever sends thinking takes it back."""

LLAMA_CPP: Final = Dialect(
    fields={**_COMMON, "top_k": "top_k"},
    effort=no_effort,
    output="alone",
    media=frozenset(("image", "audio")),
    system_first=True,
)
"""llama.cpp's server and those built on it (its README, read 2026-11): chat
templates often want the system's message first, and a grammar has no place
beside tools."""

OPENROUTER: Final = Dialect(
    fields={**_COMMON, "top_k": "top_k"},
    effort=gateway_effort,
    cache_marks=re.compile(r"~?(anthropic|alibaba|qwen)/"),
    file_urls=True,
)
"""OpenRouter ("Parameters", "Reasoning tokens", "Prompt caching", "PDF
inputs", read 2026-11): Anthropic's and Alibaba's models cache what is marked,
the others by themselves."""

VERCEL: Final = Dialect(
    fields={name: value for name, value in _COMMON.items() if name != "seed"},
    effort=gateway_effort,
    cache_fields={"providerOptions": {"gateway": {"caching": "auto"}}},
    media=frozenset(("image", "file")),
)
"""Vercel's AI gateway ("Chat completions", "Reasoning", "Automatic caching",
read 2026-11): it sets the marks itself when asked to."""

MINIMAX: Final = Dialect(
    fields={"max_output_tokens": _NEW, "temperature": "temperature", "top_p": "top_p"},
    effort=on_or_off,
    refused=lambda model, fields: frozenset(("temperature",)) if fields.get("temperature") == 0 else frozenset(),
    output="never",
    tool_choice=False,
    media=frozenset(),
    extra={"reasoning_split": True},
)
"""MiniMax ("Compatible OpenAI API", read 2026-11): what it would pass over is
refused here, a temperature of 0 is not allowed, thinking comes apart from the
text only when asked for, and has to go back."""
