"""A full disk and a damaged file cost what they must, and nothing else."""

import asyncio
import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from faults.actors import World, agent
from faults.stage import Stage
from ore.errors import CorruptError, NotFoundError, StoreError
from ore.ext.stores.sqlite import SqliteStore
from ore.session import Manager
from ore.testing.failpoints import Failpoints
from ore.testing.log_check import check_log

# ── A full disk ──────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-faults-disk")
async def test_a_message_that_does_not_fit_on_the_disk_is_refused_and_the_session_goes_on(stage: Stage) -> None:
    process = await stage.process()
    process.send("open", "s")
    process.send("submit", "s", "m1", "m1 note")
    await process.until("ended", "s", "m1", "done")
    process.send("full")
    await process.until("is full")
    process.send("submit", "s", "m2", "m2 " + "x" * 200_000)
    await process.until("went on", "s", "m2", "store")
    process.send("room")
    await process.until("has room")
    process.send("submit", "s", "m3", "m3 note")
    await process.until("ended", "s", "m3", "done")
    await stage.end(process)
    session = (await stage.check())["s"]
    assert session["endings"] == {"m1": ["done", None], "m3": ["done", None]}


@pytest.mark.requirement("D-faults-disk")
async def test_a_disk_that_fills_under_a_message_costs_no_result_that_a_tool_had(stage: Stage) -> None:
    process = await stage.process()
    process.send("open", "s")
    process.send("submit", "s", "m1", "m1 note wait")
    while len(process.all("turn")) < 2:
        await process.more()
    process.send("full")
    await process.until("is full")
    process.send("gate")
    await process.until("ended", "s", "m1", "failed", "store")
    process.send("room")
    await process.until("has room")
    process.send("end")
    assert await process.ended() == 0, process.story()
    session = (await stage.verdict())["s"]
    assert session["endings"]["m1"] in (["failed", "store"], ["done", None])  # as the last record had room or not
    assert ["note", "ok"] in session["results"].values()


# ── A damaged file ───────────────────────────────────────────────────────────


async def filled(path: Path, sessions: int = 6) -> None:
    """A store with some sessions in it, all of it in the one file."""
    async with Manager(agent(World(path.with_name("world")), Failpoints()), SqliteStore(path)) as manager:
        for number in range(sessions):
            stream = await manager.create_with_id(f"s{number}")
            for message in range(3):
                await stream.process(f"m{message} note again look")


async def readable(path: Path) -> Sequence[str]:
    """The sessions that load and have a sound log; the others must say that they are corrupt."""
    store = SqliteStore(path)
    found: list[str] = []
    for number in range(6):
        try:
            await store.load(f"s{number}")
            check_log(await store.records(f"s{number}"))
        except (CorruptError, NotFoundError):
            continue
        except StoreError as error:
            assert "another program" in str(error) or "newer" in str(error), error
            continue
        found.append(f"s{number}")
    await store.aclose()
    return found


@pytest.mark.slow
@pytest.mark.requirement("D-faults-damage")
async def test_a_truncated_file_is_told_apart_from_a_sound_one(tmp_path: Path) -> None:
    """Wherever it was cut; nothing hangs, nothing is made up, and the file is left as it is."""
    path = tmp_path / "ore.db"
    await filled(path)
    whole = path.read_bytes()
    assert len(await readable(path)) == 6
    for size in {*range(0, len(whole), 4096), 50, 99, 100, 101, len(whole) - 1}:
        cut = tmp_path / f"{size}.db"
        cut.write_bytes(whole[:size])
        async with asyncio.timeout(10):
            found = await readable(cut)
        assert len(found) < 6 or len(whole) - size < 4096, size
        assert not size or cut.stat().st_size == size, size


@pytest.mark.slow
@pytest.mark.requirement("D-faults-damage")
async def test_flipped_bytes_never_hang_and_never_hide_an_undamaged_session(tmp_path: Path) -> None:
    path = tmp_path / "ore.db"
    await filled(path)
    whole = path.read_bytes()
    chance = random.Random(7)
    for number in range(60):
        damaged = bytearray(whole)
        start = chance.randrange(100, len(whole) - 64)
        damaged[start : start + 64] = chance.randbytes(64)
        place = tmp_path / f"{number}.db"
        place.write_bytes(damaged)
        async with asyncio.timeout(10):
            await readable(place)


@pytest.mark.requirement("D-faults-damage")
async def test_one_corrupt_session_does_not_keep_the_others_from_recovering(tmp_path: Path) -> None:
    path = tmp_path / "ore.db"
    world = World(tmp_path / "world")
    for name in ("bad", "good"):
        async with Manager(agent(world, Failpoints()), SqliteStore(path)) as manager:
            await (await manager.create_with_id(name)).process("m0 note")
    first = Manager(agent(world, Failpoints()), SqliteStore(path))
    for name in ("bad", "good"):
        await (await first.attach(name)).submit("m1 wait").accepted()
    await first.leave(0)
    await first.store.aclose()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE log SET body = x'80' WHERE session = 1 AND sequence = 2")
    second = Manager(agent(world, Failpoints()), SqliteStore(path))
    recovered = await second.recover()
    assert [stream.id for stream in recovered] == ["good"]
    with pytest.raises(CorruptError):
        await second.attach("bad")
    await second.leave(0)
    await second.store.aclose()


# ── Two who migrate ──────────────────────────────────────────────────────────


@pytest.mark.requirement("D-faults-migration")
async def test_two_processes_that_migrate_one_file_at_once_take_each_step_once(stage: Stage) -> None:
    """From nothing to the newest version, then through a step that this ore does not have yet."""
    for later in (0, 1, 2):
        processes = [await stage.process() for _ in range(4)]
        for process in processes:
            process.send("migrate", later)
        assert [(await process.until("migrated"))[1] for process in processes] == [later] * 4
        for process in processes:
            await stage.end(process)
    with closing(sqlite3.connect(stage.folder / "ore.db")) as connection:
        assert connection.execute("SELECT count(*) FROM later").fetchone() == (2,)
        assert connection.execute("SELECT count(*) FROM session").fetchone() == (12,)
