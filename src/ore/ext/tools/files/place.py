"""`Place`: what a model names when it lists or searches: a folder, a file, or a pattern."""

import stat
from dataclasses import dataclass
from pathlib import Path

from ore.errors import ToolError
from ore.ext.tools.files.border import Border, kind_of
from ore.ext.tools.files.globs import WILD, Glob
from ore.ext.tools.inert import quoted_name

__all__ = ["Place", "place_of"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where to look.

    Attributes:
        real: A folder or a file.
        is_folder: Which of them.
        glob: What paths below the folder have to match; all of them without one.
        depth: How many names the folder itself is below the root.
    """

    real: Path
    is_folder: bool
    glob: Glob | None
    depth: int

    def wants(self, path: tuple[str, ...]) -> bool:
        """Whether a path, from the root on, is meant."""
        return self.glob is None or self.glob.matches(path[self.depth :])


def place_of(border: Border, path: str) -> Place:
    """What a path means: what stands there, else a pattern below the folder that its beginning names.

    Raises:
        ToolError: There is nothing of that name, or it lies outside.
    """
    real = border.locate(path)
    mode = border.mode(real)
    glob = None
    if mode is None and WILD.search(path):
        start, pattern = _parted(path)
        real, glob = border.locate(start), Glob(pattern)
        mode = border.mode(real)
    if mode is None:
        raise ToolError(f"path: there is no {quoted_name(path)}")
    if not (stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and glob is None)):
        raise ToolError(f"path: expected a directory or a file, got {quoted_name(path)}, a {kind_of(mode)}")
    root = border.root
    depth = len(real.relative_to(root).parts) if real.is_relative_to(root) else 0
    return Place(real, stat.S_ISDIR(mode), glob, depth)


def _parted(path: str) -> tuple[str, str]:
    """The part of a pattern without signs, and the rest."""
    names = path.split("/")
    plain = next(place for place, name in enumerate(names) if WILD.search(name))
    start = "/".join(names[:plain])
    return start or ("/" if path.startswith("/") else "."), "/".join(names[plain:])
