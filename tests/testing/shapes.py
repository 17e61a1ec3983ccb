"""Requests for the tests of the shapes: valid ones, and ways to break them."""

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import strategies as st

from ore.testing import ShapeError

Json = dict[str, Any]

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
OBJECT: Json = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CLOSED: Json = {**OBJECT, "additionalProperties": False}

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.sampled_from(("user", "text")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def refused(check: Callable[[Any], None], body: Any) -> ShapeError:
    """What a checker says of a request."""
    with pytest.raises(ShapeError) as caught:
        check(body)
    return caught.value


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place inside a value."""
    if path:
        yield path
    if isinstance(value, Mapping):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def replaced(value: Json, path: tuple[Any, ...], new: Any) -> Json:
    """A request with another value at one place."""
    changed = copy.deepcopy(value)
    inside: Any = changed
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = new
    return changed


def taken_or_refused(check: Callable[[Any], None], body: Any) -> None:
    """Whatever a request is, nothing but `ShapeError` comes of it, and nothing long is in it."""
    try:
        check(body)
    except ShapeError as error:
        assert len(str(error)) < 700
        str(error).encode()


def encoded(body: Any) -> bytes:
    return json.dumps(body).encode()
