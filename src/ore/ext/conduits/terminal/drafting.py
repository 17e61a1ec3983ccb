"""`cells_of`: a turn of the ledger as cells."""

from collections.abc import Iterator, Sequence
from typing import Final

from ore.artifact import Artifact, Notice, Reasoning, StopReason, Text, ToolCall, ToolResult, Usage
from ore.ext.conduits.terminal.cells import Call, Cell, Kind
from ore.ext.transforms.compaction import boundary_of
from ore.ledger import Role, Turn, TurnStatus

__all__ = ["cell_of", "cells_of", "said"]

_SILENT: Final = (Usage, StopReason, ToolResult, Notice)
"""Artifacts that are no cell of their own."""

_OF_ROLE: Final = {Role.USER: Kind.USER, Role.SYSTEM: Kind.SYSTEM}


def cells_of(turn: Turn) -> Sequence[Cell]:
    """The cells of a turn, in order; what tools answered belongs to the cells of their calls."""
    if boundary_of(turn) is not None:
        return [_compaction(turn)]
    if turn.role is Role.USER:
        return [_message(turn)]
    cells = list(_each(turn))
    if turn.status is not TurnStatus.COMPLETE and cells:
        cells[-1].mark = turn.status.value
    return cells


def cell_of(artifact: Artifact, key: str, turn: str) -> Cell | None:
    """The cell of a complete artifact of an answer; `None` when it is not shown by itself."""
    if isinstance(artifact, _SILENT):
        return None
    if isinstance(artifact, ToolCall):
        cell = Cell(key, Kind.CALL, turn=turn)
        cell.call = Call(id=artifact.id, name=artifact.name, arguments=artifact.arguments, display=artifact.display)
        return cell
    if isinstance(artifact, Text):
        return Cell(key, Kind.TEXT, artifact.content, turn=turn)
    if isinstance(artifact, Reasoning):
        return Cell(key, Kind.THINKING, artifact.content, turn=turn) if artifact.content else None
    cell = Cell(key, Kind.OTHER, artifact.for_human(), turn=turn)
    cell.artifact = artifact
    return cell


def said(artifacts: Sequence[Artifact]) -> str:
    """What a person sent, as text: attachments by their names."""
    return "\n\n".join(text for artifact in artifacts if (text := artifact.for_human()))


def _message(turn: Turn) -> Cell:
    cell = Cell(f"{turn.id}/0", Kind.USER, said(turn.artifacts), turn=turn.id, at=turn.timestamp)
    cell.mark = turn.origin or ""
    return cell


def _compaction(turn: Turn) -> Cell:
    text = "".join(artifact.content for artifact in turn.artifacts if isinstance(artifact, Text))
    cell = Cell(f"{turn.id}/0", Kind.COMPACTION, text, turn=turn.id, at=turn.timestamp)
    cell.artifact = boundary_of(turn)
    return cell


def _each(turn: Turn) -> Iterator[Cell]:
    calls = 0
    for place, artifact in enumerate(turn.artifacts):
        cell = cell_of(artifact, f"{turn.id}/{place}", turn.id)
        if cell is None:
            continue
        cell.at = turn.timestamp
        if cell.call is not None:
            cell.call.key, calls = f"{turn.id}:{calls}", calls + 1
        elif cell.kind is Kind.TEXT:
            cell.kind = _OF_ROLE.get(turn.role, Kind.TEXT)
        yield cell
