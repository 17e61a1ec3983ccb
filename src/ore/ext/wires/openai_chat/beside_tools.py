"""`BesideTools`: what a model takes over chat completions when tools are offered to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ore.ext.wires.openai_models import abilities

__all__ = ["BesideTools", "ToolsRule", "anything", "of_openai", "of_those_like_openai"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideTools:
    """What goes with tools, and what does not.

    Attributes:
        takes: Whether it takes tools at all.
        thinks: Whether it may be told to think.
        fields: What has to be said where nobody asked for thinking.
    """

    takes: bool = True
    thinks: bool = True
    fields: Mapping[str, Any] = field(default_factory=dict)


ToolsRule = Callable[[str], BesideTools]
"""Of a model's name."""

_ANYTHING: Final = BesideTools()
_NOTHING_THOUGHT: Final = {"reasoning_effort": "none"}


def anything(model: str) -> BesideTools:
    """Tools change nothing."""
    return _ANYTHING


def of_openai(model: str) -> BesideTools:
    """OpenAI itself: since GPT-5.4 a model thinks or calls functions, and one that always thinks calls none."""
    known = abilities(model)
    if known.thinks_beside_tools:
        return _ANYTHING
    return BesideTools(takes="none" in known.efforts, thinks=False, fields=_NOTHING_THOUGHT)


def of_those_like_openai(model: str) -> BesideTools:
    """A gateway may stand before OpenAI, or ask Responses itself: what nobody asked for is left out, and no more."""
    own = of_openai(model)
    return BesideTools(fields=own.fields) if own.takes else _ANYTHING
