"""What is wrong with a model's JSON, in words for the model."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ore.artifact import clean
from ore.tool.json_schema import Schema, followed

__all__ = ["Fault", "explain", "shown", "type_name"]

MAX_FAULTS: Final = 8
"""Named in one message; the rest is counted."""

MAX_CHARACTERS: Final = 2_000
"""2,000 characters: enough for all of them, and small beside a tool's output."""

_MAX_VALUE: Final = 80
_MAX_PLACE: Final = 120

Fault = Mapping[str, Any]
"""One line of pydantic's errors: `type`, `loc`, `msg` and `input`."""

_UNKNOWN: Final = ("extra_forbidden", "unexpected_keyword_argument")
_PREFIXES: Final = (("Input should be ", "expected "), ("Value error, ", ""), ("Assertion failed, ", ""))
_TYPES: Final = (
    *((bool, "boolean"), (dict, "object"), (list, "array"), (str, "string"), (int, "integer"), (float, "number")),
    (type(None), "null"),
)


def explain(subject: str, faults: Sequence[Fault], schema: Schema) -> str:
    """Name each field, what was expected and what came."""
    texts = list(_texts(faults[:MAX_FAULTS], schema))
    if len(faults) > MAX_FAULTS:
        texts.append(f"and {len(faults) - MAX_FAULTS} more")
    return _cut(f"{subject} do not fit: {'; '.join(texts)}", MAX_CHARACTERS)


def shown(value: Any) -> str:
    """A value as JSON, cut to what a message bears."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return _cut(clean(text), _MAX_VALUE)


def type_name(value: Any) -> str:
    """What JSON calls the type of a value."""
    return next((name for kind, name in _TYPES if isinstance(value, kind)), type(value).__name__)


def _texts(faults: Sequence[Fault], schema: Schema) -> Iterator[str]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    for fault in faults:
        loc = fault["loc"]
        place = _cut(_place(loc), _MAX_PLACE)
        if fault["type"] == "missing":
            wanted = _expected(properties.get(loc[0]), schema) if len(loc) == 1 else ""
            yield f"{place}: missing{wanted}"
        elif fault["type"] in _UNKNOWN:
            known = _cut(", ".join(properties), _MAX_PLACE) or "none"
            yield f"{place}: unknown" + (f", expected one of: {known}" if len(loc) == 1 else "")
        else:
            yield f"{place}: {_message(fault['msg'])}, got {shown(fault['input'])}"


def _place(loc: Sequence[int | str]) -> str:
    """`items[0].name`; the parts in a union's name are its alternatives."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return clean(text).removeprefix(".") or "the whole"


def _message(text: str) -> str:
    for prefix, words in _PREFIXES:
        if text.startswith(prefix):
            text = words + text.removeprefix(prefix)
    return _cut(clean(text), 2 * _MAX_VALUE)


def _expected(schema: Schema | None, root: Schema) -> str:
    if not schema:
        return ""
    schema = followed(schema, root)
    if "enum" in schema:
        return f", expected one of {shown(schema['enum'])}"
    kinds = [kind for kind in (schema, *schema.get("anyOf", ())) if isinstance(kind.get("type"), str)]
    return f", expected {' or '.join(str(kind['type']) for kind in kinds)}" if kinds else ""


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
