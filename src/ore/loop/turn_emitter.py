"""`TurnEmitter`: the emitter that handlers of one turn get."""

from collections.abc import Sequence
from typing import Any

from ore.artifact import Artifact
from ore.event import Event
from ore.ledger import Draft, Operation, Record, State, Turn
from ore.loop.recorder import Recorder
from ore.provider import Option

__all__ = ["TurnEmitter"]


class TurnEmitter:
    """Speaks to the session that the turn belongs to.

    Args:
        recorder: Writes.
        state: The ledger that it writes to.
        options: Those of the turn's inference.
    """

    __slots__ = ("_recorder", "options", "state")

    def __init__(self, recorder: Recorder, state: State, options: Sequence[Option]) -> None:
        self._recorder = recorder
        self.state = state
        self.options = options

    def emit(self, event: Event | Artifact, *, value: Any = None) -> None:
        """Publish at once; never waits."""
        self._recorder.emit(event, value=value)

    async def record(self, draft: Draft, *records: Record) -> Turn:
        """Add a turn to the ledger, durably."""
        return await self._recorder.record(draft, records, base=self.state)

    async def journal(self, *records: Record) -> None:
        """Append records that are no turn, durably."""
        await self._recorder.journal(records)

    async def set_metadata(self, operations: Sequence[Operation]) -> None:
        """Change facts of the conversation, durably, and tell everybody."""
        await self._recorder.set_metadata(operations, into=self.state)
