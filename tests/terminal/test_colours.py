"""Colours: each can be read on its background, and says what it stands for."""

import pytest

from ore.ext.conduits.terminal.cells import Cell, Kind
from ore.ext.conduits.terminal.painting import Painter
from ore.ext.conduits.terminal.palette import DARK, DARK_16, LIGHT, LIGHT_16, PLAIN, THEMES, Palette

DOCUMENT = "# Title\n\n`code` and [a page](https://example.org)\n\n```py\ndef f(): return 'x'\n```\n"

# The 16 colours of xterm and of the VGA console, which many terminals took over.
XTERM = (
    "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
)
VGA = "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff"
NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
NAMES += [f"bright_{name}" for name in NAMES]


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def colours_of(palette: Palette) -> set[str]:
    """All that it draws with: what it names, code, borders."""
    named = {palette.assistant, palette.user, palette.tool, palette.error, palette.system, palette.warn}
    assert palette.code is not None
    code = {style.color.name for style in palette.code.style_map.values() if style.color is not None}
    (theme,) = (one for one in THEMES if one.name == palette.theme)
    frames = {str(colour).removeprefix("ansi_") for colour in (theme.primary, theme.warning)}
    return {*named, palette.added, palette.removed, *code, *frames} - {""}


@pytest.mark.parametrize("table", [XTERM, VGA])
@pytest.mark.parametrize(
    ("palette", "background"), [(DARK, "000000"), (DARK_16, "000000"), (LIGHT, "ffffff"), (LIGHT_16, "ffffff")]
)
def test_every_colour_can_be_read_on_its_background(palette: Palette, background: str, table: str) -> None:
    """Behaviour 23: 16 colours, light and dark; 3:1 is what WCAG 2.2 asks of large text and of signs."""
    known = dict(zip(NAMES, table.split(), strict=True))
    faint = {
        colour: ratio
        for colour in colours_of(palette)
        if (ratio := contrast(known.get(colour, colour.removeprefix("#")), background)) < 3.0
    }
    assert faint == {}


@pytest.mark.parametrize("palette", [DARK, DARK_16, LIGHT, LIGHT_16])
def test_who_speaks_is_told_apart_by_colour(palette: Palette) -> None:
    """Behaviour 23."""
    assert len({palette.user, palette.assistant, palette.error}) == 3


@pytest.mark.parametrize("palette", [DARK, DARK_16, LIGHT, LIGHT_16, PLAIN])
def test_each_palette_draws_everything_and_the_plain_one_without_colour(palette: Palette) -> None:
    """Behaviour 23."""
    painter = Painter(palette)
    cell = Cell("t", Kind.TEXT, DOCUMENT)
    lines = painter.lines(cell, 60, unfolded=0, streamed=painter.streamed(60))
    colours = {segment.style.color for line in lines for segment in line if segment.style and segment.style.color}
    assert bool({colour for colour in colours if not colour.is_default}) == (palette is not PLAIN)
