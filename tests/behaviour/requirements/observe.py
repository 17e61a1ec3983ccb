"""Observing: budgets, usage, analytics, traces, metrics and logs."""

from behaviour._requirements import held

_ISSUE = "issue 7, observe"
_NO_CONTENT = "design.md section 10"

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
    held(
        "D-budget-asides",
        "A guard's and a summary's inferences count like all others, whoever makes them and whenever.",
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
    held("B102", "Every span ends once, whoever leaves; the chain from a request to a tool's call is right."),
    held(
        "D-trace-tree",
        "A session with parallel tools and an agent inside a call is one tree, with the conventions' names.",
        source=_ISSUE,
    ),
    held("D-trace-errors", "A span that failed says the code of its own failure, not its words.", source=_ISSUE),
    held("D-trace-content", "No span and no metric holds what was said, unless asked.", source=_NO_CONTENT),
    held("D-trace-metrics", "Metrics have the conventions' names and attributes; bytes are counted.", source=_ISSUE),
    held(
        "D-trace-off", "Nothing of OpenTelemetry is imported while it is off, and only its API when on.", source=_ISSUE
    ),
    held("D-logs", "Structured logs have the ids of session, message and turn, and no content.", source=_NO_CONTENT),
)
