"""Feeds: what an open stream sends, piece by piece."""

from collections.abc import Collection, Sequence
from typing import Any, Final, Protocol

import msgspec

from ore.errors import SessionClosedError, describe
from ore.event import Entry, ErrorEvent, Event, EventContext, Gap, Lifecycle
from ore.ext.conduits.http.frames import BEGINNING, PING, Frames, lines
from ore.ledger import Outcome as Ending
from ore.loop import Subscription
from ore.session import Ticket

__all__ = ["EventFeed", "Feed", "MessageFeed"]


_MARKS: Final = frozenset({"error", "lifecycle"})


class Feed(Protocol):
    """What an open stream sends."""

    media_type: str
    ping: bytes
    """A sign of life; empty where the format has none."""

    async def next(self) -> bytes | None:
        """The next piece as soon as there is one; `None` at the end."""
        ...

    async def watch(self) -> None:
        """Run beside whoever takes pieces; cancelled at the end."""
        ...

    def close(self) -> None:
        """Nobody reads it any more; whoever waits for a piece comes to the end."""
        ...


class EventFeed:
    """All events of a session that a reader wants, as server-sent events."""

    media_type = "text/event-stream"
    ping = PING

    def __init__(self, reader: Subscription, frames: Frames) -> None:
        self._reader = reader
        self._frames = frames
        self._begun = False

    async def next(self) -> bytes | None:
        """What waits, in one piece."""
        if not self._begun:
            self._begun = True
            return BEGINNING
        batch = await self._reader.next_batch()
        return None if batch is None else self._frames.of(batch)

    async def watch(self) -> None:
        """Nothing to watch."""

    def close(self) -> None:
        """Stop reading."""
        self._reader.close()


class MessageFeed:
    """The events of one message up to its `done`, as lines of JSON.

    Where its `done` is no longer to be had, it is told anew from what is known
    of its ending.

    Args:
        reader: Reads the session from before the message on, kinds as wanted,
            `lifecycle`, `error` and `gap` among them.
        ticket: The message, which is durable.
        kinds: What is passed on; all that the reader gives when empty.
        cursor: A place in the log, for what is told anew.
    """

    media_type = "application/x-ndjson"
    ping = b""

    def __init__(self, reader: Subscription, ticket: Ticket, kinds: Collection[str], cursor: str) -> None:
        self._reader = reader
        self._ticket = ticket
        self._kinds = frozenset(kinds)
        epoch, _, number = cursor.partition("-")
        self._place = (int(epoch), int(number))
        self._rest: Sequence[Entry] = ()
        self._lost: Exception | None = None
        self._told_error = False
        self._ended = False

    async def next(self) -> bytes | None:
        """What waits of the message, in one piece."""
        while not self._ended:
            batch = await self._batch()
            if batch is None:
                return self._last()
            mine = self._mine(batch)
            if mine or self._ended:
                return lines(mine)
        return None

    async def watch(self) -> None:
        """See to it that the stream ends when the message is worked on elsewhere, so that no `done` comes."""
        try:
            await self._ticket
        except Exception as error:
            self._lost = error
            self._rest = self._reader.take()
            self._reader.close()

    def close(self) -> None:
        """Stop reading; the message goes on."""
        self._ended = True
        self._reader.close()

    async def _batch(self) -> Sequence[Entry] | None:
        if self._ticket.is_repeated:  # nothing comes any more
            return self._reader.take() or None
        return await self._reader.next_batch()

    def _mine(self, batch: Sequence[Entry]) -> Sequence[Entry]:
        """What is passed on of a batch; at its `done` the stream is at its end."""
        id, kinds = self._ticket.id, self._kinds
        found: list[Entry] = []
        if batch:
            self._place = (batch[-1].epoch, batch[-1].number)
        own = None
        for entry in batch:
            if entry.context is not own and entry.context.message != id:
                if entry.kind == "gap":
                    found.append(entry)
                continue
            own = entry.context  # the fragments of a block share one
            mark = entry.kind in _MARKS
            if (mark and self._passes(entry)) or not mark or not kinds or entry.kind in kinds:
                found.append(entry)
            if self._ended:
                return found
        outcome = self._ticket.outcome
        if outcome is not None and any(isinstance(entry.event, Gap) for entry in batch):
            found += self._retold(outcome.status, outcome.error)  # its `done` is among what was dropped
        return found

    def _passes(self, entry: Entry) -> bool:
        """Whether an event is told whatever kinds are wanted: what went wrong, and the end."""
        self._told_error = self._told_error or entry.kind == "error"
        self._ended = isinstance(entry.event, Lifecycle) and entry.event.phase == "done"
        return self._ended or entry.kind == "error"

    def _last(self) -> bytes:
        """The end, when no `done` comes here: the message ended before, goes on elsewhere, or nobody reads."""
        if self._ended:  # closed by whoever read
            return b""
        rest = self._mine(self._rest)
        if self._ended:
            return lines(rest)
        outcome = self._ticket.outcome
        if outcome is not None:
            return lines([*rest, *self._retold(outcome.status, outcome.error)])
        self._ended = True
        lost = self._lost or SessionClosedError("the server stops; the message goes on when it is back")
        return lines(rest if self._told_error else [*rest, self._entry(_retryable(lost))])

    def _retold(self, status: Ending, error: Exception | None) -> Sequence[Entry]:
        self._ended = True
        done = self._entry(Lifecycle(phase="done", outcome=status))
        return [done] if error is None else [self._entry(ErrorEvent.of(describe(error))), done]

    def _entry(self, event: Event) -> Entry:
        return Entry(*self._place, event.kind, EventContext(message=self._ticket.id), event)


def _retryable(error: Exception) -> Event:
    event = ErrorEvent.of(describe(error))
    changes: dict[str, Any] = {"retryable": True}
    return msgspec.structs.replace(event, **changes) if isinstance(error, SessionClosedError) else event
