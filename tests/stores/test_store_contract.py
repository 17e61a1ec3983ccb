"""Every store keeps the promises of `Store`."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from ore.ext.stores.json_dir import JsonStore
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import MemoryStore, Store
from ore.testing.contracts import Check, StoreBench, store_checks


class MemoryBench:
    """There is nothing to reopen."""

    async def fresh(self) -> Store:
        return MemoryStore()

    async def reopen(self, store: Store) -> Store:
        return store

    async def aclose(self) -> None:
        """Nothing to let go of."""


class SqliteBench:
    """Reopening means another object, as in another process."""

    def __init__(self, folder: Path, make: Callable[[Path], SqliteStore]) -> None:
        self.folder = folder
        self.make = make
        self.made: list[SqliteStore] = []

    async def fresh(self) -> Store:
        return self._open(self.folder / f"{len(self.made)}.db")

    async def reopen(self, store: Store) -> Store:
        assert isinstance(store, SqliteStore)
        await store.aclose()
        return self._open(store.path)

    async def aclose(self) -> None:
        for store in self.made:
            await store.aclose()

    def _open(self, path: Path) -> SqliteStore:
        self.made.append(self.make(path))
        return self.made[-1]


class JsonBench:
    """Reopening means another object, as in another process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: list[JsonStore] = []

    async def fresh(self) -> Store:
        return self._open(self.folder / str(len(self.made)))

    async def reopen(self, store: Store) -> Store:
        assert isinstance(store, JsonStore)
        await store.aclose()
        return self._open(store.folder)

    async def aclose(self) -> None:
        for store in self.made:
            await store.aclose()

    def _open(self, folder: Path) -> JsonStore:
        self.made.append(JsonStore(folder))
        return self.made[-1]


BENCHES: dict[str, Callable[[Path], MemoryBench | SqliteBench | JsonBench]] = {
    "memory": lambda folder: MemoryBench(),
    "json": JsonBench,
    "sqlite": lambda folder: SqliteBench(folder, SqliteStore),
    "sqlite one by one": lambda folder: SqliteBench(folder, lambda path: SqliteStore(path, group_limit=1)),
    "sqlite without an index": lambda folder: SqliteBench(folder, lambda path: SqliteStore(path, full_text=False)),
}


@pytest.fixture(params=BENCHES)
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[StoreBench]:
    bench = BENCHES[request.param](tmp_path)
    yield bench
    await bench.aclose()


@pytest.mark.parametrize(("name", "check"), store_checks(), ids=[name for name, _ in store_checks()])
async def test_a_store_keeps_its_promises(bench: StoreBench, name: str, check: Check) -> None:
    async with asyncio.timeout(15):
        await check(bench)
