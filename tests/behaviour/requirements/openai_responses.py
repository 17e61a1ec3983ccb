"""OpenAI's Responses: what is replayed."""

from behaviour._requirements import held

REQUIREMENTS = (
    held(
        "B23",
        "Items come back in the order in which they came, reasoning right before what it led to, ids and encrypted "
        "content unchanged, also from the store.",
    ),
)
