"""Tool packs."""

from behaviour._requirements import held

REQUIREMENTS = (
    held("B58", "What a command leaves in the background holds nobody up; a time limit ends the whole group."),
    held("B62", "A command has no standard input and no terminal."),
    held("D-bash-ends", "A command ends with all it started, and keeps its output.", source="issue 6, must hold"),
    held("D-bash-inert", "What a command prints steers no terminal.", source="issue 6, must hold: ANSI and NUL"),
    held("D-bash-leaves-nothing", "Files and processes of commands go with their session.", source="issue 6, build 1"),
    held("D-bash-memory", "60 MB of output cost the host less than 1 MB.", source="issue 6, must hold"),
    held("D-bash-secrets", "Commands do not get the program's secrets.", source="contract.md section 3"),
    held("D-bubblewrap", "Behind bubblewrap there are one folder, no network and limits.", source="issue 6, build 3"),
    held("D-sandbox-refuses", "A sandbox that is missing refuses; there is never less.", source="issue 6, build 3"),
    held("D-skills-confined", "No path leads out of a skill, nor does a link.", source="issue 6, must hold: traversal"),
)
