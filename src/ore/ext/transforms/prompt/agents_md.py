"""`AgentsMd`: what the files AGENTS.md and CLAUDE.md say, here and in the folders above."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ore.ext.transforms.prompt.files import MAX_BYTES, Reading
from ore.ledger import State

__all__ = ["NAMES", "AgentsMd"]

NAMES: Final = ("AGENTS.md", "CLAUDE.md")
"""In each folder, in this order."""


class AgentsMd:
    """Instructions that projects have for agents: those of a folder and of all above it, the nearest first.

    They are looked for before each inference, so a change holds at once. A
    file that says the same as a nearer one, such as a link to it, is passed
    over, and so is one that belongs to neither the user, nor the folder's
    owner, nor the system: anybody can put one into a folder that all share.

    Args:
        folder: Where the work is done.
        names: The files.
        max_bytes: What is read of each at most.
    """

    def __init__(
        self, folder: str | os.PathLike[str] = ".", *, names: Sequence[str] = NAMES, max_bytes: int = MAX_BYTES
    ) -> None:
        self.folder = Path(folder)
        """Where the work is done; another one holds from the next inference on."""
        self._names = tuple(names)
        self._reading = Reading(max_bytes)

    def text(self, state: State) -> str:
        """What they say, each under the path of its file."""
        said: dict[str, str] = {}
        for path in self._paths():
            text = self._reading.read(path).strip()
            if text:
                said.setdefault(text, path)
        return "\n\n".join(f"Instructions of {path}:\n\n{text}" for text, path in said.items())

    def _paths(self) -> Iterator[str]:
        folder = Path(os.path.abspath(self.folder))
        trusted = _trusted(folder)
        for place in (folder, *folder.parents):
            for name in self._names:
                path = os.path.join(place, name)
                if _owner(path) in trusted:
                    yield path


def _trusted(folder: Path) -> frozenset[int]:
    """Whose files are read."""
    owner = _owner(os.fspath(folder))
    return frozenset({0, *([owner] if owner is not None else ()), *([os.geteuid()] if hasattr(os, "geteuid") else ())})


def _owner(path: str) -> int | None:
    try:
        return os.stat(path).st_uid
    except (OSError, ValueError):
        return None
