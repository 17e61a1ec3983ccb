"""What SQLite's own errors mean to whoever uses a store."""

import sqlite3
from pathlib import Path

from ore.errors import CorruptError, OreError, StoreError

__all__ = ["UNREADABLE", "is_broken", "is_busy", "store_error"]

UNREADABLE = (ValueError, TypeError, RecursionError)
"""What decoding raises when bytes are not what they should be."""

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_HARMLESS = {*_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG}


def is_busy(error: BaseException) -> bool:
    """Whether another connection holds what was wanted; it may be had later."""
    return _code(error) in _BUSY


def is_broken(error: BaseException) -> bool:
    """Whether the connection that raised it should be opened anew."""
    return _code(error) not in _HARMLESS


def store_error(error: BaseException, path: Path) -> BaseException:
    """The error to raise instead: one of ore's own stays as it is, a fault of the program too."""
    if isinstance(error, OreError) or not isinstance(error, (sqlite3.Error, OSError, UnicodeDecodeError)):
        return error
    # A text of a damaged file, or SQLite's own words about it, may be no Unicode.
    kind = CorruptError if _code(error) in _CORRUPT or isinstance(error, UnicodeDecodeError) else StoreError
    found = kind(f"store {str(path)!r}: {_said(error)}")
    found.__cause__ = error
    return found


def _said(error: BaseException) -> str:
    """What the error says, without what only programs read."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {str(error.filename)!r}" if error.filename else error.strerror
    return f"{error} ({getattr(error, 'sqlite_errorname', None) or type(error).__name__})"


def _code(error: BaseException) -> int:
    """The primary result code; the upper bits only say more about it."""
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) or 0) & 0xFF
