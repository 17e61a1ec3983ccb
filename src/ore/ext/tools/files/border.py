"""`Border`: files and folders of a sandbox, opened so that no link leads past it."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from io import FileIO
from itertools import islice
from pathlib import Path
from typing import Final

from ore.errors import ToolError
from ore.ext.tools.inert import quoted_name
from ore.tool import FileSandbox

__all__ = ["Border", "kind_of", "open_regular", "reason"]

_PASS: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

NAMES: Final = 10_000
"""Names of a folder that are looked at for one that was meant."""

_KINDS: Final = (
    (stat.S_ISREG, "file"),
    (stat.S_ISDIR, "directory"),
    (stat.S_ISLNK, "link"),
    (stat.S_ISFIFO, "FIFO"),
    (stat.S_ISSOCK, "socket"),
)


class Border:
    """What a sandbox lets through, held until a file is open.

    The sandbox says where a path really leads. From its folder on every part
    is then opened by itself and must be no link, so that what is put in the
    place of a part meanwhile is refused, not followed.

    Args:
        sandbox: What resolves paths.
    """

    def __init__(self, sandbox: FileSandbox) -> None:
        self._sandbox = sandbox

    @property
    def root(self) -> Path:
        """Where relative paths begin, links followed."""
        return self._sandbox.working_directory.resolve()

    def locate(self, path: str) -> Path:
        """The real path, which need not exist.

        Raises:
            ToolError: It lies outside, or is no path.
        """
        try:
            return self._sandbox.resolve_path(path or ".")
        except (OSError, RuntimeError, ValueError) as error:
            raise ToolError(f"path: expected one that exists or could, got {path!r}: {reason(error)}") from None

    def shown(self, real: Path) -> str:
        """How a path is told: from the root on where it is inside, on one line."""
        root = self.root
        return quoted_name(str(real.relative_to(root)) if real.is_relative_to(root) else str(real))

    @contextmanager
    def telling(self, path: str) -> Iterator[None]:
        """Failures of the system become errors for the model, which name the path as it did.

        Raises:
            ToolError: Instead of any `OSError`, and of those that name no path.
        """
        try:
            yield
        except OSError as error:
            raise ToolError(f"{quoted_name(path)}: {reason(error)}") from None

    def mode(self, real: Path) -> int | None:
        """Of the thing itself, no link followed; `None` when there is none."""
        try:
            if real == self.root or not real.name:
                return real.stat().st_mode
            with self.folder(real.parent) as folder:
                return os.stat(real.name, dir_fd=folder, follow_symlinks=False).st_mode
        except OSError:
            return None

    @contextmanager
    def folder(self, real: Path, *, listed: bool = False, made: bool = False) -> Iterator[int]:
        """A directory, open.

        Args:
            real: Where it is, as `locate` said.
            listed: Whether its names are to be read.
            made: Whether directories that are missing are made.

        Raises:
            OSError: There is none, or a part of the path became a link.
        """
        root = self.root
        start = root if real.is_relative_to(root) else Path(real.anchor)
        parts = real.relative_to(start).parts
        flags = _LIST if listed and not parts else _PASS & ~os.O_NOFOLLOW
        opened = os.open(start, flags)
        try:
            for place, part in enumerate(parts, 1):
                wanted = _LIST if listed and place == len(parts) else _PASS
                inner = _step(part, opened, wanted, made=made)
                os.close(opened)
                opened = inner
            yield opened
        finally:
            os.close(opened)

    @contextmanager
    def file(self, real: Path) -> Iterator[FileIO]:
        """A regular file, open for reading; nothing waits, whatever it is.

        Raises:
            ToolError: There is none of that name, or it is no regular file.
            OSError: It cannot be opened, or a part of the path became a link.
        """
        try:
            with self.folder(real.parent) as folder:
                opened = open_regular(real.name, folder)
        except FileNotFoundError:
            raise ToolError(f"{self.shown(real)}: no such file{self._similar(real)}") from None
        with FileIO(opened) as file:
            yield file

    def _similar(self, real: Path) -> str:
        with suppress(OSError), self.folder(real.parent, listed=True) as folder, os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, NAMES)]
            same = [name for name in names if name.casefold() == real.name.casefold()]
            close = [quoted_name(name) for name in same or get_close_matches(real.name, names)]
            return f"; there is: {', '.join(close)}" if close else ""
        return ""


def open_regular(name: str, folder: int) -> int:
    """A regular file of an open directory, for reading.

    What is none is not opened: that alone can block, or do something.

    Raises:
        ToolError: It is no regular file; the message says what it is.
        OSError: There is none.
    """
    _refuse_others(name, os.stat(name or ".", dir_fd=folder, follow_symlinks=False).st_mode)
    opened = os.open(name, _READ, dir_fd=folder)
    try:
        _refuse_others(name, os.fstat(opened).st_mode)
    except BaseException:
        os.close(opened)
        raise
    return opened


def kind_of(mode: int) -> str:
    """What a thing of the file system is, in a word."""
    return next((word for matches, word in _KINDS if matches(mode)), "device")


def reason(error: Exception) -> str:
    """Why the system refused, without the path of this machine that stands in its own words."""
    if isinstance(error, OSError):
        return (error.strerror or type(error).__name__).lower()
    return "its links form a loop" if isinstance(error, RuntimeError) else "it has a NUL in it"


def _refuse_others(name: str, mode: int) -> None:
    if not stat.S_ISREG(mode):
        hint = "; list_files shows what is in it" if stat.S_ISDIR(mode) else ""
        raise ToolError(f"{quoted_name(name) or '.'}: expected a regular file, got a {kind_of(mode)}{hint}")


def _step(part: str, folder: int, flags: int, *, made: bool) -> int:
    try:
        return os.open(part, flags, dir_fd=folder)
    except FileNotFoundError:
        if not made:
            raise
    with suppress(FileExistsError):  # somebody else made it
        os.mkdir(part, dir_fd=folder)
    return os.open(part, flags, dir_fd=folder)
