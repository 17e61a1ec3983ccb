"""`EventBus`: one order for everything that happens in a session."""

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ore.artifact import Artifact, Block, Delta
from ore.errors import SessionClosedError
from ore.event import CURRENT, Entry, Event, EventContext, OnEmit, Snapshot
from ore.loop.fan_out import IDLE_S, WINDOW_BYTES, FanOut
from ore.loop.subscription import Policy, Subscription
from ore.loop.wanted import Wanted

__all__ = ["EventBus"]

log = logging.getLogger(__name__)


class EventBus:
    """Gives each event its id and its envelope, tells callbacks, then the log.

    `emit` is synchronous and never waits. Callbacks see every event before any
    subscriber, in one order; an emit inside a callback runs after the current
    one.

    Args:
        on_emit: Called with every event, in this order; asked anew for each event.
        window_bytes: How much the log holds.
        snapshot: Makes the state for readers that fell behind; gets the cursor.
        epoch: The first half of the ids.
        idle_s: Seconds without readers after which the window of a session at rest goes.
        on_expire: Called when it went.
    """

    __slots__ = ("_busy", "_on_emit", "_waiting", "fan_out")

    def __init__(
        self,
        *,
        on_emit: Sequence[OnEmit] = (),
        window_bytes: int = WINDOW_BYTES,
        snapshot: Callable[[str], Snapshot] | None = None,
        epoch: int = 1,
        idle_s: float = IDLE_S,
        on_expire: Callable[[], None] | None = None,
    ) -> None:
        self._on_emit = on_emit
        self._waiting: deque[Entry] = deque()
        self._busy = False
        self.fan_out = FanOut(
            window_bytes=window_bytes, snapshot=snapshot, epoch=epoch, idle_s=idle_s, on_expire=on_expire
        )

    @property
    def closed(self) -> bool:
        """Whether emitting raises."""
        return self.fan_out.closed

    def emit(
        self,
        event: Event | Artifact,
        *,
        block: Block | None = None,
        value: Any = None,
        context: EventContext | None = None,
    ) -> None:
        """Publish an event.

        Args:
            block: The block of a fragment or of a complete artifact.
            value: What rides along in this process only.
            context: The envelope; else that of the running message.

        Raises:
            SessionClosedError: The bus is closed.
        """
        fan_out = self.fan_out
        if fan_out.closed:
            raise SessionClosedError("expected an open session to emit into; this one is closed")
        if context is None:
            context = CURRENT.get()
        note = None if block is None or block.closed else block.note
        kind = event.kind if note is None else note.kind
        entry = Entry(fan_out.epoch, fan_out.last + 1, kind, context, event, block, value)
        if self._on_emit:
            self._tell(entry)
        else:
            fan_out.append(entry)

    def emit_run(self, fragments: Sequence[Delta], block: Block) -> None:
        """Publish fragments that go on a block, under its envelope, as if one after the other.

        Raises:
            SessionClosedError: The bus is closed.
        """
        fan_out, note = self.fan_out, block.note
        if self._on_emit or note is None or block.closed or fan_out.closed:
            for fragment in fragments:
                self.emit(fragment, block=block, context=note and note.context)
            return
        epoch, kind, context, number = fan_out.epoch, note.kind, note.context, fan_out.last
        fan_out.extend(
            [Entry(epoch, (number := number + 1), kind, context, fragment, block) for fragment in fragments], note
        )

    def subscribe(
        self, *kinds: str, after: str | None = None, policy: Policy = "coalesce", deltas: bool = True
    ) -> Subscription:
        """Read events of these kinds, or of all.

        Args:
            after: An event's id; the reader begins behind it, without a gap or
                a double. One that is too old, or unknown, gives a `gap` event
                with the state instead. `""` begins with the oldest event that
                the log still holds, `None` with the next one.
            policy: What happens when the reader is slow.
            deltas: Without kinds: whether fragments are wanted.
        """
        return self.fan_out.subscribe(Wanted(frozenset(kinds), deltas), after=after, policy=policy)

    async def flow(self, *, full: bool = True) -> None:
        """Let readers run; waits only for those with policy `block`.

        Args:
            full: Whether to do so even if others ran a moment ago.
        """
        fan_out = self.fan_out
        if full or fan_out.brake.on or time.monotonic() >= fan_out.rest_at_s:
            await fan_out.flow()

    def close(self) -> None:
        """End every subscription behind its last event; closing twice is fine."""
        self.fan_out.close()

    def _tell(self, entry: Entry) -> None:
        self._waiting.append(entry)
        if self._busy:
            return
        self._busy = True
        try:
            while self._waiting:
                entry = self._waiting.popleft()
                entry.number = self.fan_out.last + 1
                try:
                    self._call(entry)
                finally:
                    self.fan_out.append(entry)
        finally:
            self._busy = False

    def _call(self, entry: Entry) -> None:
        for callback in tuple(self._on_emit):
            try:
                callback(entry)
            except Exception:
                log.exception("an on_emit callback failed; the others and all subscribers go on")
