"""A folder of JSON files when its process dies, its disk is full, or two processes want it."""

import asyncio
import errno
import json
import os
import random
import shutil
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from ore.artifact import Text
from ore.errors import NotFoundError, SessionOwnedError, StoreError
from ore.ext.stores.json_dir import JsonStore
from ore.ledger import (
    Control,
    ControlRecord,
    EndingRecord,
    MemoryStore,
    Message,
    Outcome,
    Store,
    StoredThread,
    Writer,
)
from stores.json_folder import contents, ids, names, opened, said

PROGRAM = Path(__file__).with_name("json_dir_process.py")


# ── At any instruction ───────────────────────────────────────────────────────


class Killed(BaseException):
    """The process is no more."""


CALLS = ("open", "pwrite", "ftruncate", "fsync", "utime", "replace", "unlink")
"""What a store asks of the disk, to change something."""


class Disk:
    """Stands between the store's thread and the disk; something happens at the n-th thing that is asked of it.

    Args:
        happens: Gets the call; whether it is the last one.
    """

    def __init__(self, at: int, happens: Callable[[str, Callable[..., Any], tuple[Any, ...]], bool]) -> None:
        self.at = at
        self.calls = 0
        self.is_over = False
        self._happens = happens

    def install(self, patch: pytest.MonkeyPatch) -> None:
        for name in CALLS:
            patch.setattr(os, name, self._call(name, getattr(os, name)))

    def _call(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **more: Any) -> Any:
            is_reading = name == "open" and not arguments[1] & os.O_CREAT
            if is_reading or not threading.current_thread().name.startswith("ore-json-store"):
                return call(*arguments, **more)
            if self.is_over:
                raise Killed
            self.calls += 1
            if self.calls == self.at:
                self.is_over = self._happens(name, call, arguments)
                if self.is_over:
                    raise Killed
            return call(*arguments, **more)

        return called


