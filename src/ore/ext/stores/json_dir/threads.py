"""Threads: read, listed, found and searched."""

from collections.abc import Sequence

from ore.artifact import Text, clean
from ore.errors import InputError, OreError
from ore.ext.stores.json_dir.folder import Folder
from ore.ext.stores.json_dir.rows import Row
from ore.ledger import Hit, Page, StoredThread, Turn, is_id, is_inner

__all__ = ["Cursor", "check_cursor", "get_by", "list_threads", "load", "search", "unfinished"]

Cursor = tuple[int, str]
"""Where a thread stands in the list: the order of writing backwards, then the id, since files may be of one time."""

BEFORE, BEHIND = 40, 80
"""Characters of a snippet before and from the find."""

_DIGITS = 20


def load(folder: Folder, thread_id: str) -> StoredThread:
    """Read a thread.

    Raises:
        NotFoundError: There is none.
        CorruptError: It cannot be read.
    """
    entry = folder.whole(thread_id)
    return entry.fold.stored(thread_id, epoch=entry.epoch, sequence=entry.sequence)


def get_by(folder: Folder, key: str, value: str) -> str | None:
    """Id of the first thread that has this fact."""
    key, value = clean(key), clean(value)
    return next((row.id for row in folder.rows() if row.metadata.get(key) == value), None)


def list_threads(folder: Folder, query: str, after: Cursor | None, limit: int) -> Page:
    """Threads behind a place in the list."""
    wanted = clean(query).casefold()
    rows = [row for row in _listed(folder) if _matches(row, wanted) and (after is None or _place(row) > after)]
    cursor = f"{rows[limit - 1].written}:{rows[limit - 1].id}" if len(rows) > limit > 0 else None
    return Page(threads=[row.summary for row in rows[:limit]], next_cursor=cursor)


def check_cursor(cursor: str | None) -> Cursor | None:
    """The place in the list behind which a page begins.

    Raises:
        InputError: No page gave this cursor.
    """
    if cursor is None:
        return None
    written, _, thread_id = cursor.partition(":")
    if not (written.isascii() and written.isdigit() and len(written) <= _DIGITS and is_id(thread_id)):
        raise InputError(f"expected a cursor that an earlier page gave, got {cursor[:40]!r}")
    return -int(written), thread_id


def search(folder: Folder, text: str, limit: int) -> Sequence[Hit]:
    """Turns that contain `text` in any case, the latest written threads first; a corrupt thread has none."""
    wanted = clean(text).casefold()
    hits: list[Hit] = []
    for row in _listed(folder):
        if len(hits) >= limit:
            break
        try:
            turns = folder.whole(row.id).fold.turns
        except (OSError, OreError):
            continue  # loading it says why
        for turn in turns:
            if (snippet := _snippet(turn, wanted)) is not None:
                hits.append(Hit(id=row.id, turn=turn.id, snippet=snippet))
    return hits[:limit]


def unfinished(folder: Folder) -> Sequence[str]:
    """Ids of the sessions whose inbox is not empty."""
    return [row.id for row in folder.rows() if row.has_work]


def _listed(folder: Folder) -> list[Row]:
    return sorted([row for row in folder.rows() if not is_inner(row.id)], key=_place)


def _place(row: Row) -> Cursor:
    return -row.written, row.id


def _matches(row: Row, wanted: str) -> bool:
    texts = (row.id, row.summary.title, row.summary.preview)
    return not wanted or any(wanted in (text or "").casefold() for text in texts)


def _snippet(turn: Turn, wanted: str) -> str | None:
    for artifact in turn.artifacts:
        if isinstance(artifact, Text) and (at := artifact.content.casefold().find(wanted)) >= 0:
            return artifact.content[max(at - BEFORE, 0) : at + BEHIND]
    return None
