"""`/name`: what the session is called."""

from ore.artifact import Severity
from ore.ext.commands.invocation import Invocation
from ore.ledger import TITLE_KEY

__all__ = ["name"]


async def name(invocation: Invocation) -> None:
    """Name the session; lists show it."""
    title = " ".join(invocation.text.split())
    if not title:
        invocation.usage("A FEW WORDS")
        return
    await invocation.stream.metadata.set(TITLE_KEY, title)
    invocation.say(f"this session is called {title!r}", Severity.SUCCESS)
