"""Every tool call has exactly one result: who has none yet."""

from collections.abc import Iterable, Sequence

import msgspec

from ore.artifact import ToolCall, ToolResult
from ore.ledger.turn import Role, Turn

__all__ = ["Unanswered", "call_key", "parted", "unanswered"]


class Unanswered(msgspec.Struct, frozen=True, kw_only=True):
    """A call without a result.

    Attributes:
        turn: Whose call it is.
        index: Its place among that turn's calls.
        call: The call.
    """

    turn: Turn
    index: int
    call: ToolCall

    @property
    def key(self) -> str:
        """The call's key."""
        return call_key(self.turn.id, self.index)


def call_key(turn_id: str, index: int) -> str:
    """`<turn id>:<index>`: how a call is known everywhere; vendors repeat their ids."""
    return f"{turn_id}:{index}"


def unanswered(turns: Sequence[Turn]) -> list[Unanswered]:
    """The calls of the last assistant turn that no later result answers.

    Looks back only to that turn: every earlier one was answered before the
    turn behind it could be recorded. Results pair by id, and by position where
    ids repeat.
    """
    results: list[ToolResult] = []
    for turn in reversed(turns):
        if turn.role is Role.TOOL:
            results[:0] = _results(turn)
        elif turn.role is Role.ASSISTANT:
            return _open(turn, results)
        elif turn.role is Role.USER:
            return []
    return []


def parted(turns: Iterable[Turn]) -> bool:
    """Whether a result on the path has no call before it, or a call no result behind it.

    The calls of the last turn may still be open.
    """
    waiting: list[str] = []
    for turn in turns:
        if turn.role is Role.TOOL:
            for result in _results(turn):
                if result.tool_call_id not in waiting:
                    return True
                waiting.remove(result.tool_call_id)
        elif turn.role is not Role.SYSTEM:
            if waiting:
                return True
            waiting = [call.id for call in turn.calls]
    return False


def _results(turn: Turn) -> list[ToolResult]:
    return [artifact for artifact in turn.artifacts if isinstance(artifact, ToolResult)]


def _open(turn: Turn, results: list[ToolResult]) -> list[Unanswered]:
    calls = turn.calls
    if not calls:
        return []
    ids = [result.tool_call_id for result in results]
    missing: list[Unanswered] = []
    for index, call in enumerate(calls):
        if call.id in ids:
            ids.remove(call.id)
        else:
            missing.append(Unanswered(turn=turn, index=index, call=call))
    return missing
