"""Tool packs."""

from behaviour._requirements import held

REQUIREMENTS = (
    held("D-skills-confined", "No path leads out of a skill, nor does a link.", source="issue 6, must hold: traversal"),
)
