"""Skills: instructions for a kind of work, which a model reads when it needs them.

A skill is a folder with a `SKILL.md`, whose front matter says what it is for.
Models see the names and descriptions in their prompt; `read_skill` reads the
rest, and other files of the skill, and nothing outside of it.

    skills = Skills(FolderSource("skills"), BUILTIN)
    agent = Agent(tools=[skills.tool], transforms=[skills.transform])
"""

from ore.ext.tools.skills.catalog import DIRECTIVE, Skills
from ore.ext.tools.skills.front_matter import read_front_matter
from ore.ext.tools.skills.skill import Skill
from ore.ext.tools.skills.sources import BUILTIN, FolderSource, PackageSource, SkillSource, StaticSource

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
]
