"""Exit statuses."""

from typing import Final

__all__ = ["DONE", "FAILED", "INTERRUPTED", "MISUSE", "Status", "ended_by"]

Status = int

DONE: Final = 0
FAILED: Final = 1
"""The run failed; a session that is not there or owned elsewhere counts too."""
MISUSE: Final = 2
"""Wrong use, or missing configuration such as a key."""
INTERRUPTED: Final = 130
"""Ctrl-C or SIGINT."""


def ended_by(number: int) -> Status:
    """The status that shells know for a process that a signal ended: 143 for SIGTERM, 129 for SIGHUP."""
    return 128 + number
