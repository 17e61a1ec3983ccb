"""A tool may fork: what its process owned is not kept by a child that outlives it."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ore.artifact import ToolCallDelta
from ore.ext.stores.json_dir import JsonStore
from ore.ext.stores.sqlite import SqliteStore
from ore.ledger import Outcome, Store
from ore.session import Manager
from ore.testing import ScriptedProvider
from ore.tool import tool
from session.watch import agent, answer

Open = type[JsonStore] | type[SqliteStore]


class Child:
    """A forked process that executes no program and does nothing until it is killed."""

    def __init__(self) -> None:
        self.pid = os.fork()
        while not self.pid:
            signal.pause()

    def end(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@contextmanager
def children() -> Iterator[list[Child]]:
    made: list[Child] = []
    try:
        yield made
    finally:
        for child in made:
            child.end()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # later Pythons warn, since there are threads
@pytest.mark.parametrize("opened", [SqliteStore, JsonStore])
@pytest.mark.requirement("D-faults-owner")
async def test_a_session_can_be_had_again_while_a_child_of_its_owner_lives(tmp_path: Path, opened: Open) -> None:
    """By the same process and by another one: for the kernel both are somebody else than the child."""
    with children() as made:

        @tool
        async def fork() -> str:
            """Fork, as a pool of processes does."""
            made.append(Child())
            return "forked"

        for _ in range(2):
            store: Store = opened(tmp_path / "store")
            provider = ScriptedProvider([ToolCallDelta(index=0, id="c", name="fork", arguments="{}")], answer("done"))
            async with Manager(agent(provider, fork), store) as manager:
                stream = await manager.open("s")
                assert (await stream.process("go")).status is Outcome.DONE
            await store.aclose()
        assert len(made) == 2
