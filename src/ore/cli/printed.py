"""`printed`: a short text as the answer of a command that needs no loop."""

import sys

from ore.cli.status import DONE, FAILED, Status
from ore.cli.terminal import say

__all__ = ["printed"]


def printed(text: str) -> Status:
    """Write a text to standard output, whole; 1 when it cannot be written, which is said.

    A reader that has left has seen enough, and where standard output is closed
    nobody asked for any.
    """
    if sys.stdout is None:
        return DONE
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        return DONE
    except OSError as error:
        say(f"ore: standard output: {error.strerror}")
        return FAILED
    return DONE
