"""`Pasted`: long pasted texts, which stand in the input as a short sign."""

from typing import Final

__all__ = ["Pasted"]

_MOST_LINES: Final = 10
_MOST_CHARACTERS: Final = 1_000


class Pasted:
    """Keeps what was pasted, and puts it back exactly when it is sent."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def sign(self, text: str) -> str:
        """What to put into the input: the text itself, or a sign for it when it is long."""
        lines = text.count("\n") + 1
        if lines <= _MOST_LINES and len(text) <= _MOST_CHARACTERS:
            return text
        told = "1 line" if lines == 1 else f"{lines:,} lines"
        sign = f"[pasted #{len(self._texts) + 1}: {told}, {len(text):,} characters]"
        self._texts[sign] = text
        return sign

    def expanded(self, text: str) -> str:
        """The input with every sign as what it stands for."""
        pieces = [text]
        for sign, whole in self._texts.items():
            # In pieces, so that a sign that somebody pasted is not taken for one.
            split: list[str] = []
            for place, piece in enumerate(pieces):
                split += [piece] if place % 2 else _around(piece, sign, whole)
            pieces = split
        return "".join(pieces)

    def clear(self) -> None:
        """It was sent."""
        self._texts.clear()


def _around(text: str, sign: str, whole: str) -> list[str]:
    """Text, what the sign stands for, text, and so on: an odd number of pieces, those at odd places pasted."""
    found: list[str] = []
    for place, piece in enumerate(text.split(sign)):
        found += [piece] if place == 0 else [whole, piece]
    return found
