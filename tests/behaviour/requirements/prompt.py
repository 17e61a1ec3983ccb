"""What a model is told first, and behind the conversation."""

from behaviour._requirements import held

REQUIREMENTS = (
    held(
        "D-system-prompt",
        "A system prompt has live sources, is asked for before each inference, and is nothing where they say nothing.",
        source="issue 7, build 1; spec/extensions.md section 9",
    ),
    held(
        "D-prompt-files",
        "A file in a prompt is told as it is now; one that is missing is nothing, one that cannot be read a warning.",
        source="issue 7, build 1; spec/extensions.md section 9",
    ),
    held(
        "D-prompt-agents-md",
        "AGENTS.md and CLAUDE.md are told up the tree, the nearest first, and none that somebody else put there.",
        source="issue 7, build 1; spec/extensions.md section 9",
    ),
    held(
        "D-prompt-facts",
        "What changes from call to call stands behind all that stays, so that prompt caches hold.",
        source="issue 7, build 1; spec/cases.md, B69",
    ),
)
