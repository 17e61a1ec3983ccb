"""`Given`: what a reader was given of an answer, who must not get it twice when the answer begins again."""

__all__ = ["Given"]


class Given:
    """The text of one answer after the other, on its way to a reader who cannot give anything back.

    An answer that begins again, such as with another model, is held back as
    long as it says what was given already, and goes on from there. When it
    says something else, what was given is void, and all of it comes on a line
    of its own.
    """

    def __init__(self) -> None:
        self._had: list[str] = []
        self._again: str | None = None

    def give(self, text: str) -> str:
        """What is new in the next piece of the answer."""
        if self._again is None:
            self._had.append(text)
            return text
        self._again += text
        had = "".join(self._had)
        if had.startswith(self._again):
            return ""
        again, self._again = self._again, None
        self._had = [again]
        return again[len(had) :] if again.startswith(had) else f"\n{again}"

    def restart(self) -> None:
        """The answer begins again."""
        if self._had:
            self._again = ""

    def end(self) -> str:
        """What is still to be given of an answer that has ended; the next one begins."""
        again, had = self._again, "".join(self._had)
        self._had, self._again = [], None
        return f"\n{again}" if again and again != had else ""

    def complete(self, text: str) -> str:
        """What is still to be given of an answer whose whole text is known; the next one begins."""
        had = "".join(self._had)
        self._had, self._again = [], None
        if text.startswith(had):
            return text[len(had) :]
        return f"\n{text}" if text else ""
