"""`Emitter`: how handlers and tools speak to a session."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ore.artifact import Artifact
from ore.event.entry import Entry
from ore.event.events import Event
from ore.ledger import Draft, Operation, Record, State, Turn

__all__ = ["Emitter", "OnEmit"]

OnEmit = Callable[[Entry], None]
"""Called with every event, before any subscriber, in one order. Must not block.
One that raises is logged and passed over."""


class Emitter(Protocol):
    """Bound to one turn: what it emits belongs to the same message."""

    @property
    def state(self) -> State:
        """The ledger of the turn."""
        ...

    @property
    def options(self) -> Sequence[Any]:
        """The options with which the provider was asked, tools resolved."""
        ...

    def emit(self, event: Event | Artifact, *, value: Any = None) -> None:
        """Publish at once; never waits.

        Raises:
            SessionClosedError: Nobody will ever see it.
        """
        ...

    async def record(self, draft: Draft, *records: Record) -> Turn:
        """Add a turn to the ledger, durably, with more records in the same append."""
        ...

    async def journal(self, *records: Record) -> None:
        """Append records that are no turn, durably."""
        ...

    async def set_metadata(self, operations: Sequence[Operation]) -> None:
        """Change facts of the conversation, durably, and tell everybody."""
        ...
