"""What commands about stored sessions share: the store of their options, and a session's id as the answer."""

from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ore.app import default_store_url, open_store
from ore.artifact import to_json
from ore.cli.output import Output
from ore.cli.status import DONE, Status
from ore.ledger import Store

__all__ = ["opened", "print_id"]


@asynccontextmanager
async def opened(options: Namespace) -> AsyncIterator[Store]:
    """The store that `--store` names, or the default one.

    Raises:
        InputError: No such kind of store.
    """
    store = open_store(options.store or default_store_url())
    try:
        yield store
    finally:
        await store.aclose()


def print_id(session_id: str, options: Namespace) -> Status:
    """Answer with a session's id, as a line or as JSON."""
    output = Output()
    if options.json:
        output.json(to_json({"id": session_id}))
    else:
        output.text(f"{session_id}\n")
    return output.status(DONE)
