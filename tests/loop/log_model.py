"""A plain list that knows what every reader of the event log must get, whatever it missed."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from ore.artifact import Artifact, Block, Blocks, Delta
from ore.errors import LimitError
from ore.event import FRAGMENT_BYTES, Entry, Event, EventContext, Gap, LiveBlock
from ore.loop import EventBus, Policy, Subscription


@dataclass
class Told:
    """One event as it was emitted."""

    number: int
    event: Event | Artifact
    block: Block | None

    @property
    def fragment(self) -> bool:
        return isinstance(self.event, Delta)


class Model:
    """Emits into a bus, and remembers all of it."""

    def __init__(self, window_bytes: int) -> None:
        self.window_bytes = window_bytes
        self.bus = EventBus(window_bytes=window_bytes, idle_s=3600)
        self.told: list[Told] = []
        self.states: dict[int, list[list[LiveBlock]]] = {}
        self.readers: list[Reader] = []
        self.ids: list[str] = ["1-0"]
        self.dropped = False
        self.spent_bytes = 0
        self._turns = 0
        self._open: list[Block] = []
        self.new_turn()
        self.settle()

    @property
    def last(self) -> int:
        return self.bus.fan_out.last

    def new_turn(self) -> None:
        self._turns += 1
        self.blocks = Blocks(f"t{self._turns}", self._publish)

    def emit(self, event: Event | Artifact, block: Block | None = None) -> None:
        context = EventContext(block=block.id if block else None)
        self.bus.emit(event, block=block, context=context)
        self.told.append(Told(self.last, event, block))
        if block is not None and block not in self._open and not block.closed:
            self._open.append(block)
        self.spent_bytes += 300 + len(repr(event))
        self.dropped = self.dropped or self.spent_bytes > self.window_bytes
        self.check_window()

    def settle(self) -> None:
        """An operation is over: remember what is open now."""
        self._open = [block for block in self._open if not block.closed]
        found = [(block, block.so_far) for block in self._open]
        state = [LiveBlock(block=block.id, artifact=artifact) for block, artifact in found if artifact is not None]
        self.states.setdefault(self.last, []).append(state)

    def join(self, kinds: frozenset[str], deltas: bool, policy: Policy, after: str | None) -> None:
        reader = self.bus.subscribe(*kinds, deltas=deltas, policy=policy, after=after)
        if after == "":
            assert reader.number == self.bus.fan_out.floor
        elif after is not None:
            given = int(after.partition("-")[2]) if after in self.ids else -1
            assert reader.number == (given if given >= self.bus.fan_out.floor else -1)
        self.readers.append(Reader(self, reader, kinds, deltas, policy))

    def check_window(self) -> None:
        fan_out = self.bus.fan_out
        assert fan_out.held_bytes == sum(entry.weight for entry in fan_out.log)
        held = any(
            reader.policy == "block" and not (reader.left or reader.subscription.lost) for reader in self.readers
        )
        assert fan_out.held_bytes <= self.window_bytes * (4 if held else 1)
        assert all(entry.weight > FRAGMENT_BYTES or isinstance(entry.event, Delta) for entry in fan_out.log)

    def _publish(self, artifact: Artifact, block: Block | None) -> None:
        self.emit(artifact, block)


@dataclass
class Reader:
    """One reader, and what it must have been given so far."""

    model: Model
    subscription: Subscription
    kinds: frozenset[str]
    deltas: bool
    policy: Policy
    left: bool = False
    at: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    """The last fragment of each block that it has."""
    batches: list[tuple[Sequence[Entry], tuple[Entry, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.at = self.start = self.subscription.number

    def take(self) -> None:
        """Read all that waits."""
        try:
            batch = self.subscription.take()
        except LimitError:
            self.lost()
            return
        self.got(batch)
        if not self.subscription.lost:  # else it has what was waiting, and the next read says the rest
            self.up_to_date()

    def one(self) -> None:
        """Read one event, if one waits."""
        found = _poll(self.subscription)
        if isinstance(found, Entry):
            self.got([found])
        elif isinstance(found, LimitError):
            self.lost()
        else:
            self.up_to_date()

    async def batch(self) -> None:
        """Read a batch, if one waits; one that does not come is not waited for."""
        async with aclosing(self.subscription.batches()) as batches:
            task = asyncio.ensure_future(anext(batches, ()))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait((task,))
        if task.cancelled():
            self.up_to_date()
        elif isinstance(task.exception(), LimitError):
            self.lost()
        else:
            self.got(task.result())

    def lost(self) -> None:
        """It was disconnected: only who blocks, and only more than four windows behind."""
        assert self.policy == "block"
        missed = sum(entry.number > self.subscription.number for entry in self.model.told)
        assert missed > 0
        self.leave()

    def leave(self) -> None:
        self.left = True
        self.subscription.close()

    def got(self, batch: Sequence[Entry]) -> None:
        self.batches.append((batch, tuple(batch)))
        for entry in batch:
            self._next(entry)
            self.model.ids.append(entry.id)
            self.at = entry.number

    def up_to_date(self) -> None:
        """Everything so far was given, or is told by what was."""
        self._nothing_missed(self.model.last + 1)
        self.at = self.model.last
        for batch, copy in self.batches:
            assert tuple(batch) == copy

    def _next(self, entry: Entry) -> None:
        assert entry.number > self.at or (entry.number == self.at == self.start and isinstance(entry.event, Gap))
        if isinstance(entry.event, Gap):
            self._gap(entry, entry.event)
            return
        assert self.at >= 0, "who comes with an id that was never given gets the state first"
        told = next(told for told in self.model.told if told.number == entry.number)
        self._nothing_missed(entry.number, told.block if told.fragment else None)
        assert entry.block is told.block
        assert entry.context.block == (told.block.id if told.block else None)
        if told.block is not None and told.fragment:
            unseen = self._unseen(told.block, entry.number)
            assert self._wants(told)
            assert entry.event == joined([one.event for one in unseen])
            self.seen[told.block.id] = entry.number
            return
        assert entry.event is told.event
        if not self._wants(told):
            assert told.block is not None and self._replaced(told)

    def _gap(self, entry: Entry, gap: Gap) -> None:
        """The state stands for everything before it, and only when events were dropped."""
        assert self.model.dropped or self.at < 0
        assert gap.snapshot.id == entry.id
        assert list(gap.snapshot.blocks) in self.model.states[entry.number]
        self.seen = {told.block.id: entry.number for told in self.model.told if told.block is not None}

    def _nothing_missed(self, end: int, told_now: Block | None = None) -> None:
        """Between the last event it got and place `end` there is nothing it wanted, or something stands for it."""
        for told in self.model.told:
            if not self.at < told.number < end or (told.fragment and told.block is told_now):
                continue
            if not told.fragment:
                assert not self._wants(told), f"{told.event!r} was never given"
                assert not (told.block is not None and self._replaced(told)), f"{told.event!r} stands for fragments"
            elif told.block is not None and self._wants(told) and self._unseen(told.block, told.number):
                assert told.block.closed, f"{told.event!r} was never given"

    def _replaced(self, told: Told) -> bool:
        """Whether a complete block stands for fragments that this reader wanted and did not get."""
        assert told.block is not None
        fragments = self._unseen(told.block, told.number)
        return any(self._wants(fragment) for fragment in fragments)

    def _unseen(self, block: Block, up_to: int) -> list[Told]:
        seen = self.seen.get(block.id, self.start)
        return [
            told for told in self.model.told if told.block is block and told.fragment and seen < told.number <= up_to
        ]

    def _wants(self, told: Told) -> bool:
        if self.kinds:
            return told.event.kind in self.kinds
        return self.deltas or not told.fragment


def joined(parts: Sequence[Any]) -> Any:
    """Fragments in one piece."""
    return parts[0] if len(parts) == 1 else type(parts[0]).coalesce(parts)


def _poll(reader: Subscription) -> Entry | Exception | None:
    """What a reader gives without waiting; `None` when it would wait."""
    step: Any = anext(reader)
    try:
        step.send(None)
    except StopIteration as found:
        value: Entry = found.value
        return value
    except (LimitError, StopAsyncIteration) as error:
        return error
    step.close()
    return None
