"""Exit statuses."""

from typing import Final

__all__ = ["DONE", "FAILED", "INTERRUPTED", "MISUSE", "Status"]

Status = int

DONE: Final = 0
FAILED: Final = 1
"""The run failed; a session that is not there or owned elsewhere counts too."""
MISUSE: Final = 2
"""Wrong use, or missing configuration such as a key."""
INTERRUPTED: Final = 130
"""Ctrl-C or SIGINT."""
