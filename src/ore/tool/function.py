"""`tool`: a plain function as something a model may call."""

import reprlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack, overload

from ore.artifact import Cut
from ore.tool.context import ToolContext
from ore.tool.names import is_wire_name, wire_name
from ore.tool.schema import Form, arguments_form
from ore.tool.signature import Signature, read_signature
from ore.tool.tool import Approve, DisplayHint, Example, Tool, Traits

__all__ = ["FunctionBody", "ToolOptions", "as_tool", "tool"]

_NOT_GIVEN: Final[Any] = object()


class ToolOptions(TypedDict, total=False):
    """What `tool` may be told: three texts, and the fields of `Traits`."""

    name: str
    description: str
    title: str
    read_only: bool
    idempotent: bool
    alone: bool
    approve: Approve
    editable: bool
    timeout_s: float | None
    cut: Cut | None
    display_hint: DisplayHint | None
    examples: Sequence[Example]


@overload
def tool(function: Callable[..., Any], /, **options: Unpack[ToolOptions]) -> Tool: ...


@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(function: Any = _NOT_GIVEN, /, **options: Unpack[ToolOptions]) -> Any:
    """Make a tool of a function; `@tool`, `@tool(approve=True)` and `tool(function)` are the same.

    The name, the docstring and the annotations make what the model sees: the
    first paragraphs are the description, `Args:` (Google) or `:param x:` (reST)
    describe the parameters, as does `Annotated[int, "text"]`. A first parameter
    annotated `ToolContext` receives the context. `async def` runs on the loop;
    `def` blocks, and so runs in a thread. Bound methods, callable objects and
    `functools.partial` are functions too. Arguments arrive as Python values:
    enum members, dataclasses, models; a default that the model left out is
    among them.

    The schema is made when it is first asked for; a type that has none is a
    TypeError there.

    Args:
        function: What runs. Without it, a decorator is returned.
        options: `name`, `description`, `title`, and the fields of `Traits`.

    Raises:
        TypeError: A model could not call it: `*args`, `**kwargs`, parameters
            that are positional only, a generator, a class.
        ValueError: The name is not `[a-zA-Z0-9_-]{1,64}`.
    """
    if function is _NOT_GIVEN:
        return lambda decorated: _made(decorated, options)
    return _made(function, options)


def as_tool(given: Tool | Callable[..., Any]) -> Tool:
    """A tool as it is, a function as a tool.

    Raises:
        TypeError: It is neither, or a model could not call it.
    """
    return given if isinstance(given, Tool) else tool(given)


class FunctionBody:
    """A function, its schema and its reader, made on first use."""

    __slots__ = ("_form", "_function", "_signature", "_takes_context", "blocking")

    def __init__(self, function: Callable[..., Any], signature: Signature) -> None:
        self._function = function
        self._signature = signature
        self._takes_context = signature.takes_context
        self._form: Form | None = None
        self.blocking: bool = signature.blocking
        """Whether `call` blocks, and so needs a thread."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON Schema of the arguments: closed, in the order of the parameters.

        Raises:
            TypeError: A parameter has a type without a schema.
        """
        return (self._form or self._compiled()).schema

    def parse(self, arguments: str) -> Mapping[str, Any]:
        """Read the model's JSON as the values that the function takes, defaults too.

        Raises:
            ToolError: It does not fit; the message names each field.
            TypeError: A parameter has a type without a schema.
        """
        values: Mapping[str, Any] = (self._form or self._compiled()).read(arguments).__dict__
        return values

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        """Run the function; what an `async def` gives is to be awaited."""
        return self._function(context, **arguments) if self._takes_context else self._function(**arguments)

    def _compiled(self) -> Form:
        self._form = arguments_form(self._signature)
        return self._form

    def __repr__(self) -> str:
        module = getattr(self._function, "__module__", None)
        name = getattr(self._function, "__qualname__", None)
        return f"{module}.{name}" if module and name else reprlib.repr(self._function)


def _made(function: Callable[..., Any], options: ToolOptions) -> Tool:
    signature = read_signature(function)
    traits: Any = {key: value for key, value in options.items() if key not in ("name", "description", "title")}
    name, title = _named(options.get("name"), signature.name)
    return Tool(
        name=name,
        description=options.get("description", signature.description),
        body=FunctionBody(function, signature),
        traits=Traits(**traits),
        title=options.get("title", title),
    )


def _named(given: str | None, own: str | None) -> tuple[str, str | None]:
    """The name on the wire, and the original where it is another."""
    if given is not None:
        if not is_wire_name(given):
            raise ValueError(f"expected a tool name of [a-zA-Z0-9_-], 1 to 64 characters, got {given!r}")
        return given, None
    if own is None:
        raise TypeError("expected a name: a lambda has none, pass tool(…, name=…)")
    return wire_name(own), None if is_wire_name(own) else own
