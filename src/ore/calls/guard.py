"""Endless identical calls: how often the same thing was asked and answered."""

from collections.abc import Sequence

from ore.artifact import ToolCall, ToolResult
from ore.ledger import Role, Turn

__all__ = ["again", "repeated"]


def repeated(turns: Sequence[Turn], call: ToolCall) -> tuple[int, str | None]:
    """In how many rounds in a row, up to the last, this very call got one and the same result, and which.

    Args:
        turns: The path up to and including the turn of `call`.
        call: The call that is about to run.
    """
    count = 0
    content: str | None = None
    results: list[ToolResult] = []
    for place, turn in enumerate(reversed(turns)):
        if not place:  # the turn of the call itself
            continue
        if turn.role is Role.TOOL:
            results[:0] = [artifact for artifact in turn.artifacts if isinstance(artifact, ToolResult)]
            continue
        found = _result_of(turn, results, call) if turn.role is Role.ASSISTANT else None
        if found is None or (content is not None and found != content):
            break
        content, results = found, []
        count += 1
    return count, content


def again(call: ToolCall, limit: int) -> str:
    """What a call gets instead of being run once more; always the same text, by which it is known again."""
    return (
        f"not run: {call.name!r} was called {limit} times in a row with these arguments and gave the same result; "
        "use that result, or call it with other arguments"
    )


def _result_of(turn: Turn, results: Sequence[ToolResult], call: ToolCall) -> str | None:
    for made, result in zip(turn.calls, results, strict=False):
        if made.name == call.name and made.arguments == call.arguments:
            return result.content
    return None
