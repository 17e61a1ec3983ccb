"""`Recorder`: the one writer of history."""

import asyncio
from collections.abc import Sequence
from typing import Any

from ore._aio import finish
from ore.artifact import Artifact
from ore.errors import ConflictError
from ore.event import CURRENT, Event, EventContext, Properties, TurnComplete
from ore.ledger import Draft, Journal, MetadataRecord, Operation, Record, State, Turn, TurnRecord, place
from ore.loop.event_bus import EventBus

__all__ = ["Recorder"]


class Recorder:
    """Makes turns durable, then seen; one at a time, whole or absent."""

    __slots__ = ("_bus", "_journal", "_lock", "_state")

    def __init__(self, bus: EventBus, state: State | None, journal: Journal | None) -> None:
        self._bus = bus
        self._state = state
        self._journal = journal
        self._lock: asyncio.Lock | None = None

    def check(self, state: State | None) -> State:
        """The ledger to use.

        Raises:
            ValueError: There is none, or not the one that this is bound to.
        """
        base = state.base if state is not None else self._state
        if base is None:
            raise ValueError("expected a state to record into: this Step is bound to none, pass into=")
        if self._state is not None and base is not self._state:
            raise ValueError("expected the state that this Step is bound to, or a view of it; got another ledger")
        return base

    async def record(self, draft: Draft, records: Sequence[Record], *, into: State | None) -> Turn:
        """See `Step.record`."""
        base = self.check(into)
        context = CURRENT.get()
        if self._journal is None:
            return self._apply(place(draft, base), base, context)
        if self._lock is None:
            self._lock = asyncio.Lock()
        async with self._lock:
            turn = place(draft, base)
            work = self._journal((TurnRecord(turn=turn, message=context.message), *records))
            await finish(work, then=lambda _: self._apply(turn, base, context))
        return turn

    async def journal(self, records: Sequence[Record]) -> None:
        """Append records that are no turn."""
        if self._journal is None or not records:
            return
        self._lock = self._lock or asyncio.Lock()
        async with self._lock:
            await finish(self._journal(records))

    async def set_metadata(self, operations: Sequence[Operation], *, into: State | None = None) -> None:
        """Change facts of the conversation, durably, and tell everybody in one `properties` event."""
        meta = self.check(into).meta
        await self.journal((MetadataRecord(operations=tuple(operations)),))
        for operation in operations:
            if operation.op == "set":
                meta.set(operation.key, operation.value or "")
            else:
                meta.delete(operation.key)
        if not self._bus.closed:
            self._bus.emit(Properties(operations=tuple(operations)))

    def emit(self, event: Event | Artifact, *, value: Any = None) -> None:
        """See `Step.emit`."""
        if isinstance(event, TurnComplete):
            if self._journal is not None:
                raise RuntimeError("expected record() for a new turn: emitting turn_complete would not be durable")
            self._adopt(event.turn)
        self._bus.emit(event, value=value)

    def _adopt(self, turn: Turn) -> None:
        if self._state is None:
            return
        try:
            self._state.append(turn)
        except ConflictError:  # it is there already
            return

    def _apply(self, turn: Turn, base: State, context: EventContext) -> Turn:
        """Ledger, callbacks, log: no await between."""
        base.append(turn)
        if not self._bus.closed:
            self._bus.emit(TurnComplete(turn=turn), context=context)
        return turn
