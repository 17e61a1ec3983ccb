"""`way_back`: the line that opens a session again, as it was opened."""

import re
import shlex
from argparse import Action, Namespace
from collections.abc import Iterator, Sequence
from typing import Any, Final

__all__ = ["way_back"]

_ASKED_ANEW: Final = ("help", "session", "token")
"""Options that the line has by itself, or that stand in no line: the token is a secret."""

_SECRET: Final = re.compile(r"//[^/?#]*:[^/?#]*@|[?&][^=&]*(key|token|secret|password|sig)[^=&]*=", re.IGNORECASE)
"""What an address with a secret in it looks like."""


def way_back(arguments: Sequence[Action], options: Namespace, session_id: str) -> tuple[str, Sequence[str]]:
    """A line for a shell that goes on with a session, under the options that were given.

    No secret stands in it.

    Args:
        arguments: What the command takes.
        options: What was given.
        session_id: The session.

    Returns:
        The line, and the options that hold a secret and have to be added.
    """
    line, unsaid = ["ore", "chat", "--session", session_id], []
    for action in arguments:
        value = getattr(options, action.dest, action.default)
        if action.dest in _ASKED_ANEW or value == action.default:
            continue
        name = action.option_strings[-1]
        if isinstance(value, str) and _SECRET.search(value):
            unsaid.append(name)
        else:
            line += _words(name, value, action)
    if _given(arguments, options, "token"):
        unsaid.append("--token")
    return shlex.join(line), unsaid


def _words(name: str, value: Any, action: Action) -> Iterator[str]:
    """An option as it stands on a command line."""
    if action.nargs == 0:
        yield name
        return
    for one in value if isinstance(value, list) else [value]:
        yield from [f"{name}={one}"] if str(one).startswith("-") else [name, str(one)]


def _given(arguments: Sequence[Action], options: Namespace, name: str) -> bool:
    """Whether an option was there, rather than a variable of the environment."""
    return any(action.dest == name and getattr(options, name, None) != action.default for action in arguments)
