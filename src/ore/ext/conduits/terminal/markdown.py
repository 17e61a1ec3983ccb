"""`StreamedMarkdown`: Markdown as lines of a screen, of which only the last block is drawn again as it grows."""

import io
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import BlockQuote, CodeBlock, Heading, Markdown, MarkdownElement
from rich.segment import Segment
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax, SyntaxTheme
from rich.text import Text
from rich.theme import Theme
from textual.strip import Strip

from ore.ext.conduits.terminal.inert import harmless

__all__ = ["Drawer", "StreamedMarkdown", "plain_lines"]

_PARSER: Final = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
"""Tags are text: what a model writes is shown, and never left out."""

_NO_COLOURS: Final = ANSISyntaxTheme({})

_SLICE_LINES: Final = 16
"""Lines of an open fence that are drawn for good."""


class _Heading(Heading):
    """A heading on the left, as the others stand."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self.text.copy()
        text.justify = "left"
        yield text


class _CodeBlock(CodeBlock):
    """Code behind a bar, without a background of its own: both survive 16 colours and none."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip("\n")
        theme = self.theme or _NO_COLOURS
        lexer = self.lexer_name if self.theme else "text"
        syntax = Syntax(code, lexer, theme=theme, word_wrap=True, background_color="default", tab_size=4)
        bar = Segment("▏ ", console.get_style("markdown.hr", default="dim"))
        for line in console.render_lines(syntax, options.update(width=max(options.max_width - 2, 4)), pad=False):
            yield bar
            yield from line
            yield Segment.line()


class _Quote(BlockQuote):
    """A quotation behind a bar."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        bar = Segment("▎ ", self.style)
        inner = options.update(width=max(options.max_width - 2, 4))
        for line in console.render_lines(self.elements, inner, style=self.style, pad=False):
            yield bar
            yield from line
            yield Segment.line()


class _Markdown(Markdown):
    """Rich's, with the elements above and without HTML."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
        "blockquote_open": _Quote,
    }

    def __init__(self, text: str, tokens: list[Token], *, code_theme: SyntaxTheme | None) -> None:
        # Rich's own constructor makes a parser each time, which costs more than drawing a paragraph.
        self.markup = text
        self.parsed = tokens
        self.code_theme = code_theme  # type: ignore[assignment]  # Rich's blocks hand it on to its `Syntax`
        self.justify = None
        self.style = "none"
        self.hyperlinks = False
        self.inline_code_lexer = None
        self.inline_code_theme = ""


class Drawer:
    """Draws Markdown and other text as strips, for one theme.

    Args:
        code_theme: Colours of code; `None` for none.
        accent: The colour of headings and links; empty for none.
    """

    def __init__(self, *, code_theme: SyntaxTheme | None = None, accent: str = "") -> None:
        strong = f"bold {accent}".strip()
        styles = {
            "markdown.code": accent or "bold",
            "markdown.link_url": f"underline {accent}".strip(),
            "markdown.link": accent or "none",
            "markdown.hr": "dim",
            "markdown.block_quote": "dim",
            "markdown.item.bullet": accent or "none",
            "markdown.item.number": accent or "none",
            "markdown.table.border": "dim",
            "markdown.table.header": "bold",
            **{f"markdown.h{level}": f"{strong} underline" if level == 1 else strong for level in range(1, 8)},
        }
        self._code_theme = code_theme
        self._console = Console(
            file=io.StringIO(),
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
            width=80,
            theme=Theme(styles),
            markup=False,
            emoji=False,
            highlight=False,
        )

    def markdown(self, text: str, width: int) -> list[Strip]:
        """All of a text, one blank line between its blocks."""
        found: list[Strip] = []
        for block in _blocks(_parsed(text)):
            drawn = self._block(text, block, width)
            if found and drawn:
                found.append(Strip.blank(0))
            found += drawn
        return found

    def _block(self, text: str, tokens: list[Token], width: int) -> list[Strip]:
        """One block; what cannot be drawn as Markdown is shown as it was written."""
        try:
            drawn = _Markdown(text, tokens, code_theme=self._code_theme)
            lines = self._console.render_lines(drawn, self._console.options.update(width=width), pad=False)
        except Exception:  # a renderer that is not up to a text must not take the conversation with it
            return plain_lines(_written(text, tokens), width)
        # What is nothing but a mark, such as `42.`, which begins a list, is shown all the same.
        return _trimmed([Strip(line) for line in lines]) or plain_lines(_written(text, tokens), width)

    def code(self, text: str, lexer: str, width: int) -> list[Strip]:
        """A piece of code without a bar."""
        lexer = lexer if self._code_theme else "text"
        syntax = Syntax(text, lexer, theme=self._code_theme or _NO_COLOURS, word_wrap=True, background_color="default")
        lines = self._console.render_lines(syntax, self._console.options.update(width=width), pad=False)
        return _trimmed([Strip(line) for line in lines])


