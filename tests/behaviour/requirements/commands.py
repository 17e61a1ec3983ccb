"""Slash commands: what people say to ore, and not to a model."""

from behaviour._requirements import held

_ISSUE = "issue 7, slash commands"

REQUIREMENTS = (
    held(
        "D-commands",
        "/help /model /thinking /temperature /name /compact /undo /redo /fork /new /tools /usage /analytics /export "
        "and /debug request do what they say.",
        source=_ISSUE,
    ),
    held(
        "D-commands-never-sent",
        "No command is ever sent to a model, typed or over HTTP, beside a running turn and a queue.",
        source=_ISSUE,
    ),
    held(
        "D-commands-messages",
        "A path is a message, // stands for one slash, and an unknown command gets a notice: nothing is lost.",
        source="spec/extensions.md section 7.1, without its fault",
    ),
    held(
        "D-commands-registry",
        "Commands are bound by name, listed, replaced; one that fails is a notice.",
        source="spec/extensions.md section 7.1",
    ),
)
