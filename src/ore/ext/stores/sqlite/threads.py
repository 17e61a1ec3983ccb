"""Threads: made, read, listed, found and removed."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime

from ore.artifact import Codec, clean
from ore.errors import ConflictError, CorruptError, InputError
from ore.ext.stores.sqlite.faults import UNREADABLE
from ore.ext.stores.sqlite.log import put_metadata
from ore.ext.stores.sqlite.owner import missing, number_of
from ore.ext.stores.sqlite.search import forget
from ore.ledger import Fold, Page, Record, StoredThread, Summary, decode_record, is_inner

__all__ = ["check_cursor", "create", "delete", "get_by", "list_threads", "load", "records"]

LARGEST = 2**63 - 1
"""The largest integer that SQLite keeps."""


def create(connection: sqlite3.Connection, thread_id: str, metadata: Mapping[str, str]) -> None:
    """Make an empty thread.

    Raises:
        ConflictError: It exists.
    """
    number = connection.execute(
        """INSERT INTO session (id, written) VALUES (?, (SELECT coalesce(max(written), 0) + 1 FROM session))
        ON CONFLICT DO NOTHING""",
        (thread_id,),
    )
    if not number.rowcount:
        raise ConflictError(f"session {thread_id!r} exists")
    assert number.lastrowid is not None
    for key, value in metadata.items():
        put_metadata(connection, number.lastrowid, key, value)


def delete(connection: sqlite3.Connection, thread_id: str) -> bool:
    """Remove a thread with all that belongs to it; whether there was one."""
    gone = connection.execute("DELETE FROM session WHERE id = ? RETURNING number", (thread_id,)).fetchall()
    for (number,) in gone:
        forget(connection, number)
        for table in ("log", "metadata", "inbox", "ending", "question"):
            connection.execute(f"DELETE FROM {table} WHERE session = ?", (number,))
    return bool(gone)


def load(connection: sqlite3.Connection, thread_id: str, codec: Codec) -> StoredThread:
    """Read a thread.

    Raises:
        NotFoundError: There is none.
        CorruptError: It cannot be read; the message names the record.
    """
    row = connection.execute("SELECT number, epoch, sequence FROM session WHERE id = ?", (thread_id,)).fetchone()
    if row is None:
        raise missing(thread_id)
    number, epoch, sequence = row
    fold = _folded(connection, number, sequence, thread_id, codec)
    # The table holds what all metadata records amount to, on top of what the thread began with.
    facts = connection.execute("SELECT key, value FROM metadata WHERE session = ?", (number,))
    fold.metadata = dict(facts.fetchall())
    return fold.stored(thread_id, epoch=epoch, sequence=sequence)


def records(connection: sqlite3.Connection, thread_id: str, codec: Codec) -> Sequence[tuple[int, int, Record | None]]:
    """The rows of a thread's log.

    Raises:
        NotFoundError: There is no such thread.
        CorruptError: One cannot be read.
    """
    number = number_of(connection, thread_id)
    found: list[tuple[int, int, Record | None]] = []
    rows = connection.execute("SELECT sequence, epoch, body FROM log WHERE session = ? ORDER BY sequence", (number,))
    with closing(rows):
        for place, epoch, body in rows:
            try:
                found.append((place, epoch, decode_record(body, codec)))
            except UNREADABLE as error:
                raise CorruptError(f"session {thread_id!r}: record {place} cannot be read: {error}") from error
    return found


def get_by(connection: sqlite3.Connection, key: str, value: str) -> str | None:
    """Id of the first thread that has this fact."""
    row = connection.execute(
        """SELECT session.id FROM metadata JOIN session ON session.number = metadata.session
        WHERE metadata.key = ? AND metadata.value = ? ORDER BY metadata.session LIMIT 1""",
        (clean(key), clean(value)),
    ).fetchone()
    return None if row is None else str(row[0])


def list_threads(connection: sqlite3.Connection, query: str, before: int, limit: int) -> Page:
    """Threads written before a point in the order of writing, the latest first."""
    wanted = clean(query).casefold()
    rows = connection.execute(
        "SELECT written, id, title, preview, last_at, turns FROM session WHERE written < ? ORDER BY written DESC",
        (before,),
    )
    found: list[Summary] = []
    last = before
    with closing(rows):
        for written, name, title, preview, last_at, turns in rows:
            if is_inner(name):
                continue
            if wanted and not any(wanted in (text or "").casefold() for text in (name, title, preview)):
                continue
            if len(found) >= limit:
                return Page(threads=found, next_cursor=str(last))
            time = None if last_at is None else datetime.fromisoformat(last_at)
            found.append(Summary(id=name, title=title, preview=preview, last_at=time, turns=turns))
            last = written
    return Page(threads=found)


def check_cursor(cursor: str | None) -> int:
    """The point in the order of writing at which a page begins.

    Raises:
        InputError: No page gave this cursor.
    """
    if cursor is None:
        return LARGEST
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < len(str(LARGEST))):
        raise InputError(f"expected a cursor that an earlier page gave, got {cursor[:40]!r}")
    return int(cursor)


def _folded(connection: sqlite3.Connection, number: int, sequence: int, thread_id: str, codec: Codec) -> Fold:
    fold = Fold()
    expected = 1
    rows = connection.execute("SELECT sequence, body FROM log WHERE session = ? ORDER BY sequence", (number,))
    try:
        with closing(rows):  # an open cursor would hold this state of the file for later reads
            for place, body in rows:
                if place != expected:
                    break
                record = decode_record(body, codec)
                if record is not None:  # else of a kind that only a newer ore knows
                    fold.add(record)
                expected += 1
    except (*UNREADABLE, sqlite3.DatabaseError) as error:
        raise CorruptError(f"session {thread_id!r}: record {expected} cannot be read: {error}") from error
    if expected != sequence + 1:
        raise CorruptError(f"session {thread_id!r}: record {expected} of {sequence} is missing")
    return fold
