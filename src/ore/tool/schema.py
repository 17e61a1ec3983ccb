"""Schemas of plain Python types, and reading a model's JSON as their values.

The only file of core that imports pydantic, and on first use: whoever never
asks for a schema never loads it.
"""

import dataclasses
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, Generic, TypeVar, get_args, get_origin

from ore.artifact import clean
from ore.errors import ToolError
from ore.tool.annotation import readable
from ore.tool.faults import explain, shown, type_name
from ore.tool.json_schema import Schema, map_schemas, target
from ore.tool.names import wire_name
from ore.tool.signature import ABSENT, Signature
from ore.tool.strict import without_nulls

__all__ = ["Form", "Output", "arguments_form", "decode_object", "output_schema"]

T = TypeVar("T")

log = logging.getLogger(__name__)

_FENCE: Final = "```"


class Form:
    """A schema, and a reader for the JSON objects that it describes.

    Args:
        what: What the objects are, for messages: a plural.
        validate: Reads JSON text; raises pydantic's `ValidationError`.
    """

    __slots__ = ("_validate", "_what", "schema")

    def __init__(self, what: str, schema: dict[str, Any], validate: Callable[[str], Any]) -> None:
        self._what = what
        self._validate = validate
        self.schema = schema

    def read(self, text: str) -> Any:
        """The value of a JSON object; nothing or white space is an empty one.

        Lone surrogates become U+FFFD. A null where an optional field takes
        none is as good as absent: strict modes send it.

        Raises:
            ToolError: It does not fit; the message is for the model.
        """
        try:
            return self._validate(text or "{}")
        except Exception:  # every second look is for what does not fit at once
            return self._read_again(text)

    def _read_again(self, text: str) -> Any:
        found = decode_object(self._what, text)
        try:
            return self._validate(json.dumps(without_nulls(found, self.schema)))
        except ToolError:
            raise
        except RecursionError:
            raise ToolError(f"{self._what} do not fit: they are nested too deep") from None
        except ValueError as exc:
            raise ToolError(explain(self._what, _faults(exc), self.schema)) from None
        except Exception as exc:  # a validator of the tool's author
            log.exception("a validator failed")
            raise ToolError(f"{self._what} could not be read: {type(exc).__name__}: {exc}") from exc


def decode_object(what: str, text: str) -> dict[str, Any]:
    """A JSON object as it stands; nothing or white space is an empty one, lone surrogates become U+FFFD.

    Raises:
        ToolError: It is something else; the message begins with `what`, a plural.
    """
    if not text.strip():
        return {}
    try:
        found = _cleaned(json.loads(text))
    except (ValueError, RecursionError) as exc:
        raise ToolError(f"{what} are not valid JSON: {exc}; got {shown(text)}") from None
    if not isinstance(found, dict):
        raise ToolError(f"{what} do not fit: expected a JSON object, got {type_name(found)} {shown(found)}")
    return found


def arguments_form(signature: Signature) -> Form:
    """The form of a function's arguments; what it reads has them in its `__dict__`, defaults too.

    Raises:
        TypeError: A parameter has a type without a schema; the message names it.
    """
    fields = [(item.name, signature.annotation_of(item), item) for item in signature.parameters]
    try:
        return _fields_form(
            "arguments",
            [(name, _described(readable(kind), item.description), item.default) for name, kind, item in fields],
        )
    except Exception as exc:
        for name, kind, _ in fields:
            _check_kind(kind, f"parameter {name!r} of tool {signature.name!r}")
        raise TypeError(f"the parameters of tool {signature.name!r}: {_reason(exc)}") from exc


def _check_kind(kind: Any, owner: str) -> None:
    """Say which of several types has no schema."""
    try:
        _schema(_adapter(readable(kind)))
    except Exception as exc:
        raise TypeError(f"{owner}: {_reason(exc)}") from exc