class StreamedMarkdown:
    """A text that grows, and its lines at one width.

    A block of CommonMark that another one follows never changes again, as far
    as whole lines go; so only what stands behind the last of those is parsed
    and drawn anew. Of an open fence the lines that are whole are drawn once.

    Attributes:
        drawn_characters: How much was drawn so far, all in all.
    """

    def __init__(self, drawer: Drawer, width: int) -> None:
        self._drawer = drawer
        self._width = width
        self._stable: list[Strip] = []
        self._at = 0
        self._carry = ""
        self.drawn_characters = 0

    def lines(self, text: str) -> tuple[list[Strip], int]:
        """All its lines, and how many of the first ones are as they were last time."""
        kept = len(self._stable)
        rest = text[self._at :]
        whole = rest.rfind("\n") + 1
        if whole:
            self._advance(rest[:whole])
            rest = text[self._at :]
        source = harmless(self._carry + rest)
        self.drawn_characters += len(source)
        tail = self._drawer.markdown(source, self._width) if source.strip() else []
        gap = [Strip.blank(0)] if self._stable and tail and not self._carry else []
        return [*self._stable, *gap, *tail], kept

    def _advance(self, whole: str) -> None:
        """Draw for good what cannot change any more of these whole lines."""
        source = self._carry + whole
        tokens = _PARSER.parse(source)
        tops = [token for token in tokens if token.level == 0 and token.map and token.nesting >= 0]
        if len(tops) > 1 and (begin := _line_start(source, tops[-1].map)) > len(self._carry):
            self._keep(source[:begin], begin - len(self._carry), "")
        elif len(tops) == 1 and tops[0].type == "fence":
            self._cut_fence(source, tops[0])

    def _cut_fence(self, source: str, fence: Token) -> None:
        lines = source.splitlines(keepends=True)
        if fence.map is None or len(lines) < _SLICE_LINES + 2 or fence.map[0] != 0:
            return
        marks = fence.markup
        if lines[-1].strip() and set(lines[-1].strip()) <= set(marks):
            return  # it is closed: the next block keeps it as a whole
        head = "".join(lines[:-1])
        self._keep(head, len(head) - len(self._carry), lines[0])

    def _keep(self, source: str, length: int, carry: str) -> None:
        gap = [Strip.blank(0)] if self._stable and not self._carry else []
        self.drawn_characters += len(source)
        self._stable += [*gap, *self._drawer.markdown(harmless(source), self._width)]
        self._at += length
        self._carry = carry


def plain_lines(text: str, width: int, style: Style | None = None) -> list[Strip]:
    """Text as it was written, folded at the width by cells."""
    found: list[Strip] = []
    for line in harmless(text).split("\n"):
        strip = Strip([Segment(line, style)]) if line else Strip.blank(0)
        found += _folded(strip, max(width, 1))
    return found


def _folded(strip: Strip, width: int) -> Sequence[Strip]:
    if strip.cell_length <= width:
        return (strip,)
    pieces: list[Strip] = []
    for segments in _cut(strip, width):
        pieces.append(Strip(segments))
    return pieces


def _cut(strip: Strip, width: int) -> Sequence[list[Segment]]:
    text = Text(strip.text)
    style = next(iter(strip)).style or Style.null()
    return [[Segment(str(line), style)] for line in text.wrap(_WRAPPING, width, overflow="fold")]


_WRAPPING: Final = Console(file=io.StringIO(), width=80)


def _trimmed(strips: list[Strip]) -> list[Strip]:
    """Without blank lines at both ends."""
    first, last = 0, len(strips)
    while first < last and not strips[first].text.strip():
        first += 1
    while last > first and not strips[last - 1].text.strip():
        last -= 1
    return strips[first:last]


def _blocks(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The tokens of each block at the top."""
    block: list[Token] = []
    for token in tokens:
        block.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield block
            block = []


def _parsed(text: str) -> list[Token]:
    """The tokens; where somebody ended a line, it ends on the screen as well."""
    tokens = _PARSER.parse(text)
    for token in tokens:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"
    return tokens


def _written(text: str, tokens: Sequence[Token]) -> str:
    first, last = tokens[0].map or [0, 0]
    return "".join(text.splitlines(keepends=True)[first:last]).rstrip("\n")


def _line_start(source: str, lines: list[int] | None) -> int:
    """Where a block begins, in characters."""
    return sum(len(line) for line in source.splitlines(keepends=True)[: (lines or [0])[0]])
