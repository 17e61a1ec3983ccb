"""Words to options, with the nearest command when one is misspelled."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from typing import Final

__all__ = ["Configure", "Execute", "Words", "choose"]

Words = Sequence[str]

_WITHOUT_COMMAND: Final = ("-h", "--help", "--version")

Execute = Callable[[Namespace], int]
"""Does what a command is for and returns its exit status."""

Configure = Callable[[ArgumentParser, Words], Execute]
"""Adds a command's options to its parser; gets the words behind its name."""


def choose(
    parser: ArgumentParser, words: Words, commands: Mapping[str, str], find: Callable[[str], Configure]
) -> Execute | None:
    """Let the parser take one of several commands.

    Only the one that the first of `words` names is configured, so that the
    others cost nothing.

    Args:
        commands: Their names, each with a line of help.
        find: Gives what configures one of them.

    Returns:
        What runs it; `None` when the words name none.

    Raises:
        SystemExit: There is no such command; the message names the nearest.
    """
    name = words[0] if words else ""
    if name and name not in (*commands, *_WITHOUT_COMMAND):
        parser.error(_unknown(name, commands))
    found: Execute | None = None
    actions = parser.add_subparsers(metavar="COMMAND", title="commands")
    for command, text in commands.items():
        about = f"{text[0].upper()}{text[1:]}."
        child = actions.add_parser(command, help=text, description=about, allow_abbrev=False)
        if command == name:
            found = find(name)(child, words[1:])
    return found


def _unknown(name: str, commands: Mapping[str, str]) -> str:
    from difflib import get_close_matches

    if name.startswith("-"):
        return f"expected a command before its options, one of {', '.join(commands)}, got {name!r}"
    near = get_close_matches(name, commands, n=1)
    guess = f"; did you mean {near[0]!r}?" if near else ""
    return f"expected a command that is one of {', '.join(commands)}, got {name!r}{guess}"
