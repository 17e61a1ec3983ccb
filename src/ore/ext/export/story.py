"""A thread in the order in which people read it: the path, its branches, results with their calls."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from ore.artifact import Artifact, ToolCall, ToolResult
from ore.ledger import Role, StoredThread, Turn

__all__ = ["Branch", "Piece", "Told", "tell"]

_DEPTH: Final = 20


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """One artifact.

    Attributes:
        result: What a call came to, wherever that stands.
    """

    artifact: Artifact
    result: ToolResult | None = None


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One turn.

    Attributes:
        turn: The turn.
        pieces: Its artifacts, without the results that stand with their calls.
        branches: What else follows it.
    """

    turn: Turn
    pieces: tuple[Piece, ...]
    branches: "tuple[Branch, ...]" = ()


class Branch(msgspec.Struct, frozen=True, kw_only=True):
    """Turns that follow each other.

    Attributes:
        turns: In order; one whose results all stand with their calls is left out.
        count: How many turns there are, the left out ones included.
        behind: Id of the turn that they follow; `None` where a conversation begins.
    """

    turns: tuple[Told, ...]
    count: int
    behind: str | None = None


def tell(stored: StoredThread) -> Sequence[Branch]:
    """The active path, and behind it conversations that begin anew; other branches stand where they leave it.

    Branches of branches stand in those, 20 deep; beyond that at the end.

    A path is told to its root: turns that no model is shown any more, since
    one hides them or begins the conversation anew, are still what was said.
    """
    by_id = {turn.id: turn for turn in stored.turns}
    main = _up(stored.tip, by_id, ()) if stored.tip is not None else []
    shown = dict.fromkeys((turn.id for turn in main), 0)
    trunks, leaving = ([main] if main else []), dict[str, list[list[Turn]]]()
    followed = {turn.parent_id for turn in stored.turns}
    for leaf in stored.turns:
        if leaf.id in shown or leaf.id in followed:
            continue
        turns = _up(leaf.id, by_id, shown)
        parent = turns[0].parent_id
        depth = shown.get(parent, _DEPTH) + 1 if parent is not None else 0
        if 0 < depth <= _DEPTH and parent is not None:
            leaving.setdefault(parent, []).append(turns)
        else:
            depth = 0
            trunks.append(turns)
        shown |= dict.fromkeys((turn.id for turn in turns), depth)
    return [_branch(turns, leaving) for turns in trunks]


def _up(at: str | None, by_id: Mapping[str, Turn], shown: Container[str]) -> list[Turn]:
    """From a turn to the root, or to what was told already; oldest first."""
    found: list[Turn] = []
    met: set[str] = set()
    while at is not None and at in by_id and at not in shown and at not in met:
        met.add(at)
        found.append(by_id[at])
        at = by_id[at].parent_id
    found.reverse()
    return found


def _branch(turns: Sequence[Turn], leaving: Mapping[str, list[list[Turn]]]) -> Branch:
    results = _results(turns)
    told: list[Told] = []
    for turn in turns:
        pieces = tuple(_pieces(turn, results))
        branches = tuple(_branch(other, leaving) for other in leaving.get(turn.id, ()))
        if pieces or branches or turn.role is not Role.TOOL:
            told.append(Told(turn=turn, pieces=pieces, branches=branches))
    return Branch(turns=tuple(told), count=len(turns), behind=turns[0].parent_id)


class _Results(msgspec.Struct, frozen=True):
    """Which result belongs to which call, both by turn and place."""

    of_call: Mapping[tuple[str, int], ToolResult]
    taken: frozenset[tuple[str, int]]


def _results(turns: Sequence[Turn]) -> _Results:
    """Pair them in order: a result belongs to the first open call of its id, of the last turn that made any."""
    of_call: dict[tuple[str, int], ToolResult] = {}
    taken: set[tuple[str, int]] = set()
    waiting: list[tuple[str, tuple[str, int]]] = []
    for turn in turns:
        if turn.calls:
            waiting = []
        for place, artifact in enumerate(turn.artifacts):
            if isinstance(artifact, ToolCall):
                waiting.append((artifact.id, (turn.id, place)))
            elif isinstance(artifact, ToolResult):
                call = next((entry for entry in waiting if entry[0] == artifact.tool_call_id), None)
                if call is not None:
                    waiting.remove(call)
                    of_call[call[1]] = artifact
                    taken.add((turn.id, place))
    return _Results(of_call, frozenset(taken))


def _pieces(turn: Turn, results: _Results) -> Iterator[Piece]:
    for place, artifact in enumerate(turn.artifacts):
        if (turn.id, place) not in results.taken:
            yield Piece(artifact=artifact, result=results.of_call.get((turn.id, place)))
