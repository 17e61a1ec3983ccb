"""What a model is known not to take, and conversations that go from one vendor to another."""

from behaviour._requirements import held

_ISSUE = "issue 5, catalog"

REQUIREMENTS = (
    held(
        "D-switching",
        "Before a request it is told, once in a conversation for each model, what that is known not to take: media of "
        "earlier turns become text; tools, and media that were sent just now, are refused by name.",
        source=_ISSUE,
    ),
)
