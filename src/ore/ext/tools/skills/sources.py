"""Where skills come from."""

import logging
import os
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final, Protocol

from ore.errors import OreError
from ore.ext.tools.skills.skill import FILE_NAME, Skill, read_skill

__all__ = ["BUILTIN", "FolderSource", "PackageSource", "SkillSource", "StaticSource"]

log = logging.getLogger(__name__)

DEEPEST = 8
"""Folders inside folders that are looked through."""


class SkillSource(Protocol):
    """Knows skills."""

    def skills(self) -> Sequence[Skill]:
        """All there are now. May block; one that raises is passed over, with a warning."""
        ...


class FolderSource:
    """The skills below a folder, at any depth; a folder that is not there has none.

    Links are not followed on the way.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def skills(self) -> Sequence[Skill]:
        """All there are now."""
        return _below(self._folder) if self._folder.is_dir() else ()


class PackageSource:
    """The skills below a folder of an installed package.

    Args:
        package: Such as `"my_package.skills"`.
    """

    def __init__(self, package: str) -> None:
        self._package = package

    def skills(self) -> Sequence[Skill]:
        """All there are.

        Raises:
            ModuleNotFoundError: There is no such package.
        """
        return _below(files(self._package))


class StaticSource:
    """These skills and no others."""

    def __init__(self, *skills: Skill) -> None:
        self._skills = skills

    def skills(self) -> Sequence[Skill]:
        """Those that were given."""
        return self._skills


BUILTIN: Final = PackageSource("ore.ext.tools.skills.builtin")
"""The skills that come with ore."""


def _below(root: Traversable) -> Sequence[Skill]:
    found: list[Skill] = []
    for folder in _folders(root, DEEPEST):
        try:
            found.append(read_skill(folder))
        except (OreError, OSError, UnicodeDecodeError) as error:
            log.warning("skill %s is passed over: %s", folder.name, error)
    return found


def _folders(folder: Traversable, deepest: int) -> Iterator[Traversable]:
    """Folders with a `SKILL.md`; what is inside of one belongs to it."""
    if (folder / FILE_NAME).is_file():
        yield folder
        return
    for item in sorted(folder.iterdir(), key=lambda one: one.name):
        hidden = item.name.startswith((".", "__"))
        if deepest and not hidden and item.is_dir() and not (isinstance(item, Path) and item.is_symlink()):
            yield from _folders(item, deepest - 1)
