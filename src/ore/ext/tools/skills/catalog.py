"""`Skills`: what an agent may read, in its prompt and as a tool."""

import logging
import threading
from collections.abc import Mapping

from ore.agent import instructions
from ore.artifact import Cut
from ore.errors import NotFoundError, ToolError
from ore.ext.tools.skills.part import MAX_BYTES, MAX_LINES, part_of
from ore.ext.tools.skills.skill import Skill
from ore.ext.tools.skills.sources import SkillSource
from ore.loop import Transform
from ore.tool import Tool, tool

__all__ = ["DIRECTIVE", "Skills"]

log = logging.getLogger(__name__)

DIRECTIVE = (
    "Skills hold instructions for kinds of work. Read a skill with `read_skill` before you do work that it is for."
)


class Skills:
    """The skills of an agent; safe from any thread.

    They are looked up once, and again when a model asks for one that is not
    there. Of two with the same name the first source's holds.

    Args:
        sources: Where they come from.
        directive: What the prompt says before the list; empty for the list alone.
    """

    def __init__(self, *sources: SkillSource, directive: str = DIRECTIVE) -> None:
        self._sources = sources
        self._directive = directive.strip()
        self._lock = threading.Lock()
        self._found: Mapping[str, Skill] | None = None
        self.transform: Transform = instructions(self.prompt)
        """Puts `prompt` before the conversation."""
        self.tool: Tool = _tool(self)
        """`read_skill`."""

    def all(self) -> list[Skill]:
        """Every skill, by name."""
        return list(self._known().values())

    def get(self, name: str) -> Skill:
        """The skill of that name; looks again when it is not there.

        Raises:
            NotFoundError: There is none; the message names those there are.
        """
        skill = self._known().get(name) or self._known(again=True).get(name)
        if skill is None:
            known = ", ".join(self._known()) or "none"
            raise NotFoundError(f"no skill {name!r}; the skills are: {known}")
        return skill

    def prompt(self) -> str:
        """What a model is told of them; empty when there are none."""
        skills = self.all()
        if not skills:
            return ""
        lines = [f"- {skill.name}: {skill.description}" for skill in skills]
        return "\n".join([self._directive, "", *lines] if self._directive else lines)

    def _known(self, *, again: bool = False) -> Mapping[str, Skill]:
        with self._lock:
            if self._found is None or again:
                found: dict[str, Skill] = {}
                for source in self._sources:
                    for skill in _of(source):
                        if found.setdefault(skill.name, skill) is not skill:
                            log.warning("skill %s is there twice; the first one holds", skill.name)
                self._found = {name: found[name] for name in sorted(found)}
            return self._found


def _of(source: SkillSource) -> list[Skill]:
    try:
        return list(source.skills())
    except Exception as error:
        log.warning("a source of skills is passed over: %s: %s", type(error).__name__, error)
        return []


def _tool(skills: Skills) -> Tool:
    # Room for the line behind a part that says how to go on.
    @tool(read_only=True, cut=Cut(max_bytes=MAX_BYTES + 1_000, max_lines=MAX_LINES + 10))
    def read_skill(name: str, path: str = "", offset: int = 1) -> str:
        """Read a skill, or one of its files.

        Args:
            name: The skill.
            path: A file of the skill; its instructions without one.
            offset: The first line, from 1, where a file is too long for one answer.
        """
        try:
            return part_of(skills.get(name).read(path), offset)
        except (NotFoundError, ValueError) as error:
            raise ToolError(str(error)) from None

    return read_skill
