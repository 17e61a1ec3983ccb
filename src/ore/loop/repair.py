"""Results for calls that never got one, so that history stays sendable."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from ore.artifact import ResultStatus, ToolCall, ToolResult
from ore.ledger import EffectRecord, Turn, unanswered

__all__ = ["CANCELLED", "LOST", "UNKNOWN", "Reason", "results_for"]


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Why a call has no result of its own."""

    status: ResultStatus
    text: str

    def result(self, call: ToolCall) -> ToolResult:
        """The result that says so."""
        return ToolResult(tool_call_id=call.id, content=self.text, is_error=True, status=self.status)


CANCELLED: Final = Reason(status=ResultStatus.CANCELLED, text="cancelled by the user before it finished")
LOST: Final = Reason(status=ResultStatus.ERROR, text="interrupted: this call was not run")
UNKNOWN: Final = Reason(
    status=ResultStatus.UNKNOWN,
    text="outcome unknown: the call was started and then lost; check before calling it again",
)


def results_for(
    turns: Sequence[Turn], reason: Reason, effects: Mapping[str, EffectRecord] | None = None
) -> list[ToolResult]:
    """A result for each open call of the last turn, in call order.

    Args:
        turns: The active path.
        reason: For calls that were not started.
        effects: What is known of calls: a finished one gets its real result, a
            started one is unknown.
    """
    found: list[ToolResult] = []
    for open_call in unanswered(turns):
        effect = (effects or {}).get(open_call.key)
        if effect is None:
            found.append(reason.result(open_call.call))
        else:
            found.append(effect.result or UNKNOWN.result(open_call.call))
    return found
