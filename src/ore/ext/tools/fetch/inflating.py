"""`Inflating`: a body as it was before it was packed, and never more of it than wanted."""

import zlib
from typing import Final

from ore.errors import ToolError

__all__ = ["ENCODINGS", "Inflating"]

ENCODINGS: Final = "gzip, deflate"
"""What a server may use."""


class Inflating:
    """Takes a body in blocks, gives it unpacked.

    Args:
        encoding: What the server says it used.
        limit_bytes: What is unpacked of it.

    Raises:
        ToolError: It was not asked for this encoding.
    """

    def __init__(self, encoding: str, limit_bytes: int) -> None:
        names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in ("", "identity")]
        if len(names) > 1 or not set(names) <= {"gzip", "x-gzip", "deflate"}:
            raise ToolError("the answer is packed in a way that was not asked for")
        self._name = names[0] if names else ""
        self._unpack: zlib._Decompress | None = None
        self._left = limit_bytes
        self.is_full = False
        """Whether there is more than the limit."""

    def take(self, block: bytes) -> bytes:
        """What a block holds.

        Raises:
            ToolError: It is damaged.
        """
        if not self._name:
            return self._cut(block)
        if self._unpack is None:
            self._unpack = zlib.decompressobj(wbits=_wbits(self._name, block))
        try:
            return self._cut(self._unpack.decompress(block, self._left + 1))
        except zlib.error:
            raise ToolError("the answer is packed, and damaged") from None

    def _cut(self, block: bytes) -> bytes:
        self.is_full = self.is_full or len(block) > self._left
        kept = block[: self._left]
        self._left -= len(kept)
        return kept


def _wbits(name: str, block: bytes) -> int:
    if name != "deflate":
        return 16 + zlib.MAX_WBITS
    # Some servers leave out the head that "deflate" has (RFC 9110, 8.4.1.2): its first byte would say 8.
    return zlib.MAX_WBITS if block[:1] and block[0] & 0x0F == 8 else -zlib.MAX_WBITS
