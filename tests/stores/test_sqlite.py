"""What only a store in a file can promise."""

import asyncio
import gc
import os
import sqlite3
import stat
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from ore.artifact import Artifact, Codec, Text, Unknown
from ore.errors import CorruptError, FencedError, InputError, StoreError
from ore.ext.stores.sqlite import SqliteStore
from ore.ext.stores.sqlite.schema import MIGRATIONS, check_library
from ore.ledger import Message, Role, Turn, TurnRecord, Writer

PROGRAM = Path(__file__).with_name("store_process.py")


def said(id: str, text: str = "x") -> TurnRecord:
    return TurnRecord(turn=Turn(id=id, role=Role.USER, artifacts=(Text(content=text),)))


@asynccontextmanager
async def opened(path: Path, *, group_limit: int = 512) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path, group_limit=group_limit)
    try:
        yield store
    finally:
        await store.aclose()


class Child:
    """Another process that works with a store."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())

    async def line(self) -> str:
        """What it says next; empty when it ended."""
        assert self.process.stdout is not None
        return (await self.process.stdout.readline()).decode().strip()

    async def end(self) -> tuple[int | None, str, list[str]]:
        """Tell it nothing more; how it ended, what it complained of, and what it said last."""
        out, err = await self.process.communicate(b"")
        return self.process.returncode, err.decode(), out.decode().splitlines()


@asynccontextmanager
async def child(*arguments: object) -> AsyncIterator[Child]:
    """Start one; it does not outlive the test."""
    pipe = asyncio.subprocess.PIPE
    words = [sys.executable, str(PROGRAM), *map(str, arguments)]
    process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, stderr=pipe)
    try:
        yield Child(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def run(*arguments: object) -> list[str]:
    """What it said; it must end well and complain of nothing."""
    async with child(*arguments) as process:
        code, complaints, lines = await process.end()
        assert (code, complaints) == (0, "")
        return lines


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ore.db"


# ── Many at once ─────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.requirement("B53")
async def test_a_fresh_file_can_be_opened_by_many_processes_at_once(tmp_path: Path) -> None:
    """Whoever comes second finds the tables made; nobody hears that the database is locked."""
    async with AsyncExitStack() as stack:
        children = [await stack.enter_async_context(child("open", tmp_path, f"p{number}")) for number in range(8)]
        assert [await each.line() for each in children] == ["ready"] * 8
        for number in range(20):
            for each in children:
                each.tell(f"{number}.db")
            assert [await each.line() for each in children] == ["written"] * 8
        assert [await each.end() for each in children] == [(0, "", [])] * 8
    for number in range(20):
        async with opened(tmp_path / f"{number}.db") as store:
            assert sorted(thread.id for thread in (await store.list()).threads) == [f"p{n}" for n in range(8)]


@pytest.mark.requirement("B53")
async def test_a_fresh_file_can_be_opened_by_many_stores_at_once(tmp_path: Path) -> None:
    async def write(path: Path, name: str) -> None:
        async with opened(path) as store:
            await store.create(name, {})
            await store.append(await store.take(name), [said(name)])

    for number in range(20):
        async with asyncio.timeout(15), asyncio.TaskGroup() as group:
            for name in range(8):
                group.create_task(write(tmp_path / f"{number}.db", f"s{name}"))
        async with opened(tmp_path / f"{number}.db") as store:
            assert sorted([thread.turns for thread in (await store.list()).threads]) == [1] * 8


@pytest.mark.slow
@pytest.mark.parametrize(("writers", "appends"), [(8, 100), (4, 300)])
@pytest.mark.requirement("B53")
async def test_many_processes_write_one_file_while_another_reads_it(path: Path, writers: int, appends: int) -> None:
    async with opened(path) as store, asyncio.TaskGroup() as group:
        running = [group.create_task(run("write", path, f"w{number}", appends)) for number in range(writers)]
        seen = 0
        while not all(task.done() for task in running):
            rows = [await store.load(thread.id) for thread in (await store.list()).threads]
            assert all(len(row.turns) == row.sequence for row in rows)
            assert sum(row.sequence for row in rows) >= seen
            seen = sum(row.sequence for row in rows)
    assert sorted(await run("check", path)) == [f"w{number} {appends}" for number in range(writers)]


@pytest.mark.slow
@pytest.mark.requirement("D-sqlite-durable")
async def test_what_a_killed_process_was_told_is_durable_is_there(tmp_path: Path) -> None:
    for acknowledged in (1, 2, 3, 5, 8, 13, 21, 34):
        path = tmp_path / f"{acknowledged}.db"
        async with child("write", path, "w", 1000) as writer:
            assert [await writer.line() for _ in range(acknowledged)] == [str(n) for n in range(acknowledged)]
            writer.process.kill()
            _, _, more = await writer.end()
        told = acknowledged + len(more)
        (line,) = await run("check", path)
        assert int(line.removeprefix("w ")) >= told


@pytest.mark.requirement("D-group-commit")
async def test_appends_made_together_are_committed_together(path: Path) -> None:
    async with asyncio.timeout(5), opened(path) as store:
        await store.create("t", {})
        writer = await store.take("t")
        before = store.commits.count
        with hold(path):
            appends = [store.append(writer, [said(str(number))]) for number in range(100)]
        for append in appends:
            await append
        assert store.commits.count - before <= 2  # those that the writer had found when it had to wait, then all others


@pytest.mark.parametrize("count", [1, 3])
async def test_what_is_refused_commits_nothing_and_takes_no_other_with_it(path: Path, count: int) -> None:
    async with asyncio.timeout(5), opened(path) as store:
        await store.create("t", {})
        old, writer = await store.take("t"), await store.take("t")
        before = store.commits.count
        with hold(path):
            refused = store.append(old, [said("late")])
            others = [store.append(writer, [said(str(number))]) for number in range(count - 1)]
        with pytest.raises(FencedError):
            await refused
        for append in others:
            await append
        assert [turn.id for turn in (await store.load("t")).turns] == [str(number) for number in range(count - 1)]
        if count == 1:
            assert store.commits.count == before


async def test_a_group_limit_of_one_commits_each_append_alone(path: Path) -> None:
    async with asyncio.timeout(5), opened(path, group_limit=1) as store:
        await store.create("t", {})
        writer = await store.take("t")
        before = store.commits.count
        for append in [store.append(writer, [said(str(number))]) for number in range(20)]:
            await append
        assert store.commits.count - before == 20


@pytest.mark.requirement("B53")
async def test_a_cancelled_wait_for_the_lock_leaves_no_transaction_open(path: Path) -> None:
    async with asyncio.timeout(5), opened(path) as store:
        await store.create("t", {})
        writer = await store.take("t")

        async def append() -> None:
            await store.append(writer, [said("given up")])

        with hold(path):
            waiting = asyncio.create_task(append())
            await asyncio.sleep(0)  # it has made its append
            waiting.cancel()
            await asyncio.wait((waiting,))
        await store.append(writer, [said("last")])
        with hold(path):  # nobody else does
            assert (await store.load("t")).turns[-1].id == "last"


# ── Loops, threads and ends ──────────────────────────────────────────────────


def test_one_store_serves_one_event_loop_after_another(path: Path) -> None:
    store = SqliteStore(path)

    async def first() -> None:
        await store.create("t", {})
        await store.append(await store.take("t"), [said("1")])

    async def second() -> None:
        await store.append(await store.take("t"), [said("2")])
        assert [turn.id for turn in (await store.load("t")).turns] == ["1", "2"]
        await store.aclose()

    asyncio.run(first())
    asyncio.run(second())
    asyncio.run(second_time(store))


async def second_time(store: SqliteStore) -> None:
    """A store that was closed opens again."""
    assert len((await store.load("t")).turns) == 2
    await store.aclose()


def test_one_store_serves_event_loops_in_several_threads(path: Path) -> None:
    store = SqliteStore(path)
    failures: list[BaseException] = []

    async def session(name: str) -> None:
        await store.create(name, {})
        writer = await store.take(name)
        for number in range(20):
            await store.append(writer, [said(str(number))])
        assert len((await store.load(name)).turns) == 20

    def thread(name: str) -> None:
        try:
            asyncio.run(session(name))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=thread, args=(f"t{number}",)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    asyncio.run(store.aclose())
    assert failures == []


async def test_nothing_is_opened_before_the_first_use(tmp_path: Path) -> None:
    threads = threading.active_count()
    store = SqliteStore(tmp_path / "folder" / "ore.db")
    with pytest.raises(InputError):
        await store.create("../x", {})
    await store.aclose()
    assert (os.listdir(tmp_path), threading.active_count()) == ([], threads)


class Watched(sqlite3.Connection):
    """Notes the setting of `synchronous`, 2 for FULL, at each commit."""

    noted: ClassVar[list[int]] = []

    def execute(self, statement: str, *arguments: Any) -> sqlite3.Cursor:
        if statement == "COMMIT" and threading.current_thread().name.startswith("ore-store-writer"):
            self.noted.append(super().execute("PRAGMA synchronous").fetchone()[0])
        return super().execute(statement, *arguments)


async def test_whatever_is_acknowledged_is_committed_with_a_sync(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only taking a session and giving it back are not: what they lose in a power cut is taken again."""
    Watched.noted.clear()
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Watched))

    async def syncs(work: Awaitable[object]) -> tuple[object, list[int]]:
        Watched.noted.clear()
        return await work, [*Watched.noted]

    async with opened(path) as store:
        assert set((await syncs(store.create("t", {})))[1]) == {2}
        assert (await syncs(store.submit("t", Message(id="m", artifacts=(Text(content="x"),)))))[1] == [2]
        writer, taken = await syncs(store.take("t"))
        assert isinstance(writer, Writer)
        assert (taken, (await syncs(store.append(writer, [said("1")])))[1]) == ([1], [2])
        assert (await syncs(store.delete("t")))[1] == [2]


