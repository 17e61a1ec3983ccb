"""`SseReader`: server-sent events, cut anywhere.

Framing by the WHATWG's HTML standard, section 9.2 (read 2026-11): a byte order
mark is passed over, lines end with CR, LF or both, a colon begins a comment,
several `data` lines are one value with line feeds between them, an event
without `data` is none. `id` and `retry` are passed over: answers of models
are never resumed.
"""

from collections.abc import Sequence
from typing import Final

from ore.errors import ProtocolError

__all__ = ["BLANK_LINE", "EVENT_LIMIT_BYTES", "FIRST", "Event", "SseReader", "event", "events"]

EVENT_LIMIT_BYTES: Final = 16 << 20
"""An event of more bytes is no event of a model."""

FIRST: Final = b":deir"
"""How a line of events can begin: a comment, `data`, `event`, `id`, `retry`. What begins otherwise is none."""

Event = tuple[bytes, bytes]
"""Its name, empty when it has none, and its data."""

BLANK_LINE: Final = b"\n\n"
"""What ends an event."""

_BOM: Final = b"\xef\xbb\xbf"


class SseReader:
    """Splits the body of an answer into events; one for each answer.

    Args:
        provider: Who answers, for errors.
        limit_bytes: What one event may have.
    """

    __slots__ = ("_at_start", "_limit_bytes", "_parts", "_provider", "_size_bytes")

    def __init__(self, provider: str | None = None, *, limit_bytes: int = EVENT_LIMIT_BYTES) -> None:
        self._provider = provider
        self._limit_bytes = limit_bytes
        self._parts: list[bytes] = []
        self._size_bytes = 0
        self._at_start = True

    def feed(self, block: bytes) -> Sequence[Event]:
        """The events that are whole now, in order.

        Raises:
            ProtocolError: One is longer than the limit.
        """
        text = self.text(block)
        return events(text) if text else ()

    def text(self, block: bytes) -> bytes:
        """The same as text: its lines end with line feeds, and between its events is a blank line.

        Raises:
            ProtocolError: One event is longer than the limit.
        """
        if block[-2:] == BLANK_LINE and not self._parts and not self._at_start and b"\r" not in block:
            return block[:-2]  # as most reads of a slow answer are
        if b"\n" not in block and b"\r" not in block:
            self._keep(block)
            return b""
        if self._parts:
            block = b"".join((*self._parts, block))
            self._parts = []
            self._size_bytes = 0
        if self._at_start:
            if len(block) < len(_BOM) and _BOM.startswith(block):
                self._keep(block)
                return b""
            self._at_start = False
            block = block.removeprefix(_BOM)
        text, rest = _parted(block)
        if rest:
            self._keep(rest)
        return text

    def close(self) -> Sequence[Event]:
        """What came behind the last blank line, which a server may have left out at the end.

        It may also have been cut: whoever reads it has to see whether it is whole.
        """
        rest = b"".join(self._parts).removeprefix(_BOM if self._at_start else b"").rstrip(b"\r\n")
        self._parts = []
        self._size_bytes = 0
        last = event(rest)
        return (last,) if last[1] else ()

    def _keep(self, rest: bytes) -> None:
        self._parts.append(rest)
        self._size_bytes += len(rest)
        if self._size_bytes > self._limit_bytes:
            raise ProtocolError(
                f"expected events of at most {self._limit_bytes} bytes in the answer, got a longer one",
                provider=self._provider,
            )


def events(text: bytes) -> Sequence[Event]:
    """What stands between the blank lines of a text; what has no data is none."""
    return [found for frame in text.split(BLANK_LINE) if (found := event(frame))[1]]


def event(frame: bytes) -> Event:
    """The event that stands between two blank lines; without data where there is none."""
    if frame[:6] == b"data: ":
        if b"\n" not in frame:
            return b"", frame[6:]
    elif frame[:7] == b"event: ":  # as most vendors write it: a name, then the data on one line
        name, found, value = frame[7:].partition(b"\ndata: ")
        if found and b"\n" not in value and b"\n" not in name:
            return name, value
    return _read(frame)


def _parted(block: bytes) -> tuple[bytes, bytes]:
    """What stands before the last blank line, and what has none behind it yet."""
    held = b""
    if b"\r" in block:
        if block.endswith(b"\r"):  # a line feed may follow
            block, held = block[:-1], b"\r"
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text, blank, rest = block.rpartition(BLANK_LINE)
    return (text, rest + held) if blank else (b"", block + held)


def _read(frame: bytes) -> Event:
    name, values = b"", []
    for line in frame.split(b"\n"):
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            values.append(value)
        elif field == b"event":
            name = value
    return name, b"\n".join(values)
