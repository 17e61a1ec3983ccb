"""Endless identical calls: how often the same thing was asked and answered."""

from collections.abc import Sequence

from ore.artifact import ToolCall, ToolResult
from ore.ledger import Role, Turn

__all__ = ["repeated"]


def repeated(turns: Sequence[Turn], call: ToolCall) -> int:
    """In how many rounds in a row, up to the last, this very call got one and the same result.

    Args:
        turns: The path up to and including the turn of `call`.
        call: The call that is about to run.
    """
    count = 0
    content: str | None = None
    results: list[ToolResult] = []
    backwards = iter(reversed(turns))
    next(backwards, None)
    for turn in backwards:
        if turn.role is Role.TOOL:
            results = [artifact for artifact in turn.artifacts if isinstance(artifact, ToolResult)]
        elif turn.role is Role.ASSISTANT:
            found = _result_of(turn, results, call)
            if found is None or (content is not None and found != content):
                return count
            content = found
            count += 1
        else:
            return count
    return count


def _result_of(turn: Turn, results: Sequence[ToolResult], call: ToolCall) -> str | None:
    for made, result in zip(turn.calls, results, strict=False):
        if made.name == call.name and made.arguments == call.arguments:
            return result.content
    return None
