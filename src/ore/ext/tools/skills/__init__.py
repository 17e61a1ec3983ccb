"""Skills: instructions for a kind of work, which a model reads when it needs them.

A skill is a folder with a `SKILL.md`, whose front matter says what it is for.
Models see the names and descriptions in their prompt; `read_skill` reads the
rest, and other files of the skill, and nothing outside of it.

    skills = Skills(FolderSource("skills"), BUILTIN)
    agent = Agent(tools=[skills.tool], transforms=[skills.transform])
"""

from collections.abc import Sequence
from dataclasses import replace

from ore.ext.tools.skills.catalog import DIRECTIVE, Skills
from ore.ext.tools.skills.front_matter import read_front_matter
from ore.ext.tools.skills.skill import Skill
from ore.ext.tools.skills.sources import BUILTIN, FolderSource, PackageSource, SkillSource, StaticSource
from ore.tool import Tool

__all__ = [
    "BUILTIN",
    "DIRECTIVE",
    "FolderSource",
    "PackageSource",
    "Skill",
    "SkillSource",
    "Skills",
    "StaticSource",
    "read_front_matter",
    "tools",
]


def tools() -> Sequence[Tool]:
    """The tool for `--tool skills`: those of the folder `skills` here, and those that come with ore.

    Its description lists them, since nobody puts them into the prompt.
    """
    skills = Skills(FolderSource("skills"), BUILTIN)
    return (replace(skills.tool, description=f"{skills.tool.description}\n\n{skills.prompt()}"),)
