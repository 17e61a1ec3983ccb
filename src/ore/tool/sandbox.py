"""Sandboxes: where tools read, write and run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec

from ore.errors import ToolError

__all__ = ["ExecSandbox", "Execution", "FileSandbox", "Sandbox", "Sandboxes"]


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended; output that is not UTF-8 has U+FFFD in its place."""

    stdout: str
    stderr: str
    exit_code: int


class Sandbox(Protocol):
    """A place with a border. No base class: the shape is enough."""

    @property
    def name(self) -> str:
        """What a call names it by."""
        ...


@runtime_checkable
class FileSandbox(Sandbox, Protocol):
    """A sandbox with files."""

    @property
    def working_directory(self) -> Path:
        """Where relative paths begin."""
        ...

    def resolve_path(self, path: str) -> Path:
        """The real path, links followed.

        Raises:
            ToolError: It lies outside.
        """
        ...


@runtime_checkable
class ExecSandbox(Sandbox, Protocol):
    """A sandbox that runs commands."""

    async def run(self, command: str, *, directory: str | None = None) -> Execution:
        """Run a shell command to its end, without standard input.

        Cancelling ends the command and all that it started, so the caller sets
        the limit of time.

        Raises:
            ToolError: It could not be started.
        """
        ...


class Sandboxes:
    """The sandboxes that calls may name.

    A name that nobody registered is an error, never the absence of a border.
    """

    def __init__(self, *sandboxes: Sandbox) -> None:
        self._by_name: dict[str, Sandbox] = {sandbox.name: sandbox for sandbox in sandboxes}
        self._default: Sandbox | None = None

    def register(self, sandbox: Sandbox) -> None:
        """Add one; a later one of the same name, which may be empty, takes its place."""
        previous = self._by_name.get(sandbox.name)
        self._by_name[sandbox.name] = sandbox
        if previous is not None and previous is self._default:
            self._default = sandbox

    def lookup(self, name: str) -> Sandbox:
        """The sandbox of that name.

        Raises:
            ToolError: There is none; the message names those that there are.
        """
        found = self._by_name.get(name)
        if found is None:
            known = ", ".join(repr(known) for known in self._by_name) or "none"
            raise ToolError(f"unknown sandbox {name!r}; there are: {known}")
        return found

    @property
    def default(self) -> Sandbox | None:
        """Where calls run that name none; `None` until one is set."""
        return self._default

    def set_default(self, name: str) -> None:
        """Choose where calls run that name none.

        Raises:
            ToolError: There is none of that name.
        """
        self._default = self.lookup(name)

    def select(self, arguments: Mapping[str, Any]) -> tuple[Sandbox | None, dict[str, Any]]:
        """The sandbox that a call names in `sandbox`, else the default; and the other arguments.

        Without any sandbox registered `sandbox` is an argument like others.

        Raises:
            ToolError: There is none of that name, or it is no text.
        """
        if not self._by_name or "sandbox" not in arguments:
            return self._default, dict(arguments)
        name = arguments["sandbox"]
        if not isinstance(name, str):
            raise ToolError(f"expected the name of a sandbox, got {name!r}")
        return self.lookup(name), {key: value for key, value in arguments.items() if key != "sandbox"}
