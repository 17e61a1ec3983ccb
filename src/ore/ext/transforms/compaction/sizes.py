"""How long a conversation is: what the model counted, and an estimate of what came since."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

import msgspec

from ore.artifact import Usage
from ore.ext.catalog.size import estimated_tokens
from ore.ext.catalog.target import Target
from ore.ext.transforms.compaction.boundary import boundary_of, last_boundary
from ore.ledger import Role, Turn
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


def prompt_tokens(shown: Sequence[Turn], path: Sequence[Turn], tools: Sequence[Tool], target: Target) -> int:
    """About how many tokens a prompt has; looks no further back than to the last answer that was counted.

    Args:
        shown: The turns as the model gets them.
        path: The ledger's.
        tools: That are offered with them.
        target: Who is asked.
    """
    real, since = _real(path)
    if real is None:
        return counted(shown, path, tools, target).tokens
    newer = {turn.id for turn in since}
    rest = takewhile(lambda turn: turn.id in newer, reversed(shown))
    return real + round(estimated_tokens(rest, (), target) * _last_ratio(path))


def counted(shown: Sequence[Turn], path: Sequence[Turn], tools: Sequence[Tool], target: Target) -> Size:
    """The size of a prompt, with what the model's own counts say of the estimate; reads all of it."""
    estimated = estimated_tokens(shown, tools, target)
    real, since = _real(path)
    if real is None:
        ratio = _last_ratio(path)
        return Size(estimated=estimated, tokens=round(estimated * ratio), ratio=ratio)
    newer = {turn.id for turn in since}
    known = estimated_tokens([turn for turn in shown if turn.id not in newer], tools, target)
    ratio = min(max(real / known, _RATIOS[0]), _RATIOS[1]) if known else 1.0
    return Size(estimated=estimated, tokens=real + round(max(estimated - known, 0) * ratio), ratio=ratio)


def tokens_of(turns: Sequence[Turn], target: Target) -> int:
    """Estimated tokens of turns alone."""
    return estimated_tokens(turns, (), target)


def _last_ratio(path: Sequence[Turn]) -> float:
    found = last_boundary(path)
    return found[1].tokens_per_estimate if found else 1.0


def _real(path: Sequence[Turn]) -> tuple[int | None, Sequence[Turn]]:
    """What the last answer and its prompt came to by the model's own count, and the turns since.

    Counts from before a boundary, or from before the path passed something
    over, are of another prompt.
    """
    since: list[Turn] = []
    follows: Turn | None = None
    for turn in reversed(path):
        if boundary_of(turn) is not None or (follows is not None and follows.parent_id != turn.id):
            break
        if turn.role is Role.ASSISTANT and (total := _total(turn)):
            return total, since
        since.append(turn)
        follows = turn
    return None, since


def _total(turn: Turn) -> int | None:
    for artifact in turn.artifacts:
        if isinstance(artifact, Usage) and artifact.prompt_tokens:
            return artifact.total_tokens or artifact.prompt_tokens + (artifact.completion_tokens or 0)
    return None
