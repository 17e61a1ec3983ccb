"""Sessions that are open at the same time and name one store share it."""

import asyncio
import threading
from pathlib import Path

import pytest

from ore import Agent
from ore.app import live_sessions
from ore.app.shared_stores import use_store
from ore.errors import StoreError
from ore.ext.stores.sqlite import SqliteStore
from ore.testing import ScriptedProvider
from session.watch import answer


def writers() -> set[threading.Thread]:
    """The threads that write for stores in this process."""
    return {thread for thread in threading.enumerate() if thread.name == "ore-store-writer"}


@pytest.mark.parametrize("kind", ["sqlite", "json"])
@pytest.mark.requirement("D-shared-stores")
async def test_sessions_of_any_agents_share_the_store_that_they_name(tmp_path: Path, kind: str) -> None:
    """A folder of JSON files can be open only once; and ten sessions need no ten writers."""
    url, before = f"{kind}:{tmp_path / 'store'}", writers()
    agents = [Agent(ScriptedProvider(answer("one"), repeat=True), store=url) for _ in range(2)]
    async with asyncio.timeout(20):
        async with (
            agents[0].session("a") as first,
            agents[1].session("b") as second,
            live_sessions([agents[0]]) as live,
        ):
            assert [(await one.run("hello")).text for one in (first, second)] == ["one", "one"]
            assert len(writers() - before) == (1 if kind == "sqlite" else 0)
            assert {summary.id for summary in (await live.list_threads()).threads} == {"a", "b"}
        assert not writers() - before
        async with agents[1].session("a") as again:
            assert len(again.turns) == 2


async def test_what_is_in_memory_is_shared_by_nobody() -> None:
    one, other = await use_store("memory:"), await use_store("memory:")
    assert one.store is not other.store


async def test_a_store_that_was_given_is_left_open(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "a.db")
    agent = Agent(ScriptedProvider(answer("one"), repeat=True), store=store)
    before = writers()
    async with agent.session("a") as session:
        await session.run("hello")
    assert len(writers() - before) == 1
    await store.aclose()


async def test_whoever_names_a_store_that_is_being_closed_gets_a_new_one_after_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closing, go = asyncio.Event(), asyncio.Event()

    class Slow(SqliteStore):
        async def aclose(self) -> None:
            closing.set()
            await go.wait()
            await super().aclose()
            raise StoreError("expected room on the disk, found none")

    url = f"sqlite:{tmp_path / 'a.db'}"
    monkeypatch.setattr("ore.app.shared_stores.open_store", lambda url: Slow(tmp_path / "a.db"))
    async with asyncio.timeout(5):
        first = await use_store(url)
        left = asyncio.ensure_future(first.give_back())
        await closing.wait()
        second = asyncio.ensure_future(use_store(url))
        await asyncio.sleep(0)
        assert not second.done()
        go.set()
        assert (await second).store is not first.store
        with pytest.raises(StoreError):
            await left
        with pytest.raises(StoreError):
            await (await second).give_back()


def test_each_loop_has_its_own(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path / 'a.db'}"

    async def one() -> object:
        return (await use_store(url)).store

    assert asyncio.run(one()) is not asyncio.run(one())
