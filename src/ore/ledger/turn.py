"""`Turn`: one entry of the ledger."""

import os
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

import msgspec

from ore.artifact import Artifact, ToolCall

__all__ = ["Control", "Draft", "Role", "Turn", "TurnStatus", "new_turn_id"]


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class TurnStatus(StrEnum):
    """Whether the turn is all there."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    """Cut by a person or a shutdown; what was seen is kept."""
    FAILED = "failed"
    """Cut by an error; what was seen is kept."""


class Control(StrEnum):
    """What the walk along the active path does at a turn."""

    CONTINUE = "continue"
    STOP = "stop"
    """The path begins here: earlier turns stay stored, but are not sent."""
    SKIP = "skip"
    """Not on the path, though stored and counted."""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A turn before it has a place: no id, no parent, no time."""

    role: Role
    artifacts: tuple[Artifact, ...] = ()
    status: TurnStatus = TurnStatus.COMPLETE
    control: Control = Control.CONTINUE
    model: str | None = None
    origin: str | None = None
    id: str | None = None
    """Given when something already refers to the turn; else a new one."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the ledger; what is stored and what an event carries is this object.

    Attributes:
        id: 16 hexadecimal characters, or what an import brought.
        parent_id: The turn before it in the tree; `None` for a root.
        model: Who answered, as `provider:name`; `None` when no model did.
        origin: What put it there when it was neither the message's sender nor
            the model, such as `"compaction"` or an agent's name.
    """

    id: str
    parent_id: str | None = None
    role: Role
    artifacts: tuple[Artifact, ...] = ()
    timestamp: datetime | None = None
    status: TurnStatus = TurnStatus.COMPLETE
    control: Control = Control.CONTINUE
    model: str | None = None
    origin: str | None = None

    @property
    def calls(self) -> Sequence[ToolCall]:
        """Its tool calls, in order; a call's key is `<turn id>:<place in this list>`."""
        return [artifact for artifact in self.artifacts if type(artifact) is ToolCall]


def new_turn_id() -> str:
    """16 hexadecimal characters, 64 random bits."""
    return os.urandom(8).hex()
