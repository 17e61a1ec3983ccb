"""Stopping a message so that it stays stopped, should this process die right behind."""

import asyncio
import logging
from collections.abc import Awaitable

from ore._aio import Ready
from ore.errors import StoreError
from ore.ledger import EndingRecord, Message, Store
from ore.session.item import Item

__all__ = ["stop", "submit_stopping"]

log = logging.getLogger(__name__)


def stop(store: Store, session_id: str, item: Item | None) -> Awaitable[bool]:
    """Cancel a message at once, and note durably that it shall stop; whether it came to that.

    It did not where nothing ran, or where the answer was on its way to the
    store already: then the message is done.

    Raises:
        StoreError: Only the note could not be made.
    """
    if item is None or not item.is_cancellable:
        return Ready(False)
    # Asked for before the ending that the cancellation brings: nobody waits for the disk to silence a model.
    noted = asyncio.ensure_future(store.interrupt(session_id))
    item.cancel("cancelled")
    return _stopped(item, noted)


def submit_stopping(store: Store, session_id: str, message: Message) -> Awaitable[EndingRecord | Message | None]:
    """Submit a message that has cancelled what ran; it counts as submitted when that is durable, too."""
    submitted = store.submit(session_id, message)
    return _noted(submitted, asyncio.ensure_future(store.interrupt(session_id)))


async def _stopped(item: Item, noted: "asyncio.Future[None]") -> bool:
    await noted
    return not item.done


async def _noted(
    submitted: Awaitable[EndingRecord | Message | None], noted: "asyncio.Future[None]"
) -> EndingRecord | Message | None:
    try:
        return await submitted
    finally:
        try:
            await noted
        except StoreError as error:  # the message is there all the same, and what ran is cancelled
            log.warning("that a message was stopped could not be noted: %s", type(error).__name__)
