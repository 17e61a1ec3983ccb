"""The options that the commands share; nothing heavy is imported to read them."""

import math
import os
from argparse import ArgumentParser, ArgumentTypeError

__all__ = ["add_model", "add_session", "add_store", "given", "whole_number"]


def add_session(parser: ArgumentParser, *, several_agents: bool = False) -> None:
    """The options of the commands that hold conversations.

    Args:
        parser: Gets them.
        several_agents: Whether `--agent` may be there more than once, and is a list.
    """
    add_model(parser)
    parser.add_argument("--session", metavar="ID", help="the session to go on with, or to begin under this id")
    add_store(parser)
    parser.add_argument(
        "--agent",
        metavar="MODULE:ATTRIBUTE",
        type=given,
        action="append" if several_agents else "store",
        default=None if several_agents else os.environ.get("ORE_AGENT") or None,
        help="an Agent from the current folder or the path ($ORE_AGENT)" + "; repeatable" * several_agents,
    )
    parser.add_argument("--instructions", metavar="TEXT", help="what the model is told first")
    parser.add_argument(
        "--tool", metavar="NAME", action="append", default=[], help="a built-in tool, such as calculator; repeatable"
    )
    parser.add_argument(
        "--approve",
        choices=("ask", "always", "never"),
        default="ask",
        help="whether tools that want approval get it; asks on a terminal, or whoever watches a served session, "
        "else denies (default: ask)",
    )
    parser.add_argument("--max-output-tokens", metavar="N", type=whole_number, help="tokens of an answer at most")
    parser.add_argument("--temperature", metavar="X", type=_not_negative, help="0 is greedy")
    parser.add_argument("--thinking", metavar="LEVEL", help="off, minimal, low, medium, high or max")
    parser.add_argument("--max-rounds", metavar="N", type=whole_number, help="inferences for one message at most (50)")
    parser.add_argument(
        "--note-context",
        action="store_true",
        help="keep with each answer what was sent for it; `ore sessions show ID --context` prints it",
    )


def add_model(parser: ArgumentParser) -> None:
    """Which model, and how it is reached."""
    parser.add_argument("--model", metavar="M", help="provider:name, scripted:FILE or local ($ORE_MODEL)")
    parser.add_argument(
        "--base-url", metavar="URL", type=given, help="where the provider answers, instead of its own address"
    )
    parser.add_argument("--timeout-s", metavar="S", type=_seconds, help="seconds without a byte from the model (300)")
    parser.add_argument(
        "--lenient", action="store_true", help="leave out what the model cannot take, with a notice, instead of failing"
    )


def add_store(parser: ArgumentParser) -> None:
    """Where sessions are."""
    parser.add_argument("--store", metavar="URL", type=given, help="memory:, sqlite:PATH or json:DIR ($ORE_STORE)")


def given(text: str) -> str:
    """A value that may not be empty, as one of a variable that is not set would be.

    Raises:
        ArgumentTypeError: It is.
    """
    if not text:
        raise ArgumentTypeError("expected a value, got ''; leave the option out for what it is by default")
    return text


def whole_number(text: str) -> int:
    """An option that counts something.

    Raises:
        ArgumentTypeError: It is no whole number above 0.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text)):
        raise ArgumentTypeError(f"expected a whole number above 0, got {text!r}")
    return int(text)


def _not_negative(text: str) -> float:
    value = _number(text)
    if value is None or value < 0:
        raise ArgumentTypeError(f"expected a number that is not negative, got {text!r}")
    return value


def _seconds(text: str) -> float:
    value = _number(text)
    if value is None or value <= 0:
        raise ArgumentTypeError(f"expected a number of seconds above 0, got {text!r}")
    return value


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
