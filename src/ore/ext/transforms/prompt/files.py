"""`TextFile`: a piece of a prompt from a file, as the file is now."""

import logging
import os
import stat
import threading
import time
from pathlib import Path
from typing import Final, NamedTuple

from ore.ledger import State

__all__ = ["MAX_BYTES", "Reading", "TextFile"]

log = logging.getLogger(__name__)

MAX_BYTES: Final = 64_000
"""Of a file that goes into a prompt: some 16,000 tokens."""

_RACE_S: Final = 2.0
"""A file that was changed so shortly before it was read may be changed again without looking so."""


class Stamp(NamedTuple):
    """What a file looks like from outside; another one means another content."""

    device: int
    inode: int
    size: int
    changed_ns: int


class Reading:
    """Reads small local files, and those again that have changed; safe from any thread.

    It looks at a file each time, which takes some microseconds, and reads it
    only when it is another. A file that is not there is empty, and so is one
    that cannot be read, with a warning.

    Args:
        max_bytes: What is read of a file at most; that something is missing is said at its end.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._known: dict[str, tuple[Stamp, str]] = {}
        self._lock = threading.Lock()

    def read(self, path: str) -> str:
        """The text of a file; invalid UTF-8 is replaced."""
        try:
            found = os.stat(path)
            if not stat.S_ISREG(found.st_mode):  # nothing that could be waited for
                raise OSError("it is no file")
            stamp = Stamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
            with self._lock:
                known = self._known.get(path)
            if known is not None and known[0] == stamp:
                return known[1]
            text = self._text(path)
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as error:
            log.warning("%r cannot be read into a prompt: %s", path, error)
            return ""
        with self._lock:
            if time.time() - stamp.changed_ns / 1e9 > _RACE_S:
                self._known[path] = (stamp, text)
        return text

    def _text(self, path: str) -> str:
        with open(path, "rb") as file:
            raw = file.read(self._max_bytes + 1)
        text = raw[: self._max_bytes].decode("utf-8", "replace" if len(raw) <= self._max_bytes else "ignore")
        text = text.replace("\r\n", "\n")
        return text if len(raw) <= self._max_bytes else f"{text}\n[the rest of this file is left out: it is too long]"


class TextFile:
    """A piece of a prompt from a file; empty while the file is not there.

    Args:
        path: The file.
        max_bytes: What is read of it at most.
    """

    def __init__(self, path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> None:
        self.path = Path(path)
        """The file; another one holds from the next inference on."""
        self._reading = Reading(max_bytes)

    def text(self, state: State) -> str:
        """The file as it is now."""
        return self._reading.read(os.fspath(self.path))
