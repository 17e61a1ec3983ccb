"""`flatten`: a schema for back ends that follow no references."""

import re
from typing import Any, Final

from ore.tool.json_schema import DEFINITIONS, Schema, map_schemas, target

__all__ = ["flatten"]

MAX_NODES: Final = 20_000
"""Schemas in the result, at most. References multiply: thirty definitions that
each name the next one twice would be a billion."""

_SAID_BESIDE: Final = frozenset(("default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"))


def flatten(schema: Schema) -> dict[str, Any]:
    """Write every `$ref` out in its place, wherever it stands.

    What stood beside a reference holds, such as a description. A definition
    that contains itself has no finite form: it stays in `$defs`, and the
    references to it from inside stay too. A result without `$defs` has none.

    Raises:
        ValueError: A reference leads out of the schema or nowhere, or the
            result would be larger than `MAX_NODES`.
    """
    return _Flattening(schema).result()


class _Flattening:
    """One schema on its way."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._nodes = 0
        self._recursive: dict[str, None] = {}

    def result(self) -> dict[str, Any]:
        flat = self._written_out(self._root, ())
        kept: dict[str, Any] = {}
        while missing := [reference for reference in self._recursive if _name(reference) not in kept]:
            for reference in missing:
                kept[_name(reference)] = self._written_out(target(self._root, reference), (reference,))
        return {**flat, "$defs": kept} if kept else flat

    def _written_out(self, node: Schema, inside: tuple[str, ...]) -> dict[str, Any]:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise ValueError(f"without references the schema has more than {MAX_NODES} parts")
        reference = node.get("$ref")
        beside = {key: value for key, value in node.items() if key not in DEFINITIONS}
        if not isinstance(reference, str):
            return map_schemas(beside, lambda child: self._written_out(child, inside))
        del beside["$ref"]
        here = self._written_out(beside, inside) if beside else {}
        if reference in inside:
            self._recursive[reference] = None
            return {"$ref": f"#/$defs/{_name(reference)}", **here}
        there = self._written_out(target(self._root, reference), (*inside, reference))
        if all(key in _SAID_BESIDE or key not in there for key in here):
            return {**there, **here}
        return {"allOf": [there, here]}


def _name(reference: str) -> str:
    parts = [part for part in reference[1:].split("/") if part and part not in DEFINITIONS]
    return re.sub(r"[^\w.-]", "_", "_".join(parts)) or "root"
