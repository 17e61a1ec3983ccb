"""Processes that are nobody's children here: whether they run, and their end."""

import os
import select
from pathlib import Path

__all__ = ["ended", "is_alive"]


def ended(pid: int, within_s: float = 60.0) -> None:
    """Return once a process has ended, whoever its parent is, and whether or not that has looked at it.

    Raises:
        AssertionError: It goes on for longer.
    """
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:  # it has been looked at, too
        return
    try:
        assert select.select([descriptor], [], [], within_s)[0], f"expected process {pid} to end within {within_s:g} s"
    finally:
        os.close(descriptor)


def is_alive(pid: int) -> bool:
    """Whether a process, or a thread of it, is there, and no zombie: as long as one is, its pipes are open."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return False
    return any(map(_runs, threads))


def _runs(thread: Path) -> bool:
    try:
        return (thread / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
