"""The contract of a `Store`: run every check against each implementation."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from ore.ledger import Store
from ore.testing.contracts import store_log, store_threads, store_work

__all__ = ["Check", "StoreBench", "store_checks"]


class StoreBench(Protocol):
    """Makes the stores that a check works with; closes them afterwards."""

    async def fresh(self) -> Store:
        """An empty store of its own."""
        ...

    async def reopen(self, store: Store) -> Store:
        """Close `store` and open what it kept, as another process would; a store without a place returns itself."""
        ...


Check = Callable[[StoreBench], Awaitable[None]]
"""Raises `AssertionError` when the promise in its name is not kept."""


def store_checks() -> Sequence[tuple[str, Check]]:
    """Every check by its name, to parametrize a test with."""
    checks = (*store_threads.CHECKS, *store_log.CHECKS, *store_work.CHECKS)
    return [(check.__name__, check) for check in checks]
