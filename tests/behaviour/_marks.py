"""Which tests claim which requirements, read from their source without running it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mark:
    """The ids that one test, or one parameter set of it, carries.

    Attributes:
        place: File and line, for people.
        ids: As marked.
        fault: Why the mark is of no use; empty when it is fine.
    """

    place: str
    ids: tuple[str, ...]
    fault: str = ""


def marks_under(folder: Path) -> list[Mark]:
    """The marks of all test files below `folder`."""
    return [
        mark
        for path in sorted(folder.rglob("test_*.py"))
        for mark in marks_in(path.read_text(), str(path.relative_to(folder)))
    ]


def marks_in(source: str, name: str) -> Iterator[Mark]:
    """The marks of one file: on tests, and in the parameter sets of tests."""
    tree = ast.parse(source)
    known: set[ast.Call] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            own = [call for call in node.decorator_list if _is_mark(call)]
            known.update(call for call in own if isinstance(call, ast.Call))
            if own:
                yield _mark(own, f"{name}:{node.lineno}")
        elif isinstance(node, ast.Call) and _called(node) == "param":
            inner = [call for call in ast.walk(node) if _is_mark(call)]
            known.update(call for call in inner if isinstance(call, ast.Call))
            if inner:
                yield _mark(inner, f"{name}:{node.lineno}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_mark(node) and node not in known:
            yield Mark(f"{name}:{node.lineno}", (), "stands neither on a test nor in pytest.param")


def _mark(calls: list[ast.expr] | list[ast.AST], place: str) -> Mark:
    arguments = [argument for call in calls if isinstance(call, ast.Call) for argument in call.args]
    ids = tuple(str(argument.value) for argument in arguments if isinstance(argument, ast.Constant))
    if len(ids) != len(arguments) or not ids:
        return Mark(place, ids, "expected ids as literals")
    if len(ids) > 3:
        return Mark(place, ids, f"carries {len(ids)} ids, at most 3")
    return Mark(place, ids)


def _is_mark(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and _called(node) == "requirement"


def _called(call: ast.Call) -> str:
    name = call.func
    return name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
