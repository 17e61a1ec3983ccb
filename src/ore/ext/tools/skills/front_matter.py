"""The front matter of a `SKILL.md`: the little of YAML that skills use."""

import json
from collections.abc import Mapping, Sequence

from ore.errors import InputError

__all__ = ["read_front_matter"]

_FENCE = "---"


def read_front_matter(text: str) -> tuple[Mapping[str, str], str]:
    """Split a file into its front matter and what follows.

    Read are `key: value` with plain or quoted text, and `key: >` or `key: |`
    with indented lines below; other keys, such as lists and maps, are passed
    over. Lines may end with CR LF.

    Raises:
        InputError: There is no front matter, or no end of it.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != _FENCE:
        raise InputError(f"expected front matter between two lines of {_FENCE!r} at the beginning, got none")
    for place, line in enumerate(lines[1:], start=1):
        if line.rstrip() == _FENCE:
            return _fields(lines[1:place]), "\n".join(lines[place + 1 :]).strip("\n")
    raise InputError(f"expected a second line of {_FENCE!r} behind the front matter, got none")


def _fields(lines: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        key, colon, value = line.partition(":")
        if not colon or line[:1].isspace() or line.startswith(("#", "-")):
            continue
        below = _indented(lines[place:])
        place += len(below)
        found[key.strip()] = _value(value.strip(), below)
    return found


def _indented(lines: Sequence[str]) -> Sequence[str]:
    """The lines that belong to the key above them."""
    count = next((place for place, line in enumerate(lines) if line.strip() and not line[:1].isspace()), len(lines))
    return lines[:count]


def _value(value: str, below: Sequence[str]) -> str:
    texts = [line.strip() for line in below]
    if value[:1] in ("|", ">") and len(value) <= 3:
        return "\n".join(texts).strip("\n") if value[0] == "|" else " ".join(text for text in texts if text)
    value = " ".join([value, *(text for text in texts if text)]).strip()
    if value[:1] == '"' and value[-1:] == '"' and len(value) > 1:
        return _unquoted(value)
    if value[:1] == "'" and value[-1:] == "'" and len(value) > 1:
        return value[1:-1].replace("''", "'")
    return value.partition(" #")[0].rstrip()


def _unquoted(value: str) -> str:
    try:
        return str(json.loads(value))
    except ValueError:
        return value[1:-1]
