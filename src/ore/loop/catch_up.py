"""What a reader gets who stands on fragments that the log let go."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge

from ore.artifact import Block, Delta
from ore.event import Entry
from ore.loop.wanted import Wanted

__all__ = ["caught_up"]


def caught_up(log: Sequence[Entry], thinned: Iterable[Block], wanted: Wanted, number: int) -> list[Entry]:
    """The entries behind `number`, with dropped fragments told in larger pieces.

    Fragments of an open block come as one piece for each stretch without
    another event between, under the number of the last of them, so that
    whoever resumes there misses nothing. A closed block comes only complete,
    also to those who asked for its fragments alone.

    Args:
        log: The entries behind `number` that are still there.
        thinned: Open blocks that lost fragments behind `number`.
    """
    kept = [entry for entry in log if _shown(entry, wanted, number)]
    missing = [_missing(block, number) for block in thinned if wanted.takes_delta(block)]
    if not missing:
        return kept
    found: list[Entry] = []
    run: tuple[Block, int, int] | None = None
    entries = ((entry.number, entry, 0) for entry in kept)
    for _, item, place in merge(entries, *missing, key=_first):
        if run is not None and run[0] is item:
            run = (run[0], run[1], place)
            continue
        if run is not None:
            found.extend(_pieces(*run))
            run = None
        if isinstance(item, Block):
            run = (item, place, place)
        else:
            found.append(item)
    if run is not None:
        found.extend(_pieces(*run))
    return found


def _first(item: tuple[int, object, int]) -> int:
    return item[0]


def _missing(block: Block, number: int) -> Iterator[tuple[int, Entry | Block, int]]:
    """Number, block and place of each dropped fragment that the reader has not seen."""
    numbers = block.note.numbers
    for place in range(bisect_right(numbers, number), bisect_right(numbers, block.note.dropped)):
        yield numbers[place], block, place


def _pieces(block: Block, first: int, last: int) -> Iterator[Entry]:
    """One entry for the fragments of these places, or one each when they cannot be joined."""
    note = block.note
    parts = block.parts[first : last + 1]
    joined = block.kind.coalesce(parts) if len(parts) > 1 else None
    pieces = [(note.numbers[last], joined)] if joined else list(zip(note.numbers[first : last + 1], parts, strict=True))
    for number, piece in pieces:
        yield Entry(note.epoch, number, piece.kind, note.context, piece, block)


def _shown(entry: Entry, wanted: Wanted, number: int) -> bool:
    """Whether the reader gets an entry that is still there."""
    block = entry.block
    if block is None or not block.closed or block.note is None or block.note.dropped <= number:
        return wanted.takes(entry)
    if isinstance(entry.event, Delta):  # its block comes complete
        return False
    return wanted.takes(entry) or wanted.takes_delta(block)
