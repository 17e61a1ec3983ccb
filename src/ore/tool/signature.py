"""What a function says of itself: its name, its parameters, and whether it blocks."""

import functools
import inspect
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from ore.tool.context import ToolContext
from ore.tool.docstring import read_docstring

__all__ = ["ABSENT", "Parameter", "Signature", "read_signature"]

ABSENT: Final[Any] = inspect.Parameter.empty
"""No default, or no annotation."""

_CONTEXT_TEXT: Final = re.compile(r"(?:Optional\[)?(?:\w+\.)*ToolContext\]?(?:\s*\|\s*None)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument that a model gives.

    Attributes:
        annotation: As written; a text is read when a schema is asked for.
        description: From the docstring.
    """

    name: str
    annotation: Any
    default: Any
    description: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What was read of a function.

    Attributes:
        name: `None` where it has none, as a lambda.
        blocking: Calling it does the work, rather than giving something to await.
        takes_context: Its first parameter is a `ToolContext`.
        namespace: What the texts of annotations may name.
    """

    name: str | None
    description: str
    blocking: bool
    takes_context: bool
    parameters: tuple[Parameter, ...]
    namespace: Mapping[str, Any]

    def annotation_of(self, parameter: Parameter) -> Any:
        """The annotation as a type; `Any` without one.

        Raises:
            TypeError: Its text names what cannot be found.
        """
        if parameter.annotation is ABSENT:
            return Any
        try:
            return _resolved(parameter.annotation, self.namespace)
        except Exception as exc:
            raise TypeError(
                f"parameter {parameter.name!r} of tool {self.name!r}: the annotation {parameter.annotation!r} cannot "
                f"be read ({exc}); its names must stand in the module, not in a function or under TYPE_CHECKING"
            ) from exc


def read_signature(function: Callable[..., Any]) -> Signature:
    """Read a function, method, callable object or `functools.partial`.

    Arguments that a partial gives by name are its own and not the model's.

    Raises:
        TypeError: A model could not call it; the message says why.
    """
    code = _code(function)
    name = _name(function)
    _check_kind(function, code)
    parameters = _parameters(function, name)
    namespace = _namespace(code)
    takes_context = bool(parameters) and _is_context(parameters[0].annotation, namespace)
    _check_parameters(parameters[takes_context:], name, namespace)
    if takes_context and parameters[0].kind is inspect.Parameter.KEYWORD_ONLY:
        raise TypeError(f"tool {name!r}: the ToolContext is passed by position, {parameters[0].name!r} is keyword-only")
    docstring = read_docstring(_doc(function, code))
    return Signature(
        name=name,
        description=docstring.description,
        blocking=not (inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(code)),
        takes_context=takes_context,
        parameters=tuple(
            Parameter(
                name=item.name,
                annotation=item.annotation,
                default=item.default,
                description=docstring.parameters.get(item.name),
            )
            for item in parameters[takes_context:]
        ),
        namespace=namespace,
    )


def _code(function: Callable[..., Any]) -> Callable[..., Any]:
    """The plain function that runs in the end."""
    if isinstance(function, type) or not callable(function):
        raise TypeError(f"expected a function for a tool, got {function!r}")
    while isinstance(function, functools.partial):
        function = function.func
    if not (inspect.isroutine(function) or hasattr(function, "__wrapped__")):
        function = type(function).__call__
    plain: Callable[..., Any] = getattr(function, "__func__", function)
    found: Callable[..., Any] = inspect.unwrap(plain)
    return found


def _name(function: Callable[..., Any]) -> str | None:
    inner = function.func if isinstance(function, functools.partial) else function
    name = getattr(inner, "__name__", None) or type(inner).__name__
    return None if name == "<lambda>" else name


def _doc(function: Callable[..., Any], code: Callable[..., Any]) -> str | None:
    """The docstring of what runs, else of the object that was made callable."""
    inner = function.func if isinstance(function, functools.partial) else function
    return (inner.__doc__ if inspect.isroutine(inner) else None) or code.__doc__ or inner.__doc__


def _check_kind(function: Callable[..., Any], code: Callable[..., Any]) -> None:
    if inspect.isasyncgenfunction(code) or inspect.isgeneratorfunction(code):
        raise TypeError(
            f"expected a function that returns one value for a tool, got the generator {function!r}; "
            "what happens on the way goes through ToolContext.emit and progress"
        )


def _parameters(function: Callable[..., Any], name: str | None) -> list[inspect.Parameter]:
    given = function.keywords if isinstance(function, functools.partial) else {}
    try:
        found = inspect.signature(function).parameters.values()
    except ValueError as exc:
        raise TypeError(f"tool {name!r}: its parameters cannot be seen ({exc}); wrap it in a function") from None
    return [item for item in found if item.name not in given]


def _check_parameters(parameters: list[inspect.Parameter], name: str | None, namespace: Mapping[str, Any]) -> None:
    for item in parameters:
        if item.kind in (item.VAR_POSITIONAL, item.VAR_KEYWORD):
            raise TypeError(
                f"tool {name!r}: {str(item).partition(':')[0]} has no schema; name each parameter "
                "(a decorator keeps the names with functools.wraps)"
            )
        if item.kind is item.POSITIONAL_ONLY:
            raise TypeError(f"tool {name!r}: a model gives arguments by name, {item.name!r} is positional-only")
        if item.name in ("self", "cls") and item.annotation is ABSENT:
            raise TypeError(f"tool {name!r}: the method has no object yet; make the tool from a bound method")
        if _is_context(item.annotation, namespace):
            raise TypeError(f"tool {name!r}: the ToolContext must be the first parameter, {item.name!r} is a later one")


def _namespace(code: Callable[..., Any]) -> Mapping[str, Any]:
    cells = getattr(code, "__closure__", None) or ()
    names = code.__code__.co_freevars if cells else ()
    closed = {}
    for name, cell in zip(names, cells, strict=True):
        try:
            closed[name] = cell.cell_contents
        except ValueError:  # not filled yet, such as the function's own name
            continue
    return {**getattr(code, "__globals__", {}), **closed} if closed else getattr(code, "__globals__", {})


def _is_context(annotation: Any, namespace: Mapping[str, Any]) -> bool:
    try:
        annotation = _resolved(annotation, namespace)
    except Exception:  # a name that only a type checker imports
        return isinstance(annotation, str) and _CONTEXT_TEXT.fullmatch(annotation.strip()) is not None
    choices = get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)
    return any(isinstance(choice, type) and issubclass(choice, ToolContext) for choice in choices)


def _resolved(annotation: Any, namespace: Mapping[str, Any]) -> Any:
    def holder() -> None: ...

    holder.__annotations__ = {"it": annotation}
    return get_type_hints(holder, dict(namespace), include_extras=True)["it"]
