"""`delete_thread`: removes a thread with what worked for it."""

from typing import Final

from ore.ledger.store import Store

__all__ = ["PARENT_KEY", "delete_thread"]

PARENT_KEY: Final = "ore.parent"
"""The fact by which the thread of an agent inside a call names the session that it works for."""


async def delete_thread(store: Store, thread_id: str) -> bool:
    """Remove a thread, and before it those of the agents that worked inside its calls.

    Returns:
        Whether there was such a thread.

    Raises:
        InputError: The id may not name a thread.
        StoreError: The store failed; what is left can be deleted again.
    """
    while (child := await store.get_by(PARENT_KEY, thread_id)) is not None:
        await delete_thread(store, child)
    return await store.delete(thread_id)
