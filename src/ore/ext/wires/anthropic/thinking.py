"""How hard a model thinks, in the terms that it takes."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ore.ext.wires.anthropic.claude import Claude
from ore.ext.wires.omissions import Omissions
from ore.models import ThinkingLevel

__all__ = ["LEAST_BUDGET_TOKENS", "Thinking", "budget_tokens", "thinking"]

LEAST_BUDGET_TOKENS: Final = 1_024
"""1,024 tokens: the vendor's minimum, which the answer gets at least as well."""

BINDING_BETA: Final = "thinking-binding-controls-2026-08-01"
"""By "Preserved thinking" of the vendor's documentation (read 2026-11)."""

_SHARES: Final[Mapping[ThinkingLevel, int]] = {
    ThinkingLevel.MINIMAL: 2,
    ThinkingLevel.LOW: 8,
    ThinkingLevel.MEDIUM: 25,
    ThinkingLevel.HIGH: 50,
    ThinkingLevel.MAX: 80,
}
"""Percent of the answer's tokens: the original's."""

_EFFORTS: Final[Mapping[ThinkingLevel, str]] = {
    ThinkingLevel.MINIMAL: "low",
    ThinkingLevel.LOW: "low",
    ThinkingLevel.MEDIUM: "medium",
    ThinkingLevel.HIGH: "high",
    ThinkingLevel.MAX: "max",
}


class Thinking(NamedTuple):
    """What a request says of thinking.

    Attributes:
        option: Its `thinking`; `None` says nothing.
        effort: The `effort` in its `output_config`.
        beta: What the `anthropic-beta` header has to name.
        asked: Whether thinking was turned on, with which not everything goes.
    """

    option: Mapping[str, Any] | None = None
    effort: str | None = None
    beta: str | None = None
    asked: bool = False


def budget_tokens(level: ThinkingLevel, max_tokens: int) -> int | None:
    """Tokens to think with; `None` when the answer would be too short for both."""
    share = _SHARES.get(level)
    if share is None or max_tokens < 2 * LEAST_BUDGET_TOKENS:
        return None
    return min(max(max_tokens * share // 100, LEAST_BUDGET_TOKENS), max_tokens - LEAST_BUDGET_TOKENS)


def thinking(
    level: ThinkingLevel | None, model: Claude, max_tokens: int, omissions: Omissions, *, controls_binding: bool
) -> Thinking:
    """What a level means to a model; no level leaves it to the model.

    A model that binds its thinking to a conversation is told to drop what no
    longer fits, since compaction and tools that come and go change what stands
    before it, and refusing it would make the session unusable.

    Raises:
        UnsupportedError: The model cannot think, or cannot help it.
    """
    if level is ThinkingLevel.OFF and model.off == "impossible":
        omissions.leave("thinking_level", "the model always thinks, so thinking_level cannot be off", "take minimal")
        level = None
    if level is ThinkingLevel.OFF:
        return Thinking() if model.off == "unset" else Thinking(option={"type": model.off})
    if level is not None and model.thinks == "never":
        omissions.leave("thinking_level", "the model does not think, so there is no thinking_level")
        return Thinking()
    if model.thinks == "adaptive":
        return _adaptive(level, model, controls_binding=controls_binding)
    budget = None if level is None else budget_tokens(level, max_tokens)
    if budget is None:
        if level is not None:
            omissions.mention(
                f"an answer of {max_tokens} tokens has no room for thinking, which begins at "
                f"{2 * LEAST_BUDGET_TOKENS}; thinking_level {level.value} is left out"
            )
        return Thinking()
    return Thinking(option={"type": "enabled", "budget_tokens": budget}, asked=True)


def _adaptive(level: ThinkingLevel | None, model: Claude, *, controls_binding: bool) -> Thinking:
    binding = model.binds and controls_binding
    option: dict[str, Any] = {"type": "adaptive"}
    if level is None and not binding:
        return Thinking()
    if level is not None and model.hides:
        option["display"] = "summarized"
    if binding:
        option["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    return Thinking(
        option=option,
        effort=None if level is None else _EFFORTS[level],
        beta=BINDING_BETA if binding else None,
        asked=level is not None,
    )
