"""`Painter`: a cell as lines of the screen."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from ore.artifact import ToolResult
from ore.ext.conduits.terminal.call_text import SIGNS, arguments_text, change_of, gist, told_once
from ore.ext.conduits.terminal.cells import Call, CallState, Cell, Kind
from ore.ext.conduits.terminal.figures import digest, seconds, size
from ore.ext.conduits.terminal.inert import harmless, one_line
from ore.ext.conduits.terminal.markdown import Drawer, StreamedMarkdown, plain_lines
from ore.ext.conduits.terminal.palette import Palette
from ore.ext.transforms.compaction import Boundary

__all__ = ["Painter", "fitted", "text_of"]

RESULT_LINES: Final = 3
"""Of a result that is folded, as the original has it."""

OTHER_LINES: Final = 2

_GAP: Final = 2
"""Cells between what stands on the left of a line and what on the right."""

OPEN_LINES: Final = 200
"""Of what is unfolded; the rest is a click away."""

_TITLES: Final = {
    Kind.USER: "You",
    Kind.TEXT: "Assistant",
    Kind.THINKING: "Thinking",
    Kind.SYSTEM: "System",
    Kind.OTHER: "Assistant",
}

_NOTICE_SIGNS: Final = {"success": "✓", "info": "·", "warn": "!", "error": "✕"}


class Painter:
    """Draws cells in the colours of a palette."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        self.drawer = Drawer(code_theme=palette.code, accent=palette.assistant)
        self._state_colours = {
            CallState.OK: palette.tool,
            CallState.ERROR: palette.error,
            CallState.DENIED: palette.error,
            CallState.ASKING: palette.warn,
            CallState.UNKNOWN: palette.warn,
            CallState.RUNNING: palette.assistant,
        }

    def streamed(self, width: int) -> StreamedMarkdown:
        """What draws a text that grows."""
        return StreamedMarkdown(self.drawer, width)

    def lines(self, cell: Cell, width: int, *, unfolded: int, streamed: StreamedMarkdown) -> list[Strip]:
        """All lines of a cell, none wider than `width`; without the gap behind it.

        Args:
            unfolded: How much is shown of what can be folded; see `Cell`.
            streamed: Of this cell at this width.
        """
        found = self._drawn(cell, width, unfolded, streamed)
        return [line if line.cell_length <= width else fitted(line, width) for line in found]

    def _drawn(self, cell: Cell, width: int, unfolded: int, streamed: StreamedMarkdown) -> list[Strip]:
        if cell.kind is Kind.CALL:
            return list(self._call(cell, cell.the_call, width, unfolded))
        if cell.kind in (Kind.NOTICE, Kind.ERROR):
            return self._note(cell, width, streamed)
        if cell.kind is Kind.COMPACTION:
            return self._compaction(cell, width, unfolded, streamed)
        head = self.header(cell, _TITLES[cell.kind], width)
        if cell.kind is Kind.THINKING and not unfolded:
            return [head]
        body, _ = streamed.lines(cell.text)
        if cell.kind is Kind.THINKING:
            body = [line.apply_style(Style(dim=True, italic=True)) for line in body]
        if cell.kind in (Kind.SYSTEM, Kind.OTHER) and not unfolded:
            body = _cut(body, OTHER_LINES, self.palette)
        if cell.mark and cell.kind is Kind.TEXT:
            body = [*body, Strip([Segment(f"[{cell.mark}]", self.palette.style(self.palette.warn, italic=True))])]
        return [head, *body]

    def header(self, cell: Cell, title: str, width: int) -> Strip:
        """`HH:MM:SS Title`, and on the right how large it is."""
        colour = {Kind.USER: self.palette.user, Kind.SYSTEM: self.palette.system}.get(cell.kind, self.palette.assistant)
        is_thinking = cell.kind is Kind.THINKING
        style = self.palette.style(colour, bold=not is_thinking, italic=is_thinking)
        clock = cell.at.astimezone().strftime("%H:%M:%S") if cell.at else "--:--:--"
        size_bytes = len(cell.text.encode("utf-8", "replace"))
        left = [Segment(f"{clock} ", self.palette.quiet), Segment(title, style)]
        if cell.is_open:
            left.append(Segment(" …", self.palette.quiet))
        return _sides(left, size(size_bytes), width, self.palette.quiet)

    def _call(self, cell: Cell, call: Call, width: int, unfolded: int) -> Iterator[Strip]:
        state = call.state(is_open=cell.is_open)
        colour = self._state_colours.get(state, "")
        took = call.took_s
        name, _, facts = gist(call).partition(" · ")
        left = [Segment(f"{SIGNS[state]} ", self.palette.style(colour, bold=True)), Segment(name, Style(bold=True))]
        if facts:
            left.append(Segment(f" · {facts}", self.palette.quiet))
        right = _told(call, state)
        yield _sides(
            left,
            f"{right}{seconds(took) if took is not None and not call.is_active else ''}",
            width,
            self.palette.quiet,
            keeps_right=True,
        )
        inner = max(width - 2, 4)
        if unfolded:
            yield from _indented(self._whole_call(call, inner, unfolded))
        elif call.result is not None:
            shown = self._result(call.result, inner, self.palette.quiet)
            yield from _indented(_cut(shown, RESULT_LINES, self.palette))
        elif call.children:
            yield from _indented(self._children(call, inner)[-5:])

    def _whole_call(self, call: Call, width: int, unfolded: int) -> Iterator[Strip]:
        mark = f"({digest(call.id)})"
        most = OPEN_LINES if unfolded == 1 else 1_000_000
        yield Strip([Segment(f"Assistant · Call {one_line(call.name)} {mark}", Style(bold=True))])
        text = arguments_text(call)
        if text and text != "{}":
            yield from _cut(self.drawer.code(text, "json", width), most, self.palette)
        yield from self._change(change_of(call), width)
        yield from self._children(call, width)
        if call.result is not None:
            colour = self.palette.error if call.result.is_error else self.palette.tool
            yield Strip([Segment(f"Tool Result {mark}", self.palette.style(colour, bold=True))])
            yield from _cut(self._result(call.result, width, Style.null()), most, self.palette)

    def _result(self, result: ToolResult, width: int, style: Style) -> list[Strip]:
        """What is meant for people is Markdown; what is not is shown as it is."""
        if result.display is None:
            return plain_lines(told_once(result.content), width, style)
        return [line.apply_style(style) for line in self.drawer.markdown(harmless(result.display), width)]

    def _change(self, lines: Sequence[str], width: int) -> Iterator[Strip]:
        colours = {"+": self.palette.added, "-": self.palette.removed}
        for line in lines:
            colour = colours.get(line[:1], "")
            yield from plain_lines(line, width, self.palette.style(colour) if colour else self.palette.quiet)

    def _children(self, call: Call, width: int) -> list[Strip]:
        found: list[Strip] = []
        for child in call.children:
            if child.call is not None:
                state = child.call.state(is_open=child.is_open)
                found.append(
                    _sides(
                        [Segment(f"{SIGNS[state]} {gist(child.call)}", self.palette.quiet)],
                        "",
                        width,
                        self.palette.quiet,
                    )
                )
            else:
                found += plain_lines(child.text, width, self.palette.quiet)[-OPEN_LINES:]
        return found

    def _note(self, cell: Cell, width: int, streamed: StreamedMarkdown) -> list[Strip]:
        if cell.kind is Kind.ERROR:
            sign, colour = "✕", self.palette.error
            text = f"{cell.mark}: {cell.text}" if cell.mark else cell.text
            if cell.mark == "context_overflow":
                text += "\n/compact makes room for it."
            body = plain_lines(text, max(width - 2, 4), self.palette.style(colour))
        else:
            sign = _NOTICE_SIGNS.get(cell.mark, "·")
            colour = {"success": self.palette.tool, "warn": self.palette.warn, "error": self.palette.error}.get(
                cell.mark, ""
            )
            body = self.drawer.markdown(harmless(cell.text), max(width - 2, 4))
        # A list, such as that of /help, has signs of its own.
        head = Segment("  " if sign == "·" and len(body) > 1 else f"{sign} ", self.palette.style(colour, bold=True))
        return [Strip([head if not place else Segment("  "), *line]) for place, line in enumerate(body)]

    def _compaction(self, cell: Cell, width: int, unfolded: int, streamed: StreamedMarkdown) -> list[Strip]:
        boundary = cell.artifact
        text = "compacted"
        if isinstance(boundary, Boundary):
            text = (
                f"compacted {boundary.dropped_turn_count:,} turns (~{boundary.dropped_token_estimate:,} tokens saved)"
            )
            facts = [boundary.strategy.value, boundary.model]
            if boundary.created_at is not None:
                facts.append(boundary.created_at.astimezone().strftime("%Y-%m-%d %H:%M"))
            if unfolded:
                text = " · ".join([text, *(fact for fact in facts if fact)])
        rule = _sides([Segment(f"── {text} ", self.palette.style(self.palette.system))], "", width, self.palette.quiet)
        rest = max(width - rule.cell_length, 0)
        line = Strip([*rule, Segment("─" * rest, self.palette.quiet)])
        return [line, *streamed.lines(cell.text)[0]] if unfolded and cell.text else [line]


