"""The local placement keeps the contract, also between processes that die."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from faults.stage import Stage
from faults.test_recovery import OPEN, asked_tools, begun
from ore.errors import SessionOwnedError, StoreError
from ore.ext.stores.json_dir import JsonStore
from ore.ext.stores.sqlite import SqliteStore
from ore.session import LocalPlacement, Manager, Placement
from ore.testing import ScriptedProvider
from ore.testing.contracts.placement import PlacementCheck, placement_checks
from session.watch import agent

StoreType = type[JsonStore] | type[SqliteStore]


class LocalBench:
    """Two placements over one folder know nothing of each other, as in two processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def placement(self) -> Placement:
        return LocalPlacement(self.folder / "locks")


@pytest.mark.parametrize(("name", "check"), placement_checks(), ids=[name for name, _ in placement_checks()])
@pytest.mark.requirement("D-faults-placement")
async def test_the_local_placement_keeps_its_promises(tmp_path: Path, name: str, check: PlacementCheck) -> None:
    async with asyncio.timeout(5):
        await check(LocalBench(tmp_path))


async def test_a_hold_leaves_no_descriptor(tmp_path: Path) -> None:
    placement, other = LocalPlacement(tmp_path), LocalPlacement(tmp_path)
    before = os.listdir("/proc/self/fd")
    for number in range(100):
        async with placement.hold(f"s{number % 7}"), placement.hold(f"s{number % 5}"):
            with pytest.raises(SessionOwnedError):
                async with other.hold(f"s{number % 7}"):
                    pass
    assert os.listdir("/proc/self/fd") == before


@pytest.mark.parametrize("opened", [SqliteStore, JsonStore])
async def test_who_has_it_is_told_where_it_is_this_process_itself(tmp_path: Path, opened: StoreType) -> None:
    """Two stores that one program opens at the same place."""
    one, other = opened(tmp_path / "store"), opened(tmp_path / "store")
    async with Manager(agent(ScriptedProvider([asyncio.Event()])), one) as manager:
        stream = await manager.open("s")
        await stream.submit("hello").accepted()
        with pytest.raises(SessionOwnedError, match="of this process"):
            async with Manager(agent(ScriptedProvider()), other) as late:
                await (await late.open("s")).process("hello")
        await stream.close()
    for store in (one, other):
        await store.aclose()


async def test_a_lock_file_that_cannot_be_opened_is_an_error_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"lock file .*s\.lock': Not a directory"):
        async with LocalPlacement(tmp_path / "file").hold("s"):
            pass


# ── Between processes ────────────────────────────────────────────────────────


@pytest.mark.parametrize("point", ["close.before:1", "close.after:1", "append.ending.after:2", "close.after:2"])
@pytest.mark.requirement("D-faults-placement")
async def test_a_kill_around_the_end_of_an_activation_leaves_the_session_free(stage: Stage, point: str) -> None:
    """Another process has it at once, and finds whatever was accepted."""
    process = await stage.process(f"{point}:kill")
    process.send(*OPEN)
    for number in range(4):
        process.send("submit", "s", f"m{number}", f"m{number} note")
        process.send("idle", "s")
    assert await process.ended() == -signal.SIGKILL
    other = await stage.process()
    other.send(*OPEN)
    other.send("submit", "s", "n", "n note")
    await other.until("ended", "s", "n", "done")
    await stage.end(other)
    endings = (await stage.check())["s"]["endings"]
    assert {*endings} >= {"n", *[id for _, id in process.all("accepted")]}
    assert {outcome for outcome, _ in endings.values()} == {"done"}


@pytest.mark.requirement("D-faults-placement", "D-faults-owner")
async def test_what_a_killed_process_left_goes_on_where_the_session_was_attached_before(stage: Stage) -> None:
    owner = await begun(stage, ("m1", "m1 note wait"))
    await asked_tools(owner)
    other = await stage.process()
    other.send(*OPEN)
    await other.until("opened")
    await owner.kill()
    other.send("gate")
    other.send("recover")
    await other.until("recovered")
    await stage.end(other)
    assert (await stage.check())["s"]["endings"] == {"m1": ["done", None]}


@pytest.mark.slow
@pytest.mark.requirement("D-faults-placement", "D-faults-close")
async def test_a_thousand_submits_around_closing_from_two_processes_leave_no_row_waiting(stage: Stage) -> None:
    """Whoever is refused tries again; nobody has to recover anything."""
    processes = [await stage.process() for _ in range(2)]
    for seed, process in enumerate(processes):
        process.send("crowd", "s", 500, seed)
    for process in processes:
        *_, accepted = await process.until("crowded", "s")
        assert accepted == 500
    for process in processes:
        await stage.end(process)
    endings = (await stage.check())["s"]["endings"]
    assert len(endings) == 1000
    assert {outcome for outcome, _ in endings.values()} <= {"done", "closed", "cancelled"}
