"""`ore sessions`: what is stored."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Final

from ore.cli.options import add_store
from ore.cli.parser import Configure, Execute, Words, choose
from ore.cli.status import MISUSE, Status

__all__ = ["configure"]

ACTIONS: Final[Mapping[str, str]] = {
    "list": "all sessions, the most recently written first",
    "show": "one session's turns",
}


def configure(parser: ArgumentParser, words: Words) -> Execute:
    """Add the actions."""
    chosen = choose(parser, words, ACTIONS, _ACTIONS.__getitem__)
    return chosen or (lambda options: _usage(parser))


def _usage(parser: ArgumentParser) -> Status:
    parser.print_usage(sys.stderr)
    return MISUSE


def _configure_list(parser: ArgumentParser, words: Words) -> Execute:
    _add_common(parser)
    return _list


def _configure_show(parser: ArgumentParser, words: Words) -> Execute:
    parser.add_argument("id", metavar="ID", help="the session's id")
    _add_common(parser)
    return _show


def _add_common(parser: ArgumentParser) -> None:
    add_store(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _list(options: Namespace) -> Status:
    from ore.cli.failures import guarded
    from ore.cli.stored import list_sessions

    return guarded(list_sessions, options)


def _show(options: Namespace) -> Status:
    from ore.cli.failures import guarded
    from ore.cli.stored import show_session

    return guarded(show_session, options)


_ACTIONS: Final[Mapping[str, Configure]] = {"list": _configure_list, "show": _configure_show}
