"""`Spool`: the output of a command, of any length, in little memory."""

import os
from collections import deque
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["SPILL_LIMIT_BYTES", "TAIL_BYTES", "Spool"]

TAIL_BYTES: Final = 100_000
"""The newest output that stays in memory: twice what a model gets of it."""

SPILL_LIMIT_BYTES: Final = 64 << 20
"""64 MiB of one stream are kept in its file; a command that prints for ever does not fill the disk."""


class Spool:
    """Takes output as it comes; the newest stays in memory, all of it goes to a file once it is long.

    A disk that is full costs the file, never the output that is in memory.

    Args:
        path: The file, made when it is needed, for its owner alone.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._blocks: deque[bytes] = deque()
        self._held_bytes = 0
        self._failed = False
        self._ends_line = True
        self.total_bytes = 0
        self._line_ends = 0

    @property
    def path(self) -> Path | None:
        """The file with the whole output, or with its beginning; `None` when memory holds all, or the disk was full."""
        return self._path if self._file is not None and not self._failed else None

    @property
    def is_longer(self) -> bool:
        """Whether memory holds only the newest of it."""
        return self.total_bytes > self._held_bytes

    @property
    def lines(self) -> int:
        """How many there were; one that nothing ended counts too."""
        return self._line_ends + (not self._ends_line)

    def keep(self) -> Path | None:
        """See that what is in memory is in the file too; the file, as `path` gives it."""
        if self._file is None and not self._failed:
            self._spill(b"")
            self.close()
        return self.path

    def write(self, block: bytes) -> None:
        """Take what came."""
        if not self._failed and (self._file is not None or self.total_bytes + len(block) > TAIL_BYTES):
            self._spill(block)
        self.total_bytes += len(block)
        self._line_ends += block.count(b"\n")
        self._ends_line = block.endswith(b"\n")
        self._blocks.append(block)
        self._held_bytes += len(block)
        while self._held_bytes - len(self._blocks[0]) >= TAIL_BYTES:
            self._held_bytes -= len(self._blocks.popleft())

    def tail(self) -> str:
        """The newest output; beginning behind a character that is whole, with U+FFFD for what is no UTF-8."""
        data = b"".join(self._blocks)
        if self.total_bytes > len(data):
            data = data[-TAIL_BYTES:].lstrip(bytes(range(0x80, 0xC0)))
        return data.decode("utf-8", "replace")

    def close(self) -> None:
        """No output comes any more; the file stays."""
        if self._file is not None:
            self._file.close()

    def _spill(self, block: bytes) -> None:
        # A write of some kilobytes into the page cache; a thread for it would cost more than it takes.
        try:
            if self._file is None:
                self._file = open(self._path, "xb", opener=_private)  # noqa: SIM115  # `close` closes it
                for earlier in self._blocks:
                    self._file.write(earlier)
            if self.total_bytes < SPILL_LIMIT_BYTES:
                self._file.write(block[: SPILL_LIMIT_BYTES - self.total_bytes])
                self._file.flush()
        except OSError:
            self._failed = True


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
