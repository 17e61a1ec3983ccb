"""Unfinished work: submitted, taken, worked on, left and given back."""

import sqlite3
from collections.abc import Sequence

import msgspec

from ore.artifact import Codec, clean
from ore.errors import ConflictError, CorruptError
from ore.ext.stores.sqlite.faults import UNREADABLE
from ore.ext.stores.sqlite.log import append, clear_stop
from ore.ext.stores.sqlite.message_rows import COLUMNS, Row, decode_message, digest_and_body, digest_of
from ore.ext.stores.sqlite.owner import Owner, check_held, missing, number_of
from ore.ledger import EndingRecord, Message, Opening, check_id, decode_record

__all__ = ["close", "ending", "interrupt", "next_message", "park", "pending", "submit", "take", "unfinished"]

_ORDER = "ORDER BY taken DESC, NOT taken AND mode = 'queue', position"
"""Unfinished ones, then those that steer or interrupt, then the others; each kind first in, first out."""

# No row means that the thread is not there or the id is known.
_ACCEPT = f"""INSERT INTO inbox (session, digest, {COLUMNS})
    SELECT number, ?, ?, ?, ?, ?, ? FROM session WHERE id = ?
    AND NOT EXISTS (SELECT 1 FROM ending WHERE ending.session = number AND message = ?)
    ON CONFLICT DO NOTHING"""

_INBOX = "SELECT id, taken, digest FROM inbox WHERE session = ? LIMIT ?"
_REST = """SELECT stop, (SELECT max(taken) FROM inbox WHERE inbox.session = number) FROM session
    WHERE number = ? AND epoch = ?"""
_FEW = 16
"""More messages than these are not worth telling whoever takes the session."""


def submit(
    connection: sqlite3.Connection, session_id: str, message: Message, codec: Codec
) -> EndingRecord | Message | None:
    """Put a message into the inbox unless its id is known.

    Raises:
        ConflictError: Another content came under this id before.
        InputError: One of the ids cannot be used.
        NotFoundError: There is no such thread.
    """
    check_id(session_id)
    check_id(message.id, "message")
    digest, body = digest_and_body(message)
    values = (message.id, clean(message.mode), body, message.attempts, message.taken)
    if connection.execute(_ACCEPT, (digest, *values, session_id, message.id)).rowcount:
        return None
    return _known(connection, session_id, message.id, digest, codec)


def _known(
    connection: sqlite3.Connection, session_id: str, message_id: str, digest: bytes, codec: Codec
) -> EndingRecord | Message:
    number = number_of(connection, session_id)
    waiting = connection.execute(
        f"SELECT digest, {COLUMNS} FROM inbox WHERE session = ? AND id = ?", (number, message_id)
    ).fetchone()
    if waiting is not None:
        _check_same(waiting[0], digest, message_id)
        return _decoded(waiting[1:], session_id, codec)
    ended = connection.execute(
        "SELECT digest, sequence FROM ending WHERE session = ? AND message = ?", (number, message_id)
    ).fetchone()
    _check_same(ended[0], digest, message_id)
    return _ending(connection, number, ended[1], session_id)


def ending(connection: sqlite3.Connection, session_id: str, message_id: str) -> EndingRecord | None:
    """How a message ended, if it did.

    Raises:
        NotFoundError: There is no such thread.
        CorruptError: The record cannot be read.
    """
    number = number_of(connection, session_id)
    row = connection.execute(
        "SELECT sequence FROM ending WHERE session = ? AND message = ?", (number, message_id)
    ).fetchone()
    return None if row is None else _ending(connection, number, row[0], session_id)


def pending(connection: sqlite3.Connection, session_id: str, codec: Codec) -> Sequence[Message]:
    """The unfinished messages, then the waiting ones, in the order of `next_message`."""
    number = number_of(connection, session_id)
    rows = connection.execute(f"SELECT {COLUMNS} FROM inbox WHERE session = ? {_ORDER}", (number,)).fetchall()
    return [_decoded(row, session_id, codec) for row in rows]


def unfinished(connection: sqlite3.Connection) -> Sequence[str]:
    """Ids of the sessions whose inbox is not empty."""
    rows = connection.execute(
        "SELECT id FROM session WHERE number IN (SELECT session FROM inbox) ORDER BY number"
    ).fetchall()
    return [row[0] for row in rows]


