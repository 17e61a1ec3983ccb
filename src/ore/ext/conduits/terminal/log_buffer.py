"""`LogBuffer`: keeps what is logged while the screen belongs to the conversation."""

import logging
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

from ore.ext.conduits.terminal.inert import harmless

__all__ = ["LogBuffer"]

_MOST: Final = 1_000


class LogBuffer(logging.Handler):
    """A log sink for a program whose screen is taken; the latest 1,000 records are told afterwards.

    It may be written to from any thread.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        self._lines: deque[str] = deque(maxlen=_MOST)
        self._dropped = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record, as text."""
        try:
            line = self.format(record)
        except Exception:
            self.handleError(record)
            return
        self._dropped += len(self._lines) == _MOST
        self._lines.append(line)

    def flush_to(self, writer: TextIO) -> None:
        """Write all that was kept, once; it is gone then, also when nobody could read it."""
        with self.lock or _unlocked():
            lines, dropped = list(self._lines), self._dropped
            self._lines.clear()
            self._dropped = 0
        if not lines:
            return
        head = [f"({dropped:,} earlier lines were dropped)"] if dropped else []
        try:
            writer.write("".join(f"{harmless(line)}\n" for line in [*head, *lines]))
            writer.flush()
        except (OSError, ValueError):
            return

    @contextmanager
    def instead(self) -> Iterator[None]:
        """Take what the root logger would have written; its own handlers are back afterwards."""
        root = logging.getLogger()
        before = root.handlers[:]
        root.handlers[:] = [self]
        # Without any handler Python itself writes to standard error.
        try:
            yield
        finally:
            if root.handlers == [self]:
                root.handlers[:] = before


@contextmanager
def _unlocked() -> Iterator[None]:
    yield
