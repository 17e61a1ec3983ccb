"""What both forms say in words: headings, how a call ended, what was cut, what was used."""

from collections.abc import Iterable, Sequence

from ore.artifact import ResultStatus, StopReason, ToolResult, Truncation, Usage
from ore.ledger import Control, Turn, TurnStatus

__all__ = ["cut", "ended", "notes", "stopped", "total", "used", "when"]


def when(turn: Turn) -> str:
    """RFC 3339; empty where the time is unknown."""
    return turn.timestamp.isoformat() if turn.timestamp is not None else ""


def notes(turn: Turn) -> Sequence[str]:
    """What there is to say of a turn: who answered, that it was cut, that models are not shown it."""
    said = [turn.model] if turn.model else []
    said += [turn.origin] if turn.origin else []
    said += [turn.status.value] if turn.status is not TurnStatus.COMPLETE else []
    said += ["not shown to models"] if turn.control is Control.SKIP else []
    said += ["models are shown the conversation from here on"] if turn.control is Control.STOP else []
    return said


def ended(result: ToolResult) -> str:
    """How a call ended, when not well; else empty."""
    status = result.status or (ResultStatus.ERROR if result.is_error else ResultStatus.OK)
    return "" if status is ResultStatus.OK else status.value


def cut(facts: Truncation | None) -> str:
    """What is missing of a result; empty when nothing is."""
    if facts is None or not facts.truncated:
        return ""
    end = f", the {facts.style.value}" if facts.style is not None else ""
    shown = f"{facts.shown_bytes} of {facts.original_bytes} bytes"
    lines = f", {facts.shown_lines} of {facts.original_lines} lines" if facts.original_lines is not None else ""
    return f"cut: {shown}{lines}{end}"


def stopped(reason: StopReason) -> str:
    """Why an answer ended, when not by itself; else empty."""
    return "" if reason.reason in ("stop", "tool_use") else reason.reason


def total(turns: Iterable[Turn]) -> Usage:
    """What these turns used together."""
    found = Usage()
    for turn in turns:
        for artifact in turn.artifacts:
            if isinstance(artifact, Usage):
                found = found + artifact
    return found


def used(usage: Usage) -> str:
    """Counts on one line; `?` where nobody counted."""
    counts = ((name, getattr(usage, f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    said = " ".join(f"{name}={'?' if count is None else count}" for name, count in counts)
    return said if usage.cost_usd is None else f"{said} cost_usd={usage.cost_usd}"
