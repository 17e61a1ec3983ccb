"""Turns that contain a text, by an index that is brought up to date when somebody searches.

Indexing as turns are appended would cost each of them more than its durability
does. Without FTS5 every turn is read instead; the answers are the same.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from ore.artifact import Codec, Text, clean
from ore.ext.stores.sqlite.faults import UNREADABLE
from ore.ledger import Hit, Turn, TurnRecord, decode_record, is_inner

__all__ = ["catch_up", "find", "forget"]

ROWS = 200
"""Records indexed in one transaction at most, so that appends get their turn in between."""

SHORTEST = 3
"""Characters that the trigram index needs; it is read through for less."""

BEFORE, BEHIND = 40, 80
"""Characters of a snippet before and from the find."""

_TURN = b'{"record":"turn"'
_PLACE = 32
"""A row of the index is `session << _PLACE | sequence`."""


def catch_up(connection: sqlite3.Connection, codec: Codec) -> bool:
    """Index some of what was appended since the last search; whether more is left.

    A record that cannot be read is passed over: it is its thread's fault, not the search's.
    """
    if not _has_fts(connection):
        return False
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (text, tokenize = 'trigram')")
    rows = connection.execute(
        """SELECT log.session, log.sequence, log.body FROM session
        JOIN log ON log.session = session.number AND log.sequence > session.indexed
        WHERE session.indexed < session.sequence ORDER BY session.number, log.sequence LIMIT ?""",
        (ROWS,),
    ).fetchall()
    texts = [
        (number << _PLACE | place, text) for number, place, body in rows if (text := _indexed(body, codec)) is not None
    ]
    connection.executemany("INSERT OR REPLACE INTO words (rowid, text) VALUES (?, ?)", texts)
    reached = {number: place for number, place, _ in rows}
    connection.executemany(
        "UPDATE session SET indexed = ? WHERE number = ?", [(place, number) for number, place in reached.items()]
    )
    return len(rows) == ROWS


def find(connection: sqlite3.Connection, text: str, limit: int, codec: Codec, *, by_index: bool) -> Sequence[Hit]:
    """Turns that contain `text` in any case, the latest written threads first."""
    wanted = clean(text).casefold()
    by_index = by_index and _has_index(connection)
    hits: list[Hit] = []
    with closing(_candidates(connection, wanted) if by_index else _all_records(connection)) as places:
        for thread_id, number, place in places:
            turn = None if is_inner(thread_id) else _turn(_body(connection, number, place), codec)
            snippet = _snippet(turn, wanted) if turn else None
            if turn and snippet is not None:
                hits.append(Hit(id=thread_id, turn=turn.id, snippet=snippet))
            if len(hits) >= limit:
                break
    return hits


def forget(connection: sqlite3.Connection, number: int) -> None:
    """Remove a thread's words. Where SQLite cannot, no search finds them: numbers are never used again."""
    if _has_index(connection):
        connection.execute(
            "DELETE FROM words WHERE rowid >= ? AND rowid < ?", (number << _PLACE, (number + 1) << _PLACE)
        )


def _candidates(connection: sqlite3.Connection, wanted: str) -> sqlite3.Cursor:
    plain = _plain(wanted)
    if len(plain) < SHORTEST:
        where, value = "instr(words.text, ?)", plain
    else:
        where, value = "words MATCH ?", '"' + plain.replace('"', '""') + '"'
    return connection.execute(
        f"""SELECT session.id, session.number, words.rowid & {(1 << _PLACE) - 1} FROM words
        JOIN session ON session.number = words.rowid >> {_PLACE}
        WHERE {where} ORDER BY session.written DESC, words.rowid""",
        (value,),
    )


def _all_records(connection: sqlite3.Connection) -> sqlite3.Cursor:
    return connection.execute(
        """SELECT session.id, session.number, log.sequence FROM session
        CROSS JOIN log ON log.session = session.number ORDER BY session.written DESC, log.sequence"""
    )


def _body(connection: sqlite3.Connection, number: int, place: int) -> object:
    row = connection.execute("SELECT body FROM log WHERE session = ? AND sequence = ?", (number, place)).fetchone()
    return row[0] if row else None


def _has_fts(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone() is not None


def _has_index(connection: sqlite3.Connection) -> bool:
    table = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'words'").fetchone()
    return table is not None and _has_fts(connection)


def _turn(body: object, codec: Codec) -> Turn | None:
    if not isinstance(body, bytes) or not body.startswith(_TURN):
        return None
    try:
        record = decode_record(body, codec)
    except UNREADABLE:
        return None
    return record.turn if isinstance(record, TurnRecord) else None


def _indexed(body: object, codec: Codec) -> str | None:
    turn = _turn(body, codec)
    texts = _texts(turn) if turn else []
    return _plain("\n".join(texts).casefold()) if texts else None


def _plain(text: str) -> str:
    """Without NUL, at which the index would stop reading; what it finds is compared again anyway."""
    return text.replace("\0", " ")


def _texts(turn: Turn) -> list[str]:
    return [artifact.content for artifact in turn.artifacts if isinstance(artifact, Text)]


def _snippet(turn: Turn, wanted: str) -> str | None:
    for text in _texts(turn):
        at = text.casefold().find(wanted)
        if at >= 0:
            return text[max(at - BEFORE, 0) : at + BEHIND]
    return None
