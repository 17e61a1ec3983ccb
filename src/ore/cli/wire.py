"""`ore wire`: what vendors send, without asking one."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Final

from ore.cli.parser import Configure, Execute, Parser, Words, choose
from ore.cli.status import MISUSE, Status

__all__ = ["configure"]

ACTIONS: Final[Mapping[str, str]] = {
    "decode": "read a recorded answer of a vendor and print what it holds as JSON",
}


def configure(parser: Parser, words: Words) -> Execute:
    """Add the actions."""
    chosen = choose(parser, words, ACTIONS, _ACTIONS.__getitem__)
    return chosen or (lambda options: _usage(parser))


def _usage(parser: ArgumentParser) -> Status:
    parser.print_help(sys.stderr)
    return MISUSE


def _configure_decode(parser: ArgumentParser, words: Words) -> Execute:
    parser.add_argument(
        "--protocol", metavar="P", required=True, help="openai-chat, openai-responses, anthropic, gemini or ollama"
    )
    parser.add_argument("--deltas", action="store_true", help="print what comes as it comes, one JSON object a line")
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        default="-",
        help="the body of the answer, or a capture (standard input, as -)",
    )
    return _decode


def _decode(options: Namespace) -> Status:
    from ore.cli.decoding import decode
    from ore.cli.failures import guarded

    return guarded(decode, options)


_ACTIONS: Final[Mapping[str, Configure]] = {"decode": _configure_decode}
