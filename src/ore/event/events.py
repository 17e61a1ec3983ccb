"""The events of a session; artifacts are events of their own kind beside these."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from ore.artifact import Artifact
from ore.errors import ErrorInfo
from ore.ledger import Operation, Outcome, Turn

__all__ = [
    "Activity",
    "Answer",
    "ErrorEvent",
    "Event",
    "Gap",
    "Lifecycle",
    "LiveBlock",
    "Phase",
    "Properties",
    "Question",
    "SessionSwitch",
    "Snapshot",
    "TurnComplete",
    "TurnRestarted",
]


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Something that happened; a third party adds a kind with a subclass and a tag.

    No field may be called `kind` or `context`: a ValueError says so at its
    definition.
    """

    def __init_subclass__(cls) -> None:
        """Keep the envelope's place free; msgspec does the same for `kind`."""
        if "context" in cls.__annotations__:
            raise ValueError(f"{cls.__name__}: a field called 'context' would stand where the event's envelope does")

    if TYPE_CHECKING:

        @property
        def kind(self) -> str:
            """The wire tag."""
            ...

    else:
        kind = property(attrgetter("__struct_config__.tag"), doc="The wire tag.")  # asked for each event: no call


class TurnComplete(Event, frozen=True, kw_only=True, tag="turn_complete"):
    """A turn stands in the ledger; this is the very object."""

    turn: Turn


class TurnRestarted(Event, frozen=True, kw_only=True, tag="turn_restarted"):
    """Everything seen of the running turn is void; it begins again."""

    attempt: int


Phase = Literal["queued", "submitted", "streaming", "cancelled", "done"]


class Lifecycle(Event, frozen=True, kw_only=True, tag="lifecycle", omit_defaults=True):
    """Where a message stands.

    `done` is the only terminal phase and a message's last event; it alone has
    an `outcome`. A message that was cleared brings back its `content`.
    """

    phase: Phase
    outcome: Outcome | None = None
    content: tuple[Artifact, ...] | None = None


class ErrorEvent(Event, frozen=True, kw_only=True, tag="error", omit_defaults=True):
    """A message failed; exactly one for each failure."""

    code: str
    message: str
    retryable: bool | None = None
    retry_after_s: float | None = None
    provider: str | None = None

    @classmethod
    def of(cls, info: ErrorInfo) -> "ErrorEvent":
        """The event of a failure."""
        return cls(**msgspec.structs.asdict(info))


class Properties(Event, frozen=True, kw_only=True, tag="properties"):
    """Ambient facts changed, in this order."""

    operations: tuple[Operation, ...]


class Activity(Event, frozen=True, kw_only=True, tag="activity"):
    """Something runs in the background, such as a tool; or no longer."""

    id: str
    active: bool
    description: str = ""


class Question(Event, frozen=True, kw_only=True, tag="question", omit_defaults=True):
    """Somebody has to decide.

    Attributes:
        key: What an answer names: the call's key for an approval.
        arguments: What would run, byte for byte.
        editable: Whether whoever approves may change the arguments; with others
            the call is denied where they may not.
        expires_at: After this it counts as denied.
    """

    key: str
    purpose: Literal["approval", "ask", "elicitation"]
    tool: str | None = None
    call_key: str | None = None
    arguments: str | None = None
    editable: bool = False
    text: str | None = None
    options: tuple[str, ...] | None = None
    expires_at: datetime | None = None


class Answer(Event, frozen=True, kw_only=True, tag="answer", omit_defaults=True):
    """Somebody decided; the first answer wins.

    Attributes:
        decision: `None` where an approval got none, as when nobody could be
            asked: the call does not run, and no user is said to have denied it.
        arguments: Changed arguments, where the tool allows that.
    """

    key: str
    decision: Literal["approve", "deny"] | None = None
    answer: Any = None
    reason: str | None = None
    arguments: str | None = None


class SessionSwitch(Event, frozen=True, kw_only=True, tag="session_switch"):
    """Front ends should show another session now."""

    session_id: str


class LiveBlock(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was shown of a message and no turn holds yet.

    Attributes:
        block: Its id, as in the envelope of its events; `None` for what is no
            block, such as the result of a call.
        artifact: As far as it got.
        open: Whether more of it comes.
        path: Keys of the calls inside which it happened; that of its own call
            is the last one of a result.
    """

    block: str | None = None
    artifact: Artifact
    open: bool = True
    path: tuple[str, ...] | None = None


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A session at one moment; `id` is the cursor from which events go on.

    Whoever begins here and reads on knows what a reader from the beginning
    knows: the turns, and `blocks` of what runs, closed ones and results too.
    """

    id: str
    turns: Sequence[Turn] = ()
    metadata: Mapping[str, str] = {}
    phase: str = "idle"
    queue: Sequence[Mapping[str, Any]] = ()
    questions: Sequence[Question] = ()
    blocks: Sequence[LiveBlock] = ()
    activities: Sequence[Activity] = ()


class Gap(Event, frozen=True, kw_only=True, tag="gap"):
    """Events were dropped before this reader saw them; here is the state instead."""

    snapshot: Snapshot
