"""`CountedTurns`: a path that counts how much of it is looked at."""

from collections.abc import Iterator, Sequence
from typing import overload

from ore.ledger import Turn

__all__ = ["CountedTurns"]


class CountedTurns(Sequence[Turn]):
    """Turns that count how many of them were given out."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns
        self.given = 0

    def __len__(self) -> int:
        return len(self._turns)

    @overload
    def __getitem__(self, index: int) -> Turn: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Turn]: ...
    def __getitem__(self, index: int | slice) -> Turn | Sequence[Turn]:
        found = self._turns[index]
        self.given += len(found) if isinstance(found, Sequence) else 1
        return found

    def __iter__(self) -> Iterator[Turn]:
        for turn in self._turns:
            self.given += 1
            yield turn

    def __reversed__(self) -> Iterator[Turn]:
        for turn in reversed(self._turns):
            self.given += 1
            yield turn
