"""Where in the log a reader stands: by its number, or by a cursor that it was given."""

from bisect import bisect_right
from collections.abc import Sequence

from ore.event import Entry

__all__ = ["parts_of", "place_of"]


def place_of(log: Sequence[Entry], number: int) -> int:
    """Index of the first entry behind `number`."""
    if log and number < log[-1].number:
        place = len(log) - (log[-1].number - number)  # where it is when nothing behind it was dropped
        if place >= 0 and log[place].number > number and (place == 0 or log[place - 1].number <= number):
            return place
    return bisect_right(log, number, key=lambda entry: entry.number)


def parts_of(cursor: str) -> tuple[int, int]:
    """Epoch and number of a cursor, which anybody may have sent; -1 for both when no log gave it."""
    epoch, _, number = cursor.partition("-")
    if not (cursor.isascii() and epoch.isdigit() and number.isdigit()) or len(cursor) > 40:
        return -1, -1
    return int(epoch), int(number)
