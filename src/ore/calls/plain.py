"""Values of any class as what can be JSON."""

import inspect
import os
from collections.abc import Iterator, Mapping, Sequence, Set, ValuesView
from typing import Any, Final

from ore.artifact import has_method

__all__ = ["decoded", "exactly", "to_plain"]

_SCALARS: Final = (str, int, float, bytes)

_CONTAINERS: Final = (dict, frozenset, list, set, tuple)
"""What is encoded anywhere but as a key of a mapping; whatever of it comes here is one."""


def to_plain(value: Any) -> Any:
    """A value that msgspec does not know, as one that it does.

    That is: pydantic models, arrays and their scalars, paths, mappings,
    sequences and sets of any class, and subclasses of the plain types.

    Raises:
        TypeError: There is no way known; the message names the type.
    """
    for kind in _SCALARS:
        if isinstance(value, kind):
            return exactly(value, kind)
    if has_method(value, "model_dump"):
        return value.model_dump(mode="json")
    if has_method(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return _contained(value)


def exactly(value: Any, kind: type[Any]) -> Any:
    """The value of a subclass as the class itself, which is all that can be stored; no code of its own runs."""
    return value if value is None or type(value) is kind else kind.__add__(value, kind())


def decoded(value: Any) -> Any:
    """Bytes as text where they are text; everything else as it is."""
    if not isinstance(value, bytes | bytearray | memoryview):
        return value
    try:
        return bytes(value).decode()
    except UnicodeDecodeError:
        return value


def _contained(value: Any) -> Any:
    name = type(value).__name__
    if type(value) in _CONTAINERS:
        raise TypeError(f"expected keys that can be JSON, got {name}")
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence | Set | ValuesView):
        return list(value)
    if inspect.iscoroutine(value):
        value.close()  # nobody will await it
        raise TypeError(f"expected a value that can be JSON, got {name}; it has to be awaited in the tool")
    hint = "; return a list" if isinstance(value, Iterator) else ""
    raise TypeError(f"expected a value that can be JSON, got {name}{hint}")
