"""`Window`: a list of turns as it was, without a copy."""

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TypeVar, overload

__all__ = ["Chained", "Window"]

T = TypeVar("T")


class Window(Sequence[T]):
    """The first `length` items of a list that is only ever appended to.

    It takes constant time and space to make, and never changes.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: list[T], length: int | None = None) -> None:
        self._items = items
        self._length = len(items) if length is None else length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._length)
            return self._items[start:stop:step] if step > 0 else list(self)[index]
        place = index + self._length if index < 0 else index
        if not 0 <= place < self._length:
            raise IndexError(f"turn {index} of {self._length}")
        return self._items[place]

    def __iter__(self) -> Iterator[T]:
        return islice(iter(self._items), self._length)

    def __reversed__(self) -> Iterator[T]:
        later = len(self._items) - self._length
        return islice(reversed(self._items), later, None) if later else reversed(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(other) == self._length and all(map(_same, self, other))

    def __hash__(self) -> int:
        raise TypeError("a window of turns is not hashable")

    def __repr__(self) -> str:
        return repr(list(self))


class Chained(Sequence[T]):
    """Some items before others, without a copy of either."""

    __slots__ = ("_first", "_second")

    def __init__(self, first: Sequence[T], second: Sequence[T]) -> None:
        self._first = first
        self._second = second

    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return list(self)[index]
        place = index + len(self) if index < 0 else index
        head = len(self._first)
        if place < 0:
            raise IndexError(f"turn {index} of {len(self)}")
        return self._first[place] if place < head else self._second[place - head]

    def __iter__(self) -> Iterator[T]:
        return chain(self._first, self._second)

    def __reversed__(self) -> Iterator[T]:
        return chain(reversed(self._second), reversed(self._first))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(other) == len(self) and all(map(_same, self, other))

    def __hash__(self) -> int:
        raise TypeError("a window of turns is not hashable")

    def __repr__(self) -> str:
        return repr(list(self))


def _same(one: object, other: object) -> bool:
    return one is other or one == other
