"""`SchemaBody`: a tool whose schema came from elsewhere, such as a server's."""

from collections.abc import Mapping
from typing import Any, Final

from ore.errors import ToolError
from ore.tool.context import ToolContext
from ore.tool.faults import explain, shown
from ore.tool.json_schema import Schema, check_schema
from ore.tool.schema import decode_object
from ore.tool.tool import ToolFunction

__all__ = ["SchemaBody"]

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int, float),
    "null": (type(None),),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}


class SchemaBody:
    """A schema and an async function that takes the arguments as a mapping.

    Arguments are looked at lightly: a JSON object, nothing missing of what is
    required, nothing unknown where `additionalProperties` is false, and each
    one's own `type` and `enum`. What lies deeper is the business of whoever
    made the schema.

    Args:
        schema: JSON Schema of the arguments, an object; none or an empty one
            means that anything goes.
        function: Called with the context and the arguments.

    Raises:
        TypeError: The function is none.
        ValueError: The schema cannot describe arguments; see `check_schema`.
    """

    __slots__ = ("_function", "schema")

    def __init__(self, schema: Schema | None, function: ToolFunction) -> None:
        if not callable(function):
            raise TypeError(f"expected an async function for a tool, got {function!r}")
        check_schema(schema)
        self._function = function
        self.schema: Mapping[str, Any] = schema or {"type": "object", "properties": {}}
        """As it was given."""

    @property
    def blocking(self) -> bool:
        """No: the function is async."""
        return False

    def parse(self, arguments: str) -> Mapping[str, Any]:
        """Read the model's JSON.

        Raises:
            ToolError: It is no object, or does not fit as far as it is looked at.
        """
        values = decode_object("arguments", arguments)
        faults = [*_missing(values, self.schema), *_wrong(values, self.schema)]
        if faults:
            raise ToolError(explain("arguments", faults, self.schema))
        return values

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        """What the function gives, to be awaited."""
        return self._function(context, arguments)

    def __repr__(self) -> str:
        return f"{getattr(self._function, '__module__', '')}.{getattr(self._function, '__qualname__', self._function)}"


def _missing(values: Mapping[str, Any], schema: Schema) -> list[dict[str, Any]]:
    required = schema.get("required", ())
    return [{"type": "missing", "loc": (name,)} for name in required if name not in values]


def _wrong(values: Mapping[str, Any], schema: Schema) -> list[dict[str, Any]]:
    properties = schema.get("properties", {})
    closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    faults: list[dict[str, Any]] = []
    for name, value in values.items():
        kind = properties.get(name)
        if isinstance(kind, Mapping):
            if message := _mismatch(value, kind):
                faults.append({"type": "mismatch", "loc": (name,), "msg": message, "input": value})
        elif closed and name not in properties:
            faults.append({"type": "extra_forbidden", "loc": (name,)})
    return faults


def _mismatch(value: Any, schema: Schema) -> str:
    if "enum" in schema and value not in schema["enum"]:
        return f"expected one of {shown(schema['enum'])}"
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not kinds or any(_is_kind(value, kind) for kind in kinds):
        return ""
    return f"expected {' or '.join(kinds)}"


def _is_kind(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind not in _TYPES or kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(kind, object))
