"""`Cell`: one piece of a conversation, as a screen shows it."""

import time
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ore.artifact import Artifact, ResultStatus, ToolResult

__all__ = ["Call", "CallState", "Cell", "Kind"]


class Kind(StrEnum):
    """What a cell is."""

    USER = "user"
    TEXT = "text"
    THINKING = "thinking"
    CALL = "call"
    SYSTEM = "system"
    COMPACTION = "compaction"
    NOTICE = "notice"
    ERROR = "error"
    OTHER = "other"


class CallState(StrEnum):
    """Where a tool call stands."""

    PREPARING = "preparing"
    """Its arguments are still coming."""
    ASKING = "asking"
    """It waits for a person's word."""
    RUNNING = "running"
    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


@dataclass(slots=True, eq=False)
class Call:
    """What is known of one tool call.

    Attributes:
        key: `turn:place` among its turn's calls; empty while nobody knows.
        id: The vendor's own id.
        arguments: As the model wrote them, so far.
        display: What people read in their place.
        description: What it says it is doing.
        children: What happens inside it.
    """

    key: str = ""
    id: str = ""
    name: str = ""
    arguments: str = ""
    display: str | None = None
    result: ToolResult | None = None
    is_active: bool = False
    is_asking: bool = False
    description: str = ""
    since_s: float | None = None
    until_s: float | None = None
    children: list["Cell"] = field(default_factory=list)

    def state(self, *, is_open: bool) -> CallState:
        """Where it stands.

        Args:
            is_open: Whether its arguments are still coming.
        """
        if self.result is not None:
            status = self.result.status or (ResultStatus.ERROR if self.result.is_error else ResultStatus.OK)
            return CallState(status.value)
        if self.is_asking:
            return CallState.ASKING
        if is_open:
            return CallState.PREPARING
        return CallState.RUNNING if self.is_active else CallState.UNKNOWN

    def begin(self) -> None:
        """It works from now on."""
        self.is_active = True
        self.since_s = time.monotonic() if self.since_s is None else self.since_s

    def end(self, result: ToolResult | None = None) -> None:
        """It works no more."""
        if self.is_active and self.until_s is None:
            self.until_s = time.monotonic()
        self.is_active = False
        if result is not None:
            self.result = result

    def put_child(self, cell: "Cell") -> None:
        """Something happened inside it; what it stands for in part is replaced."""
        known = next((child for child in self.children if child.key == cell.key), None)
        if cell.call is not None:
            others = [
                one for one in self.children if one.call is not None and one.turn == cell.turn and one is not known
            ]
            cell.call.key = f"{cell.turn}:{len(others)}"
        if known is None:
            self.children.append(cell)
        else:
            self.children[self.children.index(known)] = cell

    def end_child(self, key: str, result: ToolResult) -> None:
        """A call inside it has its result."""
        for child in self.children:
            if child.call is not None and child.call.key == key:
                child.call.end(result)

    @property
    def took_s(self) -> float | None:
        """Seconds that it worked; `None` when nobody watched."""
        if self.since_s is None:
            return None
        return (self.until_s or time.monotonic()) - self.since_s


class Cell:
    """One piece of a conversation: a message, a text, a call, a notice.

    Fragments are collected and joined when somebody looks. `version` grows
    with each change, so that nobody draws what they have drawn.

    Attributes:
        key: Its own name, as long as the conversation is shown.
        turn: Id of its turn; empty outside any.
        is_open: Whether more of it comes.
        mark: How loud a notice is, how a turn was cut, or an error's code.
        artifact: What it was made of, where it is no text.
        unfolded: How much of it is shown: 0 a line or a few, 1 most, 2 all; `None` as the others are.
    """

    __slots__ = ("_parts", "artifact", "at", "call", "is_open", "key", "kind", "mark", "turn", "unfolded", "version")

    def __init__(self, key: str, kind: Kind, text: str = "", *, turn: str = "", at: datetime | None = None) -> None:
        self.key = key
        self.kind = kind
        self.turn = turn
        self.at = at
        self.is_open = False
        self.mark = ""
        self.call: Call | None = None
        self.artifact: Artifact | None = None
        self.unfolded: int | None = None
        self.version = 0
        self._parts = [text] if text else []

    @property
    def text(self) -> str:
        """All of it so far."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    @property
    def the_call(self) -> Call:
        """The call that it is.

        Raises:
            TypeError: It is none.
        """
        if self.call is None:
            raise TypeError(f"expected a call, got {self.kind}")
        return self.call

    def add(self, piece: str) -> None:
        """More of its text."""
        if piece:
            self._parts.append(piece)
            self.version += 1

    def become(self, text: str) -> None:
        """All of its text, which is mostly what came in pieces."""
        if text != self.text:
            self._parts = [text]
            self.version += 1

    def touch(self) -> None:
        """Something of it is not as it was."""
        self.version += 1