async def test_closing_leaves_no_thread_and_no_descriptor(path: Path) -> None:
    before = (threading.active_count(), len(os.listdir("/proc/self/fd")))
    for number in range(30):
        async with opened(path) as store:
            await store.create(f"t{number}", {})
            await store.load(f"t{number}")
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == before
    assert os.listdir(path.parent) == [path.name]


async def test_a_store_that_is_dropped_ends_its_threads(path: Path) -> None:
    store = SqliteStore(path)
    before = set(threading.enumerate())
    await store.create("t", {})
    await store.load("t")
    started = set(threading.enumerate()) - before
    del store
    gc.collect()
    for thread in started:
        thread.join(5)
    assert len(started) == 2
    assert not any(thread.is_alive() for thread in started)


async def test_a_process_that_closes_nothing_ends_and_loses_nothing(path: Path) -> None:
    async with asyncio.timeout(15):
        assert await run("leave", path) == []
        assert await run("check", path) == ["t 1"]


async def test_a_record_that_cannot_be_written_down_leaves_nothing_of_its_append(path: Path) -> None:
    """Whether it is alone in its transaction or not."""
    async with asyncio.timeout(5), opened(path) as store:
        await store.create("t", {})
        writer = await store.take("t")
        bad = Text(content="x", provider_data={"provider": object()})
        record = TurnRecord(turn=Turn(id="bad", role=Role.USER, artifacts=(bad,)))
        with pytest.raises(TypeError):
            await store.append(writer, [said("1"), record])
        appends = [store.append(writer, batch) for batch in ([said("2")], [said("3"), record], [said("4")])]
        await appends[0]
        with pytest.raises(TypeError):
            await appends[1]
        await appends[2]
        loaded = await store.load("t")
        assert ([turn.id for turn in loaded.turns], loaded.sequence, writer.sequence) == (["2", "4"], 2, 2)
        assert (await store.list()).threads[0].turns == 2


