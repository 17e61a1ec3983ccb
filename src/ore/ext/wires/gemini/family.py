"""`Family`: what is known of a model by its name.

By "Thinking", "Thought signatures" and the pages of the models in the Gemini
API's documentation, and by what its server answers where they are silent
(read 2026-11). Of a name that says nothing nothing is assumed.
"""

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

__all__ = ["Family", "family_of"]

_GEMINI: Final = re.compile(r"gemini-(?:(\d{1,3})(?:\.(\d{1,3}))?(?:-|$))?(?:(pro|flash-lite|flash)\b)?")
_GEMMA: Final = re.compile(r"gemma-(\d{1,3})")
_NEWEST: Final = (99, 0)
"""What names such as `gemini-flash-latest` stand for."""


class Family(NamedTuple):
    """What a model takes.

    Attributes:
        version: Such as `(2, 5)`; `None` when it is no Gemini.
        size: `pro`, `flash`, `flash-lite`, or empty.
        makes_images: Whether it draws.
        takes_system: Whether it takes instructions apart from the conversation.
    """

    version: tuple[int, int] | None = None
    size: str = ""
    makes_images: bool = False
    takes_system: bool = True

    @property
    def thinking(self) -> Literal["none", "budget", "level"]:
        """How it is told to think: not at all, by tokens, by a word."""
        if self.version is None or self.version >= (3, 0):
            return "level"
        return "budget" if self.version >= (2, 5) and not self.makes_images else "none"

    @property
    def least_level(self) -> str:
        """The word for the least thinking."""
        knows_minimal = self.version is not None and self.version < (3, 7) and self.size.startswith("flash")
        return "MINIMAL" if knows_minimal else "LOW"

    @property
    def knows_medium(self) -> bool:
        """Whether there is a word between `LOW` and `HIGH`."""
        return self.version != (3, 0) or self.size != "pro"

    @property
    def wants_signatures(self) -> bool:
        """Whether it refuses the calls of a running turn that nobody signed."""
        return self.version is not None and self.version >= (3, 0)

    @property
    def takes_penalties(self) -> bool:
        """Whether repeating can be made dearer."""
        return self.version is None or self.version < (2, 5)

    @property
    def answers_by_schema_beside_tools(self) -> bool:
        """Whether an answer has a schema while there are tools as well."""
        return self.version is None or self.version >= (3, 0)


@lru_cache(64)
def family_of(name: str) -> Family:
    """What a model's name says, with or without a path in front of it."""
    name = name.rpartition("/")[2].lower()
    gemma = _GEMMA.match(name)
    if gemma is not None:
        return Family(takes_system=int(gemma[1]) > 3)
    found = _GEMINI.match(name)
    if found is None:
        return Family()
    major, minor, size = found.groups()
    version = (int(major), int(minor or 0)) if major else _NEWEST
    return Family(version=version, size=size or "", makes_images="image" in name)
