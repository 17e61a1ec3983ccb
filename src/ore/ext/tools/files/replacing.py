"""`replace_file`: a file has its old content or its new one, whatever happens."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from ore.errors import ToolError
from ore.ext.tools.files.border import Border, kind_of

__all__ = ["Found", "replace_file"]

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

Found = os.stat_result
"""A file as it was when it was read."""


def replace_file(border: Border, real: Path, content: bytes, *, found: Found | None = None) -> bool:
    """Write a file beside the old one, then put it in its place; its mode and owner stay.

    Directories that are missing are made. When it fails the old file is
    untouched and nothing is left behind.

    Args:
        border: Where it is allowed.
        real: Where it is, as the border says.
        content: All of it.
        found: The old file as it was read; any by default.

    Returns:
        Whether there was a file before.

    Raises:
        ToolError: What stands there is no regular file, is read-only, or is
            another than was read.
        OSError: It could not be written.
    """
    with border.folder(real.parent, made=True) as folder:
        old = _old(real.name, folder)
        _check(border.shown(real), old, found)
        name = f".ore-{secrets.token_hex(8)}.tmp"
        opened = os.open(name, _NEW, 0o600 if old else 0o666, dir_fd=folder)
        try:
            with open(opened, "wb") as file:
                file.write(content)
                file.flush()
                _take_over(opened, old)
                os.fsync(opened)
            _check(border.shown(real), _old(real.name, folder), found)
            os.replace(name, real.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)
            raise
    return old is not None


def _old(name: str, folder: int) -> Found | None:
    try:
        return os.stat(name or ".", dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _check(name: str, old: Found | None, found: Found | None) -> None:
    if old is None:
        if found is not None:
            raise ToolError(f"{name}: it was removed meanwhile")
        return
    if not stat.S_ISREG(old.st_mode):
        raise ToolError(f"{name}: expected a regular file or none, got a {kind_of(old.st_mode)}")
    if not old.st_mode & 0o222:
        raise ToolError(f"{name}: it is read-only")
    if found is not None and _identity(old) != _identity(found):
        raise ToolError(f"{name}: it changed since it was read; read it again")


def _identity(found: Found) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _take_over(opened: int, old: Found | None) -> None:
    if old is None:
        return
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):  # only root may give files away
            os.fchown(opened, old.st_uid, old.st_gid)
    os.fchmod(opened, stat.S_IMODE(old.st_mode))
