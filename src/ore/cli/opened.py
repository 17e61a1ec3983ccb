"""What commands about stored sessions share: the store of their options, and a session's id as the answer."""

from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from ore.app import default_store_url, open_store
from ore.app.nearest import guess
from ore.artifact import to_json
from ore.cli.output import Output
from ore.cli.progress import Progress
from ore.cli.status import DONE, Status
from ore.errors import NotFoundError
from ore.ledger import Store

__all__ = ["opened", "print_id"]

LOOKED_AT: Final = 1000
"""Sessions, the latest ones, among which a misspelled one is looked for."""


@asynccontextmanager
async def opened(options: Namespace) -> AsyncIterator[Store]:
    """The store that `--store` names, or the default one.

    Raises:
        InputError: No such kind of store.
        NotFoundError: There is no such session; the message names the nearest.
    """
    store = open_store(options.store or default_store_url())
    try:
        try:
            with Progress("reading what is stored"):
                yield store
        except NotFoundError as error:
            raise NotFoundError(f"{error}{await _near(store, options.id)}") from None
    finally:
        await store.aclose()


async def _near(store: Store, session_id: str) -> str:
    """What session somebody may have meant; nothing when that one is there."""
    ids = [summary.id for summary in (await store.list(limit=LOOKED_AT)).threads]
    return "" if session_id in ids else guess(session_id, ids)


def print_id(session_id: str, options: Namespace) -> Status:
    """Answer with a session's id, as a line or as JSON."""
    output = Output()
    if options.json:
        output.json(to_json({"id": session_id}))
    else:
        output.text(f"{session_id}\n")
    return output.status(DONE)