def dies(name: str, call: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    """The process is killed; what it was writing is there by half."""
    if name == "pwrite":
        descriptor, content, at = arguments
        call(descriptor, bytes(content)[: len(content) // 2], at)
    return True


def is_full(name: str, call: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    """The disk takes nothing, or half of it; a moment later it takes all again."""
    if name == "pwrite":
        descriptor, content, at = arguments
        call(descriptor, bytes(content)[: len(content) // 2], at)
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Session:
    """Does one thing after the other with a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.writer: Writer | None = None

    async def do(self, step: tuple[Any, ...]) -> None:
        store, writer = self.store, self.writer
        match step:
            case ("create", name):
                await store.create(name, {"a": "1"})
            case ("delete", name):
                await store.delete(name)
            case ("submit", message):
                await store.submit("t", Message(id=message, artifacts=(Text(content=message),)))
            case ("interrupt",):
                await store.interrupt("t")
            case ("take",):
                self.writer = await store.take("t")
            case ("next",):
                assert writer is not None
                await store.next(writer, mark=True)
            case ("append", *records):
                assert writer is not None
                await store.append(writer, records)
            case ("close",):
                assert writer is not None
                await store.close(writer)
            case _:
                raise AssertionError(step)


STEPS: Sequence[tuple[Any, ...]] = (
    ("create", "t"),
    ("submit", "m"),
    ("take",),
    ("next",),
    ("append", said("1"), said("2", parent="1")),
    ("interrupt",),
    ("append", ControlRecord(turn_id="1", control=Control.STOP), EndingRecord(message="m", outcome=Outcome.DONE)),
    ("close",),
    ("create", "u"),
    ("take",),
    ("append", said("3", parent="2")),
    ("delete", "u"),
    ("close",),
)

Seen = tuple[StoredThread | None, Sequence[Message], bool]


async def seen(store: Store) -> Seen:
    """All that can be known, but that a take may have come before."""
    is_there = {thread.id for thread in (await store.list()).threads}
    try:
        return await store.load("t"), await store.pending("t"), "u" in is_there
    except NotFoundError:
        return None, (), "u" in is_there


async def states() -> list[Seen]:
    """What there is before the first step, and after each."""
    store = MemoryStore()
    session = Session(store)
    found = [await seen(store)]
    for step in STEPS:
        await session.do(step)
        found.append(await seen(store))
    return found


@pytest.mark.slow
@pytest.mark.requirement("B49", "D-json-durable")
async def test_whenever_the_process_dies_each_step_was_done_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that had returned were; and the next process goes on from there."""
    expected = await states()
    at = 0
    has_died = True
    while has_died:
        at += 1
        folder = tmp_path / str(at)
        disk = Disk(at, dies)
        store = JsonStore(folder)
        session = Session(store)
        done = 0
        with monkeypatch.context() as patch:
            disk.install(patch)
            with suppress(Killed):
                for step in STEPS:
                    await session.do(step)
                    done += 1
            with suppress(Killed):
                await store.aclose()
        has_died = disk.is_over
        async with opened(folder) as again:
            assert await seen(again) in expected[done : done + 2], (at, STEPS[done : done + 1])
            assert names(folder) <= {"t.json", "t.log", "u.json", "u.log"}
            await goes_on(again)
    assert at > 60


async def goes_on(store: JsonStore) -> None:
    with suppress(NotFoundError):
        before = await store.load("t")
        writer = await store.take("t")
        await store.append(writer, [said("more")])
        await store.close(writer)
        assert (await store.load("t")).turns == (*before.turns, said("more").turn)
    await store.delete("u")
    await store.create("u", {})


@pytest.mark.slow
@pytest.mark.requirement("D-json-disk-full")
async def test_whenever_the_disk_is_full_the_step_is_refused_and_works_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was there before is untouched; where only a file could not be brought up to date, nobody is told."""
    expected = await states()
    at = 0
    has_failed = True
    while has_failed:
        at += 1
        folder = tmp_path / str(at)
        disk = Disk(at, is_full)
        store = JsonStore(folder)
        session = Session(store)
        with monkeypatch.context() as patch:
            disk.install(patch)
            for number, step in enumerate(STEPS):
                try:
                    await session.do(step)
                except StoreError:
                    assert await seen(store) == expected[number] or step[0] == "delete"
                    await session.do(step)
                assert await seen(store) == expected[number + 1]
            await store.aclose()
        has_failed = disk.calls >= at
        async with opened(folder) as again:
            assert await seen(again) == expected[-1]
            assert names(folder) <= {"t.json", "t.log"}
            await goes_on(again)
    assert at > 60


async def test_a_write_that_failed_and_cannot_be_undone_is_never_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line is in the file, but whoever wrote it was told that it is not."""

    def fails(descriptor: int, *_: int) -> None:
        if threading.current_thread().name.startswith("ore-json-store"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    async with opened(tmp_path) as store:
        await store.create("t", {})
        writer = await store.take("t")
        await store.append(writer, [said("1")])
        with monkeypatch.context() as patch:
            for name in ("fsync", "ftruncate"):
                patch.setattr(os, name, fails)
            with pytest.raises(StoreError):
                await store.append(writer, [said("2")])
        assert b'"2"' in contents(tmp_path / "t.log")
        assert ids((await store.load("t")).turns) == ["1"]
        await store.append(writer, [said("3")])
        assert (ids((await store.load("t")).turns), writer.sequence) == (["1", "3"], 2)
        with monkeypatch.context() as patch:
            for name in ("fsync", "ftruncate"):
                patch.setattr(os, name, fails)
            with pytest.raises(StoreError):
                await store.append(writer, [said("4")])
    async with opened(tmp_path) as store:
        assert ids((await store.load("t")).turns) == ["1", "3"]


# ── Processes ────────────────────────────────────────────────────────────────


class Child:
    """Another process that works with a folder."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def line(self) -> str:
        """What it says next; empty when it ended."""
        assert self.process.stdout is not None
        return (await self.process.stdout.readline()).decode().strip()

    async def end(self) -> tuple[int | None, str, list[str]]:
        """Tell it that nothing more comes; how it ended, what it complained of, and what it said last."""
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


@pytest.mark.slow
@pytest.mark.requirement("B49")
async def test_a_process_that_is_killed_while_it_saves_a_long_thread_loses_nothing(tmp_path: Path) -> None:
    """50 times, at random; every time the old or the new version is there, and nothing else grows."""
    random.seed(49)
    acknowledged = 0
    for _ in range(50):
        async with child("save", tmp_path) as saver:
            for _ in range(random.randrange(4)):
                acknowledged = int(await saver.line())
            saver.process.kill()
            _, complaints, more = await saver.end()
        acknowledged = max([acknowledged, *map(int, more)])
        assert "Traceback" not in complaints
        async with opened(tmp_path) as store:
            for thread in (await store.list()).threads:
                loaded = await store.load(thread.id)
                assert len(loaded.turns) == loaded.sequence == thread.turns >= acknowledged
                stored = json.loads(contents(tmp_path / "t.json"))["turns"]
                assert [turn["id"] for turn in stored] == ids(loaded.turns)[: len(stored)]
            assert names(tmp_path) <= {"t.json", "t.log"}
    assert acknowledged > 60


@pytest.mark.slow
@pytest.mark.requirement("B52")
async def test_two_processes_that_save_one_thread_see_the_conflict_and_mix_nothing(tmp_path: Path) -> None:
    count = 15
    async with opened(tmp_path) as store:
        await store.create("t", {})
    async with child("race", tmp_path, "a", count) as one, child("race", tmp_path, "b", count) as other:
        ends = asyncio.create_task(one.end()), asyncio.create_task(other.end())
        longest = 0
        while not all(end.done() for end in ends):
            turns = json.loads(contents(tmp_path / "t.json"))["turns"]
            assert len(turns) >= longest
            longest = len(turns)
            await asyncio.sleep(0)
        results = [end.result() for end in ends]
    assert [(code, complaints) for code, complaints, _ in results] == [(0, "")] * 2
    assert sum(int(refused) for _, _, (refused,) in results) > 0
    async with opened(tmp_path) as store:
        loaded = await store.load("t")
    sizes = {turn.id: len(turn.artifacts[0].for_human()) for turn in loaded.turns}
    assert sizes == {f"{who}-{size}-{n}": size for who in "ab" for size in (10, 100_000) for n in range(count)}
    assert len(loaded.turns) == loaded.sequence == 4 * count
    assert names(tmp_path) == {"t.json"}


@pytest.mark.requirement("D-json-one-process")
async def test_a_second_process_is_refused_until_the_first_one_is_dead(tmp_path: Path) -> None:
    async with asyncio.timeout(15), child("hold", tmp_path) as holder:
        assert await holder.line() == "held"
        async with opened(tmp_path) as store:
            for work in (store.load("theirs"), store.list(), store.create("ours", {}), store.unfinished()):
                with pytest.raises(SessionOwnedError, match=f"{tmp_path}.*another live process"):
                    await work
            assert names(tmp_path) == {"theirs.json"}
            holder.process.kill()
            await holder.end()
            assert ids((await store.load("theirs")).turns) == []


async def test_a_process_that_closes_nothing_ends_and_loses_nothing(tmp_path: Path) -> None:
    async with asyncio.timeout(15), child("leave", tmp_path) as leaver:
        assert await leaver.end() == (0, "", [])
    async with opened(tmp_path) as store:
        assert len((await store.load("t")).turns) == 1


@pytest.mark.requirement("D-json-disk-full")
async def test_what_the_disk_does_not_take_is_an_error_and_not_a_loss(tmp_path: Path) -> None:
    async with asyncio.timeout(15), child("fill", tmp_path) as filler:
        code, complaints, lines = await filler.end()
    assert (code, "Traceback" in complaints) == (0, False)
    assert lines == ["written 1", "store 1", "written 2", "written 3", "False", "written 4", "False", "written 5"]
    assert "t.json stays behind its log" in complaints
    async with opened(tmp_path) as store:
        loaded = await store.load("t")
    lengths = [len(turn.artifacts[0].for_human()) for turn in loaded.turns]
    assert lengths == [6, 5, 300_000, 300_000, 2_000_000]
    assert names(tmp_path) == {"t.json"}


async def test_what_a_dead_process_left_unfinished_is_removed(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.create("t", {})
    for number in range(3):
        (tmp_path / f".t.{number:016x}.tmp").write_bytes(b"half")
    async with opened(tmp_path) as store:
        await store.load("t")
        assert names(tmp_path) == {"t.json"}


async def test_half_a_line_is_gone_before_the_next_one_is_written(tmp_path: Path) -> None:
    """However long it was: nothing of it is left behind a shorter line."""
    async with opened(tmp_path / "a") as store:
        await store.create("t", {})
        await store.append(await store.take("t"), [said("1")])
        shutil.copytree(tmp_path / "a", tmp_path / "b")  # as a killed process leaves it
    log = tmp_path / "b" / "t.log"
    log.write_bytes(contents(log) + contents(log)[:-1] + b"x" * 10_000)
    async with opened(tmp_path / "b") as store:
        await store.append(await store.take("t"), [said("2", parent="1")])
        assert b"xxx" not in contents(log)
        shutil.copytree(tmp_path / "b", tmp_path / "c")
    async with opened(tmp_path / "c") as store:
        assert ids((await store.load("t")).turns) == ["1", "2"]


async def test_a_log_that_outlived_its_thread_does_not_touch_the_next_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.create("t", {})
        await store.append(await store.take("t"), [said("1")])
        log = contents(tmp_path / "t.log")
        await store.delete("t")
    (tmp_path / "t.log").write_bytes(log)
    async with opened(tmp_path) as store:
        assert (await store.list()).threads == []
        await store.create("t", {})
        assert ids((await store.load("t")).turns) == []
