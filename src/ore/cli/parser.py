"""Words to options, with the nearest command or option when one is misspelled."""

import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NoReturn

from ore.cli.printed import printed
from ore.cli.status import DONE, FAILED, MISUSE
from ore.cli.terminal import say

__all__ = ["Configure", "Execute", "Parser", "Words", "choose"]

Words = Sequence[str]

_WITHOUT_COMMAND: Final = ("-h", "--help", "--version")
_SPOKEN: Final = ("PROMPT", "TEXT")
"""Places for what people say, of which shells make several words."""
_NEAR_OPTION: Final = 0.75
"""How alike an option must be to be suggested: all begin with the same dashes, and many share letters."""

Execute = Callable[[Namespace], int]
"""Does what a command is for and returns its exit status."""


class Parser(ArgumentParser):
    """A parser that knows what it takes, so that it can be suggested and completed.

    Attributes:
        arguments: Its options and places, in the order in which they were added.
        commands: Its commands, each with a line of help; empty where it has none.
        chosen: The parser of the command that the words name.
    """

    def __init__(self, *names: Any, **settings: Any) -> None:
        self.arguments: list[Action] = []
        self.commands: Mapping[str, str] = {}
        self.chosen: Parser | None = None
        super().__init__(*names, **{**settings, "allow_abbrev": False})

    def add_argument(self, *names: Any, **settings: Any) -> Action:
        """Add an option or a place."""
        action = super().add_argument(*names, **settings)
        self.arguments.append(action)
        return action

    def options(self, words: Words) -> Namespace:
        """Read the words.

        Raises:
            SystemExit: They do not fit; the message names the nearest option.
        """
        options, left = self.parse_known_args(words)
        if left:
            self.last.error(self.last.unexpected(left[0]))
        return options

    def unexpected(self, word: str) -> str:
        """What is wrong with a word that has no place, and what somebody may have meant."""
        spoken = [one.metavar for one in self.arguments if one.metavar in _SPOKEN and not one.option_strings]
        if word.startswith("-"):
            name = word.partition("=")[0]
            hints = [f"; a {place} that begins with - stands behind --" for place in spoken]
            return f"did not expect {name}{_guess(name, self.known) or ''.join(hints)}"
        return f"did not expect {word!r}" + "".join(
            f"; a {place} of several words stands in quotes" for place in spoken
        )

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end.

        Raises:
            SystemExit: Always.
        """
        say(f"{self.format_usage()}{self.prog}: error: {message}")
        raise SystemExit(MISUSE)

    def print_help(self, file: Any = None) -> None:
        """Print what the command is for.

        Raises:
            SystemExit: It cannot be written.
        """
        if file is sys.stderr and file is not None:
            say(self.format_help().rstrip())
        elif printed(self.format_help()) != DONE:
            raise SystemExit(FAILED)

    @property
    def last(self) -> "Parser":
        """The parser of the innermost command that the words name."""
        return self if self.chosen is None else self.chosen.last

    @property
    def known(self) -> Sequence[str]:
        """Its options, `--help` first."""
        return [name for action in self.arguments for name in action.option_strings]


Configure = Callable[[Parser, Words], Execute]
"""Adds a command's options to its parser; gets the words behind its name."""


def choose(
    parser: Parser, words: Words, commands: Mapping[str, str], find: Callable[[str], Configure]
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
    parser.commands = commands
    actions = parser.add_subparsers(metavar="COMMAND", title="commands")
    for command, text in commands.items():
        about = f"{text[0].upper()}{text[1:]}."
        child = actions.add_parser(command, help=text, description=about)
        if command == name:
            parser.chosen = child
            found = find(name)(child, words[1:])
    return found


def _unknown(name: str, commands: Mapping[str, str]) -> str:
    if name.startswith("-"):
        near = _guess(name, _WITHOUT_COMMAND)
        return f"expected a command before its options, one of {', '.join(commands)}, got {name!r}{near}"
    return f"expected a command that is one of {', '.join(commands)}, got {name!r}{_guess(name, commands)}"


def _guess(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=1, cutoff=_NEAR_OPTION if name.startswith("-") else 0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