# ── The file ─────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-sqlite-private")
async def test_files_and_folders_are_for_the_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    async with opened(folder / "ore.db") as store:
        await store.create("t", {})
        modes = {path.name: mode(path) for path in folder.iterdir()}
        assert modes == {"ore.db": 0o600, "ore.db-wal": 0o600, "ore.db-shm": 0o600}
        assert [mode(folder), mode(folder.parent)] == [0o700, 0o700]


async def test_a_full_disk_is_an_error_and_not_a_loss(path: Path) -> None:
    """Only what does not fit is absent, and the store goes on."""
    async with asyncio.timeout(15):
        said = await run("fill", path)
    assert said == ["['written', 'store']", "written", "written", "['1', '2']", "['2']"]


@pytest.mark.requirement("D-sqlite-newer")
async def test_a_file_of_a_newer_ore_is_refused_and_left_alone(path: Path) -> None:
    newer = len(MIGRATIONS) + 7
    async with opened(path) as store:
        await store.create("t", {})
    change(path, f"PRAGMA user_version = {newer}")
    before = contents(path)
    async with opened(path) as store:
        with pytest.raises(StoreError, match=rf"{newer}.*{len(MIGRATIONS)}"):
            await store.load("t")
        with pytest.raises(StoreError):
            await store.create("u", {})
    assert contents(path) == before


@pytest.mark.parametrize("version", [0, 1])
async def test_another_programs_file_is_refused_and_left_alone(path: Path, version: int) -> None:
    change(path, "CREATE TABLE other (x)", f"PRAGMA user_version = {version}")
    before = contents(path)
    async with opened(path) as store:
        with pytest.raises(StoreError):
            await store.create("t", {})
    assert contents(path) == before


async def test_what_is_no_database_is_corrupt(path: Path) -> None:
    words = b"words" * 1000
    fill(path, words)
    async with opened(path) as store:
        with pytest.raises(CorruptError):
            await store.load("t")
    assert contents(path) == words


async def test_a_store_that_could_not_be_opened_can_be_used_once_it_can(path: Path) -> None:
    os.mkdir(path)
    async with opened(path) as store:
        with pytest.raises(StoreError):
            await store.create("t", {})
        os.rmdir(path)
        await store.create("t", {})


