"""`StoreBench`: where a check of the store contract gets its stores from."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from ore.ledger import Store

__all__ = ["Check", "StoreBench"]


class StoreBench(Protocol):
    """Makes the stores that a check works with; whoever made the bench closes them afterwards."""

    async def fresh(self) -> Store:
        """An empty store of its own."""
        ...

    async def reopen(self, store: Store) -> Store:
        """Close `store` and open what it kept, as another process would; a store without a place returns itself."""
        ...


Check = Callable[[StoreBench], Awaitable[None]]
"""Raises `AssertionError` when the promise in its name is not kept."""
