"""`FanOut`: one log of events for any number of readers, bounded in bytes."""

import asyncio
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Final
from weakref import WeakSet

from ore.artifact import Artifact, Block, Delta
from ore.event import Entry, Event, Gap, OpenBlock, Snapshot, TurnComplete
from ore.event.context import EventContext
from ore.loop.block_note import BlockNote
from ore.loop.catch_up import caught_up
from ore.loop.subscription import Policy, Subscription
from ore.loop.wanted import Wanted

__all__ = ["IDLE_S", "WINDOW_BYTES", "FanOut"]

WINDOW_BYTES: Final = 1 << 20
"""1 MiB of events, estimated, not counting what the open blocks hold anyway."""

IDLE_S: Final = 60.0
"""Seconds without readers after which a session at rest lets its window go."""

DELTA_BYTES: Final = 64
ENTRY_BYTES: Final = 256
YIELD_S: Final = 0.001
BLOCK_WINDOWS: Final = 4


class FanOut:
    """One shared log, a cursor for each reader, one deferred wake-up.

    Appending never waits. When the window is full it drops the fragments of
    closed blocks, then those of open ones, which the block itself still holds,
    then the oldest events. A reader that stands on what was dropped gets the
    state instead, so that nothing complete is lost and nobody slows another.
    """

    def __init__(
        self,
        *,
        window_bytes: int = WINDOW_BYTES,
        snapshot: Callable[[str], Snapshot] | None = None,
        epoch: int = 1,
        idle_s: float = IDLE_S,
        on_expire: Callable[[], None] | None = None,
    ) -> None:
        self._idle_s = idle_s
        self._on_expire = on_expire
        self._window_bytes = window_bytes
        self._snapshot = snapshot
        self._first_epoch = epoch
        self.epoch = epoch
        self.log: list[Entry] = []
        self.last = 0
        """Number of the newest entry."""
        self.floor = 0
        """Number of the last event that was dropped outright."""
        self.generation = 0
        """Changes whenever entries are dropped, so that readers look where they stand."""
        self.closed = False
        self._bytes = 0
        self._asleep: list[asyncio.Future[None]] = []
        self._due = False
        self._readers: WeakSet[Subscription] = WeakSet()
        self._blocks: list[Block] = []
        self._settled = 0
        self._resting = False
        self._timer: asyncio.TimerHandle | None = None
        self._blocking = 0
        self._behind: asyncio.Future[None] | None = None
        self._yielded = 0.0
        self._shared: tuple[int, int, int, Wanted, Sequence[Entry]] | None = None

    @property
    def cursor(self) -> str:
        """The id of the newest event."""
        return f"{self.epoch}-{self.last}"

    @property
    def blocks(self) -> Sequence[OpenBlock]:
        """The open blocks as far as they got."""
        found = [(block.id, block.so_far) for block in self._blocks if not block.closed]
        return [OpenBlock(block=id, artifact=artifact) for id, artifact in found if artifact is not None]

    def append(self, entry: Entry) -> None:
        """Put an event behind all others; readers wake on the loop's next pass."""
        self.log.append(entry)
        self.last = entry.number
        self._resting = False
        block = entry.block
        if block is not None and not block.closed:
            note = block.note
            if note is None:
                note = block.note = BlockNote(entry.epoch, entry.context)
                self._blocks = [open for open in self._blocks if not open.closed]
                self._blocks.append(block)
            note.numbers.append(entry.number)
            self._bytes += DELTA_BYTES
        else:
            self._bytes += ENTRY_BYTES + _length(entry.event)
        if self._bytes > self._window_bytes:
            self._shrink()
        if self._asleep and not self._due:
            self._due = True
            asyncio.get_running_loop().call_soon(self._wake)

    def subscribe(self, wanted: Wanted, *, after: str | None = None, policy: Policy = "coalesce") -> Subscription:
        """A reader that begins behind the event `after`, or with the next event."""
        number = self.last if after is None else self._number(after)
        reader = Subscription(self, wanted, number, policy)
        self._readers.add(reader)
        self._blocking += policy == "block"
        return reader

    def leave(self, reader: Subscription) -> None:
        """A reader is gone; whoever waited for it goes on."""
        self._readers.discard(reader)
        self._blocking -= reader.policy == "block"
        self.caught_up()
        if self._resting:
            self.rest()

    async def wait(self, reader: Subscription) -> None:
        """Sleep until something was appended, or the log was closed."""
        if self._resting:
            self.rest()
        if reader.policy == "block":
            self.caught_up()
        future = asyncio.get_running_loop().create_future()
        self._asleep.append(future)
        await future

    async def flow(self, *, full: bool) -> None:
        """Let others run after a batch, and wait for readers that asked for it.

        Raises:
            RuntimeError: The running task itself reads with policy `block`, so
                it would wait for itself.
        """
        if self._blocking:
            await self._wait_for_readers()
            return
        now = time.monotonic()
        if full or now - self._yielded >= YIELD_S:
            self._yielded = now
            await asyncio.sleep(0)

    def share(self, start: int, wanted: Wanted) -> Sequence[Entry]:
        """The entries from a place in the log on; made once for all who stand there."""
        end = len(self.log)
        shared = self._shared
        if shared and shared[:4] == (self.generation, start, end, wanted):
            return shared[4]
        batch = wanted.select(self.log[start:end])
        self._shared = (self.generation, start, end, wanted, batch)
        return batch

    def gap(self) -> Entry:
        """The whole state, for a reader behind dropped events."""
        take = self._snapshot or (lambda cursor: Snapshot(id=cursor, blocks=self.blocks))
        event = Gap(snapshot=take(self.cursor))
        return Entry(self.epoch, self.last, event.kind, EventContext(), event)

    def catch_up(self, number: int, wanted: Wanted) -> Sequence[Entry]:
        """What a reader at `number` gets after entries were dropped."""
        if number < self.floor:
            return (self.gap(),)
        thinned = [block for block in self._blocks if not block.closed and block.note.dropped > number]
        return caught_up(self.log[place_of(self.log, number) :], thinned, wanted, number)

    def rest(self) -> None:
        """The session is idle: let go of fragments nobody needs, and soon of the window."""
        self._resting = True
        needed = min((reader.number for reader in self._readers), default=self.last)
        self._drop_fragments(needed, open_too=False, start=self._settled)
        if needed == self.last:
            self._settled = len(self.log)
        self._shared = None
        if not self._readers and self.log and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._idle_s, self._expire)

    def expire(self) -> None:
        """Let the window go; only the newest id is known from now on."""
        self.floor = self.last
        self.generation += 1
        self.log = []
        self._bytes = self._settled = 0
        self._blocks = [block for block in self._blocks if not block.closed]
        self._shared = None

    def close(self) -> None:
        """No event comes any more; readers get what is left, then end."""
        self.closed = True
        if self._timer is not None:
            self._timer.cancel()
        self.caught_up()
        self._wake()

    def caught_up(self) -> None:
        """A reader with policy `block` came to the end, or left."""
        if self._behind is not None and not self._behind.done():
            self._behind.set_result(None)

    def _wake(self) -> None:
        self._due = False
        asleep, self._asleep = self._asleep, []
        for future in asleep:
            if not future.done():
                future.set_result(None)

    def _expire(self) -> None:
        self._timer = None
        if self._resting and not self._readers:
            self.expire()
            if self._on_expire is not None:
                self._on_expire()

    def _number(self, cursor: str) -> int:
        """The place behind which to begin; -1 for one that is too old or unknown."""
        epoch, _, number = cursor.partition("-")
        if not (cursor.isascii() and epoch.isdigit() and number.isdigit()) or len(cursor) > 40:
            return -1
        place = int(number)
        known = self._first_epoch <= int(epoch) <= self.epoch and self.floor <= place <= self.last
        return place if known else -1

    async def _wait_for_readers(self) -> None:
        task = asyncio.current_task()
        await asyncio.sleep(0)
        while any(behind := [reader for reader in self._readers if reader.behind]):
            if any(reader.task is task for reader in behind):
                raise RuntimeError(
                    "a subscription with policy 'block' is read by the task that runs the turn; read it in another"
                )
            self._behind = asyncio.get_running_loop().create_future()
            self._wake()
            await self._behind
        self._behind = None

    def _shrink(self) -> None:
        guard = self._guard()
        target = self._window_bytes * 3 // 4
        self._drop_fragments(guard, open_too=False)
        if self._bytes > target:
            self._drop_fragments(guard, open_too=True)
        if self._bytes > target:
            self._drop_oldest(guard, target)
        self._settled = 0

    def _guard(self) -> int:
        """The number up to which entries may go: readers with policy `block` lose nothing."""
        readers = [reader for reader in self._readers if reader.policy == "block"]
        if self._bytes > BLOCK_WINDOWS * self._window_bytes:
            for reader in readers:
                reader.lost = reader.number < self.last
            return self.last
        return min((reader.number for reader in readers), default=self.last)

    def _drop_fragments(self, guard: int, *, open_too: bool, start: int = 0) -> None:
        kept = self.log[:start]
        for entry in self.log[start:]:
            block = entry.block
            if (
                block is not None
                and entry.number <= guard
                and isinstance(entry.event, Delta)
                and (open_too or block.closed)
            ):
                block.note.dropped = entry.number
                self._bytes -= DELTA_BYTES
            else:
                kept.append(entry)
        if len(kept) < len(self.log):
            self.log = kept
            self.generation += 1

    def _drop_oldest(self, guard: int, target: int) -> None:
        count = 0
        for entry in self.log:
            if self._bytes <= target or entry.number > guard:
                break
            fragment = entry.block is not None and isinstance(entry.event, Delta)
            self._bytes -= DELTA_BYTES if fragment else ENTRY_BYTES + _length(entry.event)
            self.floor = entry.number
            count += 1
        if count:
            self.log = self.log[count:]
            self.generation += 1


def _length(event: Event | Artifact) -> int:
    if isinstance(event, TurnComplete):
        return sum(len(artifact.for_human()) for artifact in event.turn.artifacts)
    return len(event.for_human()) if isinstance(event, Artifact) else 0


def place_of(log: Sequence[Entry], number: int) -> int:
    """Index of the first entry behind `number`."""
    return bisect_right(log, number, key=lambda entry: entry.number)
