"""Where a path may be cut: never between a call and its result."""

from collections.abc import Sequence

from ore.ledger import Role, Turn

__all__ = ["last_unit", "nearest_cut", "next_cut", "safe_cuts"]


def safe_cuts(turns: Sequence[Turn]) -> Sequence[int]:
    """The places before which nothing waits for what stands behind, in order; always 0, mostly the end.

    Calls that have no result yet keep everything from their turn on together.
    """
    found = [0] if turns else []
    waiting: list[str] = []
    for place, turn in enumerate(turns):
        if turn.role is Role.TOOL:
            for artifact in turn.artifacts:
                answered = getattr(artifact, "tool_call_id", None)
                if answered in waiting:
                    waiting.remove(answered)
        elif turn.role is not Role.SYSTEM:  # a system's turn may stand among results
            waiting = [call.id for call in turn.calls]
        if not waiting:
            found.append(place + 1)
    return found


def nearest_cut(turns: Sequence[Turn], wanted: int) -> int:
    """The safe place nearest to `wanted`; of two that are as near the one that keeps more."""
    return min(safe_cuts(turns) or [0], key=lambda place: (abs(place - wanted), place))


def next_cut(turns: Sequence[Turn], wanted: int) -> int:
    """The first safe place from `wanted` on; the last one there is when none follows."""
    cuts = safe_cuts(turns) or [0]
    return next((place for place in cuts if place >= wanted), cuts[-1])


def last_unit(turns: Sequence[Turn]) -> int:
    """Where that begins which the next answer is about: the user's last words, or the last calls with their results.

    It is the end when the last turn is an answer.
    """
    for place in range(len(turns) - 1, -1, -1):
        turn = turns[place]
        if turn.role is Role.ASSISTANT:
            return place if turn.calls else len(turns)
        if turn.role is Role.USER:
            return place
    return len(turns)
