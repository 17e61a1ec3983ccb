"""`LeanReader`: the body of an answer, as much of it at once as has come."""

from collections.abc import Mapping
from typing import Final

from aiohttp import StreamReader

__all__ = ["lean"]


class LeanReader(StreamReader):
    """aiohttp's reader without a record of where its HTTP chunks end, which nobody here asks for.

    A model's server puts each event in a chunk of its own. aiohttp's own
    reader makes a dozen calls for each chunk when it is read; this one joins
    what has come. What had come before a connection broke is given out first.
    """

    __slots__ = ()

    def feed_data(self, data: bytes, size: int = 0) -> bool:
        """Bytes came; whoever waits for them is woken."""
        size = len(data)
        if not size:
            return False
        self._buffer.append(data)
        self._size += size
        self.total_bytes += size
        waiter = self._waiter
        if waiter is not None:
            self._waiter = None
            if not waiter.done():
                waiter.set_result(None)
        if self._size > self._high_water:
            self._protocol.pause_reading()
        return False

    def begin_http_chunk_receiving(self) -> None:
        """A chunk begins."""

    def end_http_chunk_receiving(self) -> None:
        """A chunk ends."""

    async def readany(self) -> bytes:
        """All that has come; empty at the end."""
        buffer = self._buffer
        while not buffer:
            if self._exception is not None:
                raise self._exception
            if self._eof:
                return b""
            waiter = self._waiter = self._loop.create_future()
            try:
                await waiter
            finally:
                self._waiter = None
        block = buffer[0] if len(buffer) == 1 else b"".join(buffer)
        buffer.clear()
        self._cursor += self._size
        self._size = 0
        if self._http_chunk_splits:  # from before it was lean
            self._http_chunk_splits.clear()
        if self._protocol._reading_paused:
            self._protocol.resume_reading()
        return block


_KNOWN: Final = (
    *("_buffer", "_cursor", "_eof", "_exception", "_high_water", "_http_chunk_splits", "_loop", "_protocol"),
    *("_size", "_waiter", "total_bytes"),
)
_FITS: Final = all(hasattr(StreamReader, name) for name in _KNOWN)
"""Whether this is the reader that the one above is made for."""


def lean(payload: StreamReader, headers: Mapping[str, str]) -> StreamReader:
    """The same reader, leaner from now on, unless its body is compressed."""
    if _FITS and type(payload) is StreamReader and "content-encoding" not in headers:
        payload.__class__ = LeanReader
    return payload
