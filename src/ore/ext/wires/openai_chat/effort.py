"""How servers are told how hard to think."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from ore.models import ThinkingLevel

__all__ = ["Effort", "effort", "gateway_effort", "no_effort", "on_or_off"]

Effort = Callable[[ThinkingLevel], Mapping[str, Any] | None]
"""The fields of a request that say it; `None` when it cannot be said."""

_WORDS: Final[Mapping[ThinkingLevel, str]] = {
    ThinkingLevel.MINIMAL: "low",
    ThinkingLevel.LOW: "low",
    ThinkingLevel.MEDIUM: "medium",
    ThinkingLevel.HIGH: "high",
    ThinkingLevel.MAX: "high",
}
"""The three words that every model which reasons takes, as the original maps
levels to them; off is said by saying nothing."""


def effort(level: ThinkingLevel) -> Mapping[str, Any] | None:
    """`reasoning_effort`, as OpenAI has it."""
    return {"reasoning_effort": _WORDS[level]} if level in _WORDS else {}


def gateway_effort(level: ThinkingLevel) -> Mapping[str, Any] | None:
    """`reasoning`, as OpenRouter and Vercel have it."""
    return {"reasoning": {"effort": _WORDS[level]}} if level in _WORDS else {}


def on_or_off(level: ThinkingLevel) -> Mapping[str, Any] | None:
    """`thinking`, as MiniMax has it: its models decide themselves how hard."""
    return {"thinking": {"type": "disabled" if level is ThinkingLevel.OFF else "adaptive"}}


def no_effort(level: ThinkingLevel) -> Mapping[str, Any] | None:
    """Nothing can be said; off is what there is."""
    return {} if level is ThinkingLevel.OFF else None
