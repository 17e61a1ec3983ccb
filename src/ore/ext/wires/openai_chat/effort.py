"""How servers are told how hard to think."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from ore.ext.wires.openai_models import abilities, effort_of, reasons_at_openai
from ore.models import ThinkingLevel

__all__ = [
    "Effort",
    "effort",
    "effort_or_none",
    "gateway_effort",
    "goes_on_thinking",
    "no_effort",
    "on_or_off",
    "openai_effort",
]

Effort = Callable[[ThinkingLevel, str], Mapping[str, Any] | None]
"""The fields of a request that say it to a model of a name; `None` when it cannot be said."""

_WORDS: Final[Mapping[ThinkingLevel, str]] = {
    ThinkingLevel.MINIMAL: "low",
    ThinkingLevel.LOW: "low",
    ThinkingLevel.MEDIUM: "medium",
    ThinkingLevel.HIGH: "high",
    ThinkingLevel.MAX: "high",
}
"""The three words that every model which reasons takes, as the original maps
levels to them; off is said by saying nothing."""

_OVER_RESPONSES: Final = "max"
"""The effort that this protocol does not take."""


def effort(level: ThinkingLevel, model: str) -> Mapping[str, Any] | None:
    """`reasoning_effort`, as those have it who speak like OpenAI."""
    return {"reasoning_effort": _WORDS[level]} if level in _WORDS else {}


def goes_on_thinking(level: ThinkingLevel, fields: Mapping[str, Any], model: str) -> bool:
    """Whether a model may think though it was to be off, since nothing tells it."""
    if level is not ThinkingLevel.OFF or fields:
        return False
    known = abilities(model)
    return known.reasons is None or known.thinks_unasked


def effort_or_none(level: ThinkingLevel, model: str) -> Mapping[str, Any] | None:
    """`reasoning_effort` at servers that speak like OpenAI, which some of them ask for its own models."""
    return openai_effort(level, model) if reasons_at_openai(model) else effort(level, model)


def openai_effort(level: ThinkingLevel, model: str) -> Mapping[str, Any] | None:
    """`reasoning_effort` in the words that OpenAI's model takes; off is said where it would think unasked."""
    known = abilities(model)
    if not known.reasons:
        return effort(level, model)
    if level is ThinkingLevel.OFF and not known.thinks_unasked:
        return {}
    word = effort_of(level, [one for one in known.efforts if one != _OVER_RESPONSES])
    return None if word is None else {"reasoning_effort": word}


def gateway_effort(level: ThinkingLevel, model: str) -> Mapping[str, Any] | None:
    """`reasoning`, as OpenRouter and Vercel have it; they tell each model in its own way, also that it shall not."""
    return {"reasoning": {"effort": _WORDS.get(level, "none")}}


def on_or_off(level: ThinkingLevel, model: str) -> Mapping[str, Any] | None:
    """`thinking`, as MiniMax has it: its models decide themselves how hard."""
    return {"thinking": {"type": "disabled" if level is ThinkingLevel.OFF else "adaptive"}}


def no_effort(level: ThinkingLevel, model: str) -> Mapping[str, Any] | None:
    """Nothing can be said; off is what there is."""
    return {} if level is ThinkingLevel.OFF else None
