"""`ore models`: what is known of models."""

from argparse import ArgumentParser, Namespace

from ore.cli.parser import Execute, Words
from ore.cli.status import Status

__all__ = ["configure"]


def configure(parser: ArgumentParser, words: Words) -> Execute:
    """Add the options."""
    parser.add_argument("text", metavar="TEXT", nargs="*", help="words that its provider and names hold (all models)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return _execute


def _execute(options: Namespace) -> Status:
    from ore.cli.failures import guarded
    from ore.cli.model_table import list_models

    return guarded(list_models, options)
