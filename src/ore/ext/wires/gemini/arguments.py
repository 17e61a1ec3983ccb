"""`ArgumentsWriter`: arguments that come value by value become JSON text as they come.

Each piece says where it belongs with a JSON path (RFC 9535), such as
`$.rows[0].name`. Models write arguments from their beginning to their end, so
what was left is never come back to.
"""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from ore.ext.wires.gemini.structs import PartialArg

__all__ = ["ArgumentsError", "ArgumentsWriter"]

Step = str | int
"""A member of an object, or a place in a list."""

_STEP: Final = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]""", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_NULL: Final = b"null"
_encode: Final = msgspec.json.Encoder().encode


class ArgumentsError(ValueError):
    """A piece that fits nowhere."""


class _Level:
    """An object or a list that is open: the names that it has, or its last place."""

    __slots__ = ("last", "names")

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.last = -1

    def add(self, step: Step) -> str:
        """Begin a member or an element; the text before its value."""
        comma = "," if self.names or self.last >= 0 else ""
        if isinstance(step, int):
            if self.names or step <= self.last:
                raise ArgumentsError("a value for a place that was left")
            self.last = step
            return comma
        if self.last >= 0 or step in self.names:
            raise ArgumentsError("a value for a place that was left")
        self.names.add(step)
        return f"{comma}{_encode(step).decode()}:"


class ArgumentsWriter:
    """Writes one object.

    What was written is never taken back: all texts joined, with that of
    `close`, are the arguments.
    """

    __slots__ = ("_begun", "_in_string", "_levels", "_path")

    def __init__(self) -> None:
        self._path: list[Step] = []
        self._levels = [_Level()]
        self._begun = False
        self._in_string = False

    def put(self, piece: PartialArg) -> str:
        """The text that a piece adds.

        Raises:
            ArgumentsError: It belongs to what was left already, or its path cannot be read.
        """
        path = _steps(piece.json_path)
        goes_on = bool(piece.will_continue)
        if self._in_string and path == self._path:
            return self._string(piece.string_value or "", goes_on=goes_on)
        out = self._move(path)
        if piece.string_value is not None or goes_on:
            return f'{out}"{self._string(piece.string_value or "", goes_on=goes_on)}'
        return out + _scalar(piece)

    def put_member(self, name: str, value: msgspec.Raw) -> str:
        """The text that a whole member of the object adds.

        Raises:
            ArgumentsError: It is there already.
        """
        return self._move([name]) + bytes(value).decode()

    def close(self) -> str:
        """The text that ends the object."""
        return self._leave(0) + "}" if self._begun else "{}"

    def _string(self, text: str, *, goes_on: bool) -> str:
        self._in_string = goes_on
        inside = _encode(text).decode()[1:-1]
        return inside if goes_on else f'{inside}"'

    def _move(self, path: Sequence[Step]) -> str:
        """Leave what is open and not on the way to `path`, and open what is."""
        shared = 0
        while shared < min(len(path), len(self._path)) and path[shared] == self._path[shared]:
            shared += 1
        if shared == len(path) or shared == len(self._path) > 0:
            raise ArgumentsError("a value where there is one")
        out = ["" if self._begun else "{", self._leave(shared)]
        self._begun = True
        for step, following in zip(path[shared:], [*path[shared + 1 :], None], strict=True):
            out.append(self._levels[-1].add(step))
            self._path.append(step)
            if following is not None:
                out.append("[" if isinstance(following, int) else "{")
                self._levels.append(_Level())
        return "".join(out)

    def _leave(self, depth: int) -> str:
        """Close everything below a depth."""
        out = ['"'] if self._in_string else []
        self._in_string = False
        for step in reversed(self._path[depth + 1 :]):
            out.append("]" if isinstance(step, int) else "}")
            self._levels.pop()
        del self._path[depth:]
        return "".join(out)


def _steps(path: str) -> list[Step]:
    steps: list[Step] = []
    place = 1
    while place < len(path):
        found = _STEP.match(path, place)
        if found is None:
            break
        name, index, *quoted = found.groups()
        inside = next((text for text in quoted if text is not None), "")
        steps.append(name if name is not None else int(index) if index is not None else _ESCAPED.sub(r"\1", inside))
        place = found.end()
    if not path.startswith("$") or place != len(path) or not steps or isinstance(steps[0], int):
        raise ArgumentsError("a path that cannot be read")
    return steps


def _scalar(piece: PartialArg) -> str:
    if piece.bool_value is not None:
        return "true" if piece.bool_value else "false"
    return (bytes(piece.number_value) or _NULL).decode()
