"""How a tool call is told: on one line, and all of it."""

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ore.ext.conduits.terminal.cells import Call, CallState
from ore.ext.conduits.terminal.inert import harmless, one_line

__all__ = ["SIGNS", "arguments_text", "change_of", "gist"]

SIGNS = {
    CallState.PREPARING: "○",
    CallState.ASKING: "?",
    CallState.RUNNING: "●",
    CallState.OK: "✓",
    CallState.ERROR: "✕",
    CallState.DENIED: "⊘",
    CallState.CANCELLED: "■",
    CallState.UNKNOWN: "?",
}

_LONGEST = 200


def gist(call: Call) -> str:
    """Name and arguments on one line: `edit_file · path="a.py" · all=true · lines=[…]`."""
    return " · ".join([one_line(call.name) or "…", *_facts(call)])


def arguments_text(call: Call) -> str:
    """All arguments, set for reading; what is no JSON is shown as it came."""
    value = _object(call.arguments)
    if value is None:
        return harmless(call.arguments)
    change = change_of(call)
    if change:
        value = {key: one for key, one in value.items() if key not in ("old", "new")}
    return harmless(json.dumps(value, indent=2, ensure_ascii=False)) if value else ""


def change_of(call: Call) -> list[str]:
    """The lines of the change that an edit asks for, each with its sign; none for other calls."""
    value = _object(call.arguments) or {}
    old, new = value.get("old"), value.get("new")
    if not isinstance(old, str) or not isinstance(new, str):
        return []
    lines = difflib.unified_diff(harmless(old).split("\n"), harmless(new).split("\n"), lineterm="", n=3)
    return [line for line in lines if not line.startswith(("---", "+++"))]


def _facts(call: Call) -> Iterator[str]:
    if call.display is not None:
        yield one_line(call.display[:_LONGEST])
        return
    value = _object(call.arguments)
    if value is None:
        if call.arguments.strip():
            yield one_line(call.arguments[:_LONGEST])
        return
    for key in sorted(value):
        yield f"{one_line(key)}={_short(value[key])}"


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return "[…]" if value else "[]"
    if isinstance(value, str):
        return f'"{one_line(value[:_LONGEST])}"'
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
