"""Files as a store needs them: private, through no symbolic link, and on the disk when a call returns."""

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from ore._forks import close_lock, holds_lock, keep_lock
from ore.errors import SessionOwnedError, StoreError

__all__ = [
    "Stamp",
    "append",
    "cut",
    "is_unfinished",
    "lock",
    "make_folder",
    "pieces",
    "read",
    "read_line",
    "remove",
    "replace",
    "size_of",
    "stamp",
    "stamp_of",
    "sync_folder",
]

Stamp = tuple[int, int, int]
"""Time (ns), size (bytes) and inode: a file with the same ones has not changed."""

_PIECE_BYTES = 1 << 20
_OWN = os.O_NOFOLLOW | os.O_CLOEXEC
_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{16}\.tmp")
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)
"""macOS: what makes the drive write, too."""


def stamp(path: Path) -> Stamp | None:
    """The file's stamp; `None` when there is none.

    Raises:
        StoreError: It is a symbolic link, a folder or a device.
    """
    try:
        return stamp_of(os.lstat(path), path)
    except FileNotFoundError:
        return None


def stamp_of(facts: os.stat_result, path: Path) -> Stamp:
    """The stamp in what the system says of a file.

    Raises:
        StoreError: It is a symbolic link, a folder or a device.
    """
    if not stat.S_ISREG(facts.st_mode):
        what = "a symbolic link" if stat.S_ISLNK(facts.st_mode) else "no regular file"
        raise StoreError(f"{str(path)!r} is {what}; expected a file of the store's own")
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def size_of(path: Path) -> int:
    """Bytes in the file; 0 when there is none."""
    found = stamp(path)
    return found[1] if found else 0


def read(path: Path) -> bytes:
    """All of a file; nothing when there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _OWN)
    except FileNotFoundError:
        return b""
    with open(descriptor, "rb") as file:
        return file.read()


def read_line(path: Path) -> bytes:
    """The first line of a file, with its end."""
    with open(os.open(path, os.O_RDONLY | _OWN), "rb") as file:
        return file.readline()


def pieces(path: Path, start: int, end: int) -> Iterator[bytes]:
    """The bytes from `start` up to `end`, never much of them at once."""
    with open(os.open(path, os.O_RDONLY | _OWN), "rb") as file:
        file.seek(start)
        while start < end and (piece := file.read(min(_PIECE_BYTES, end - start))):
            start += len(piece)
            yield piece


def append(path: Path, at: int, line: bytes, not_before_ns: int) -> Stamp:
    """Write `line` at the place where the file ends, or where what counts of it does.

    Args:
        not_before_ns: The file's time is this at least.

    Raises:
        OSError: It could not be written; the file ends at `at` again, unless
            that failed as well.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | _OWN, 0o600)
    try:
        if os.fstat(descriptor).st_size != at:
            os.ftruncate(descriptor, at)
        try:
            _write(descriptor, line, at)
            found = _settle(descriptor, not_before_ns, path)
            if at == 0:
                sync_folder(path.parent)
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, at)
                _sync(descriptor)
            raise
        return found
    finally:
        os.close(descriptor)


def cut(path: Path, end: int) -> None:
    """Let a file end at `end`, if it does not end before."""
    if size_of(path) > end:
        descriptor = os.open(path, os.O_WRONLY | _OWN)
        try:
            os.ftruncate(descriptor, end)
            _sync(descriptor)
        finally:
            os.close(descriptor)


def replace(path: Path, parts: Iterable[bytes], not_before_ns: int) -> Stamp:
    """Put a new file in the place of the old one: whoever reads finds one or the other, whole.

    Args:
        not_before_ns: The file's time is this at least.

    Raises:
        OSError: It could not be written; the old one is untouched.
    """
    unfinished = path.with_name(f".{path.stem}.{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OWN, 0o600)
        try:
            at = 0
            for part in parts:
                at = _write(descriptor, part, at)
            found = _settle(descriptor, not_before_ns, path)
        finally:
            os.close(descriptor)
        os.replace(unfinished, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise
    sync_folder(path.parent)
    return found


def remove(path: Path) -> bool:
    """Remove a file; whether there was one. Not durable before the folder is synced."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def is_unfinished(name: str) -> bool:
    """Whether `replace` gives such names to files that are not there yet."""
    return _UNFINISHED.fullmatch(name) is not None


def sync_folder(folder: Path) -> None:
    """Make durable which files are in it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make the folder and those above it that are missing, for the user alone."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
        sync_folder(each.parent)
    if not folder.is_dir():
        raise NotADirectoryError(f"{str(folder)!r} is no folder")


def lock(path: Path) -> int:
    """An open descriptor that holds the lock until `close_lock`; the kernel frees it when the process ends.

    Raises:
        SessionOwnedError: Somebody else holds it.
    """
    descriptor = keep_lock(os.open(path, os.O_RDWR | os.O_CREAT | _OWN, 0o600), str(path))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        here = holds_lock(str(path), descriptor)
        close_lock(descriptor)
        owner = "another store of this process, which can be shared" if here else "another live process"
        raise SessionOwnedError(
            f"store {str(path.parent)!r} is in use by {owner}; a folder of JSON files has one at a time"
        ) from None
    except BaseException:
        close_lock(descriptor)
        raise
    return descriptor


def _write(descriptor: int, content: bytes, at: int) -> int:
    """Write all of it; where it ends."""
    rest = memoryview(content)
    while rest:
        written = os.pwrite(descriptor, rest, at)
        rest = rest[written:]
        at += written
    return at


def _settle(descriptor: int, not_before_ns: int, path: Path) -> Stamp:
    """Make the file durable, with its time."""
    if os.fstat(descriptor).st_mtime_ns < not_before_ns:
        os.utime(descriptor, ns=(not_before_ns, not_before_ns))
    _sync(descriptor)
    return stamp_of(os.fstat(descriptor), path)


def _sync(descriptor: int) -> None:
    os.fsync(descriptor)
    if _FULL_SYNC is not None:
        with suppress(OSError):  # not every file system has it
            fcntl.fcntl(descriptor, _FULL_SYNC)
