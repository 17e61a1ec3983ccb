"""`FolderSandbox`: the files of one folder, and none outside of it."""

from pathlib import Path

from ore.errors import ToolError

__all__ = ["FolderSandbox"]


class FolderSandbox:
    """Paths of one folder: what leads out of it, also through a link, is refused.

    The border holds for tools that ask it, such as those of `files`. It runs no
    commands, and is none against a program that runs on this machine.

    Args:
        folder: Where relative paths begin; the current folder without one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = (folder if folder is not None else Path.cwd()).resolve()

    @property
    def name(self) -> str:
        """`folder`."""
        return "folder"

    @property
    def working_directory(self) -> Path:
        """The folder, links followed."""
        return self._folder

    def resolve_path(self, path: str) -> Path:
        """The real path, links followed; it need not exist.

        Raises:
            ToolError: It lies outside of the folder, or is no path.
        """
        try:
            found = (self._folder / path).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # a name that is too long, a loop of links, a NUL
            raise ToolError(f"path: expected one inside {self._folder}, got {path!r}: {_why(error)}") from None
        if not found.is_relative_to(self._folder):
            raise ToolError(f"path: expected one inside {self._folder}, got {path!r}, which leads out of it")
        return found


def _why(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return "its links form a loop" if isinstance(error, RuntimeError) else "it has a NUL in it"
