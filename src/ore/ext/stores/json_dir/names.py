"""Thread ids as names of files, different ones also where capitals do not count."""

from ore.ledger import is_id

__all__ = ["id_of", "stem_of"]

_MARK = "^"
"""Stands in no id."""


def stem_of(thread_id: str) -> str:
    """The name, without `.json`, of a new thread's file; no two are equal in another case."""
    capitals = sum(1 << place for place, character in enumerate(thread_id) if character.isupper())
    return f"{thread_id.lower()}{_MARK}{capitals:x}" if capitals else thread_id


def id_of(stem: str) -> str | None:
    """The id of the thread whose file has this name; `None` when it is no thread's."""
    if is_id(stem):
        return stem  # also with capitals: the original wrote them as they are
    lower, mark, capitals = stem.partition(_MARK)
    if not (mark and is_id(lower) and capitals and capitals.isascii() and capitals.isalnum() and len(capitals) <= 32):
        return None
    try:
        places = int(capitals, 16)
    except ValueError:
        return None
    thread_id = "".join(
        character.upper() if places >> place & 1 else character for place, character in enumerate(lower)
    )
    return thread_id if stem_of(thread_id) == stem else None
