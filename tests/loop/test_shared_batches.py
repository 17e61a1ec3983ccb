"""Readers at one place of the log get one and the same batch."""

from ore.artifact import Blocks, TextDelta
from ore.loop import EventBus


def _answered(bus: EventBus, words: int) -> None:
    blocks = Blocks("t", lambda artifact, block: bus.emit(artifact, block=block))
    for number in range(words):
        blocks.add(TextDelta(content=f"{number} "))
    blocks.close()


def test_a_batch_is_made_once_for_all_who_stand_at_one_place() -> None:
    bus = EventBus()
    readers = [bus.subscribe() for _ in range(3)]
    _answered(bus, 5)
    first, *others = [reader.take() for reader in readers]
    assert len(first) == 6
    assert all(batch is first for batch in others)


def test_so_is_one_for_those_who_stood_before_fragments_that_were_dropped() -> None:
    """Each of them would otherwise encode it anew."""
    bus = EventBus(window_bytes=600)
    readers = [bus.subscribe() for _ in range(3)]
    others = [bus.subscribe(deltas=False) for _ in range(2)]
    _answered(bus, 50)
    whole, *rest = [reader.take() for reader in readers]
    assert [entry.kind for entry in whole] == ["text"]
    assert all(batch is whole for batch in rest)
    one, other = [reader.take() for reader in others]
    assert one is other


def test_a_batch_of_before_is_not_given_once_the_log_has_changed() -> None:
    bus = EventBus()
    early, late = bus.subscribe(), bus.subscribe()
    _answered(bus, 1)
    assert len(early.take()) == 2
    _answered(bus, 1)
    assert len(late.take()) == 4
