"""`Lines`: what a server prints, cut into messages; what is none is passed over."""

import json
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

__all__ = ["Lines", "MessageTooLongError"]

T = TypeVar("T")

MAX_NOISE_BYTES: Final = 64 * 1024
"""64 KiB of a line that is no message are looked through for one that is glued to it; the rest is dropped."""

_MAX_TRIES: Final = 16
"""Places in a noisy line where a message is looked for."""

_LONG: Final = 2**20
"""1 MiB: a longer line is looked at only where it begins."""

_SHOWN: Final = 80

_decode = json.JSONDecoder().raw_decode


class MessageTooLongError(Exception):
    """A message is longer than the limit; what belongs to it cannot be known."""


class Lines(Generic[T]):
    """Cuts bytes, however they arrive, into messages of one line each.

    Servers print banners and logs where only messages may stand. A line that
    is no message is dropped, however long it is, and noted. When an expected
    message is glued to one, before it or behind it, it is taken out.

    Args:
        parse: Reads one message; raises ValueError for what is none.
        expected: Whether a message that was found inside noise is awaited;
            others there are taken for a log of what was said before.
        max_bytes: The longest message.

    Attributes:
        noise: The beginning of the first thing that was no message.
    """

    def __init__(self, parse: Callable[[bytes], T], expected: Callable[[T], bool], max_bytes: int) -> None:
        self._parse = parse
        self._expected = expected
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self._is_json: bool | None = None
        self.noise: str | None = None

    def feed(self, data: bytes) -> list[T]:
        """The messages that are complete now, in order.

        Raises:
            MessageTooLongError: One is longer than the limit.
        """
        found: list[T] = []
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._add(piece)
            found += self._taken()
        self._add(rest)
        return found

    def _add(self, piece: bytes) -> None:
        if self._is_json is None and (begun := piece.lstrip()):
            self._is_json = begun.startswith(b"{")
        self._size += len(piece)
        if self._is_json:
            if self._size > self._max_bytes:
                raise MessageTooLongError(f"a message of more than {self._max_bytes:,} bytes")
            self._parts.append(piece)
        elif self._size <= MAX_NOISE_BYTES:
            self._parts.append(piece)
        elif self._size - len(piece) < MAX_NOISE_BYTES:
            self._parts.append(piece[: MAX_NOISE_BYTES - (self._size - len(piece))])

    def _taken(self) -> Iterator[T]:
        line = b"".join(self._parts).strip()
        self._parts, self._size, self._is_json = [], 0, None
        if not line:
            return
        try:
            yield self._parse(line)
            return
        except ValueError:
            text = line.decode(errors="replace")
        if "\ufffd" in text:
            try:  # a message with a byte that is no UTF-8
                yield self._parse(text.encode())
                return
            except ValueError:
                pass
        if self.noise is None:
            self.noise = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
        yield from self._glued(text)

    def _glued(self, text: str) -> Iterator[T]:
        """The expected messages inside a line that is none."""
        place = 0
        for _ in range(_MAX_TRIES if len(text) < _LONG else 1):
            place = text.find("{", place)
            if place < 0:
                return
            try:
                _, end = _decode(text, place)
            except (ValueError, RecursionError):
                place += 1
                continue
            try:
                message = self._parse(text[place:end].encode())
            except ValueError:
                pass  # an object of the log's own; what is inside it is its business
            else:
                if self._expected(message):
                    yield message
            place = end
