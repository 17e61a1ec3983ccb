"""`CommandSandbox`: how a command is started inside a border."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from ore.tool import FileSandbox

__all__ = ["CommandSandbox", "Launch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a command is started.

    Attributes:
        argv: The program and its arguments.
        directory: Where it begins.
        environment: All of its variables.
    """

    argv: Sequence[str]
    directory: Path
    environment: Mapping[str, str]


@runtime_checkable
class CommandSandbox(FileSandbox, Protocol):
    """A sandbox that says how commands are started in it.

    Whoever starts them has their output as it comes, and ends them.
    """

    def launch(self, command: str, *, directory: str | None = None) -> Launch:
        """How a shell command is started.

        Args:
            command: For the shell.
            directory: Where it begins; the sandbox's own without one.

        Raises:
            ToolError: The sandbox is not available, or the directory lies
                outside. It never falls back to less.
        """
        ...
