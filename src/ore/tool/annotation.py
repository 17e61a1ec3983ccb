"""Annotations as pydantic should read them."""

import collections.abc
import functools
import importlib
import operator
import sys
import types
import typing
from typing import Annotated, Any, Literal, NotRequired, Required, Union

__all__ = ["readable"]

_NEEDS_ANOTHER_TYPED_DICT = sys.version_info < (3, 12)
"""Before Python 3.12 pydantic reads only the TypedDict of typing_extensions."""


def readable(kind: Any, inside: tuple[Any, ...] = ()) -> Any:
    """`kind` with what pydantic would refuse, or read late, put otherwise.

    An `Iterable` becomes a list, since pydantic would make an iterator that
    checks each item when somebody asks for it. Before Python 3.12 a
    `typing.TypedDict` is made anew; inside dataclasses it cannot be reached.

    Raises:
        TypeError: A `typing.TypedDict` contains itself; that has to be written
            with `typing_extensions.TypedDict`.
    """
    if _NEEDS_ANOTHER_TYPED_DICT and typing.is_typeddict(kind) and type(kind).__module__ == "typing":
        return _made_anew(kind, inside)
    arguments = typing.get_args(kind)
    origin = typing.get_origin(kind)
    if not arguments or origin is Literal:
        return list if collections.abc.Iterable in (kind, origin) else kind
    if origin is Annotated:
        return Annotated[(readable(arguments[0], inside), *arguments[1:])]
    new = tuple(item if isinstance(item, list) else readable(item, inside) for item in arguments)
    if origin is collections.abc.Iterable:
        return list[new]  # type: ignore[valid-type]  # made at run time
    if new == arguments:
        return kind
    return functools.reduce(operator.or_, new) if origin in (Union, types.UnionType) else origin[new]


def _made_anew(kind: Any, inside: tuple[Any, ...]) -> Any:
    if kind in inside:
        raise TypeError(f"{kind.__name__} contains itself: write it with typing_extensions.TypedDict")
    fields = {}
    for name, hint in typing.get_type_hints(kind, include_extras=True).items():
        marked = typing.get_origin(hint) in (Required, NotRequired)
        needed = typing.get_origin(hint) is Required if marked else name in kind.__required_keys__
        inner = readable(typing.get_args(hint)[0] if marked else hint, (*inside, kind))
        fields[name] = Required[inner] if needed else NotRequired[inner]
    # Stands beside pydantic, which needs it itself; nothing of ours imports it before.
    made = importlib.import_module("typing_extensions").TypedDict(kind.__name__, fields)
    made.__doc__ = kind.__doc__
    made.__module__ = kind.__module__
    return made
