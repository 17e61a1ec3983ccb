"""Thread ids as names of files, different ones also where capitals do not count."""

from ore.ledger import is_id

__all__ = ["id_of", "marked"]

_MARK = "^"
"""Stands in no id."""

_DIGITS = 32
"""Hexadecimal ones, for the capitals of 128 characters."""


def marked(thread_id: str) -> str:
    """The name, without `.json`, of a thread whose id is not told from another's where capitals do not count.

    It is in lower case and says where capitals stood, so it is no other id's in any case.
    """
    capitals = sum(1 << place for place, character in enumerate(thread_id) if character.isupper())
    return f"{thread_id.lower()}{_MARK}{capitals:x}"


def id_of(stem: str) -> str | None:
    """The id of the thread whose file has this name; `None` when it is no thread's."""
    if is_id(stem):
        return stem
    lower, _, capitals = stem.partition(_MARK)
    if not (is_id(lower) and capitals.isascii() and capitals.isalnum() and len(capitals) <= _DIGITS):
        return None
    try:
        places = int(capitals, 16)
    except ValueError:
        return None
    thread_id = "".join(
        character.upper() if places >> place & 1 else character for place, character in enumerate(lower)
    )
    return thread_id if marked(thread_id) == stem else None
