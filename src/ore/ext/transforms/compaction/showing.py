"""`shown`: a conversation as its last boundary says."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import partial
from typing import Any, Final

import msgspec

from ore.artifact import Artifact, Text, ToolResult
from ore.ext.transforms.compaction.boundary import Boundary, boundary_of, last_boundary, place_of, summary_text
from ore.ledger import Role, State, Turn, view

__all__ = ["ORIGIN", "TOOL", "in_part", "show", "summary_turn", "visible", "with_outputs"]

TOOL: Final = "read_moved_output"
"""The tool that reads what was moved out; what stands in its place names it."""

ORIGIN: Final = "compaction"
"""Of the turn that stands for what is hidden, in a model's view."""

_KEPT: Final = "ore.compaction.shown"

_SUMMARISED: Final = (
    "[This conversation was compacted to save room. Its first {count:,} turns are not shown any more; this summary "
    "stands in their place. Go on from it as if you had them. What it does not say can be asked for, or looked up "
    "again with the tools.]\n\n{text}"
)
_LEFT_OUT: Final = (
    "[{count:,} turns of this conversation that stood here are not shown any more, to save room, and there is no "
    "summary of them. Ask for what is missing, or look it up again with the tools.]"
)


def show(state: State) -> State:
    """A transform: turns that were compacted are hidden, and the summary stands before the others.

    What other transforms put before the conversation stays before it. The
    same boundary gives the same turns, so that prompt caches hold; a
    conversation without one is passed on as it is.
    """
    path = state.base.turns
    found = last_boundary(path)
    if found is None:
        if any(map(boundary_of, path)):  # one that is not in force
            return view(state, [turn for turn in state.turns if boundary_of(turn) is None])
        return state
    turn, boundary = found
    kept = _kept(state.base.derived, turn)
    begin, pinned = _begin(path, boundary)
    shown: Sequence[Turn] = [*pinned, *path[begin:]]
    before: Sequence[Turn] = ()
    if state is not state.base:  # others have changed it
        before, shown = _parted(state.turns, {one.id for one in path}, {one.id for one in shown})
    shown = [one for one in shown if boundary_of(one) is None]
    if begin > len(pinned):
        before = [*before, _once(kept, turn.id, partial(summary_turn, path, turn, boundary))]
    return view(state, [*before, *with_outputs(shown, boundary.outputs, kept)])


def visible(path: Sequence[Turn]) -> Sequence[Turn]:
    """The ledger's turns that a model is shown now, as they stand in the ledger."""
    found = last_boundary(path)
    begin, pinned = _begin(path, found[1]) if found else (0, ())
    return [*pinned, *(turn for turn in path[begin:] if boundary_of(turn) is None)]


def summary_turn(path: Sequence[Turn], turn: Turn, boundary: Boundary) -> Turn:
    """What a model gets in the place of the hidden turns.

    It is a user's turn: every vendor takes one there, whatever follows, and
    what a summary says has no more weight than what it was made of.
    """
    text, count, missing = summary_text(path, turn, boundary), boundary.dropped_turn_count, boundary.left_out_count
    said = [_SUMMARISED.format(count=count - missing, text=text)] if text else []
    if missing or not said:
        said.append(_LEFT_OUT.format(count=missing if said else count))
    return Turn(id=turn.id, role=Role.USER, artifacts=(Text(content="\n\n".join(said)),), origin=ORIGIN)


def with_outputs(
    turns: Sequence[Turn], outputs: Mapping[str, int], kept: MutableMapping[Any, Any] | None = None
) -> Sequence[Turn]:
    """Turns whose tool results are shown in part where `outputs` says so."""
    if not outputs:
        return turns
    made: MutableMapping[Any, Any] = {} if kept is None else kept
    return [_once(made, turn.id, partial(_cut, turn, outputs)) if _cuts(turn, outputs) else turn for turn in turns]


def in_part(text: str, shown_bytes: int, hint: str = "") -> str:
    """The beginning and the end of a text, with what is missing in the middle said; whole when that is shorter."""
    raw = text.encode("utf-8", "replace")
    half = max(shown_bytes, 0) // 2
    head = raw[:half].decode("utf-8", "ignore")
    tail = raw[len(raw) - half :].decode("utf-8", "ignore") if half else ""
    missing = len(text) - len(head) - len(tail)
    note = f"\n[… {missing:,} of {len(text):,} characters were moved out to save room{hint} …]\n"
    return text if len(raw) <= shown_bytes + len(note) else f"{head}{note}{tail}"


def _kept(derived: MutableMapping[Any, Any], turn: Turn) -> MutableMapping[Any, Any]:
    """What was made of turns under this boundary before, so that they stay the same objects."""
    found = derived.get(_KEPT)
    if found is None or found[0] != turn.id:
        found = derived[_KEPT] = (turn.id, {})
    kept: MutableMapping[Any, Any] = found[1]
    return kept


def _once(kept: MutableMapping[Any, Any], key: str, make: Callable[[], Turn]) -> Turn:
    made: Turn | None = kept.get(key)
    if made is None:
        made = kept[key] = make()
    return made


def _begin(path: Sequence[Turn], boundary: Boundary) -> tuple[int, Sequence[Turn]]:
    """How many turns of a path stand before those that a boundary leaves, and which of them is shown all the same.

    Read from the end: what a boundary hides grows for ever, what it leaves does not.
    """
    if boundary.compacted_through is None:
        return 0, ()
    begin, pinned = 0, list[Turn]()
    for place in range(len(path) - 1, -1, -1):
        turn = path[place]
        if not begin and turn.id == boundary.compacted_through:
            begin = place + 1
        if begin and turn.id == boundary.pinned:
            pinned.append(turn)
        if begin and (pinned or boundary.pinned is None):
            break
    return begin, pinned


def _parted(turns: Sequence[Turn], real: set[str], left: set[str]) -> tuple[list[Turn], list[Turn]]:
    """What others put before the ledger's own turns, and those that are left of these, with what others put there."""
    begin = next((place for place, turn in enumerate(turns) if turn.id in real), len(turns))
    before = [turn for turn in turns[:begin] if turn.origin != ORIGIN]
    return before, [turn for turn in turns[begin:] if turn.id in left or turn.id not in real]


def _cuts(turn: Turn, outputs: Mapping[str, int]) -> bool:
    return turn.role is Role.TOOL and any(place_of(turn, place) in outputs for place in range(len(turn.artifacts)))


def _cut(turn: Turn, outputs: Mapping[str, int]) -> Turn:
    def part(place: int, artifact: Artifact) -> Artifact:
        limit = outputs.get(place_of(turn, place))
        if limit is None or not isinstance(artifact, ToolResult):
            return artifact
        content = in_part(artifact.content, limit, f"; {TOOL} reads it, with the id {place_of(turn, place)}")
        return msgspec.structs.replace(artifact, content=content, display=None)

    return msgspec.structs.replace(turn, artifacts=tuple(part(*item) for item in enumerate(turn.artifacts)))
