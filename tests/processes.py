"""`ended`: waits for the end of a process that is nobody's child here."""

import os
import select

__all__ = ["ended"]


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
