"""`Window`: some lines of a text of any length."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ore.errors import ToolError
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.inert import inert

__all__ = ["MAX_BYTES", "MAX_LINES", "Window", "window"]

MAX_BYTES: Final = 50_000
"""50,000 bytes, line numbers among them: the original's tool default."""

MAX_LINES: Final = 2_000
"""2,000 lines: the original's tool default."""

COUNT_BYTES: Final = 32 << 20
"""What is read behind the window to say how many lines there are: 32 MiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Some lines.

    Attributes:
        first: The number of the first, from 1.
        lines: Without their ends, with control characters as signs.
        is_clipped: Whether the last one goes on.
        total: How many lines there are in all; `None` when nobody counted to the end.
        is_changed: Whether signs stand for bytes that are no UTF-8, or for control characters.
    """

    first: int
    lines: list[str]
    is_clipped: bool = False
    total: int | None = None
    is_changed: bool = False

    @property
    def next(self) -> int:
        """The number of the line behind it."""
        return self.first + len(self.lines)

    @property
    def is_last(self) -> bool:
        """Whether nothing stands behind it."""
        return self.total is not None and self.next > self.total

    def numbered(self) -> str:
        """The lines as `N|text`."""
        return "\n".join(f"{number}|{line}" for number, line in enumerate(self.lines, self.first))

    def told(self) -> str:
        """Which lines these are, and where the next ones begin; empty at the end."""
        if self.is_last:
            return ""
        of = f" of {self.total}" if self.total is not None else ""
        cut = f"line {self.next - 1} is longer than what is shown of it; " if self.is_clipped else ""
        return f"[{cut}lines {self.first} to {self.next - 1}{of}; the next ones: offset={self.next}]"


def window(blocks: Iterator[bytes], first: int, limit: int, patience: Patience) -> Window:
    """Lines of a text from `first` on, as many as fit.

    Args:
        blocks: The text in UTF-8, cut anywhere.
        first: From 1.
        limit: How many at most.
        patience: For the way to the first line.

    Raises:
        ToolError: The first line was not reached in time.
    """
    ahead = _Ahead(blocks)
    ahead.skip(first - 1, patience)
    lines: list[str] = []
    left_bytes, is_clipped, is_changed = MAX_BYTES, False, False
    while len(lines) < limit and (found := ahead.line(left_bytes)) is not None:
        raw, is_whole = found
        line = inert(raw.decode("utf-8", "replace" if is_whole else "ignore"))
        cost = len(str(first + len(lines))) + 2 + len(line.encode())
        if cost > left_bytes or not is_whole:
            if not lines:
                lines, is_clipped = [_cut(line, left_bytes - 20)], True
            break
        is_changed = is_changed or line.encode() != raw
        lines.append(line)
        left_bytes -= cost
        ahead.take()
    return Window(first=first, lines=lines, is_clipped=is_clipped, total=ahead.count(), is_changed=is_changed)


class _Ahead:
    """What of a text is not passed yet."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._held = b""
        self._place = 0
        self._end = 0
        self.passed = 0

    def skip(self, lines: int, patience: Patience) -> None:
        """Pass so many lines, or all that there are."""
        while self.passed < lines and (self._place < len(self._held) or self._load()):
            ends = self._held.count(b"\n", self._place)
            if self.passed + ends < lines:
                self.passed += ends
                is_open = not self._held.endswith(b"\n")
                self._place = len(self._held)
                if patience.is_over:
                    raise ToolError(f"line {lines + 1} was not reached in {patience.limit_s:g} s")
                if not self._load():
                    self.passed += is_open
                continue
            for _ in range(lines - self.passed):
                self._place = self._held.index(b"\n", self._place) + 1
            self.passed = lines

    def line(self, limit_bytes: int) -> tuple[bytes, bool] | None:
        """The next line without its end, and whether that is all of it; `None` when there is none."""
        while (end := self._held.find(b"\n", self._place)) < 0:
            if len(self._held) - self._place > limit_bytes or not self._load():
                break
        if end < 0 and self._place == len(self._held):
            return None
        stop = end if end >= 0 else len(self._held)
        self._end = min(stop + 1, len(self._held))
        if stop - self._place > limit_bytes:
            return self._held[self._place : self._place + limit_bytes], False
        return self._held[self._place : stop].removesuffix(b"\r"), True

    def take(self) -> None:
        """Pass the line that was seen."""
        self._place = self._end
        self.passed += 1

    def count(self) -> int | None:
        """How many lines there are in all; `None` when that takes long."""
        total, last, seen = self.passed, b"\n", 0
        while True:
            rest = self._held[self._place :]
            self._place = len(self._held)
            total += rest.count(b"\n")
            last = rest[-1:] or last
            seen += len(rest)
            if seen > COUNT_BYTES:
                return None
            if not self._load():
                return total + (last != b"\n")

    def _load(self) -> bool:
        for block in self._blocks:
            if block:
                self._held = self._held[self._place :] + block
                self._place = 0
                return True
        return False


def _cut(line: str, limit_bytes: int) -> str:
    return line.encode()[:limit_bytes].decode("utf-8", "ignore") + "…"
