"""What could stand in the input: slash commands, files, what was typed before."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ore.errors import ToolError
from ore.ext.conduits.terminal.link import CommandLine
from ore.ext.conduits.terminal.suggestions import Suggestion
from ore.ext.tools.files.border import Border
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.files.walk import Walk
from ore.ext.tools.sandboxes import FolderSandbox

__all__ = ["command_suggestions", "file_suggestions", "named_path", "path_suggestions"]

_COMMAND: Final = re.compile(r"/([A-Za-z0-9_-]*)")
_NAMED: Final = re.compile(r"(?:^|\s)@([^\s@]*)$")
_WORD: Final = re.compile(r"(\S*)$")
_MOST: Final = 50
_PATIENCE_S: Final = 0.3


def command_suggestions(text: str, commands: Sequence[CommandLine]) -> Sequence[Suggestion]:
    """Commands whose names fit what is typed: those that begin so first."""
    found = _COMMAND.fullmatch(text)
    if found is None:
        return ()
    part = found[1].lower()
    fitting = [one for one in commands if _fits(part, one.name.lower())]
    fitting.sort(key=lambda one: (not one.name.lower().startswith(part), one.name))
    return [
        Suggestion(
            text=f"/{one.name} " if one.hint else f"/{one.name}",
            label=f"/{one.name} {one.hint}".rstrip(),
            description=one.description,
            sends=not one.hint or one.hint.startswith("["),
        )
        for one in fitting
    ]


def named_path(before: str) -> str | None:
    """The beginning of a path behind an `@` at the end of the text; `None` where there is none."""
    found = _NAMED.search(before)
    return found[1] if found is not None else None


def file_suggestions(part: str, folder: Path) -> Sequence[Suggestion]:
    """Files below a folder whose paths contain `part`; what its ignore rules leave out is left out."""
    found: list[str] = []
    try:
        walk = Walk(Border(FolderSandbox(folder)), folder.resolve(), Patience(_PATIENCE_S))
        for entry in walk.entries():
            path = walk.shown(entry.path) + ("/" if entry.kind == "directory" else "")
            if part.lower() in path.lower():
                found.append(path)
            if len(found) >= _MOST * 4:
                break
    except (OSError, ToolError):
        return ()
    found.sort(key=lambda path: (not path.rpartition("/")[2].lower().startswith(part.lower()), len(path), path))
    return [Suggestion(text=path, label=path) for path in found[:_MOST]]


def path_suggestions(before: str, folder: Path) -> Sequence[Suggestion]:
    """Names that go on with the path at the end of the text."""
    match = _WORD.search(before)
    word = match[1] if match is not None else ""
    head, _, tail = word.rpartition("/")
    base = Path(head + "/" if head or word.startswith("/") else ".").expanduser()
    try:
        names = sorted(one for one in (folder / base).iterdir() if one.name.startswith(tail))
        shown = [f"{one.name}/" if one.is_dir() else one.name for one in names[:_MOST]]
    except OSError:
        return ()
    prefix = f"{head}/" if head or word.startswith("/") else ""
    return [Suggestion(text=f"{prefix}{name}", label=f"{prefix}{name}") for name in shown]


def _fits(part: str, name: str) -> bool:
    """Whether the letters of `part` stand in `name` in this order."""
    rest = iter(name)
    return all(letter in rest for letter in part)
