"""`Transcript`: the conversation on the screen."""

import time
from collections.abc import Collection, Sequence
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from ore.ext.conduits.terminal.cells import Cell, Kind
from ore.ext.conduits.terminal.painting import Painter
from ore.ext.conduits.terminal.rows import Rows

__all__ = ["Transcript"]

_PAUSE_S: Final = 0.03
_BUDGET_S: Final = 0.006
"""Of each pause, to draw history that nobody sees yet: a fifth of a core at most."""

_MOST_KEPT: Final = 2_000

_FOLDABLE: Final = frozenset({Kind.CALL, Kind.THINKING, Kind.SYSTEM, Kind.COMPACTION, Kind.OTHER})


class Transcript(ScrollView, can_focus=False):
    """All cells of a conversation; only those that are seen are drawn at once, and only lines that changed.

    It follows the end, until somebody scrolls up; then what they read stays
    where it is, whatever comes, until they are at the end again.

    Args:
        painter: Draws cells.
    """

    DEFAULT_CSS: ClassVar[str] = """
    Transcript { height: 1fr; min-height: 1; padding: 0 0 0 1; overflow-x: hidden; overflow-y: auto;
                 scrollbar-gutter: stable; scrollbar-size-vertical: 1;
                 scrollbar-color: ansi_bright_black; scrollbar-background: transparent;
                 scrollbar-color-hover: $primary; scrollbar-color-active: $primary;
                 scrollbar-background-hover: transparent; scrollbar-background-active: transparent; }
    """

    class Moved(Message):
        """Where it stands has changed.

        Attributes:
            unseen: Lines that came since somebody scrolled up; 0 at the end.
        """

        def __init__(self, unseen: int, *, following: bool) -> None:
            super().__init__()
            self.unseen = unseen
            self.following = following

    class Unfold(Message):
        """Somebody wants to see all of a cell."""

        def __init__(self, cell: Cell) -> None:
            super().__init__()
            self.cell = cell

    def __init__(self, painter: Painter) -> None:
        super().__init__(id="transcript")
        self.rows = Rows(painter)
        self.following = True
        self.lines_drawn = 0
        """Lines that were sent to the screen because something of them changed."""
        self._settling = False
        self._seen_total = 0
        self._told: tuple[int, bool] | None = None
        self._drawing = False
        self._own_style: Style | None = None
        self._lines: dict[int, tuple[Strip, Strip]] = {}
        """Lines as they were drawn last, by their place, with what they were made of."""

    @property
    def allow_select(self) -> bool:
        """Text can be marked with the mouse."""
        return True

    def show(self, cells: Sequence[Cell], changed: Collection[Cell], *, reshaped: bool) -> None:
        """Show these cells.

        Args:
            cells: All of them, in order.
            changed: Those that are not as they were.
            reshaped: Whether some came, went or moved.
        """
        anchor = self._anchor()
        if reshaped:
            self.rows.reshape(cells)
            self.refresh()
        self.rows.mark(changed)
        self._settle(anchor)

    def repaint(self, painter: Painter | None = None) -> None:
        """Draw all of it again, such as in other colours."""
        anchor = self._anchor()
        if painter is not None:
            self.rows.painter = painter
        self.rows.mark_all(width_changed=True)
        self._settle(anchor)
        self.refresh()

    def unfold(self, level: int) -> None:
        """Show more or less of everything that can be folded, and go to the end."""
        self.rows.unfolded = level
        for place in range(len(self.rows)):
            self.rows[place].cell.unfolded = None
        self.rows.mark_all()
        self.follow()
        self.refresh()

    def follow(self) -> None:
        """Go to the end, and stay there."""
        self.following = True
        self._settle(None)

    def line_texts(self) -> Sequence[str]:
        """The lines on the screen, as text."""
        top = round(self.scroll_y)
        return [self.rows.strip(top + line).text.rstrip() for line in range(self.size.height)]

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        line = self.scroll_offset.y + y
        strip = self.rows.strip(line)
        self.lines_drawn += 1
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(line)) is not None:
            marked = _marked(strip, span, self.screen.get_component_rich_style("screen--selection"))
            return self._ready(marked, line)
        # A line that only moved on the screen is what it was.
        known = self._lines.get(line)
        if known is None or known[0] is not strip:
            if len(self._lines) > _MOST_KEPT:
                self._lines.clear()
            known = self._lines[line] = (strip, self._ready(strip, line))
        return known[1]

    def _ready(self, strip: Strip, line: int) -> Strip:
        if self._own_style is None:
            self._own_style = self.rich_style
        return strip.adjust_cell_length(self.size.width).apply_style(self._own_style).apply_offsets(0, line)

    def notify_style_update(self) -> None:
        """Other styles hold."""
        super().notify_style_update()
        self._own_style = None
        self._lines.clear()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that is marked."""
        first = selection.start.y if selection.start is not None else 0
        last = selection.end.y if selection.end is not None else self.rows.total - 1
        lines = []
        for line in range(first, min(last + 1, self.rows.total)):
            text, span = self.rows.strip(line).text, selection.get_span(line)
            start, end = span if span is not None else (0, -1)
            lines.append(text[start : None if end == -1 else end].rstrip())
        return "\n".join(lines), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Show what is marked."""
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever scrolls up wants to read; whoever comes to the end wants to follow."""
        super().watch_scroll_y(old_value, new_value)
        if not self._settling and round(old_value) != round(new_value):
            self.following = new_value >= self.max_scroll_y - 0.5
            if self.following or self._told == (0, True):
                self._seen_total = self.rows.total
            self._settle(None if self.following else self._anchor())

    def on_resize(self, event: Resize) -> None:
        """Set everything anew for another width."""
        anchor = self._anchor()
        self._lines.clear()
        width = max(self.scrollable_content_region.width - 1, 8)
        if width != self.rows.width:
            self.rows.resize(width)
        self._settle(anchor)
        self.refresh()

    def on_click(self, event: Click) -> None:
        """Fold or unfold what was clicked."""
        if self.text_selection is not None or not len(self.rows):
            return
        line = self.scroll_offset.y + event.y
        if line >= self.rows.total:
            return
        cell = self.rows[self.rows.at(line)[0]].cell
        if cell.kind in _FOLDABLE:
            level = cell.unfolded if cell.unfolded is not None else self.rows.unfolded
            cell.unfolded = (level + 1) % 3 if cell.kind is Kind.CALL else int(not level)
            self.following = False
            self.show((), (cell,), reshaped=False)

    def _anchor(self) -> tuple[Cell, int] | None:
        """What stands at the top, when that has to stay."""
        if self.following or not len(self.rows):
            return None
        place, offset = self.rows.at(round(self.scroll_y))
        return self.rows[place].cell, offset

    def _settle(self, anchor: tuple[Cell, int] | None) -> None:
        """Draw what is seen, and put the view where it belongs."""
        if not self.rows.width or self._settling:
            return
        self._settling = True
        try:
            top = self._draw_seen(anchor)
            self.virtual_size = Size(self.rows.width, self.rows.total)
            goal = self.max_scroll_y if self.following else top
            if goal is not None and round(goal) != round(self.scroll_y):
                self.scroll_to(y=goal, animate=False, force=True)
        finally:
            self._settling = False
        self._tell()
        self._draw_later()

    def _draw_seen(self, anchor: tuple[Cell, int] | None) -> int | None:
        """Draw the rows that are seen; the line at the top afterwards, where that has to hold."""
        height, rows = self.size.height, self.rows
        if self.following or anchor is None:
            place, room = len(rows) - 1, height
            while place >= 0 and room > 0:
                self._draw(place)
                room -= rows[place].height
                place -= 1
            rows.measure()
            return None
        cell, offset = anchor
        first = next((place for place in range(len(rows)) if rows[place].cell is cell), len(rows) - 1)
        place, room = first, height + offset
        while place < len(rows) and room > 0:
            self._draw(place)
            room -= rows[place].height
            place += 1
        rows.measure()
        return rows.start(first) + min(offset, rows[first].height - 1)

    def _draw(self, place: int) -> None:
        row = self.rows[place]
        if row.is_drawn:
            return
        before = row.height
        kept, grown = self.rows.draw(place)
        first = self.rows.start(place) + kept
        count = max(before, row.height) - kept if not grown else max(self.size.height, row.height)
        if count > 0:
            self.refresh_lines(first, count)

    def _draw_later(self) -> None:
        """Draw the rest of the history bit by bit."""
        if not self._drawing and not self.rows.is_drawn:
            self._drawing = True
            self.set_timer(_PAUSE_S, self._draw_some)

    def _draw_some(self) -> None:
        self._drawing = False
        anchor, begun = self._anchor(), time.perf_counter()
        near = len(self.rows) - 1 if anchor is None else self.rows.at(round(self.scroll_y))[0]
        for place in self.rows.undrawn(near):
            self.rows.draw(place)
            if time.perf_counter() - begun > _BUDGET_S:
                break
        self.rows.measure()
        self._settle(anchor)
        self.refresh()

    def _tell(self) -> None:
        if self.following:
            self._seen_total = self.rows.total
        told = (max(self.rows.total - self._seen_total, 0), self.following)
        if told != self._told:
            self._told = told
            self.post_message(self.Moved(told[0], following=told[1]))


def _marked(strip: Strip, span: tuple[int, int], style: Style) -> Strip:
    """A strip with some of its characters in another style."""
    start, end = span
    found: list[Segment] = []
    at = 0
    for text, own, _ in strip:
        low = min(max(start - at, 0), len(text))
        high = len(text) if end == -1 else min(max(end - at, low), len(text))
        pieces = ((text[:low], own), (text[low:high], (own or Style.null()) + style), (text[high:], own))
        found += [Segment(piece, piece_style) for piece, piece_style in pieces if piece]
        at += len(text)
    return Strip(found)
