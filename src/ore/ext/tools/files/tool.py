"""`files`: the five tools."""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ore.artifact import Image
from ore.ext.tools.fences import clipped, fenced
from ore.ext.tools.files.border import Border
from ore.ext.tools.files.changes import changes
from ore.ext.tools.files.listing import Listing, listed
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.files.reading import FilePart, Lines, read
from ore.ext.tools.files.search import Found, searched
from ore.ext.tools.files.writing import Edited, Written, edit, write
from ore.ext.tools.inert import inert, quoted_name
from ore.ext.tools.sandboxes import FolderSandbox
from ore.tool import FileSandbox, Tool, ToolContext, tool

__all__ = ["files"]

WORK_S: Final = 20.0
"""Seconds after which reading, listing and searching say how far they came."""

TIMEOUT_S: Final = 60.0
"""Seconds after which a call ends that still hangs, such as on a disk that does not answer."""


def files(sandbox: FileSandbox | None = None, *, approve: bool = False) -> Sequence[Tool]:
    """Make the tools `read_file`, `write_file`, `edit_file`, `list_files` and `search_files`.

    What a path names has to lie inside of the sandbox, wherever its links
    lead, also when they change in that moment. FIFOs, devices and sockets are
    refused and hold nobody up. Names that begin with a dot and those in
    `.gitignore` and `.ignore` are left out of lists and searches.

    Args:
        sandbox: Where files are; without one the current folder, with a
            border around it: see `FolderSandbox`.
        approve: Whether a person has to say yes to each change.
    """
    border = Border(sandbox if sandbox is not None else FolderSandbox())
    return (_read(border), *_changing(border, approve), _list(border), _search(border))


def _read(border: Border) -> Tool:
    @tool(read_only=True, timeout_s=TIMEOUT_S, display_hint=_shown_read)
    def read_file(context: ToolContext, path: str, offset: int = 1, limit: int | None = None) -> FilePart | Image | str:
        """Read a file. Lines come as `N|text`: their number, a bar, the line.

        At most 2,000 lines and 50,000 bytes come at once; the last line says
        where the next ones begin. PNG, JPEG, GIF and WebP come as pictures,
        other files that are no text are named.

        Args:
            path: Such as `src/main.py`.
            offset: The first line, from 1.
            limit: How many lines.
        """
        return read(border, path, Lines(offset=offset, limit=limit), Patience(WORK_S, context))

    return read_file


def _changing(border: Border, approve: bool) -> Sequence[Tool]:
    # Calls of several agents may share these tools; those of one turn run one after the other, as they are `alone`.
    one_at_a_time = threading.Lock()

    @tool(alone=True, approve=approve, timeout_s=TIMEOUT_S, display_hint=_shown_write)
    def write_file(path: str, content: str) -> Written:
        """Write a file, in the place of what was there. Directories that are missing are made.

        Args:
            path: Such as `src/main.py`.
            content: All of it.
        """
        with one_at_a_time:
            return write(border, path, content)

    @tool(alone=True, approve=approve, timeout_s=TIMEOUT_S, display_hint=_shown_edit)
    def edit_file(path: str, old: str, new: str, all: bool = False) -> Edited:
        """Replace a text in a file by another.

        `old` has to be in the file exactly once, with its white space, and
        without the line numbers of read_file.

        Args:
            path: Such as `src/main.py`.
            old: What is there.
            new: What shall be there.
            all: Whether to replace it wherever it is.
        """
        with one_at_a_time:
            return edit(border, path, old, new, every=all)

    return write_file, edit_file


def _list(border: Border) -> Tool:
    @tool(read_only=True, timeout_s=TIMEOUT_S)
    def list_files(context: ToolContext, path: str = ".") -> Listing:
        """List a directory; names of directories end with a slash.

        Hidden and ignored files are left out. A pattern such as `src/**/*.py`
        lists what it matches, in all directories below.

        Args:
            path: A directory or a pattern.
        """
        return listed(border, path, Patience(WORK_S, context))

    return list_files


def _search(border: Border) -> Tool:
    @tool(read_only=True, timeout_s=TIMEOUT_S)
    def search_files(context: ToolContext, pattern: str, path: str = ".") -> Found:
        r"""Find lines that match a regular expression; they come as `path:line: text`.

        Hidden, ignored and binary files are left out.

        Args:
            pattern: Such as `def \w+_test\(`; it is matched line by line, and looks at case.
            path: A directory, a file, or a pattern of paths such as `src/**/*.py`.
        """
        return searched(border, pattern, path, Patience(WORK_S, context))

    return search_files


def _shown_read(arguments: Mapping[str, Any]) -> str:
    lines = "".join(f", {word} {arguments[word]}" for word in ("offset", "limit") if word in arguments)
    return f"read {quoted_name(str(arguments.get('path', '')))}{lines}"


def _shown_write(arguments: Mapping[str, Any]) -> str:
    path, content = str(arguments.get("path", "")), inert(str(arguments.get("content", "")))
    return f"write {quoted_name(path)}\n{fenced(clipped(content), Path(path).suffix[1:])}"


def _shown_edit(arguments: Mapping[str, Any]) -> str:
    path, old, new = (str(arguments.get(word, "")) for word in ("path", "old", "new"))
    where = " wherever it is" if arguments.get("all") else ""
    return f"edit {quoted_name(path)}{where}\n{changes(old.encode('utf-8', 'replace'), new.encode('utf-8', 'replace'))}"
