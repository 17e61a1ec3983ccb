"""`Boundary`: where a conversation was compacted, as it stands in the ledger."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Final

import msgspec

from ore.artifact import Artifact, Text, Unknown
from ore.ledger import Role, Turn

__all__ = ["Boundary", "Strategy", "boundary_of", "last_boundary", "place_of", "summary_text"]

_KIND: Final = "compaction"


class Strategy(StrEnum):
    """What was done to make room."""

    MOVE_OUTPUTS = "move_outputs"
    """Long outputs of tools are shown in part."""
    SUMMARIZE = "summarize"
    """A summary stands in the place of earlier turns."""
    LEAVE_OUT = "leave_out"
    """Earlier turns are left out, since no summary could be had of them."""


class Boundary(Artifact, frozen=True, kw_only=True, tag=_KIND):
    """Says how the turns before it are shown to a model from here on.

    It stands in a system turn beside the summary's text, where the
    conversation was compacted. The turns that it hides stay in their places:
    only a model's view of them changes, and only while its turn is on the
    path. No model gets the boundary itself.

    Attributes:
        strategy: What was done last.
        compacted_through: The last turn that is not shown; `None` hides none.
        summary_in: The turn with the summary that still holds, where this one has none of its own.
        pinned: A turn among the hidden ones that is shown all the same: what
            the user asked for last.
        outputs: Tool results that are shown in part, by `place_of`, with the
            bytes that are shown.
        dropped_turn_count: How many turns it hides.
        dropped_token_estimate: About how many tokens they have.
        left_out_count: How many of them no summary tells of.
        model: Who wrote the summary.
        created_at: When.
        tokens_per_estimate: What the model counted for each estimated token before.
        window: The window that was counted with, in tokens; `None` when nobody knew it.
    """

    sendable: ClassVar[bool] = False

    strategy: Strategy
    compacted_through: str | None = None
    summary_in: str | None = None
    pinned: str | None = None
    outputs: Mapping[str, int] = {}
    dropped_turn_count: int = 0
    dropped_token_estimate: int = 0
    left_out_count: int = 0
    model: str | None = None
    created_at: datetime | None = None
    tokens_per_estimate: float = 1.0
    window: int | None = None

    def for_human(self) -> str:
        """What the model is not shown any more."""
        said = [f"{self.dropped_turn_count:,} turns"] if self.dropped_turn_count else []
        said += [f"parts of {len(self.outputs):,} outputs"] if self.outputs else []
        return f"[compacted: the model is not shown {' and '.join(said) or 'everything'} any more]"


def boundary_of(turn: Turn) -> Boundary | None:
    """The boundary that a turn holds; one that cannot be read is none."""
    if turn.role is not Role.SYSTEM:
        return None
    for artifact in turn.artifacts:
        if isinstance(artifact, Boundary):
            return artifact
        if isinstance(artifact, Unknown) and artifact.name == _KIND:  # as stores give it back
            try:
                return _decode(artifact.raw)
            except (ValueError, RecursionError):
                return None
    return None


def last_boundary(turns: Sequence[Turn]) -> tuple[Turn, Boundary] | None:
    """The boundary in force on a path, with its turn; `None` when nothing was compacted.

    That is the last one whose hidden turns are all on the path. It is read
    from its end, so the hidden ones cost nothing, however many they are.
    """
    for turn, boundary in _boundaries(turns):
        through = boundary.compacted_through
        if through is None or any(other.id == through for other in reversed(turns)):
            return turn, boundary
    return None


def summary_text(turns: Sequence[Turn], turn: Turn, boundary: Boundary) -> str:
    """The summary that holds under a boundary; empty when there is none."""
    if boundary.strategy is Strategy.SUMMARIZE:
        return _text(turn)
    where = boundary.summary_in
    return next((_text(other) for other in reversed(turns) if other.id == where), "") if where else ""


def place_of(turn: Turn, place: int) -> str:
    """How a tool result is known: its turn, and its place among that turn's artifacts."""
    return f"{turn.id}/{place}"


def _boundaries(turns: Sequence[Turn]) -> Iterator[tuple[Turn, Boundary]]:
    for turn in reversed(turns):
        if turn.role is Role.SYSTEM and (found := boundary_of(turn)) is not None:
            yield turn, found


def _text(turn: Turn) -> str:
    return "".join(artifact.content for artifact in turn.artifacts if isinstance(artifact, Text))


_decode = msgspec.json.Decoder(Boundary).decode
