"""`LineReader`: one JSON value a line, cut anywhere.

Framing by NDJSON 1.0 (read 2026-11): lines end with a line feed, with or
without a carriage return before it; blank ones are passed over.
"""

from collections.abc import Sequence
from typing import Final

from ore.errors import ProtocolError

__all__ = ["LINE_LIMIT_BYTES", "LineReader"]

LINE_LIMIT_BYTES: Final = 16 << 20
"""A line of more bytes is none of a model."""

_WHITE: Final = b" \t\r"


class LineReader:
    """Splits the body of an answer into lines; one for each answer.

    Args:
        provider: Who answers, for errors.
        limit_bytes: What one line may have.
    """

    __slots__ = ("_limit_bytes", "_parts", "_provider", "_size_bytes")

    def __init__(self, provider: str | None = None, *, limit_bytes: int = LINE_LIMIT_BYTES) -> None:
        self._provider = provider
        self._limit_bytes = limit_bytes
        self._parts: list[bytes] = []
        self._size_bytes = 0

    def feed(self, block: bytes) -> Sequence[bytes]:
        """The lines that are whole now, in order, without their line feeds.

        Raises:
            ProtocolError: One is longer than the limit.
        """
        lines = block.split(b"\n")
        if len(lines) == 1:
            self._keep(block)
            return ()
        if self._parts:
            lines[0] = b"".join((*self._parts, lines[0]))
            self._parts = []
            self._size_bytes = 0
        rest = lines.pop()
        if rest:
            self._keep(rest)
        return [line for line in lines if line[:1] == b"{" or line.strip(_WHITE)]

    def close(self) -> Sequence[bytes]:
        """What came behind the last line end, which a server may have left out.

        It may also have been cut: whoever reads it has to see whether it is whole.
        """
        rest = b"".join(self._parts)
        self._parts = []
        self._size_bytes = 0
        return (rest,) if rest.strip(_WHITE) else ()

    def _keep(self, rest: bytes) -> None:
        self._parts.append(rest)
        self._size_bytes += len(rest)
        if self._size_bytes > self._limit_bytes:
            raise ProtocolError(
                f"expected lines of at most {self._limit_bytes} bytes in the answer, got a longer one",
                provider=self._provider,
            )
