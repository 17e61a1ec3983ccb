"""`HostSandbox`: this machine, with no border at all."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from ore.errors import ToolError
from ore.ext.tools.sandboxes.environment import environment
from ore.ext.tools.sandboxes.launch import Launch

__all__ = ["HostSandbox"]


class HostSandbox:
    """This machine: commands do what the program's user may do, and any path can be reached.

    It keeps nothing in; it is called a sandbox so that one with a border can
    stand in its place. Commands do not get the program's secrets, but they may
    read files that hold them.

    Args:
        directory: Where commands begin and relative paths start; the current
            folder without one.
        extra: Variables that commands get as they are.
    """

    def __init__(self, directory: Path | None = None, *, extra: Mapping[str, str] | None = None) -> None:
        self._directory = directory
        self._extra = extra

    @property
    def name(self) -> str:
        """`host`."""
        return "host"

    @property
    def working_directory(self) -> Path:
        """Where relative paths begin."""
        return self._directory if self._directory is not None else Path.cwd()

    def resolve_path(self, path: str) -> Path:
        """The real path, links followed; anywhere on this machine.

        Raises:
            ToolError: It is no path.
        """
        try:
            return (self.working_directory / Path(path).expanduser()).resolve()
        except (OSError, RuntimeError, ValueError):  # a name that is too long, a loop of links, no such home, a NUL
            raise ToolError(f"path: expected a path of this machine, got {path!r}") from None

    def launch(self, command: str, *, directory: str | None = None) -> Launch:
        """Start it with bash, or sh where there is no bash.

        Raises:
            ToolError: There is no such directory.
        """
        where = self.resolve_path(directory) if directory else self.working_directory
        if not os.path.isdir(where):  # which fails for no name
            raise ToolError(f"cwd: expected a directory, got {directory!r}, which is none")
        shell = shutil.which("bash") or "/bin/sh"
        return Launch(argv=(shell, "-c", command), directory=where, environment=environment(self._extra))
