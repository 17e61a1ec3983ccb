"""`Scratch`: private files and left processes of sessions, which go when their session does."""

import os
import shutil
import signal
import tempfile
import threading
import weakref
from contextlib import suppress
from pathlib import Path

from ore.ledger import State

__all__ = ["Scratch"]


class Scratch:
    """What commands of each session leave: removed with the session, at the latest when the program ends.

    A program that is killed leaves its files in the folder for temporary ones.
    """

    def __init__(self) -> None:
        self._of: weakref.WeakKeyDictionary[State, _Left] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def path(self, state: State) -> Path:
        """A path for a new file of the session; its folder is for its owner alone."""
        return self._left(state).path()

    def keep(self, state: State, group: int) -> None:
        """What lives on of a process group, whose first process is gone, ends with the session."""
        if _lives(group):
            self._left(state).groups.add(group)

    def _left(self, state: State) -> "_Left":
        with self._lock:
            left = self._of.get(state)
            if left is None:
                left = self._of[state] = _Left()
                weakref.finalize(state, left.end)
            return left


class _Left:
    def __init__(self) -> None:
        self.groups: set[int] = set()
        self._folder: Path | None = None
        self._count = 0

    def path(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="ore-"))
        self._count += 1
        return self._folder / f"output-{self._count}.log"

    def end(self) -> None:
        for group in filter(_lives, self.groups):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _lives(group: int) -> bool:
    """Whether something is left of a process group whose first process is gone.

    As long as there is, the kernel gives its number to nobody else; so a
    process of that very number means that the group ended long ago.
    """
    try:
        os.kill(group, 0)
    except ProcessLookupError:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, 0)
            return True
    except PermissionError:
        pass  # somebody else's by now
    return False
