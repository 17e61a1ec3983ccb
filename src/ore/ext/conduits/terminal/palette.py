"""`Palette`: the colours of a screen, by the background that they stand on."""

from dataclasses import dataclass
from typing import Final

from rich.style import Style

__all__ = ["DARK", "LIGHT", "PLAIN", "Palette"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Colours by what they stand for, as Rich names them; an empty one is the terminal's own.

    Attributes:
        code: Pygments' style for code; empty for none.
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
    code: str = "ansi_dark"

    def style(self, colour: str = "", *, bold: bool = False, italic: bool = False) -> Style:
        """A style in one of the colours."""
        return Style(color=colour or None, bold=bold or None, italic=italic or None)

    @property
    def quiet(self) -> Style:
        """Of what stands beside the conversation."""
        return Style(dim=True)


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
    code="ansi_dark",
)

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
    code="ansi_light",
)

PLAIN: Final = Palette(name="plain", code="")
"""Without colours: what differs is bold, dim or underlined."""
