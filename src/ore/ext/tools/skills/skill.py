"""`Skill`: what is known of one skill, and its files."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path

from ore.errors import InputError, NotFoundError
from ore.ext.tools.inert import inert
from ore.ext.tools.skills.front_matter import read_front_matter

__all__ = ["FILE_NAME", "LARGEST_BYTES", "Skill", "read_skill"]

FILE_NAME = "SKILL.md"

LARGEST_BYTES = 1 << 20
"""A file of more than 1 MiB is nothing that a model reads."""

MOST_FILES = 100
"""Names of files that an error lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One skill.

    Attributes:
        name: Unique among those that an agent has.
        description: When a model should read it.
        root: The folder, on a disk or in a package.
    """

    name: str
    description: str
    root: Traversable

    def read(self, path: str = "") -> str:
        """A file of the skill; `SKILL.md` without a path. Blocks.

        Lines end with LF, and control characters are signs.

        Raises:
            InputError: The path leads out of the skill, also through a link,
                or to something that is no text.
            NotFoundError: There is no such file.
        """
        path = path or FILE_NAME
        data = self._resolved(path).read_bytes()
        if len(data) > LARGEST_BYTES:
            raise InputError(f"{path}: expected at most {LARGEST_BYTES} bytes, got {len(data)}")
        if b"\0" in data:
            raise InputError(f"{path}: expected text, got a binary file")
        return inert(data.decode("utf-8-sig", "replace").replace("\r\n", "\n"))

    def files(self) -> list[str]:
        """Paths of its files, sorted."""
        return sorted(_files(self.root, ""))

    def _resolved(self, path: str) -> Traversable:
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
        if path.startswith(("/", "\\")) or ".." in parts or any(":" in part or "\0" in part for part in parts):
            raise InputError(f"path: expected a path inside the skill, such as notes/more.md, got {path!r}")
        found = self.root
        for part in parts:
            found = found / part
        if isinstance(found, Path) and not _is_inside(found, self.root):
            raise InputError(f"path: expected a path inside the skill, got {path!r}, which leads out of it")
        if not found.is_file():
            names = self.files()
            known = ", ".join(names[:MOST_FILES]) + ("…" if len(names) > MOST_FILES else "")
            raise NotFoundError(f"skill {self.name!r} has no file {path!r}; its files are: {known}")
        return found


def read_skill(root: Traversable) -> Skill:
    """The skill of a folder. Blocks.

    Raises:
        InputError: Its `SKILL.md` has no name or no description.
        OSError: It cannot be read.
    """
    fields, _ = read_front_matter((root / FILE_NAME).read_text("utf-8"))
    missing = [key for key in ("name", "description") if not fields.get(key)]
    if missing:
        raise InputError(f"{FILE_NAME}: expected a name and a description in the front matter, missing: {missing[0]}")
    name, description = (inert(" ".join(fields[key].split())) for key in ("name", "description"))
    return Skill(name=name, description=description, root=root)


def _is_inside(found: Path, root: Traversable) -> bool:
    return isinstance(root, Path) and found.resolve().is_relative_to(root.resolve())


def _files(folder: Traversable, before: str) -> Iterator[str]:
    for item in folder.iterdir():
        is_link = isinstance(item, Path) and item.is_symlink()
        if item.is_file():
            yield before + item.name
        elif item.is_dir() and not is_link and not item.name.startswith((".", "__pycache__")):
            yield from _files(item, f"{before}{item.name}/")
