"""How a tool call is told: on one line, and all of it."""

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ore.ext.conduits.terminal.cells import Call, CallState
from ore.ext.conduits.terminal.inert import harmless, one_line

__all__ = ["SIGNS", "arguments_text", "change_of", "gist", "readable", "told_once"]

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
_FENCE = re.compile(r"\s*```")
"""What stands in a block of its own is no part of a line."""


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


def readable(call: Call) -> list[str]:
    """All arguments, line by line as a person reads them: texts of several lines behind bars, an edit as its change."""
    value, change = _object(call.arguments), change_of(call)
    if value is None:
        return harmless(call.arguments).split("\n") if call.arguments else []
    rest = {key: one for key, one in value.items() if not (change and key in ("old", "new"))}
    texts = {key: one for key, one in rest.items() if isinstance(one, str) and "\n" in one}
    short = {key: one for key, one in rest.items() if key not in texts}
    lines = harmless(json.dumps(short, indent=2, ensure_ascii=False)).split("\n") if short else []
    for key, text in texts.items():
        lines += [f"{one_line(key)}:", *(f"│ {line}" for line in harmless(text).split("\n"))]
    return [*lines, *change]


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
        yield _told(_FENCE.split(call.display, maxsplit=1)[0])
        return
    value = _object(call.arguments)
    if value is None:
        if call.arguments.strip():
            yield _told(call.arguments)
        return
    for key in sorted(value):
        yield f"{one_line(key)}={_short(value[key])}"


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return "[…]" if value else "[]"
    if isinstance(value, str):
        return f'"{_told(value)}"'
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def _told(text: str) -> str:
    """The beginning of a text on one line, in which the ends of its lines are seen."""
    return one_line(text[:_LONGEST].strip().replace("\n", " ⏎ "))


def told_once(text: str) -> str:
    """A result of which all but the error says nothing else: the error alone."""
    head, mark, message = text.rpartition("\n\n**Error:** ")
    return message if mark and _object(head) == {"error": message} else text


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
