"""Commands of the screen itself: what begins with a slash and never leaves it."""

from typing import Final

from ore.ext.conduits.terminal.link import CommandLine

__all__ = ["HERE", "is_here"]

HERE: Final = (
    CommandLine(name="sessions", description="other sessions: resume, search, rename, delete"),
    CommandLine(name="rewind", description="go back to an earlier message, or fork there"),
    CommandLine(name="models", description="choose the model from the catalog"),
    CommandLine(name="copy", description="copy the last answer, a code block, or all", hint="[code [n] | all]"),
    CommandLine(name="image", description="let a picture or file go with the next message", hint="PATH"),
    CommandLine(name="edit", description="write the message in $EDITOR"),
    CommandLine(name="mode", description="how messages go while one runs", hint="queue | steer | interrupt"),
    CommandLine(name="theme", description="colours", hint="dark | light | plain"),
    CommandLine(name="keys", description="what the keys do"),
    CommandLine(name="quit", description="leave; the session stays"),
)

_NAMES: Final = frozenset(one.name for one in HERE)


def is_here(text: str) -> tuple[str, str] | None:
    """Name and rest of a command of the screen; `None` when it is for the session."""
    if not text.startswith("/"):
        return None
    name, _, rest = text[1:].partition(" ")
    return (name, rest.strip()) if name in _NAMES else None
