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
)
