"""`Walk`: what stands in a folder and below, without what people leave out."""

import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ore.ext.tools.files.border import Border
from ore.ext.tools.files.ignore import IGNORE_FILES, IgnoreRules, rules_of
from ore.ext.tools.files.patience import Patience
from ore.ext.tools.inert import quoted_name

__all__ = ["Entry", "Names", "Walk"]

MOST_NAMES: Final = 1_000_000
"""Names of one folder that are looked at."""

MOST_FOLDERS: Final = 100_000
"""Folders that wait to be looked into."""

Rules = tuple[int, IgnoreRules]
"""How many names deep the folder of a file of rules is, and what it holds."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a folder.

    Attributes:
        path: Its names, from the root of the border on.
        kind: `directory`, `file`, `link`, or `other`.
    """

    path: tuple[str, ...]
    kind: str

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path[-1]


@dataclass(slots=True)
class Names:
    """A folder that was read.

    Attributes:
        opened: The open directory, as long as nothing was asked for after it.
        entries: What stands in it, sorted by name.
        hidden: How many names begin with a dot.
        ignored: How many are left out by rules.
    """

    opened: int
    entries: list[Entry]
    hidden: int = 0
    ignored: int = 0


class Walk:
    """Goes through folders, each one opened behind the border; links are not followed.

    Left out are names that begin with a dot, and what `.gitignore` and
    `.ignore` say, from the root of the border down. A folder that is asked for
    is looked into though it is left out itself.

    Args:
        border: Where it is allowed.
        start: The folder.
        patience: When to stop.

    Attributes:
        is_cut: Whether it was stopped before the end.
        refused: How many folders could not be read.
    """

    def __init__(self, border: Border, start: Path, patience: Patience) -> None:
        self._border = border
        self._patience = patience
        root = border.root
        self._anchor = root if start.is_relative_to(root) else start
        self._before = "" if self._anchor == root else f"{self._anchor}/"
        self._start = start.relative_to(self._anchor).parts
        self.is_cut = False
        self.refused = 0

    def folders(self) -> Generator[Names]:
        """Each folder with its names, parents first.

        Raises:
            OSError: The first one cannot be read.
        """
        waiting: list[tuple[tuple[str, ...], tuple[Rules, ...]]] = [(self._start, self._above())]
        is_first = True
        while waiting:
            path, rules = waiting.pop()
            try:
                with self._border.folder(self._anchor.joinpath(*path), listed=True) as opened:
                    rules = (*rules, *_rules(opened, len(path)))
                    names = self._names(opened, path, rules)
                    yield names
            except OSError:
                if is_first:
                    raise
                self.refused += 1
                continue
            is_first = False
            if self._patience.is_over:
                self.is_cut = True
            if self.is_cut:
                return
            inner = [entry.path for entry in names.entries if entry.kind == "directory"]
            waiting += [(entry, rules) for entry in reversed(inner[: MOST_FOLDERS - len(waiting)])]
            if len(waiting) >= MOST_FOLDERS:
                self.is_cut = True

    def entries(self) -> Iterator[Entry]:
        """All that stands in the folder and below."""
        for names in self.folders():
            yield from names.entries

    def shown(self, path: Sequence[str]) -> str:
        """How a path of an entry is told."""
        return quoted_name(self._before + "/".join(path))

    def _above(self) -> tuple[Rules, ...]:
        """The rules of the folders that lead to the first one."""
        rules: tuple[Rules, ...] = ()
        for depth in range(len(self._start)):
            with self._border.folder(self._anchor.joinpath(*self._start[:depth])) as opened:
                rules = (*rules, *_rules(opened, depth))
        return rules

    def _names(self, opened: int, path: tuple[str, ...], rules: Sequence[Rules]) -> Names:
        names = Names(opened, [])
        with os.scandir(opened) as found:
            for count, one in enumerate(found):
                if count % 256 == 0 and (count >= MOST_NAMES or self._patience.is_over):
                    self.is_cut = True
                    break
                if one.name.startswith("."):
                    names.hidden += 1
                    continue
                entry = Entry((*path, one.name), _kind(one))
                if _is_ignored(entry, rules):
                    names.ignored += 1
                else:
                    names.entries.append(entry)
        names.entries.sort(key=lambda entry: entry.name)
        return names


def _rules(opened: int, depth: int) -> tuple[Rules, ...]:
    """The rules of a folder, the last word last."""
    found = [rules_of(opened, name) for name in reversed(IGNORE_FILES)]
    return tuple((depth, rules) for rules in found if rules is not None)


def _is_ignored(entry: Entry, rules: Sequence[Rules]) -> bool:
    is_folder = entry.kind == "directory"
    for depth, one in reversed(rules):
        if (verdict := one.verdict(entry.path[depth:], is_folder=is_folder)) is not None:
            return verdict
    return False


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "directory"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
