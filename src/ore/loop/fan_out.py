"""`FanOut`: one log of events for any number of readers, bounded in bytes."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from ore._aio import running_loop
from ore.artifact import Block
from ore.event import FRAGMENT_BYTES, Entry, EventContext, Gap, Lifecycle, LiveBlock, Snapshot
from ore.loop.block_note import BlockNote
from ore.loop.brake import Brake
from ore.loop.catch_up import caught_up
from ore.loop.place import parts_of, place_of
from ore.loop.readers import Readers
from ore.loop.shared_batches import SharedBatches
from ore.loop.subscription import Policy, Subscription
from ore.loop.unrecorded import Unrecorded, live_block
from ore.loop.wanted import EVERYTHING, Wanted
from ore.loop.weight import EVENT_BYTES, WEIGHTLESS, weight

__all__ = ["IDLE_S", "WINDOW_BYTES", "FanOut"]

WINDOW_BYTES: Final = 1 << 20
"""1 MiB of events, estimated, not counting what the open blocks hold anyway."""

IDLE_S: Final = 60.0
"""Seconds without readers after which a session at rest lets its window go."""

YIELD_S: Final = 0.001
BLOCK_WINDOWS: Final = 4


class FanOut:
    """One shared log, a cursor for each reader, one wake-up for all that comes in a pass of the loop.

    Appending never waits. When the window is full it drops the fragments of
    closed blocks, then those of open ones, which the block itself still holds,
    then the oldest events; what every reader has read before anything else. One
    that stands on what was dropped gets the state instead: nothing complete is
    lost and nobody slows another.
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
        self.held_bytes = 0
        """What the log holds, estimated."""
        self._limit = window_bytes
        self._blocks: list[Block] = []
        self._earlier: Unrecorded | None = None
        self._asleep: dict[asyncio.Future[None], None] = {}
        self._due = self._awake = False
        """Whether readers will be woken; whether one was, and has not slept again."""
        self._readers = Readers()
        self.brake = Brake()
        self._resting = self._settling = False
        self._idle_since = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.rest_at_s = 0.0
        """When, by the monotonic clock, a turn that never waits should let the others run."""
        self._shared = SharedBatches()

    @property
    def cursor(self) -> str:
        """The id of the newest event."""
        return f"{self.epoch}-{self.last}"

    @property
    def blocks(self) -> Sequence[LiveBlock]:
        """The open blocks as far as they got."""
        found = [live_block(block, block.note.context) for block in self._blocks if not block.closed]
        return [block for block in found if block is not None]

    def unrecorded(self) -> Unrecorded:
        """What else was shown of the running message; goes through the window, so not for each event."""
        return Unrecorded(self._earlier, () if self._resting else self.log)

    def append(self, entry: Entry) -> None:
        """Put an event behind all others; readers wake on the loop's next pass."""
        self.log.append(entry)
        self.last = entry.number
        self._resting = False
        block, event = entry.block, entry.event
        if block is None or block.closed:
            light = type(event) in WEIGHTLESS or (type(event) is Lifecycle and event.content is None)
            entry.weight = EVENT_BYTES if light else weight(event)
        else:
            note = block.note
            if note is None:  # its first fragment
                note = block.note = BlockNote(entry.epoch, entry.kind, entry.context)
                self._blocks.append(block)
            note.numbers.append(entry.number)
        self.held_bytes += entry.weight
        if self.held_bytes > self._limit:
            self._shrink()
        if self._asleep and not self._due:
            self._wake()

    def extend(self, entries: Sequence[Entry], note: BlockNote) -> None:
        """Put fragments of one open block behind all others."""
        first = self.last + 1
        self.log += entries
        self.last = entries[-1].number
        self._resting = False
        note.numbers.extend(range(first, self.last + 1))
        self.held_bytes += FRAGMENT_BYTES * len(entries)
        if self.held_bytes > self._limit:
            self._shrink()
        if self._asleep and not self._due:
            self._wake()

    def subscribe(self, wanted: Wanted, *, after: str | None = None, policy: Policy = "coalesce") -> Subscription:
        """A reader that begins behind the event `after`, or with the next event."""
        number = self.last if after is None else self._number(after)
        reader = Subscription(self, wanted, number, policy)
        self._readers.add(reader)
        if policy == "block":
            reader.task = asyncio.current_task()
            self.brake.add(reader)
        return reader

    def leave(self, reader: Subscription) -> None:
        """A reader is gone; whoever waited for it goes on."""
        self._readers.discard(reader)
        self.brake.readers.discard(reader)
        self._left()

    def dropped(self) -> None:
        """A reader was dropped without leaving; called by whatever thread collects garbage."""
        if self._loop is not None and not self.closed:  # behind its end nobody waits and nothing is kept
            with suppress(RuntimeError):  # the loop is closed: nobody waits for anything
                self._loop.call_soon_threadsafe(self._left)

    async def wait(self, reader: Subscription) -> None:
        """Sleep until something was appended, the reader left, or the log was closed."""
        self._loop = loop = asyncio.get_running_loop()
        self._awake = False
        if self._resting and self._blocks and not self._settling:
            self._settling = True
            loop.call_soon(self._settle)
        if reader.policy == "block":
            self.caught_up()
        future = reader.asleep = loop.create_future()
        self._asleep[future] = None
        try:
            await future
        finally:
            if future in self._asleep:  # it was not the log that woke it
                del self._asleep[future]

    def begin(self) -> float:
        """A turn begins, at the time returned: others run every millisecond, after a rest behind its first batch."""
        now_s = time.monotonic()
        if self.rest_at_s:
            self.rest_at_s = now_s + YIELD_S
        return now_s

    async def flow(self) -> None:
        """Let others run after a batch, and wait for readers that asked for it.

        Raises:
            RuntimeError: The running task itself reads with policy `block`: it would wait for itself.
        """
        if self.brake.on and not self.closed:
            self._loop = asyncio.get_running_loop()
            await self.brake.hold()
            return
        self.rest_at_s = time.monotonic() + YIELD_S
        await asyncio.sleep(0)

    def caught_up(self) -> None:
        """A reader with policy `block` came to the end, or is gone: nothing has to be kept for it."""
        self.brake.release()
        self._limit = self._window_bytes
        if self.held_bytes > self._limit:
            self._shrink()

    def share(self, start: int, wanted: Wanted) -> Sequence[Entry]:
        """The entries from a place in the log on; made once for all who stand there."""
        key = (start, wanted)
        shared = self._shared if self._shared.at == (self.generation, self.last) else self._anew()
        if key not in shared:
            if shared:
                shared.make_room()
            entries = self.log[start:]
            shared[key] = entries if wanted == EVERYTHING else wanted.select(entries)
        return shared[key]

    def catch_up(self, number: int, wanted: Wanted) -> Sequence[Entry]:
        """What a reader at `number` gets after entries were dropped; made once for all who stood there."""
        if number < self.floor:
            return (self._gap(),)
        shared = self._shared if self._shared.at == (self.generation, self.last) else self._anew()
        if (batch := shared.get((~number, wanted))) is None:
            thinned = [block for block in self._blocks if not block.closed and block.note.dropped > number]
            batch = caught_up(self.log[place_of(self.log, number) :], thinned, wanted, number)
            shared[~number, wanted] = batch
        return batch

    def rest(self) -> None:
        """The session is idle: let go of fragments nobody needs, and soon of the window."""
        self._resting = True
        self._earlier = None
        self.rest_at_s = 0.0
        loop = running_loop() if self._awake or self._due else None
        if loop is None:
            self._settle()
        elif not self._settling:  # when those who wake now have read
            self._settling = True
            loop.call_soon(self._settle)

    def expire(self) -> None:
        """Let the window go; only the newest id is known from now on."""
        if self.log:
            self._first_epoch = self.log[-1].epoch
        self.floor = self.last
        self.generation += 1
        self.log = []
        self._earlier = None
        self.held_bytes = 0
        self._blocks = [block for block in self._blocks if not block.closed]
        self._shared.clear()

    def renew(self, epoch: int) -> None:
        """Another owner wrote meanwhile: all ids so far are too old, and every reader gets one `gap`."""
        self.expire()
        self.epoch = self._first_epoch = epoch
        self.last = self.floor = self.last + 1
        self._wake()

    def close(self) -> None:
        """No event comes any more; readers get what is left, then end."""
        self.closed = True
        if self._timer is not None:
            self._timer.cancel()
        self.brake.release()
        self._wake()

    def _gap(self) -> Entry:
        """The whole state, for a reader behind dropped events."""
        take = self._snapshot or (lambda cursor: Snapshot(id=cursor, blocks=self.blocks))
        event = Gap(snapshot=take(self.cursor))
        return Entry(self.epoch, self.last, event.kind, EventContext(), event)

    def _wake(self) -> None:
        """Who sleeps alone reads on the loop's next pass; of many each reads a pass later, and so more at a time."""
        if self._asleep:
            loop = asyncio.get_running_loop()  # in another thread nobody would wake: there this raises
            if not self._due and len(self._asleep) > 1:
                self._due = True
                loop.call_soon(self._wake)
                return
            self._awake = True
        self._due = False
        asleep, self._asleep = self._asleep, {}
        for future in asleep:
            if not future.done():
                future.set_result(None)

    def _anew(self) -> SharedBatches:
        self._shared = shared = SharedBatches()
        shared.at = (self.generation, self.last)
        return shared

    def _left(self) -> None:
        self.caught_up()
        self._settle()

    def _settle(self) -> None:
        """At rest: keep only the fragments that a reader has not seen; without readers the window goes soon."""
        self._settling = False
        if not self._resting or self.closed:
            return
        readers = self._readers.alive()
        needed = min([reader.number for reader in readers], default=self.last)
        self._drop_fragments(needed, open_too=False)
        for reader in readers:
            reader.stay()
        if needed == self.last:
            self._shared.clear()
        loop = self._loop = running_loop()
        if self._readers or not self.log or loop is None:
            return
        self._idle_since = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._idle_s, self._expire)

    def _expire(self) -> None:
        self._timer = None
        if not self._resting or self._readers.alive():
            return
        loop = asyncio.get_running_loop()
        left_s = self._idle_since + self._idle_s - loop.time()
        if left_s > 0:
            self._timer = loop.call_later(left_s, self._expire)
            return
        self.expire()
        if self._on_expire is not None:
            self._on_expire()

    def _number(self, cursor: str) -> int:
        """The place behind which to begin; -1 for one that is too old or was never given."""
        if not cursor:
            return self.floor
        epoch, last = parts_of(cursor)
        if not self.floor <= last <= self.last:
            return -1
        place = place_of(self.log, last)
        lowest = self.log[place - 1].epoch if place else self._first_epoch
        highest = self.log[place].epoch if place < len(self.log) else self.epoch
        return last if lowest <= epoch <= highest else -1

    def _shrink(self) -> None:
        """The window is full: drop what may go, and whoever wants to keep more than four windows."""
        self._drop()
        while self.held_bytes > BLOCK_WINDOWS * self._window_bytes and self._disconnect_slowest():
            self._drop()
        self._limit = self._window_bytes
        if self.held_bytes > self._window_bytes:  # kept for a reader: look again only when there is more to gain
            self._limit = min(self.held_bytes + self._window_bytes // 4, BLOCK_WINDOWS * self._window_bytes)

    def _drop(self) -> None:
        guard = min((reader.number for reader in self.brake.readers.alive()), default=self.last)
        target = self._window_bytes * 3 // 4
        read = [min(reader.number, guard) for reader in self._readers.alive()] or [guard]
        for last in (min(read), max(read), guard):  # who keeps up misses nothing, whoever else does not
            for open_too in (False, True):
                if self.held_bytes > target:
                    self._drop_fragments(last, open_too=open_too)
            if self.held_bytes > target:
                self._drop_oldest(last, target)

    def _disconnect_slowest(self) -> bool:
        """Whether there was a reader with policy `block` that is behind."""
        slowest = min((reader.number for reader in self.brake.readers.alive()), default=self.last)
        for reader in [reader for reader in self.brake.readers.alive() if reader.number == slowest < self.last]:
            reader.lost = True
            self.brake.readers.discard(reader)
            self._readers.discard(reader)
        self.brake.release()
        return slowest < self.last

    def _drop_fragments(self, guard: int, *, open_too: bool) -> None:
        """Drop the fragments up to `guard` of closed blocks, and of open ones."""
        blocks = [block for block in self._blocks if (open_too or block.closed) and not block.note.thin]
        if not blocks:
            return
        # What stands before the first of them is not looked at: a message at rest pays for itself, not for the window.
        start = place_of(self.log, min(block.note.numbers[0] for block in blocks) - 1)
        kept = [
            entry
            for entry in self.log[start:]
            if entry.weight > FRAGMENT_BYTES
            or entry.number > guard
            or not (open_too or (entry.block is not None and entry.block.closed))
        ]
        for block in blocks:
            block.note.drop(guard)
        self._blocks = [block for block in self._blocks if not (block.closed and block.note.thin)]
        dropped = len(self.log) - start - len(kept)
        if dropped:
            self.held_bytes -= FRAGMENT_BYTES * dropped
            self.log[start:] = kept
            self.generation += 1

    def _drop_oldest(self, guard: int, target: int) -> None:
        count, self._earlier = 0, self._earlier or Unrecorded()
        for entry in self.log:
            if self.held_bytes <= target or entry.number > guard:
                break
            self._earlier.see(entry)
            self.held_bytes -= entry.weight
            self.floor = entry.number
            count += 1
        if count:
            self.log = self.log[count:]
            self.generation += 1
