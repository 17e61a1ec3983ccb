"""Stores that are named by their URLs: one for all in a program who name the same one at the same time."""

import asyncio
import os
from collections.abc import MutableMapping
from contextlib import suppress
from weakref import WeakKeyDictionary

from ore._aio import settled
from ore.app.places import default_store_url
from ore.app.resolve import open_store
from ore.ledger import MemoryStore, Store

__all__ = ["UsedStore", "use_store"]

_Key = tuple[str, str]
"""The URL, and the folder in which it was said."""


class UsedStore:
    """A store, for whoever uses it right now.

    Attributes:
        store: The store.
        is_shared: Whether `give_back` has to be called; one that was not named by a URL is its owner's to close.
    """

    __slots__ = ("_closing", "_stores", "_users", "is_shared", "store")

    def __init__(self, store: Store, stores: "MutableMapping[_Key, UsedStore] | None" = None) -> None:
        self.store = store
        self.is_shared = stores is not None
        self._stores = {} if stores is None else stores
        self._users = 0
        self._closing: asyncio.Future[None] | None = None

    async def give_back(self) -> None:
        """Use it no more; the last one closes it, and whoever names it meanwhile waits for that."""
        self._users -= 1
        if self._users > 0:
            return
        self._closing = asyncio.ensure_future(self.store.aclose())
        try:
            await self._closing
        finally:
            for key in [key for key, used in self._stores.items() if used is self]:
                del self._stores[key]


_OPEN: MutableMapping[asyncio.AbstractEventLoop, dict[_Key, UsedStore]] = WeakKeyDictionary()
"""For each loop by itself: a store need not serve several."""


async def use_store(given: str | Store | None) -> UsedStore:
    """The store of a URL, or the one that was given; by default that of `default_store_url`.

    Sessions that are open at the same time share one with its threads and its
    transactions, and a folder of JSON files, which only one may have open. What
    is in memory is shared by nobody.

    Raises:
        InputError: No such kind of store.
    """
    if given is not None and not isinstance(given, str):
        return UsedStore(given)
    folder = ""
    with suppress(OSError):  # it was removed
        folder = os.getcwd()
    key = (given or default_store_url(), folder)
    stores = _OPEN.setdefault(asyncio.get_running_loop(), {})
    while key in stores and stores[key]._closing is not None:
        await settled(stores[key]._closing)  # type: ignore[arg-type]  # it is closing
        await asyncio.sleep(0)
    used = stores.get(key)
    if used is None:
        store = open_store(key[0])
        used = UsedStore(store, stores)
        if not isinstance(store, MemoryStore):
            stores[key] = used
    used._users += 1
    return used
