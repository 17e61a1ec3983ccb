"""`Halves`: characters that a server cut into two surrogates in two fragments."""

from collections.abc import Hashable

from ore.artifact import clean

__all__ = ["Halves"]


class Halves:
    """Joins texts where they were cut, one text for each key.

    What is given out is sound: half a character waits for its other half, and
    becomes U+FFFD where that does not come.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[Hashable, str] = {}

    def __bool__(self) -> bool:
        return bool(self._held)

    def join(self, key: Hashable, text: str) -> str:
        """What can be given out of a text with its next fragment."""
        if not self._held and text.isascii():
            return text
        text = self._held.pop(key, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held[key] = text[-1]
            text = text[:-1]
        return _sound(text)

    def rest(self, key: Hashable) -> str:
        """What is left of a text that ends here."""
        return "\ufffd" if self._held.pop(key, "") else ""


def _sound(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return clean(text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass"))
    return text