class Output(Generic[T]):
    """What an agent shall answer with, instead of text.

    Args:
        kind: Any type with a schema: a model, a dataclass, a TypedDict,
            `list[X]`, `int`, a union. One that is no JSON object travels as
            `{"value": …}`.

    Attributes:
        name: What vendors call it, a legal name.
    """

    __slots__ = ("_form", "_wrapped", "kind", "name")

    def __init__(self, kind: type[T] | Any) -> None:
        self.kind = kind
        plain = isinstance(kind, type) and get_origin(kind) is None
        self.name = wire_name(kind.__name__) if plain else "output"
        self._form: Form | None = None
        self._wrapped = False

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON Schema, an object; `strict` makes the form for strict modes of it.

        Raises:
            TypeError: The type has no schema.
        """
        return self._compiled().schema

    def parse(self, text: str) -> T:
        """Read the model's answer, also one in a fence of Markdown.

        Raises:
            ToolError: It does not fit; the message is for the model.
        """
        form = self._compiled()
        text = _unfenced(text) if _FENCE in text else text
        if self._wrapped and not text.lstrip().startswith("{"):  # the bare value will do as well
            text = f'{{"value": {text}}}'
        value = form.read(text)
        result: T = value.value if self._wrapped else value
        return result

    def _compiled(self) -> Form:
        if self._form is None:
            try:
                self._form, self._wrapped = _output_form(readable(self.kind))
            except Exception as exc:
                raise TypeError(f"output type {self.kind!r}: {_reason(exc)}") from exc
        return self._form


def _unfenced(text: str) -> str:
    inner = text.strip()
    if not (inner.startswith(_FENCE) and inner.endswith(_FENCE) and "\n" in inner):
        return text
    return inner.partition("\n")[2].removesuffix(_FENCE)


def output_schema(kind: Any) -> Mapping[str, Any]:
    """JSON Schema of an answer of that type; see `Output`."""
    return Output(kind).schema


def _output_form(kind: Any) -> tuple[Form, bool]:
    adapter = _adapter(kind)
    schema = _lifted(_schema(adapter))
    if schema.get("type") == "object":
        return Form("the fields of the answer", schema, adapter.validator.validate_json), False
    return _fields_form("the fields of the answer", [("value", kind, ABSENT)]), True


def _fields_form(what: str, fields: Sequence[tuple[str, Any, Any]]) -> Form:
    """One field for each name; a dataclass, because its names are free of a model's own."""
    from pydantic import Field
    from pydantic.fields import FieldInfo

    typed = [
        (name, kind) if default is ABSENT
        # A default is wrapped, so that a list is one like others.
        else (name, kind, default if isinstance(default, FieldInfo) else Field(default=default))
        for name, kind, default in fields
    ]  # fmt: skip
    closed = {"__pydantic_config__": {"extra": "forbid"}}
    made = dataclasses.make_dataclass("Fields", typed, init=False, repr=False, eq=False, namespace=closed)
    adapter = _adapter(made)
    return Form(what, _schema(adapter), adapter.validator.validate_json)


def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _schema(adapter: Any) -> dict[str, Any]:
    """The schema without the titles that pydantic makes of names, and without what is no JSON."""
    from pydantic.json_schema import GenerateJsonSchema

    class Untitled(GenerateJsonSchema):
        def get_title_from_name(self, name: str) -> str:
            return ""

        def emit_warning(self, kind: Any, detail: str) -> None:
            """A default that is no JSON is the function's own affair."""

        def encode_default(self, dft: Any) -> Any:
            """A set has no order of its own; the schema has to be the same in every process."""
            return super().encode_default(sorted(dft, key=repr) if isinstance(dft, set | frozenset) else dft)

    schema = adapter.json_schema(schema_generator=Untitled)
    for named in (schema, *schema.get("$defs", {}).values()):
        named.pop("title", None)
    return _tidied(schema)


def _tidied(schema: Schema) -> dict[str, Any]:
    empty = {"title"} if schema.get("title") == "" else set()
    if not _is_json(schema.get("default")):
        empty.add("default")
    return map_schemas({key: value for key, value in schema.items() if key not in empty}, _tidied)


def _is_json(value: Any) -> bool:
    """Python writes infinities and what is not a number, but they are not JSON."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def _lifted(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that is just a reference, with what it refers to at the top."""
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    return {**target(schema, reference), "$defs": schema["$defs"]}


def _described(kind: Any, description: str | None) -> Any:
    """`kind` with a description: its own, or a text in its annotation, or the docstring's."""
    from pydantic import Field

    if get_origin(kind) is Annotated:
        base, *facts = get_args(kind)
        texts = [fact if isinstance(fact, str) else getattr(fact, "documentation", None) for fact in facts]
        description = next((text for text in texts if isinstance(text, str)), description)
    else:
        base, facts = kind, []
    # First, so that a description of the annotation's own Field comes later and holds.
    return Annotated[(base, Field(description=description), *facts)] if description else kind


def _faults(error: ValueError) -> list[dict[str, Any]]:
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        return [dict(fault) for fault in error.errors(include_url=False, include_context=False)]
    return [{"type": "value_error", "loc": (), "msg": str(error), "input": None}]


def _reason(error: Exception) -> str:
    """The first line of what pydantic says; its messages end in an address."""
    return str(getattr(error, "message", error)).partition("\n")[0]


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list) else value
