"""Appending to a thread's log, and what follows from a record in the other tables."""

import sqlite3
from collections.abc import Sequence

from ore.artifact import clean
from ore.ext.stores.sqlite.owner import Owner, check_held
from ore.ledger import (
    TITLE_KEY,
    EndingRecord,
    MetadataRecord,
    QuestionRecord,
    QuestionStatus,
    Record,
    TakenRecord,
    Turn,
    TurnRecord,
    encode_record,
    preview,
)

__all__ = ["append", "clear_stop", "put_metadata"]

# The fence, the numbers and the list entry in one statement: no row means that the epoch is another's.
_ADVANCE = """UPDATE session SET
    sequence = sequence + ?1,
    turns = turns + ?2,
    last_at = CASE WHEN ?2 THEN ?3 ELSE last_at END,
    written = (SELECT max(written) + 1 FROM session)
    WHERE number = ?4 AND epoch = ?5
    RETURNING sequence, preview IS NULL, stop"""


def append(connection: sqlite3.Connection, held: Owner, records: Sequence[Record]) -> None:
    """Append records, all or none.

    Raises:
        FencedError: Somebody else took the session.
        NotFoundError: The thread is gone.
    """
    turns = [record.turn for record in records if type(record) is TurnRecord]
    values = (len(records), len(turns), _time(turns), held.number, held.epoch)
    advanced = connection.execute(_ADVANCE, values).fetchall()
    if not advanced:
        check_held(connection, held)
    last, is_unnamed, stop = advanced[0]
    first = last - len(records) + 1
    rows = [(held.number, place, held.epoch, encode_record(record)) for place, record in enumerate(records, first)]
    connection.executemany("INSERT INTO log (session, sequence, epoch, body) VALUES (?, ?, ?, ?)", rows)
    if is_unnamed and turns:
        _name(connection, held.number, turns)
    acted = [_follow(connection, held.number, place, record) for place, record in enumerate(records, first)]
    if stop and any(acted):
        clear_stop(connection, held.number)


def put_metadata(connection: sqlite3.Connection, number: int, key: str, value: str) -> None:
    """Set one fact of a thread."""
    row = (number, clean(key), clean(value))
    connection.execute("INSERT OR REPLACE INTO metadata (session, key, value) VALUES (?, ?, ?)", row)
    if key == TITLE_KEY:
        connection.execute("UPDATE session SET title = ? WHERE number = ?", (row[2], number))


def clear_stop(connection: sqlite3.Connection, number: int) -> None:
    """The interrupt that was noted has had its effect, or was for what is over."""
    connection.execute("UPDATE session SET stop = 0 WHERE number = ? AND stop", (number,))


def _follow(connection: sqlite3.Connection, number: int, place: int, record: Record) -> bool:
    """Keep the other tables up to date; whether an interrupt noted before has no object any more."""
    match record:
        case TakenRecord(message=message):
            return _take(connection, number, message)
        case EndingRecord(message=message):
            return _end(connection, number, message, place)
        case QuestionRecord(key=key, status=status):
            _ask(connection, number, key, is_open=status is QuestionStatus.OPEN)
        case MetadataRecord(operations=operations):
            for operation in operations:
                if operation.op == "set":
                    put_metadata(connection, number, operation.key, operation.value or "")
                else:
                    _delete_metadata(connection, number, operation.key)
        case _:
            pass
    return False


def _take(connection: sqlite3.Connection, number: int, message: str) -> bool:
    """Whether the message begins with this."""
    statement = "UPDATE inbox SET taken = 1 WHERE session = ? AND id = ? AND NOT taken"
    return connection.execute(statement, (number, clean(message))).rowcount > 0


def _end(connection: sqlite3.Connection, number: int, message: str, place: int) -> bool:
    """Whether it was begun."""
    statement = "DELETE FROM inbox WHERE session = ? AND id = ? RETURNING digest, taken"
    rows = connection.execute(statement, (number, clean(message))).fetchall()
    digest, taken = rows[0] if rows else (None, 0)
    connection.execute(
        """INSERT INTO ending (session, message, digest, sequence) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET sequence = excluded.sequence""",
        (number, clean(message), digest, place),
    )
    return bool(taken)


def _ask(connection: sqlite3.Connection, number: int, key: str, *, is_open: bool) -> None:
    """While a question is open, finding its message unfinished is no attempt."""
    row = (number, clean(key))
    if is_open:
        connection.execute("INSERT OR IGNORE INTO question (session, key) VALUES (?, ?)", row)
    else:
        connection.execute("DELETE FROM question WHERE session = ? AND key = ?", row)


def _delete_metadata(connection: sqlite3.Connection, number: int, key: str) -> None:
    connection.execute("DELETE FROM metadata WHERE session = ? AND key = ?", (number, clean(key)))
    if key == TITLE_KEY:
        connection.execute("UPDATE session SET title = NULL WHERE number = ?", (number,))


def _name(connection: sqlite3.Connection, number: int, turns: Sequence[Turn]) -> None:
    text = next((text for turn in turns if (text := preview(turn))), None)
    if text is not None:
        connection.execute("UPDATE session SET preview = ? WHERE number = ?", (clean(text), number))


def _time(turns: Sequence[Turn]) -> str | None:
    time = turns[-1].timestamp if turns else None
    return None if time is None else time.isoformat()
