"""`IgnoreRules`: what `.gitignore` and `.ignore` leave out."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ore.errors import ToolError
from ore.ext.tools.files.border import open_regular
from ore.ext.tools.files.globs import WILD, Glob, name_regex

__all__ = ["IGNORE_FILES", "IgnoreRules", "rules_of"]

IGNORE_FILES: Final = (".ignore", ".gitignore")
"""The first one says the last word, as with ripgrep."""

LARGEST_BYTES: Final = 1 << 20
"""What is read of a file of rules: 1 MiB."""

MOST_RULES: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Rule:
    is_kept: bool
    for_folders: bool


class IgnoreRules:
    """The rules of one file, as the manual of gitignore has them: the last one that fits counts.

    Args:
        text: What the file holds.
    """

    def __init__(self, text: str) -> None:
        self._rules: list[_Rule] = []
        self._names: dict[str, list[int]] = defaultdict(list)
        self._wild: list[tuple[int, re.Pattern[str]]] = []
        self._paths: list[tuple[int, Glob]] = []
        for line in text.split("\n")[:MOST_RULES]:
            self._add(line.removesuffix("\r"))
        self._any_wild = re.compile("|".join(regex.pattern for _, regex in self._wild), re.DOTALL)

    def verdict(self, path: Sequence[str], *, is_folder: bool) -> bool | None:
        """Whether something is left out; `None` when no rule fits.

        Args:
            path: Its names, from the folder of the file on.
            is_folder: Whether it is a directory.
        """
        best = max(
            (index for index in self._fitting(path) if is_folder or not self._rules[index].for_folders), default=-1
        )
        return None if best < 0 else not self._rules[best].is_kept

    def _fitting(self, path: Sequence[str]) -> Iterator[int]:
        name = path[-1]
        yield from self._names.get(name, ())
        if self._wild and self._any_wild.match(name):
            yield from (index for index, regex in self._wild if regex.match(name))
        yield from (index for index, glob in self._paths if glob.matches(path))

    def _add(self, line: str) -> None:
        pattern = _trimmed(line)
        if not pattern or pattern.startswith("#"):
            return
        is_kept = pattern.startswith("!")
        pattern = pattern[1:] if is_kept else pattern
        for_folders = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        if not pattern:
            return
        index = len(self._rules)
        self._rules.append(_Rule(is_kept, for_folders))
        if "/" in pattern:
            self._paths.append((index, Glob(pattern)))
        elif WILD.search(pattern) or "\\" in pattern:
            self._wild.append((index, re.compile(name_regex(pattern), re.DOTALL)))
        else:
            self._names[pattern].append(index)


def rules_of(folder: int, name: str) -> IgnoreRules | None:
    """The rules that stand in an open directory; `None` when there are none, or they cannot be read."""
    try:
        opened = open_regular(name, folder)
    except (OSError, ToolError):
        return None
    try:
        data = os.read(opened, LARGEST_BYTES)
    except OSError:
        return None
    finally:
        os.close(opened)
    return IgnoreRules(data.decode("utf-8-sig", "surrogateescape"))


def _trimmed(line: str) -> str:
    """Without the blanks at its end, unless a backslash keeps one."""
    bare = line.rstrip(" \t")
    return bare + line[len(bare)] if bare.endswith("\\") and len(bare) < len(line) else bare
