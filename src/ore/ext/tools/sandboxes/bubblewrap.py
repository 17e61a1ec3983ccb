"""`BubblewrapSandbox`: commands behind a border that the Linux kernel keeps."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ore.errors import ToolError
from ore.ext.tools.sandboxes.environment import environment
from ore.ext.tools.sandboxes.folder import FolderSandbox
from ore.ext.tools.sandboxes.launch import Launch

__all__ = ["BubblewrapSandbox", "Confinement"]

SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"),
    *("/etc/ssl/certs", "/etc/ssl/openssl.cnf"),  # not the private keys beside them, which root could read
)
"""What programs need to run at all; read only, and only what is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What is let through the border.

    Attributes:
        network: Whether commands have one; without it there is not even the host's loopback.
        readable: More paths that they may read.
        memory_bytes: Address space of each process.
        tmp_bytes: Of `/tmp`, and of `/dev/shm`; both are in memory.
        processes: Of the user at once; the kernel counts them for all of the
            user's processes, and not for root.
        file_bytes: The longest file that they may write.
    """

    network: bool = False
    readable: Sequence[Path] = ()
    memory_bytes: int = 4 << 30
    tmp_bytes: int = 1 << 30
    processes: int = 4096
    file_bytes: int = 4 << 30


class BubblewrapSandbox:
    """Commands see one folder, to read and write, and of the system what they need to run.

    They have no network, no other processes, no devices, no terminal and none
    of the program's secrets; `/tmp` is empty and their own. When they are
    ended, all that they started ends. It needs Linux and the program `bwrap`
    (Debian package `bubblewrap`); where that is missing, or the kernel refuses
    it, commands are refused.

    Args:
        folder: What they may change. Relative paths begin there.
        confinement: What is let through.
        extra: Variables that commands get as they are.

    Raises:
        ValueError: The folder is all there is, so nothing would be outside.
    """

    def __init__(
        self,
        folder: Path,
        *,
        confinement: Confinement | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder.resolve()
        if self._folder == self._folder.parent:
            raise ValueError(f"expected a folder that commands may change, got {folder}, which is everything")
        self._confinement = confinement or Confinement()
        self._extra = extra

    @property
    def name(self) -> str:
        """`bubblewrap`."""
        return "bubblewrap"

    @property
    def working_directory(self) -> Path:
        """The folder."""
        return self._folder

    def resolve_path(self, path: str) -> Path:
        """The real path, links followed.

        Raises:
            ToolError: It lies outside of the folder, or is no path.
        """
        return FolderSandbox(self._folder).resolve_path(path)

    def launch(self, command: str, *, directory: str | None = None) -> Launch:
        """Start it behind the border.

        Raises:
            ToolError: `bwrap` is not installed, or the directory lies outside
                or is none.
        """
        bwrap = shutil.which("bwrap")
        if bwrap is None:
            raise ToolError(
                "the sandbox bubblewrap needs the program bwrap, which is not installed "
                "(Debian: apt install bubblewrap); the command was not run"
            )
        where = self.resolve_path(directory) if directory else self._folder
        if not os.path.isdir(where):  # which fails for no name
            raise ToolError(f"cwd: expected a directory, got {directory!r}, which is none")
        limits = self._confinement
        shell = "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
        # The limits are set by a shell before the border is built, so that they hold for all that is inside.
        bounds = (
            f"ulimit -v {limits.memory_bytes >> 10} && ulimit -f {limits.file_bytes >> 9} && "
            f"{{ ulimit -u {limits.processes} 2>&- || ulimit -p {limits.processes}; }}"  # dash calls it -p
        )
        return Launch(
            argv=("/bin/sh", "-c", f'{bounds} && exec "$@"', "sh", bwrap, *self._border(where), shell, "-c", command),
            directory=where,
            environment=environment(self._extra) | {"HOME": str(self._folder), "TMPDIR": "/tmp"},
        )

    def _border(self, where: Path) -> Sequence[str]:
        limits = self._confinement
        words = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
        if limits.network:
            words += ["--share-net", *_readable("/etc/resolv.conf"), *_readable("/etc/hosts")]
        size = ("--size", str(limits.tmp_bytes), "--tmpfs")
        words += ["--proc", "/proc", "--dev", "/dev", *size, "/dev/shm", *size, "/tmp"]
        for path in (*SYSTEM, *map(str, limits.readable)):
            words += _readable(path)
        words += ["--bind", str(self._folder), str(self._folder), "--remount-ro", "/dev", "--remount-ro", "/"]
        return [*words, "--chdir", str(where)]


def _readable(path: str) -> Sequence[str]:
    """A path of the host, as it is there; a link stays one."""
    if Path(path).is_symlink() and not path.startswith("/etc"):
        return ("--symlink", str(Path(path).readlink()), path)
    return ("--ro-bind-try", path, path)
