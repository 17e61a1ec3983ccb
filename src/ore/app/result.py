"""`Result`: what a run came to."""

from collections.abc import Sequence
from typing import Any

import msgspec

from ore.artifact import StopReason, Text, Usage
from ore.ledger import Outcome as Status
from ore.ledger import Turn

__all__ = ["Result", "text_of", "usage_of"]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to.

    Attributes:
        text: The text of the last assistant turn.
        output: The typed answer when an `output_type` was asked for, else the text.
        turns: The turns that the run added, in order.
        usage: What its inferences used together.
        status: `done`, `cancelled`, `cleared` or `closed`; a failure is raised.
        session_id: The session, in which the conversation can go on.
        stop_reason: Why the model stopped.
    """

    text: str
    output: Any
    turns: Sequence[Turn]
    usage: Usage
    status: Status
    session_id: str
    stop_reason: str | None = None


def text_of(turn: Turn | None) -> str:
    """The text of a turn; empty without one."""
    if turn is None:
        return ""
    return "".join(artifact.content for artifact in turn.artifacts if isinstance(artifact, Text))


def stop_reason_of(turn: Turn | None) -> str | None:
    """Why the model stopped."""
    if turn is None:
        return None
    return next((artifact.reason for artifact in turn.artifacts if isinstance(artifact, StopReason)), None)


def usage_of(turns: Sequence[Turn]) -> Usage:
    """What these turns used together."""
    total = Usage()
    for turn in turns:
        for artifact in turn.artifacts:
            if isinstance(artifact, Usage):
                total = total + artifact
    return total
