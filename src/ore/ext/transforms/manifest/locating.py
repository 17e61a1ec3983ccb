"""Where two requests differ, and what stands there."""

from collections.abc import Iterator

import msgspec

__all__ = ["first_difference", "names_in", "place_in"]


def first_difference(before: bytes, after: bytes) -> int | None:
    """The first byte in which two differ, or at which one of them ends; `None` when they are the same."""
    if before == after:
        return None
    low, high = 0, min(len(before), len(after))
    while low < high:  # the first `low` are the same, and of the first `high + 1` not all are
        middle = (low + high + 1) // 2
        if before[low:middle] == after[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def place_in(body: bytes, offset: int) -> str:
    """The place of a byte in JSON without white space, such as `messages[4].content`; empty when it has none.

    What stands between two elements belongs to the one behind it.
    """
    path = ""
    raw = msgspec.Raw(body)
    while True:
        found = _inside(raw, offset)
        if found is None:
            return path.removeprefix(".")
        step, raw, offset = found
        path += step


def names_in(body: bytes) -> frozenset[str]:
    """The names of an object's fields; none when it is no object."""
    try:
        return frozenset(_object(body))
    except msgspec.MsgspecError:
        return frozenset()


def _inside(raw: msgspec.Raw, offset: int) -> tuple[str, msgspec.Raw, int] | None:
    """The element in which a byte is, and its place in there; `None` when it is in none."""
    if offset < 1:  # the bracket itself
        return None
    begin = 1
    for step, value, name_bytes in _elements(raw):
        content = begin + name_bytes
        end = content + len(bytes(value))
        if offset < end:
            return step, value, max(offset - content, 0)
        begin = end + 1
    return None


def _elements(raw: msgspec.Raw) -> Iterator[tuple[str, msgspec.Raw, int]]:
    """Each element, with how it is reached and how long its name is."""
    content = bytes(raw)
    try:
        if content.startswith(b"{"):
            for name, value in _object(content).items():
                yield f".{name}", value, len(msgspec.json.encode(name)) + 1
        elif content.startswith(b"["):
            for place, value in enumerate(_list(content)):
                yield f"[{place}]", value, 0
    except msgspec.MsgspecError:  # not to be looked into
        return


_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_list = msgspec.json.Decoder(list[msgspec.Raw]).decode
