"""`Recorder`: the one writer of history."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ore._aio import Ready, finish
from ore.artifact import Artifact, ToolCall, ToolResult
from ore.errors import ConflictError
from ore.event import CURRENT, Event, EventContext, Properties, TurnComplete
from ore.ledger import Draft, Journal, MetadataRecord, Operation, Record, Role, State, Thread, Turn, TurnRecord, place
from ore.ledger.state import check_turn
from ore.loop.event_bus import EventBus
from ore.loop.gate import Gate

__all__ = ["Recorder", "Reserved"]


class Reserved:
    """A turn that has its place, while somebody makes it durable; until `release` nothing else is recorded.

    Attributes:
        turn: The turn.
        records: What makes it durable, with what was to go with it.
        land: Called once, as soon as they are: adds it to the ledger and tells everybody.
        release: Called once, whether they are or not.
    """

    __slots__ = ("land", "records", "release", "turn")

    def __init__(
        self, turn: Turn, records: Sequence[Record], land: Callable[[], None], release: Callable[[], None]
    ) -> None:
        self.turn = turn
        self.records = records
        self.land = land
        self.release = release


class Recorder:
    """Makes turns durable, then seen; one at a time, whole or absent."""

    __slots__ = ("_asked", "_bus", "_gate", "_journal", "_state", "whole")

    def __init__(self, bus: EventBus, state: State | None, journal: Journal | None) -> None:
        self._bus = bus
        self._state = state
        self._journal = journal
        self._gate = Gate()
        self._asked: Turn | None = None
        self.whole: str | None = None
        """Id of a turn at which every call before it has its result, as far as this saw it being recorded."""

    def check(self, state: State | None) -> State:
        """The ledger to use.

        Raises:
            ValueError: There is none, or not the one that this is bound to.
        """
        if state is not None and state is self._state and type(state) is Thread:  # by far the most: a ledger itself
            return state
        base = state.base if state is not None else self._state
        if base is None:
            raise ValueError("expected a state to record into: this Step is bound to none, pass into=")
        if self._state is not None and base is not self._state:
            raise ValueError("expected the state that this Step is bound to, or a view of it; got another ledger")
        return base

    async def record(self, draft: Draft, records: Sequence[Record], *, base: State) -> Turn:
        """See `Step.record`; `check` let `base` pass."""
        context = CURRENT.get()
        if self._journal is None:
            turn = _placed(draft, base)
            self._apply(turn, base, context)
            return turn
        gate, cancelled = self._gate, None
        if gate.taken:
            cancelled = await gate.enter()
        else:
            gate.taken = True
        try:
            turn = _placed(draft, base)
            work = self._journal((TurnRecord(turn=turn, message=context.message), *records))
            if type(work) is Ready and work.error is None:
                self._apply(turn, base, context)
            else:
                await finish(work, then=lambda _: self._apply(turn, base, context))
        except Exception as error:
            raise cancelled or error from error.__cause__
        finally:
            if gate.waiting:
                gate.leave()
            else:
                gate.taken = False
        if cancelled is not None:
            raise cancelled
        return turn

    def reserve(self, draft: Draft, records: Sequence[Record], *, base: State) -> "Reserved | None":
        """See `Step.reserve`; `check` let `base` pass."""
        if self._gate.taken:
            return None
        context, turn = CURRENT.get(), _placed(draft, base)
        self._gate.taken = True
        written = (TurnRecord(turn=turn, message=context.message), *records)
        return Reserved(turn, written, partial(self._apply, turn, base, context), self._gate.leave)

    async def journal(self, records: Sequence[Record]) -> None:
        """Append records that are no turn."""
        if records:
            await self._write(lambda: records, None)

    async def set_metadata(self, operations: Sequence[Operation], *, into: State | None = None) -> None:
        """Change facts of the conversation, durably, and tell everybody in one `properties` event."""
        base = self.check(into)
        context = CURRENT.get()
        record = MetadataRecord(operations=tuple(operations))
        await self._write(lambda: (record,), lambda _: self._change(base, record.operations, context))

    def emit(self, event: Event | Artifact, *, value: Any = None) -> None:
        """See `Step.emit`."""
        if type(event) is TurnComplete:
            if self._journal is not None:
                raise RuntimeError("expected record() for a new turn: emitting turn_complete would not be durable")
            if not self._bus.closed:
                self._adopt(event.turn)
        self._bus.emit(event, value=value)

    async def _write(self, records: Callable[[], Sequence[Record]], then: Callable[[None], object] | None) -> None:
        """Journal, then, at once, what follows from it; a cancellation is raised only after that."""
        if self._journal is None:
            records()
            if then is not None:
                then(None)
            return
        cancelled = await self._gate.enter()
        try:
            await finish(self._journal(records()), then=then)
        except Exception as error:
            raise cancelled or error from error.__cause__
        finally:
            self._gate.leave()
        if cancelled is not None:
            raise cancelled

    def _adopt(self, turn: Turn) -> None:
        if self._state is None:
            return
        try:
            self._state.append(turn)
        except ConflictError:  # it is there already
            return

    def _apply(self, turn: Turn, base: State, context: EventContext) -> None:
        """Ledger, callbacks, log: no await between."""
        if type(base) is Thread:  # which looked at the turn before the journal did
            base.append_checked(turn)
        else:
            base.append(turn)
        if base is self._state:
            if turn.role is Role.USER:
                self.whole = turn.id
            elif turn.role is Role.ASSISTANT:
                self._asked = turn
            elif turn.role is Role.TOOL:
                self._pair(turn)
        if not self._bus.fan_out.closed:
            self._bus.emit(TurnComplete(turn=turn), context=context)

    def _pair(self, turn: Turn) -> None:
        """Know without looking back whether the calls before these results are all answered."""
        if self._asked is not None and self._asked.id == turn.parent_id:
            answered = [result.tool_call_id for result in turn.artifacts if type(result) is ToolResult]
            if answered == [call.id for call in self._asked.artifacts if type(call) is ToolCall]:
                self.whole = turn.id

    def _change(self, base: State, operations: Sequence[Operation], context: EventContext) -> None:
        for operation in operations:
            if operation.op == "set":
                base.meta.set(operation.key, operation.value or "")
            else:
                base.meta.delete(operation.key)
        if not self._bus.closed:
            self._bus.emit(Properties(operations=tuple(operations)), context=context)


def _placed(draft: Draft, base: State) -> Turn:
    """The turn of a draft, refused before the journal when the ledger would refuse it after that.

    Raises:
        ConflictError: A turn of that id is there already.
        InputError: It holds a fragment or a control artifact.
    """
    turn = place(draft, base)
    if type(base) is Thread:
        base.check(turn)
    else:
        check_turn(turn)
    return turn
