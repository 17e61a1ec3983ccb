"""Observing: budgets, usage, analytics, traces, metrics and logs."""

from behaviour._requirements import held

_ISSUE = "issue 7, observe"

REQUIREMENTS = (
    held(
        "D-budget-tree",
        "A budget shared by a parent, its children and others is never passed by more than one inference sets aside.",
        source=_ISSUE,
    ),
    held(
        "D-budget-cut",
        "A hard limit of tokens, money or time cuts in mid-turn and leaves a history that can be sent.",
        source=_ISSUE,
    ),
    held("D-budget-soft", "A soft limit tells or asks a person, once, whoever shares the budget.", source=_ISSUE),
    held(
        "D-usage-restored",
        "What a session used is read from its turns: by turn, run and model, with the agents inside its calls.",
        source=_ISSUE,
    ),
    held(
        "D-usage-status",
        "Each inference tells its counts and the session's total; unknown is not zero.",
        source="spec/extensions.md section 11",
    ),
    held(
        "D-analytics",
        "Artifacts are counted by kind and tool, over all turns; a table shows them.",
        source="spec/extensions.md section 11",
    ),
)
