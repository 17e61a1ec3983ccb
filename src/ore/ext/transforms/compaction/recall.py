"""`read_moved_output`: a model reads again what was moved out of its sight."""

from collections.abc import Sequence
from typing import Final

from ore.agent import Tools
from ore.artifact import ToolResult
from ore.errors import ToolError
from ore.ext.transforms.compaction.boundary import last_boundary
from ore.ext.transforms.compaction.showing import TOOL
from ore.ledger import State
from ore.tool import Tool, ToolContext, tool

__all__ = ["read_moved_output", "with_recall"]

_MOST: Final = 4_000
"""Characters that are read at once."""


@tool(name=TOOL, read_only=True)
async def read_moved_output(context: ToolContext, id: str, offset: int = 0) -> str:
    """Read an earlier output of a tool, of which only the beginning and the end are shown.

    Args:
        id: What stands in the output's place calls it.
        offset: The first character to read, from 0; the answer says where the next part begins.
    """
    turn_id, _, place = id.strip().strip("\"'").rpartition("/")
    turn = next((turn for turn in context.state.base.turns if turn.id == turn_id), None)
    artifact = turn.artifacts[int(place)] if turn and place.isdigit() and int(place) < len(turn.artifacts) else None
    if not isinstance(artifact, ToolResult):
        raise ToolError(f"id: expected one that stands in the place of an output, got {id!r}")
    text = artifact.content
    if not 0 <= offset <= len(text):
        raise ToolError(f"offset: expected 0 to {len(text)}, got {offset}")
    end = min(offset + _MOST, len(text))
    rest = f"; go on with offset={end}" if end < len(text) else ""
    return f"{text[offset:end]}\n[characters {offset} to {end} of {len(text)}{rest}]"


def with_recall(inner: Tools | None) -> Tools:
    """The same tools, and this one behind them as long as a conversation has outputs that were moved out."""

    def tools(state: State) -> Sequence[Tool]:
        found = tuple(inner(state)) if inner is not None else ()
        last = last_boundary(state.base.turns)
        if last is None or not last[1].outputs or any(other.name == TOOL for other in found):
            return found
        return (*found, read_moved_output)

    return tools
