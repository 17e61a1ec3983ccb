"""`plan`: what has to be done so that a conversation fits."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from ore.artifact import ToolResult
from ore.ext.catalog import Target
from ore.ext.transforms.compaction.boundary import last_boundary, place_of
from ore.ext.transforms.compaction.cutting import last_unit, nearest_cut, next_cut
from ore.ext.transforms.compaction.showing import visible, with_outputs
from ore.ext.transforms.compaction.sizes import tokens_of
from ore.ledger import Role, Turn

__all__ = ["Aim", "Plan", "plan", "visible"]

_RELIEF: Final = 0.75
"""Moving outputs out is enough when it brings a conversation below this share of the limit; less would not last."""

_BYTES: Final = 4
"""Bytes that an estimated token has."""

_NOTE_BYTES: Final = 160
"""What says that something is missing from an output, and how it is read."""

_LEAST_BYTES: Final = 200
"""What is left of an output at least."""


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """What a plan has to reach, in estimated tokens.

    Attributes:
        limit: The prompt has no more than this.
        keep: About so much of the latest turns stays as it is.
        around: What the prompt has beside the ledger's turns: instructions, tools, a summary.
        output_bytes: Outputs of earlier turns that are longer are shown with as many bytes.
        keep_turns: The latest turns that stay, instead of `keep`.
        least: Turns of no more than this are not worth a summary.
        outputs_first: Whether moving outputs out may be all that is done.
    """

    limit: int
    keep: int
    around: int = 0
    output_bytes: int = 1_000
    keep_turns: int | None = None
    least: int = 0
    outputs_first: bool = True


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done.

    Attributes:
        outputs: The results that are shown in part, with their bytes, among those that stay.
        moved: The same, among all.
        cut: So many of the visible turns are hidden; 0 hides none anew.
        pinned: A hidden turn that is shown all the same.
    """

    outputs: Mapping[str, int]
    moved: Mapping[str, int] = {}
    cut: int = 0
    pinned: str | None = None


def plan(path: Sequence[Turn], aim: Aim, target: Target) -> Plan | None:
    """How a conversation can be made to fit; `None` when nothing of it can go.

    First long outputs of tools are moved out; where that is not enough the
    earlier turns are hidden, cut so that no call is
    parted from its result. What the next answer is about stays: the user's
    last words, and the last calls with their results, of which only long
    outputs are shown in part when there is no room for them.
    """
    turns = visible(path)
    known = _known(path)
    recent, unit = _recent(turns, aim, target), _unit(turns, aim, target)
    moved = {**known, **_long_outputs(turns[: min(recent, unit)], aim.output_bytes, known)}
    if aim.outputs_first:
        alone = _outputs_alone(turns, unit, moved, aim, target)
        if alone is not None and alone != known:
            return Plan(outputs=alone)
    cut = min(_cut(turns, recent, aim), unit)
    if tokens_of(turns[:cut], target) <= aim.least:
        cut = 0
    pinned = _pinned(path, turns, cut, aim, target)
    gone = {turn.id for turn in turns[:cut]} - {pinned}
    kept = [turn for turn in turns if turn.id not in gone]
    outputs = _fitting(kept, _of(moved, kept), aim, target)
    if not gone:
        return Plan(outputs=outputs) if outputs != known else None
    return Plan(outputs=outputs, moved=moved, cut=cut, pinned=pinned)


def _outputs_alone(
    turns: Sequence[Turn], unit: int, moved: Mapping[str, int], aim: Aim, target: Target
) -> Mapping[str, int] | None:
    """The outputs that are shown in part, when that is all that has to be done; `None` when it is not enough.

    Where the latest ones are too long to be shown whole, they get what room
    there is, unless that is little.
    """
    fitting = _fitting(turns, moved, aim, target)
    left = aim.around + tokens_of(with_outputs(turns, fitting), target)
    if fitting == moved:
        return moved if left <= aim.limit * _RELIEF else None
    latest = tokens_of(with_outputs(turns[unit:], fitting), target)
    return fitting if left <= aim.limit and latest >= aim.keep // 2 else None


def _known(path: Sequence[Turn]) -> Mapping[str, int]:
    found = last_boundary(path)
    return found[1].outputs if found else {}


def _recent(turns: Sequence[Turn], aim: Aim, target: Target) -> int:
    """Where the latest turns begin that stay as they are."""
    if aim.keep_turns is not None:
        return max(len(turns) - aim.keep_turns, 0)
    place, size = len(turns), 0
    while place and (size := size + tokens_of(turns[place - 1 : place], target)) <= aim.keep:
        place -= 1
    return place


def _cut(turns: Sequence[Turn], recent: int, aim: Aim) -> int:
    return next_cut(turns, recent) if aim.keep_turns is None else nearest_cut(turns, recent)


def _unit(turns: Sequence[Turn], aim: Aim, target: Target) -> int:
    """Where that begins which the next answer is about, with what the user said just before as far as it is short."""
    place = last_unit(turns)
    while 0 < place < len(turns) and turns[place].role is turns[place - 1].role is Role.USER:
        if tokens_of(turns[place - 1 :], target) > aim.limit // 4:
            break
        place -= 1
    return place


def _pinned(path: Sequence[Turn], turns: Sequence[Turn], cut: int, aim: Aim, target: Target) -> str | None:
    """The user's last words, when they would be hidden while they are still being worked on."""
    if last_unit(turns) == len(turns):
        return None
    asked = next((turn for turn in reversed(path) if turn.role is Role.USER), None)
    if asked is None or any(turn.id == asked.id for turn in turns[cut:]):
        return None
    return asked.id if tokens_of([asked], target) <= aim.limit // 4 else None


def _fitting(kept: Sequence[Turn], outputs: Mapping[str, int], aim: Aim, target: Target) -> Mapping[str, int]:
    """Let no output take more than its share, when what is kept does not fit as it is."""
    room = aim.limit - aim.around
    over = tokens_of(with_outputs(kept, outputs), target) - room
    if over <= 0:
        return outputs
    sizes = {key: min(size, outputs.get(key, size)) for key, size in _sizes(kept)}
    cap = _cap(list(sizes.values()), sum(sizes.values()) - over * _BYTES)
    return {**outputs, **{key: max(cap - _NOTE_BYTES, _LEAST_BYTES) for key, size in sizes.items() if size > cap}}


def _cap(sizes: Sequence[int], total: int) -> int:
    """The size to which the largest have to be cut so that all together have `total`."""
    left, count = total, len(sizes)
    for size in sorted(sizes):
        if size * count > left:
            return left // count
        left -= size
        count -= 1
    return max(sizes, default=0)


def _long_outputs(turns: Sequence[Turn], limit: int, known: Mapping[str, int]) -> Mapping[str, int]:
    """Results that are worth moving out, further than they are: twice as long as what is left of them."""
    return {key: limit for key, size in _sizes(turns) if size > 2 * limit and known.get(key, size) > limit}


def _sizes(turns: Sequence[Turn]) -> Iterator[tuple[str, int]]:
    for turn in turns:
        if turn.role is Role.TOOL:
            for place, artifact in enumerate(turn.artifacts):
                if isinstance(artifact, ToolResult):
                    yield place_of(turn, place), len(artifact.content.encode("utf-8", "replace"))


def _of(outputs: Mapping[str, int], turns: Sequence[Turn]) -> Mapping[str, int]:
    """Those that are results of these turns."""
    ids = {turn.id for turn in turns}
    return {key: size for key, size in outputs.items() if key.rpartition("/")[0] in ids}
