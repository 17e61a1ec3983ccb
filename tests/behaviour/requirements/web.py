"""The web chat: what acts in a page that shows what models, tools and people wrote."""

from behaviour._requirements import held

REQUIREMENTS = (
    held(
        "B78",
        "Markup of people, models and tools runs nothing in the chat page and asks nobody else for anything, live and "
        "from history; it stays readable.",
    ),
)
