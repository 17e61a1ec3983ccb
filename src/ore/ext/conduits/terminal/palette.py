"""`Palette`: the colours of a screen, by the background that they stand on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from rich.style import Style
from rich.syntax import ANSI_DARK, ANSI_LIGHT, ANSISyntaxTheme, TokenType
from textual.theme import BUILTIN_THEMES, Theme

__all__ = ["DARK", "DARK_16", "LIGHT", "LIGHT_16", "PLAIN", "THEMES", "Palette", "palette_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Colours by what they stand for, as Rich names them; an empty one is the terminal's own.

    Attributes:
        code: Of code; `None` for no colours.
        theme: Of borders and the like; one of `THEMES`.
    """

    name: str
    assistant: str = ""
    user: str = ""
    tool: str = ""
    error: str = ""
    system: str = ""
    warn: str = ""
    added: str = ""
    removed: str = ""
    code: ANSISyntaxTheme | None = None
    theme: str = "ore-dark"

    def style(self, colour: str = "", *, bold: bool = False, italic: bool = False) -> Style:
        """A style in one of the colours."""
        return Style(color=colour or None, bold=bold or None, italic=italic or None)

    @property
    def quiet(self) -> Style:
        """Of what stands beside the conversation."""
        return Style(dim=True)


_ON_BLACK: Final = {"red": Style(color="bright_red", underline=True), "bright_black": Style(dim=True)}
_ON_WHITE: Final = {
    "yellow": Style(color="red"),
    "green": Style(bold=True),
    "cyan": Style(color="magenta"),
    "bright_blue": Style(color="blue"),
    "bright_red": Style(color="red"),
    "white": Style(dim=True),
}
"""In place of those of Rich's colours for code that can hardly be read in a terminal of 16 colours."""


def _code(theme: Mapping[TokenType, Style], instead: Mapping[str, Style]) -> ANSISyntaxTheme:
    names = {token: style.color.name if style.color else "" for token, style in theme.items()}
    return ANSISyntaxTheme({token: instead.get(names[token], style) for token, style in theme.items()})


THEMES: Final[tuple[Theme, ...]] = (
    # The library's frames are dark blue, which is next to nothing on black.
    replace(BUILTIN_THEMES["ansi-dark"], name="ore-dark", primary="ansi_bright_blue"),
    replace(BUILTIN_THEMES["ansi-light"], name="ore-light", warning="ansi_red"),
)
"""What borders and the like are drawn with."""

DARK: Final = Palette(
    name="dark",
    assistant="#6C8EBF",
    user="#E5C07B",
    tool="#98C379",
    error="#FF5555",
    system="#C678DD",
    warn="#E5C07B",
    added="#98C379",
    removed="#FF5555",
    code=_code(ANSI_DARK, _ON_BLACK),
)

DARK_16: Final = Palette(
    name="dark",
    assistant="cyan",
    user="yellow",
    tool="green",
    error="bright_red",
    system="bright_magenta",
    warn="yellow",
    added="green",
    removed="bright_red",
    code=_code(ANSI_DARK, _ON_BLACK),
)
"""For a terminal of 16 colours, in which those of `DARK` would all be the same grey."""

LIGHT: Final = Palette(
    name="light",
    # The dark ones are too pale for a bright background: each has at least 4.5:1 against white here.
    assistant="#2F5C9C",
    user="#8A5A00",
    tool="#3D7A1F",
    error="#C02020",
    system="#8A34A8",
    warn="#8A5A00",
    added="#3D7A1F",
    removed="#C02020",
    code=_code(ANSI_LIGHT, _ON_WHITE),
    theme="ore-light",
)

LIGHT_16: Final = Palette(
    name="light",
    # Of the 16 only these can be read on white.
    assistant="blue",
    user="magenta",
    error="red",
    system="magenta",
    warn="red",
    added="blue",
    removed="red",
    code=_code(ANSI_LIGHT, _ON_WHITE),
    theme="ore-light",
)

PLAIN: Final = Palette(name="plain")
"""Without colours: what differs is bold, dim or underlined."""

_MANY: Final = {"auto": DARK, "dark": DARK, "light": LIGHT, "plain": PLAIN}
_FEW: Final = {"auto": DARK_16, "dark": DARK_16, "light": LIGHT_16, "plain": PLAIN}


def palette_of(name: str, *, has_few_colours: bool = False) -> Palette:
    """The colours of a name; `auto` is `dark` where nobody asked the terminal.

    Args:
        name: As `ScreenSettings` has it.
        has_few_colours: Whether the terminal has 16 of them.
    """
    return (_FEW if has_few_colours else _MANY)[name]
