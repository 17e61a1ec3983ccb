"""`Distinct`: every call of a conversation has an id of its own.

OpenAI's models name calls for good, so nothing changes. Others count them
anew in each answer, and Responses refuses an id that comes twice ("Duplicate
function_call_output for call_id", read 2026-11): the second gets another one,
with its result, wherever it stands.
"""

import hashlib
from collections.abc import MutableMapping, Sequence
from operator import is_
from typing import Any, Final

import msgspec

from ore.artifact import Artifact, ToolCall, ToolResult
from ore.ledger import Role, Turn

__all__ = ["distinct"]

_KEPT: Final = "openai-responses", "calls"
_ID_CHARACTERS: Final = 64


def distinct(turns: Sequence[Turn], kept: MutableMapping[Any, Any]) -> Sequence[Turn]:
    """The turns, those with ids that repeat or are none replaced by others that are the same each time.

    Args:
        turns: Oldest first.
        kept: The `encoded` of the ask: what was looked at is not looked at again.
    """
    found: _Distinct | None = kept.get(_KEPT)
    if found is None or not found.begins(turns):
        found = kept[_KEPT] = _Distinct()
    for turn in turns[len(found.given) :]:
        found.add(turn)
    return found.turns


class _Distinct:
    """What was looked at so far, and what came of it."""

    def __init__(self) -> None:
        self.given: list[Turn] = []
        self.turns: list[Turn] = []
        self._taken: set[str] = set()
        self._open: list[tuple[str, str]] = []

    def begins(self, turns: Sequence[Turn]) -> bool:
        """Whether the turns begin with the very ones that were looked at."""
        return len(self.given) <= len(turns) and all(map(is_, self.given, turns))

    def add(self, turn: Turn) -> None:
        """Look at the next turn."""
        self.given.append(turn)
        if turn.role is Role.ASSISTANT:
            self._open = []
            turn = self._changed(turn, self._call)
        elif turn.role is Role.TOOL:
            turn = self._changed(turn, self._result)
        elif turn.role is Role.USER:
            self._open = []
        self.turns.append(turn)

    def _changed(self, turn: Turn, change: Any) -> Turn:
        artifacts = tuple([change(artifact, turn) for artifact in turn.artifacts])
        return turn if all(map(is_, artifacts, turn.artifacts)) else msgspec.structs.replace(turn, artifacts=artifacts)

    def _call(self, artifact: Artifact, turn: Turn) -> Artifact:
        if type(artifact) is not ToolCall:
            return artifact
        id = artifact.id
        if not 0 < len(id) <= _ID_CHARACTERS or not id.isascii() or not id.isprintable() or id in self._taken:
            id = self._made(f"{turn.id}:{len(self._open)}")
        self._taken.add(id)
        self._open.append((artifact.id, id))
        return artifact if id == artifact.id else msgspec.structs.replace(artifact, id=id, provider_data=None)

    def _result(self, artifact: Artifact, turn: Turn) -> Artifact:
        if type(artifact) is not ToolResult:
            return artifact
        pair = next((pair for pair in self._open if pair[0] == artifact.tool_call_id), None)
        if pair is None:
            return artifact
        self._open.remove(pair)
        return artifact if pair[0] == pair[1] else msgspec.structs.replace(artifact, tool_call_id=pair[1])

    def _made(self, key: str) -> str:
        """An id for the call of this key, which nothing else has."""
        id, count = "", 0
        while not id or id in self._taken:
            id = f"call_{hashlib.sha256(f'{key}:{count}'.encode('utf-8', 'replace')).hexdigest()[:24]}"
            count += 1
        return id
