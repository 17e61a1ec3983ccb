"""`steering`: how the model shall answer, as fields of a request."""

from typing import Any, Final

from ore.ext.wires.omissions import Omissions
from ore.ext.wires.openai_models import Abilities, abilities, effort_of
from ore.ext.wires.openai_responses.dialect import Dialect
from ore.ext.wires.wire import Ask
from ore.models import ThinkingLevel
from ore.provider import MaxTokensOption, option

__all__ = ["max_tokens", "steering"]

_NEVER_TAKEN: Final = ("top_k", "seed", "stop_sequences", "frequency_penalty", "presence_penalty")
"""By "Create a model response" of the vendor's API reference (read 2026-11)."""

_ENCRYPTED: Final = "reasoning.encrypted_content"


def steering(ask: Ask, dialect: Dialect, omissions: Omissions, *, summaries: str | None) -> dict[str, Any]:
    """The fields of the spec that have an opinion, and whether reasoning comes encrypted.

    Raises:
        UnsupportedError: The model does not take one, and the ask is not lenient.
    """
    model = abilities(ask.spec.name or "")
    for name in _NEVER_TAKEN:
        if (value := getattr(ask.spec, name)) not in (None, ()):
            said = f"{len(value)} of them" if name == "stop_sequences" else value
            omissions.leave(name, f"{ask.provider} does not take {name}={said} over this protocol")
    effort = _effort(ask, model, omissions)
    reasoning = {"effort": effort, "summary": summaries if model.reasons is not False else None}
    found: dict[str, Any] = {
        "max_output_tokens": _limit(ask, dialect, omissions),
        **_sampling(ask, model, effort, omissions),
        "reasoning": {name: value for name, value in reasoning.items() if value is not None} or None,
        "include": [_ENCRYPTED] if _is_encrypted(model, effort, dialect) else None,
    }
    return {name: value for name, value in found.items() if value is not None}


def max_tokens(ask: Ask) -> int | None:
    """How long the answer may get; `None` is no opinion."""
    limit = option(ask.options, MaxTokensOption)
    tokens = limit.tokens if limit is not None and limit.tokens > 0 else ask.spec.max_output_tokens
    return tokens if tokens is not None and tokens > 0 else None


def _limit(ask: Ask, dialect: Dialect, omissions: Omissions) -> int | None:
    tokens, least = max_tokens(ask), dialect.least_output_tokens
    if tokens is None or tokens >= least:
        return tokens
    omissions.leave(
        "max_output_tokens", f"{ask.provider} takes no max_output_tokens below {least}, got {tokens}", "allow more"
    )
    return least


def _effort(ask: Ask, model: Abilities, omissions: Omissions) -> str | None:
    level = ask.spec.thinking_level
    if level is None or (model.reasons is False and level is ThinkingLevel.OFF):
        return None
    effort = effort_of(level, model.efforts)
    if effort is None:
        does = "always thinks" if model.reasons else "does not think"
        omissions.leave("thinking_level", f"{ask.spec.name} {does}: thinking_level {level!s} cannot be had")
    return effort


def _sampling(ask: Ask, model: Abilities, effort: str | None, omissions: Omissions) -> dict[str, Any]:
    """Temperature and top_p; where a model that thinks does not take them, its own defaults are left out."""
    given = {"temperature": ask.spec.temperature, "top_p": ask.spec.top_p}
    if model.samples(effort):
        return given
    for name, value in given.items():
        if value is not None and value != 1:
            omissions.leave(name, f"{ask.spec.name} thinks, and so does not take {name}={value}")
    return {}


def _is_encrypted(model: Abilities, effort: str | None, dialect: Dialect) -> bool:
    """Whether reasoning is asked for in the form in which it can go back."""
    if model.reasons is not None:
        return model.reasons
    return dialect.asks_the_unknown or effort not in (None, "none")
