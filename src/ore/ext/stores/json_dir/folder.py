"""`Folder`: a store's files while one process has them."""

import logging
import os
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ore._forks import close_lock
from ore.artifact import Codec
from ore.errors import ConflictError, InputError, NotFoundError, OreError, StoreError
from ore.ext.stores.json_dir import files, thread_file
from ore.ext.stores.json_dir.entry import Entry, Stamps
from ore.ext.stores.json_dir.frames import AppendFrame, Frame, decode_line, encode_frame
from ore.ext.stores.json_dir.lines import line_of
from ore.ext.stores.json_dir.names import marked
from ore.ext.stores.json_dir.reading import is_own, read_entry, read_whole, renewed
from ore.ext.stores.json_dir.rows import Row, Rows
from ore.ext.stores.json_dir.thread_file import Kept

__all__ = ["Folder"]

log = logging.getLogger(__name__)

LOCK = ".lock"

ENTRIES = 256
"""Threads whose state is kept in memory at most; the others are read when they are needed."""

LOG_BYTES = 64 << 10
"""A longer log goes into the file when its session is given back, whatever is in it."""


class Folder:
    """The files of all threads; for one thread of one process at a time.

    Everything may raise `OSError`.

    Args:
        path: Made when it is not there.
        codec: Knows the artifacts of third parties.
    """

    def __init__(self, path: Path, codec: Codec) -> None:
        self.path = path
        self.codec = codec
        self._lock: int | None = None
        self._last = 0
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._rows = Rows(path)
        self._names: set[str] = set()
        """Of all files, as a file system that ignores case compares them."""
        self._ends: dict[Path, int] = {}
        """Where logs end, although a write that failed may have left something there."""

    def open(self) -> None:
        """Lock the folder and remove what a process left unfinished; does nothing when it is open.

        Raises:
            SessionOwnedError: Another process has it.
        """
        if self._lock is not None:
            return
        files.make_folder(self.path)
        lock = files.lock(self.path / LOCK)
        try:
            self._last = self.path.stat().st_mtime_ns
            self._names.clear()
            with os.scandir(self.path) as found:
                for file in found:
                    if files.is_unfinished(file.name):
                        files.remove(Path(file.path))
                    else:
                        self._names.add(file.name.casefold())
                        self._last = max(self._last, file.stat(follow_symlinks=False).st_mtime_ns)
        except BaseException:
            close_lock(lock)
            raise
        self._lock = lock

    def close(self) -> None:
        """Bring files up to date as far as the disk allows, forget all and give the folder back."""
        if self._lock is None:
            return
        try:
            for entry in self._entries.values():
                with suppress(OSError, StoreError):
                    if entry.is_behind and _stamps(entry.path) == entry.stamps:
                        self._refresh(entry)
            for log_path, end in self._ends.items():
                with suppress(OSError, StoreError):
                    files.cut(log_path, end)
        finally:
            self._entries.clear()
            self._ends.clear()
            self._rows.clear()
            lock, self._lock = self._lock, None
            close_lock(lock)

    def tick(self) -> int:
        """The next place in the order of writing; about the time in ns, and after all earlier ones."""
        self._last = max(time.time_ns(), self._last + 1)
        return self._last

    def create(self, thread_id: str, metadata: Mapping[str, str]) -> None:
        """Make an empty thread.

        Raises:
            ConflictError: It exists.
        """
        if self._find_own(thread_id) is not None:
            raise ConflictError(f"session {thread_id!r} exists")
        path = self.path / f"{thread_id}.json"
        if path.name.casefold() in self._names or files.stamp(path) is not None:
            path = self.path / f"{marked(thread_id)}.json"
        if files.remove(path.with_suffix(".log")):  # of a thread that was deleted, but not its log
            files.sync_folder(self.path)
        now = self.tick()
        kept = Kept(born=now, written=now)
        head = thread_file.first_line(thread_id, tip=None, metadata=metadata, others={}, kept=kept)
        try:
            files.replace(path, thread_file.written(head, (), ()), now)
        except OSError:
            with suppress(OSError):
                files.remove(path)
            raise
        self._names.add(path.name.casefold())

    def delete(self, thread_id: str) -> bool:
        """Remove a thread, readable or not; whether there was one."""
        path = self._find_own(thread_id)
        if path is None:
            return False
        entry_log = path.with_suffix(".log")
        self._entries.pop(thread_id, None)
        self._ends.pop(entry_log, None)
        files.remove(path)
        self._names.discard(path.name.casefold())
        files.sync_folder(self.path)
        with suppress(OSError):  # without its file a log says nothing, and the next thread of that id removes it
            files.remove(entry_log)
        return True

    def entry(self, thread_id: str) -> Entry:
        """What is known of a thread.

        Raises:
            NotFoundError: There is none.
            CorruptError: It cannot be read.
        """
        path = self._there(thread_id)
        entry = self._known(thread_id, path, _stamps(path))
        self._entries[thread_id] = entry
        self._entries.move_to_end(thread_id)
        if len(self._entries) > ENTRIES:
            self._entries.popitem(last=False)
        return entry

    def whole(self, thread_id: str) -> Entry:
        """What is known of a thread, its turns included; for this once.

        Raises:
            NotFoundError: There is none.
            CorruptError: It cannot be read.
        """
        path = self._there(thread_id)
        return read_whole(thread_id, path, self.codec, self._ends.get(path.with_suffix(".log")))

    def rows(self) -> list[Row]:
        """Every thread that can be read, in the order in which they were made."""
        return self._rows.read(self._known)

    def write(self, entry: Entry, frame: Frame) -> None:
        """Make a line durable, then take it.

        Raises:
            InputError: It could not be read again.
            OSError: Nothing was written.
        """
        content = encode_frame(frame)
        try:
            line = decode_line(content, self.codec)
        except (ValueError, TypeError) as error:
            raise InputError(f"session {entry.id!r}: what could not be read again is not written: {error}") from error
        packed = line_of(content)
        not_before = frame.written if isinstance(frame, AppendFrame) else 0
        try:
            stamp = files.append(entry.log, entry.log_bytes, packed, not_before)
        except OSError:
            self._ends[entry.log] = entry.log_bytes
            raise
        self._ends.pop(entry.log, None)
        entry.stamps = (entry.stamps[0], stamp)
        entry.log_bytes += len(packed)
        entry.apply(line)

    def tidy(self, entry: Entry) -> None:
        """Bring a thread's file up to date where it matters to others, or to the time that reading takes."""
        if entry.is_behind or entry.log_bytes > LOG_BYTES:
            self._refresh(entry)

    def _refresh(self, entry: Entry) -> None:
        """Move what stands in the log into the file; where that cannot be, all stays as it is."""
        if entry.has_unknown:
            return
        try:
            stamp = files.replace(entry.path, renewed(entry, self.codec), entry.written)
            files.remove(entry.log)
        except (OSError, OreError) as error:
            log.warning("%s stays behind its log: %s", entry.path, error)
            return
        self._ends.pop(entry.log, None)
        entry.log_bytes = 0
        entry.is_earlier = entry.is_behind = entry.is_changed = False
        entry.stamps = (stamp, None)

    def _known(self, thread_id: str, path: Path, stamps: Stamps) -> Entry:
        """The state of a thread, read only where its files changed."""
        entry = self._entries.get(thread_id)
        if entry is not None and entry.path == path and entry.stamps == stamps:
            return entry
        return read_entry(thread_id, path, self.codec, self._ends.get(path.with_suffix(".log")))

    def _find(self, thread_id: str) -> Path | None:
        """The file of a thread, or one that a file system which ignores case takes for it.

        Raises:
            StoreError: It is no file of the store's own.
        """
        for stem in (marked(thread_id), thread_id):
            path = self.path / f"{stem}.json"
            if files.stamp(path) is not None:
                return path
        return None

    def _find_own(self, thread_id: str) -> Path | None:
        """The file of a thread, readable or not."""
        path = self._find(thread_id)
        try:
            return path if path is None or is_own(thread_id, thread_file.outline(thread_id, path)) else None
        except StoreError:
            return path

    def _there(self, thread_id: str) -> Path:
        path = self._find(thread_id)
        if path is None:
            raise NotFoundError(f"no session {thread_id!r}")
        return path


def _stamps(path: Path) -> Stamps:
    return files.stamp(path), files.stamp(path.with_suffix(".log"))