def take(connection: sqlite3.Connection, session_id: str, opening: Opening | None) -> Owner:
    """Fence every earlier writer; begin a message, if its opening fits.

    Raises:
        NotFoundError: There is no such thread.
    """
    rows = connection.execute(
        """UPDATE session SET epoch = epoch + 1 WHERE id = ? RETURNING number, epoch, sequence, stop""",
        (session_id,),
    ).fetchall()
    if not rows:
        raise missing(session_id)
    number, epoch, sequence, stop = rows[0]
    held = Owner(number, session_id, epoch, sequence, stop=bool(stop))
    inbox = connection.execute(_INBOX, (number, _FEW + 1)).fetchall()
    if len(inbox) <= _FEW and not any(taken for _, taken, _ in inbox):
        held.waiting = frozenset(name for name, _, _ in inbox)
    if opening is not None and opening.fits(held) and inbox[0][2] == digest_of(opening.message):
        append(connection, held, opening.records)
        held.sequence += len(opening.records)
        held.taken.add(opening.message.id)
        held.opened = True
    return held


def next_message(connection: sqlite3.Connection, held: Owner, *, mark: bool, codec: Codec) -> Message | None:
    """The message to work on, with this finding counted.

    Raises:
        FencedError: Somebody else took the session.
    """
    check_held(connection, held)
    row = connection.execute(
        f"SELECT position, parked, {COLUMNS} FROM inbox WHERE session = ? {_ORDER} LIMIT 1",
        (held.number,),
    ).fetchone()
    if row is None:
        return None
    position, parked = row[:2]
    message = _decoded(row[2:], held.session_id, codec)
    if message.taken and message.id not in held.taken:
        is_excused = parked or _waits_for_people(connection, held.number)
        message = msgspec.structs.replace(message, attempts=message.attempts + (0 if is_excused else 1))
        values = (message.attempts, position)
        connection.execute("UPDATE inbox SET attempts = ?, parked = 0 WHERE position = ?", values)
    elif mark and not message.taken:
        connection.execute("UPDATE inbox SET taken = 1 WHERE position = ?", (position,))
        clear_stop(connection, held.number)
    return message


def park(connection: sqlite3.Connection, held: Owner) -> None:
    """Let the next finding of the running message not count.

    Raises:
        FencedError: Somebody else took the session.
    """
    check_held(connection, held)
    connection.execute("UPDATE inbox SET parked = 1 WHERE session = ? AND taken", (held.number,))


def close(connection: sqlite3.Connection, held: Owner) -> bool:
    """Whether the inbox has work.

    Raises:
        FencedError: Somebody else took the session.
    """
    row = connection.execute(_REST, (held.number, held.epoch)).fetchone()
    if row is None:
        check_held(connection, held)
    stop, taken = row
    if stop and not taken:
        clear_stop(connection, held.number)
    return taken is not None


def interrupt(connection: sqlite3.Connection, session_id: str) -> None:
    """Note that the running message shall stop.

    Raises:
        NotFoundError: There is no such thread.
    """
    if not connection.execute("UPDATE session SET stop = 1 WHERE id = ?", (session_id,)).rowcount:
        raise missing(session_id)


def _waits_for_people(connection: sqlite3.Connection, number: int) -> bool:
    return connection.execute("SELECT 1 FROM question WHERE session = ?", (number,)).fetchone() is not None


def _check_same(known: bytes | None, digest: bytes, message_id: str) -> None:
    if known is not None and known != digest:
        raise ConflictError(f"message {message_id!r} was submitted before with another content")


def _decoded(row: Row, session_id: str, codec: Codec) -> Message:
    try:
        return decode_message(row, codec)
    except UNREADABLE as error:
        raise CorruptError(f"session {session_id!r}: message {row[0]!r} cannot be read: {error}") from error


def _ending(connection: sqlite3.Connection, number: int, sequence: int, session_id: str) -> EndingRecord:
    row = connection.execute("SELECT body FROM log WHERE session = ? AND sequence = ?", (number, sequence)).fetchone()
    try:
        record = decode_record(row[0])
    except UNREADABLE as error:
        raise CorruptError(f"session {session_id!r}: record {sequence} cannot be read: {error}") from error
    if not isinstance(record, EndingRecord):
        raise CorruptError(f"session {session_id!r}: record {sequence} is not the ending that it was")
    return record
