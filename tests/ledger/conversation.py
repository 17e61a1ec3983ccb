"""Turns for tests, in few words."""

from ore.artifact import Artifact, Text, ToolCall, ToolResult
from ore.ledger import Control, Role, Turn


def turn(id: str, parent_id: str | None, role: Role, *artifacts: Artifact, control: Control = Control.CONTINUE) -> Turn:
    """A turn at a place in the tree."""
    return Turn(id=id, parent_id=parent_id, role=role, artifacts=artifacts, control=control)


def user(id: str, parent_id: str | None = None, *, control: Control = Control.CONTINUE) -> Turn:
    """Somebody says something."""
    return turn(id, parent_id, Role.USER, Text(content=f"{id}?"), control=control)


def answer(id: str, parent_id: str | None = None, *, control: Control = Control.CONTINUE) -> Turn:
    """The model says something."""
    return turn(id, parent_id, Role.ASSISTANT, Text(content=f"{id}."), control=control)


def calls(id: str, parent_id: str | None, *names: str) -> Turn:
    """The model calls tools; the names are the calls' ids."""
    return turn(id, parent_id, Role.ASSISTANT, *(ToolCall(id=name, name="f", arguments="{}") for name in names))


def results(id: str, parent_id: str | None, *names: str) -> Turn:
    """Tools answer calls."""
    return turn(id, parent_id, Role.TOOL, *(ToolResult(tool_call_id=name, content=f"{name}!") for name in names))


def chain(*turns: Turn) -> list[Turn]:
    """The same turns, each behind the one before."""
    parents = [None, *(turn.id for turn in turns)]
    return [
        Turn(id=turn.id, parent_id=parent, role=turn.role, artifacts=turn.artifacts, control=turn.control)
        for turn, parent in zip(turns, parents, strict=False)
    ]
