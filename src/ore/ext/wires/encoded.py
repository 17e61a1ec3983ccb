"""Encoded pieces of a conversation, kept so that a long one is not encoded again for each answer.

A wire cuts a conversation into *units*: turns whose messages depend on nothing
outside of them, such as the adjacent turns of one role, or calls with their
results. Where a unit ends is seen from two neighbours alone. What a unit was
encoded to holds for exactly the same turn objects; everything else that the
bytes depend on, such as the model that opaque data goes back to, belongs in
the key.
"""

from collections.abc import Callable, Hashable, Iterator, MutableMapping, Sequence
from operator import is_
from typing import Any, Final, NamedTuple, TypeVar

from ore.ledger import Turn

__all__ = ["Encode", "GoesOn", "encode_units", "keep", "keep_of_tools", "last_unit", "units"]

T = TypeVar("T")

GoesOn = Callable[[Turn, Turn], bool]
"""Whether the second turn belongs to the unit of the first, which stands just before it."""

Encode = Callable[[Sequence[Turn]], bytes]
"""The messages of a unit, joined by commas; empty when it has none."""

_UNITS: Final = 32
"""Units in one piece: few enough that one that changed is cheap, enough that 10,000 turns are 300 look-ups."""

_KEYS: Final = 4
"""Models of one conversation whose pieces are kept: who is asked, and to whom it falls back."""


_OF_TOOLS: Final[dict[Any, Any]] = {}

_SHARED_KEYS: Final = 16
"""Forms of tools that conversations share."""


class _Piece(NamedTuple):
    turns: Sequence[Turn]
    units: int
    encoded: bytes


class _Kept:
    """The pieces of the last two requests, by the id of their first turn.

    Nothing else is kept, so turns that a transform makes anew each time leave
    nothing behind; and one request in between with other turns, such as that
    for a summary, costs nothing.
    """

    __slots__ = ("before", "now")

    def __init__(self) -> None:
        self.now: dict[str, _Piece] = {}
        self.before: dict[str, _Piece] = {}


def encode_units(
    turns: Sequence[Turn], goes_on: GoesOn, encode: Encode, *, kept: MutableMapping[Any, Any], key: Hashable
) -> list[bytes]:
    """The messages of a conversation, to be joined by commas: the same bytes whatever was kept.

    Args:
        turns: Oldest first.
        goes_on: Where units end.
        encode: Makes the bytes of a unit; what it raises is passed on, and nothing is kept then.
        kept: The `encoded` of the ask.
        key: The wire, and everything that `encode` depends on beside the turns.
    """
    held = _held(kept, key)
    turns = list(turns)
    pieces: list[_Piece] = []
    place, count = 0, len(turns)
    while place < count:
        id = turns[place].id
        piece = held.now.get(id)
        if piece is None or not _holds(piece, turns, place, goes_on):
            piece = held.before.get(id)
            if piece is None or not _holds(piece, turns, place, goes_on):
                unit = turns[place : _end(turns, place, goes_on)]
                piece = _Piece(unit, 1, encode(unit))
        pieces.append(piece)
        place += len(piece.turns)
    held.before, held.now = held.now, {piece.turns[0].id: piece for piece in _joined(pieces)}
    return [piece.encoded for piece in pieces if piece.encoded]


def units(turns: Sequence[Turn], goes_on: GoesOn) -> Iterator[Sequence[Turn]]:
    """The units of a conversation, for those that are not kept."""
    turns = list(turns)
    place = 0
    while place < len(turns):
        end = _end(turns, place, goes_on)
        yield turns[place:end]
        place = end


def last_unit(turns: Sequence[Turn], goes_on: GoesOn) -> int:
    """Where the last unit begins; for what is encoded in a form of its own, such as with a mark."""
    place = len(turns) - 1
    while place > 0 and goes_on(turns[place - 1], turns[place]):
        place -= 1
    return max(place, 0)


def keep(kept: MutableMapping[Any, Any], key: Hashable, sources: Sequence[object], make: Callable[[], T]) -> T:
    """What `make` gives, or what it gave for the identical sources, such as the tools of a request.

    One value is kept for each key.
    """
    found = kept.get(key)
    if found is not None and len(found[0]) == len(sources) and all(map(is_, found[0], sources)):
        value: T = found[1]
        return value
    value = make()
    kept[key] = (tuple(sources), value)
    return value


def keep_of_tools(kept: MutableMapping[Any, Any], key: Hashable, sources: Sequence[object], make: Callable[[], T]) -> T:
    """The same for what depends on tools alone: conversations with the same tools share it, the last one for each key.

    Args:
        sources: Tools, and what else it is made of.
    """
    return keep(kept, key, sources, lambda: _shared(key, sources, make))


def _shared(key: Hashable, sources: Sequence[object], make: Callable[[], T]) -> T:
    if len(_OF_TOOLS) >= _SHARED_KEYS and key not in _OF_TOOLS:
        _OF_TOOLS.clear()
    return keep(_OF_TOOLS, key, sources, make)


def _held(kept: MutableMapping[Any, Any], key: Hashable) -> _Kept:
    """What is kept under a key, which is now the youngest; of too many keys the oldest goes."""
    held = kept.pop(key, None) or _Kept()
    others = [name for name, value in kept.items() if type(value) is _Kept]
    for name in others[: max(0, len(others) + 1 - _KEYS)]:
        del kept[name]
    kept[key] = held
    return held


def _holds(piece: _Piece, turns: list[Turn], place: int, goes_on: GoesOn) -> bool:
    """Whether a piece is of the very turns that stand here, and ends where a unit does."""
    end = place + len(piece.turns)
    if end > len(turns) or not all(map(is_, piece.turns, turns[place:end])):
        return False
    return end == len(turns) or not goes_on(turns[end - 1], turns[end])


def _end(turns: list[Turn], place: int, goes_on: GoesOn) -> int:
    end = place + 1
    while end < len(turns) and goes_on(turns[end - 1], turns[end]):
        end += 1
    return end


def _joined(pieces: list[_Piece]) -> list[_Piece]:
    """The pieces with each `_UNITS` single ones in a row made one; the last may still grow and stays."""
    found: list[_Piece] = []
    run: list[_Piece] = []
    for piece in pieces[:-1]:
        if piece.units > 1:
            found += (*run, piece)
            run = []
            continue
        run.append(piece)
        if len(run) == _UNITS:
            encoded = b",".join([single.encoded for single in run if single.encoded])
            found.append(_Piece([turn for single in run for turn in single.turns], _UNITS, encoded))
            run = []
    return [*found, *run, *pieces[-1:]]