def text_of(cell: Cell) -> str:
    """A cell as text, to copy."""
    if cell.call is None:
        return cell.text
    result = cell.call.result
    return gist(cell.call) + (f"\n{result.for_human()}" if result is not None else "")


def fitted(strip: Strip, width: int) -> Strip:
    """A strip of at most `width` cells, with a sign where it was cut."""
    if strip.cell_length <= width:
        return strip
    return Strip([*strip.crop(0, max(width - 1, 0)), Segment("…")])


def _told(call: Call, state: CallState) -> str:
    if state is CallState.RUNNING and call.description and call.description != call.name:
        return f"{one_line(call.description)} "
    return {
        CallState.PREPARING: "preparing ",
        CallState.ASKING: "waits for you ",
        CallState.DENIED: "denied ",
        CallState.CANCELLED: "stopped ",
        CallState.UNKNOWN: "outcome unknown ",
        CallState.RUNNING: "running ",
    }.get(state, "")


def _sides(left: Sequence[Segment], right: str, width: int, style: Style, *, keeps_right: bool = False) -> Strip:
    """What is on the left and on the right; where it is narrow one of them goes or is cut."""
    strip, aside = Strip(left), Strip([Segment(right.rstrip(), style)])
    room = width - strip.cell_length - aside.cell_length
    if room < _GAP and keeps_right and aside.cell_length * 2 < width:
        strip = fitted(strip, width - aside.cell_length - _GAP)
        room = width - strip.cell_length - aside.cell_length
    if room < _GAP or not aside.cell_length:
        return fitted(strip, width)
    return Strip([*strip, Segment(" " * room), *aside])


def _indented(lines: Sequence[Strip] | Iterator[Strip]) -> Iterator[Strip]:
    for line in lines:
        yield Strip([Segment("  "), *line])


def _cut(lines: list[Strip], most: int, palette: Palette) -> list[Strip]:
    """The first lines, and how many there are more."""
    if len(lines) <= most + 1:
        return lines
    more = f"… {len(lines) - most:,} more lines (click, or Ctrl+O)"
    return [*lines[:most], Strip([Segment(more, palette.quiet)])]
