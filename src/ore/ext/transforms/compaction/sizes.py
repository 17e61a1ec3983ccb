"""How long a conversation is: what the model counted, and an estimate of what came since."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

import msgspec

from ore.artifact import Usage
from ore.ext.catalog.size import estimated_tokens
from ore.ext.catalog.target import Target
from ore.ext.transforms.compaction.boundary import boundary_of, last_boundary
from ore.ledger import Role, State, Thread, Turn
from ore.tool import Tool

__all__ = ["Size", "counted", "prompt_tokens", "tokens_of"]

_RATIOS: Final = (0.5, 6.0)
"""Between these is what a tokenizer makes of an estimate; anything else is a count of something else."""


class Size(msgspec.Struct, frozen=True, kw_only=True):
    """How long the next prompt is.

    Attributes:
        estimated: By the rule of thumb alone.
        tokens: By the model's own count as far as there is one, else by the estimate and its ratio.
        ratio: Real tokens for each estimated one.
    """

    estimated: int
    tokens: int
    ratio: float


def prompt_tokens(state: State, tools: Sequence[Tool], target: Target) -> int:
    """About how many tokens a prompt has; estimates no more than what came since the last answer that was counted.

    Args:
        state: The conversation as the model gets it.
        tools: That are offered with it.
        target: Who is asked.
    """
    real, since = _real(state.base)
    if real is None:
        return counted(state, tools, target).tokens
    newer = {turn.id for turn in since}
    rest = takewhile(lambda turn: turn.id in newer, reversed(state.turns))
    return real + round(estimated_tokens(rest, (), target) * _last_ratio(state.base.turns))


def counted(state: State, tools: Sequence[Tool], target: Target) -> Size:
    """The size of a prompt, with what the model's own counts say of the estimate; reads all of it."""
    estimated = estimated_tokens(state.turns, tools, target)
    real, since = _real(state.base)
    if real is None:
        ratio = _last_ratio(state.base.turns)
        return Size(estimated=estimated, tokens=round(estimated * ratio), ratio=ratio)
    newer = {turn.id for turn in since}
    known = estimated_tokens([turn for turn in state.turns if turn.id not in newer], tools, target)
    ratio = min(max(real / known, _RATIOS[0]), _RATIOS[1]) if known else 1.0
    return Size(estimated=estimated, tokens=real + round(max(estimated - known, 0) * ratio), ratio=ratio)


def tokens_of(turns: Sequence[Turn], target: Target) -> int:
    """Estimated tokens of turns alone."""
    return estimated_tokens(turns, (), target)


def _last_ratio(path: Sequence[Turn]) -> float:
    found = last_boundary(path)
    return found[1].tokens_per_estimate if found else 1.0


def _real(base: State) -> tuple[int | None, Sequence[Turn]]:
    """What the last answer and its prompt came to by the model's own count, and the turns since.

    A count from before a boundary is of another prompt, and so is one that was
    made under a boundary that was taken back since.
    """
    total: int | None = None
    since: list[Turn] = []
    follows: Turn | None = None
    for turn in reversed(base.turns):
        if boundary_of(turn) is not None:
            break
        if follows is not None and follows.parent_id != turn.id and _passes_boundary(base, follows, turn):
            return None, ()
        if total is None and turn.role is Role.ASSISTANT:
            total = _total(turn)
        if total is None:
            since.append(turn)
        follows = turn
    return total, since


def _passes_boundary(base: State, follows: Turn, turn: Turn) -> bool:
    """Whether the path passes over a boundary between two turns."""
    at = follows.parent_id
    while isinstance(base, Thread) and at is not None and at != turn.id:
        found = base.get(at)
        if found is None:
            return False
        if boundary_of(found) is not None:
            return True
        at = found.parent_id
    return False


def _total(turn: Turn) -> int | None:
    for artifact in turn.artifacts:
        if isinstance(artifact, Usage) and artifact.prompt_tokens:
            return artifact.total_tokens or artifact.prompt_tokens + (artifact.completion_tokens or 0)
    return None