@pytest.mark.parametrize("kind", ["nfs4", "fuse.sshfs", "cifs"])
@pytest.mark.requirement("D-sqlite-network")
async def test_a_network_file_system_is_refused(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "far away"
    mounts = tmp_path / "mounts"
    point = str(folder).replace(" ", "\\040")
    mounts.write_text(f"/dev/a / ext4 rw 0 0\nhost:/x {point} {kind} rw 0 0\n")
    store = SqliteStore(folder / "ore.db", mounts=mounts)
    with pytest.raises(StoreError, match=kind):
        await store.create("t", {})
    await store.aclose()
    assert not folder.exists()
    near = SqliteStore(tmp_path / "far away too.db", mounts=mounts)
    await near.create("t", {})
    await near.aclose()


def test_an_sqlite_that_is_too_old_is_refused() -> None:
    check_library((3, 35, 0))
    with pytest.raises(StoreError):
        check_library((3, 34, 1))


@pytest.mark.parametrize("name", ["", ":memory:", "a\0b"])
def test_a_store_needs_the_path_of_a_file(name: str) -> None:
    with pytest.raises(InputError):
        SqliteStore(name)


@pytest.mark.parametrize(
    ("damage", "number"),
    [
        ("UPDATE log SET body = '{' WHERE session = 1 AND sequence = 2", 2),
        ("UPDATE log SET body = x'80' WHERE session = 1 AND sequence = 3", 3),
        ('UPDATE log SET body = \'{"record":"turn"}\' WHERE session = 1 AND sequence = 1', 1),
        ("DELETE FROM log WHERE session = 1 AND sequence = 2", 2),
        ("DELETE FROM log WHERE session = 1 AND sequence = 3", 3),
    ],
)
async def test_a_corrupt_thread_names_its_record_and_hides_no_other(path: Path, damage: str, number: int) -> None:
    async with opened(path) as store:
        for name in ("bad", "good"):
            await store.create(name, {"is": name})
            await store.append(await store.take(name), [said(f"{n}", f"needle {n}") for n in range(3)])
    change(path, damage)
    async with opened(path) as store:
        with pytest.raises(CorruptError, match=rf"'bad'.* {number} "):
            await store.load("bad")
        assert [thread.id for thread in (await store.list()).threads] == ["good", "bad"]
        assert [await store.get_by("is", name) for name in ("bad", "good")] == ["bad", "good"]
        assert [hit.turn for hit in await store.search("needle") if hit.id == "good"] == ["0", "1", "2"]
        await store.append(await store.take("good"), [said("more")])
        assert (await store.load("good")).sequence == 4


async def test_a_record_of_a_newer_ore_is_passed_over(path: Path) -> None:
    async with opened(path) as store:
        await store.create("t", {})
        await store.append(await store.take("t"), [said("1"), said("2")])
    change(path, """UPDATE log SET body = '{"record":"from the future","x":1}' WHERE sequence = 1""")
    async with opened(path) as store:
        loaded = await store.load("t")
    assert ([turn.id for turn in loaded.turns], loaded.sequence) == (["2"], 2)


async def test_a_codec_with_a_third_partys_kind_gives_it_back(path: Path) -> None:
    class Poll(Artifact, frozen=True, kw_only=True, tag="x_poll"):
        question: str

    poll = Poll(question="why?")
    store = SqliteStore(path, codec=Codec(Poll))
    await store.create("t", {})
    await store.submit("t", Message(id="m", artifacts=(poll,)))
    record = TurnRecord(turn=Turn(id="1", role=Role.USER, artifacts=(poll,)))
    await store.append(await store.take("t"), [record])
    await store.aclose()
    for codec, expected in ((Codec(Poll), poll), (Codec(), Unknown(name="x_poll", raw=msgspec.json.encode(poll)))):
        again = SqliteStore(path, codec=codec)
        assert (await again.load("t")).turns[0].artifacts == (expected,)
        assert (await again.pending("t"))[0].artifacts == (expected,)
        await again.aclose()


async def test_a_deleted_threads_words_are_not_in_the_index(path: Path) -> None:
    async with opened(path) as store:
        await store.create("t", {})
        await store.append(await store.take("t"), [said("1", "needle")])
        assert len(await store.search("needle")) == 1
        await store.delete("t")
    assert read(path, "SELECT count(*) FROM words") == [(0,)]


def fill(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def contents(path: Path) -> bytes:
    return path.read_bytes()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def hold(path: Path) -> Iterator[None]:
    """Be another process in the middle of a write."""
    connection = sqlite3.connect(path, timeout=5, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
    finally:
        connection.close()


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def read(path: Path, statement: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    rows = connection.execute(statement).fetchall()
    connection.close()
    return rows
