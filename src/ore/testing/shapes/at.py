"""`At`: a place in a request, which knows its path and says what is wrong there."""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from ore.testing.shapes.fault import ShapeError

__all__ = ["At", "Body", "reading"]

_SHOWN_CHARACTERS: Final = 64
"""Longer names, ids and keys are cut when they are shown."""

Body = bytes | bytearray | str | Mapping[str, Any]
"""A request as it is sent, or what it decodes to."""


@dataclass(frozen=True, slots=True)
class At:
    """A value and where it stands. Every method raises `ShapeError` when the value is another.

    Attributes:
        path: Such as `messages[1].content`.
        value: As JSON has it.
    """

    path: str
    value: Any

    def refuse(self, expected: str, got: str | None = None) -> NoReturn:
        """Refuse the value; without `got` it is only described, so that no content is shown."""
        raise ShapeError(self.path, expected, _described(self.value) if got is None else _cut(got))

    def object(self) -> Mapping[str, Any]:
        """An object with any keys."""
        if not isinstance(self.value, Mapping):
            self.refuse("an object")
        return self.value

    def fields(self, required: str, optional: str = "", *, extra: Collection[str] = ()) -> dict[str, "At"]:
        """An object with these keys, each name parted from the next by a space.

        Returns:
            What stands under each key that is there and not null.
        """
        value, known = self.object(), (*required.split(), *optional.split())
        for key in value:
            if key not in known and key not in extra:
                self.key(str(key)).refuse("no such field", _described(value[key]))
        for key in required.split():
            if value.get(key) is None:
                self.key(key).refuse("a value", "null" if key in value else "nothing")
        return {key: self.key(key) for key in known if value.get(key) is not None}

    def key(self, name: str) -> "At":
        """What stands under a key; null where nothing does."""
        inside = self.value.get(name) if isinstance(self.value, Mapping) else None
        shown = name[:_SHOWN_CHARACTERS]
        return At(shown if self.path == "body" else f"{self.path}.{shown}", inside)

    def items(self, *, least: int = 0, most: int | None = None) -> Sequence["At"]:
        """A list of so many things."""
        if not isinstance(self.value, list | tuple):
            self.refuse("a list")
        count = len(self.value)
        if count < least or (most is not None and count > most):
            self.refuse(f"a list of {_range(least, most)}", f"{count}")
        return [At(f"{self.path}[{index}]", item) for index, item in enumerate(self.value)]

    def text(self, *, least: int = 0, most: int | None = None) -> str:
        """A string of so many characters."""
        if not isinstance(self.value, str):
            self.refuse("a string")
        length = len(self.value)
        if length < least or (most is not None and length > most):
            self.refuse(f"a string of {_range(least, most)} characters", f"one of {length}")
        return self.value

    def name(self, pattern: "re.Pattern[str]") -> str:
        """A string that a pattern matches as a whole; shown when it does not."""
        if not pattern.fullmatch(self.text()):
            self.refuse(f"a string like {pattern.pattern}", repr(self.value))
        return self.text()

    def one_of(self, *choices: str) -> str:
        """One of these strings."""
        if self.value not in choices or not isinstance(self.value, str):
            self.refuse(f"one of {', '.join(choices)}", self._short())
        return self.value

    def boolean(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def number(self, low: float, high: float) -> float:
        """A number from `low` to `high`."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.refuse("a number")
        if not low <= self.value <= high or not math.isfinite(self.value):
            self.refuse(f"a number from {low:g} to {high:g}", repr(self.value))
        return self.value

    def integer(self, low: int, high: int | None = None) -> int:
        """A whole number from `low` to `high`."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.refuse("a whole number")
        if self.value < low or (high is not None and self.value > high):
            self.refuse(f"a whole number of {_range(low, high)}", repr(self.value))
        return self.value

    def kind(self, *choices: str) -> str:
        """The `type` of an object, one of these."""
        self.object()
        return self.key("type").one_of(*choices)

    def _short(self) -> str:
        """A value that is one of a vendor's own words, or should be."""
        return repr(self.value) if isinstance(self.value, str) else _described(self.value)


@contextmanager
def reading(body: Body) -> Iterator[At]:
    """Look at a request.

    Yields:
        The place of the whole.

    Raises:
        ShapeError: It is no JSON object in UTF-8, holds a lone surrogate, or is nested too deep to be read.
    """
    at = At("body", _decoded(body) if isinstance(body, bytes | bytearray | str) else body)
    at.object()
    _whole_characters(at)
    try:
        yield at
    except RecursionError:
        raise ShapeError("body", "a request that can be read", "one that is nested too deep") from None


def _decoded(body: bytes | bytearray | str) -> Any:
    try:
        return json.loads(body if isinstance(body, str) else body.decode(), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise ShapeError("body", "UTF-8", f"another byte at {error.start}") from None
    except json.JSONDecodeError as error:
        raise ShapeError("body", "JSON", f"an error at character {error.pos}: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise ShapeError("body", "JSON", str(error)) from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which is no JSON")


def _whole_characters(at: At) -> None:
    try:
        json.dumps(at.value, ensure_ascii=False, default=lambda other: None).encode()
    except UnicodeEncodeError:
        _find_surrogate(at)
    except (RecursionError, TypeError, ValueError) as error:
        at.refuse("what JSON can hold", str(error))


def _find_surrogate(at: At) -> None:
    """Refuse the first string that is no valid Unicode."""
    if isinstance(at.value, str):
        if any("\ud800" <= character <= "\udfff" for character in at.value):
            at.refuse("valid Unicode", "a lone surrogate")
    elif isinstance(at.value, Mapping):
        for key in at.value:
            _find_surrogate(At(f"{at.path}, a key", key))
            _find_surrogate(at.key(key))
    elif isinstance(at.value, list | tuple):
        for item in at.items():
            _find_surrogate(item)


def _described(value: Any) -> str:
    """What kind of value it is and how large, but not what it says."""
    if value is None:
        return "null"
    if isinstance(value, bool | int | float):
        return _cut(str(value).lower())
    if isinstance(value, str):
        return f"a string of {len(value)} characters" if value else "an empty string"
    if isinstance(value, Mapping):
        return "an object"
    return f"a list of {len(value)}" if isinstance(value, list | tuple) else type(value).__name__


def _range(low: float, high: float | None) -> str:
    if high is None:
        return f"at least {low}"
    return f"at most {high}" if not low else f"{low} to {high}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
