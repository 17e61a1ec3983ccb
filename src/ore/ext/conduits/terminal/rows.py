"""`Rows`: which lines of the screen belong to which cell."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from textual.strip import Strip

from ore.ext.conduits.terminal.cells import Cell, Kind
from ore.ext.conduits.terminal.markdown import StreamedMarkdown
from ore.ext.conduits.terminal.painting import Painter

__all__ = ["GAP_LINES", "Row", "Rows"]

GAP_LINES = 1
"""Between cells, as the original has it."""


class Row:
    """One cell and its lines at the width of the screen.

    One that was never drawn has a height that is guessed, so that a long
    history need not be drawn before a part of it is seen.
    """

    __slots__ = ("cell", "height", "is_drawn", "lines", "streamed", "wanted", "was_open")

    def __init__(self, cell: Cell, width: int) -> None:
        self.cell = cell
        self.lines: list[Strip] | None = None
        self.streamed: StreamedMarkdown | None = None
        self.was_open = cell.is_open
        self.is_drawn = False
        """Whether its lines are what it says."""
        self.height = _guess(cell, width)

    def draw(self, painter: Painter, width: int, unfolded: int) -> int:
        """Draw it; how many of its first lines are as they were."""
        if self.streamed is None or self.was_open != self.cell.is_open:
            self.streamed, self.was_open = painter.streamed(width), self.cell.is_open
        before = self.lines
        level = self.cell.unfolded if self.cell.unfolded is not None else unfolded
        self.lines = painter.lines(self.cell, width, unfolded=level, streamed=self.streamed)
        self.lines += [Strip.blank(0)] * GAP_LINES
        self.height, self.is_drawn = len(self.lines), True
        return _same(before or [], self.lines)

    def forget(self, *, width_changed: bool = False) -> None:
        """It is to be drawn again; its height is the best guess until then."""
        self.is_drawn = False
        if width_changed:
            self.streamed = self.lines = None


class Rows:
    """The rows of a conversation, from top to bottom.

    Attributes:
        width: Cells of a line.
        unfolded: How much is shown of cells that say nothing themselves.
        total: How many lines there are.
    """

    def __init__(self, painter: Painter) -> None:
        self.painter = painter
        self.width = 0
        self.unfolded = 0
        self.total = 0
        self._rows: list[Row] = []
        self._of: dict[Cell, Row] = {}
        self._starts: list[int] = [0]
        self._stale: set[Row] = set()

    @property
    def is_drawn(self) -> bool:
        """Whether all of them are."""
        return not self._stale

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: int) -> Row:
        return self._rows[place]

    def reshape(self, cells: Sequence[Cell]) -> None:
        """Hold these cells, in this order; rows of cells that stay are kept."""
        known = self._of
        self._of = {cell: known.get(cell) or Row(cell, self.width) for cell in cells}
        self._rows = list(self._of.values())
        self._stale = {row for row in self._rows if not row.is_drawn}
        self.measure()

    def mark(self, cells: Iterable[Cell]) -> None:
        """Let cells be drawn again."""
        for cell in cells:
            row = self._of.get(cell)
            if row is not None:
                row.forget()
                self._stale.add(row)

    def resize(self, width: int) -> None:
        """Let all be drawn again, at another width."""
        self.width = width
        self.mark_all(width_changed=True)

    def mark_all(self, *, width_changed: bool = False) -> None:
        """Let all be drawn again."""
        for row in self._rows:
            row.forget(width_changed=width_changed)
        self._stale.update(self._rows)

    def draw(self, place: int) -> tuple[int, int]:
        """Draw a row; the first of its lines that differs, and by how much it grew."""
        row = self._rows[place]
        before = row.height
        kept = row.draw(self.painter, self.width, self.unfolded)
        self._stale.discard(row)
        return kept, row.height - before

    def measure(self) -> None:
        """Know where each row begins."""
        self._starts = [0, *accumulate(row.height for row in self._rows)]
        self.total = self._starts[-1]

    def start(self, place: int) -> int:
        """The first line of a row."""
        return self._starts[place]

    def at(self, line: int) -> tuple[int, int]:
        """Which row a line belongs to, and the how manieth of it that is; the last row's end below all."""
        if not self._rows:
            return 0, 0
        place = min(max(bisect_right(self._starts, line) - 1, 0), len(self._rows) - 1)
        return place, line - self._starts[place]

    def strip(self, line: int) -> Strip:
        """A line; blank where nothing stands, or nothing was drawn yet."""
        if not self._rows or line >= self.total:
            return Strip.blank(0)
        place, offset = self.at(line)
        lines = self._rows[place].lines
        return lines[offset] if lines is not None and offset < len(lines) else Strip.blank(0)

    def undrawn(self, near: int) -> Iterator[int]:
        """Rows that are not drawn, those near `near` first."""
        for distance in range(len(self._rows)):
            for place in {near - distance, near + distance}:
                if 0 <= place < len(self._rows) and not self._rows[place].is_drawn:
                    yield place


def _guess(cell: Cell, width: int) -> int:
    if cell.kind is Kind.CALL:
        return 3 + GAP_LINES
    if cell.kind in (Kind.THINKING, Kind.COMPACTION):
        return 1 + GAP_LINES
    text = cell.text
    return 1 + text.count("\n") + len(text) // max(width, 20) + 1 + GAP_LINES


def _same(before: Sequence[Strip], after: Sequence[Strip]) -> int:
    """How many strips at the beginning are the same; the stable ones are the same objects."""
    count = 0
    for one, other in zip(before, after, strict=False):
        if one is not other and one != other:
            break
        count += 1
    return count
