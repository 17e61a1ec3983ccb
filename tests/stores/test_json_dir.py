"""What only a store in a folder of JSON files can promise."""

import asyncio
import gc
import json
import os
import threading
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.app.resolve import open_store
from ore.artifact import Artifact, Codec, Text, TextDelta, Unknown
from ore.errors import ConflictError, CorruptError, InputError, NotFoundError, SessionOwnedError, StoreError
from ore.ext.stores.json_dir import JsonStore
from ore.ext.stores.json_dir import folder as json_folder
from ore.ext.stores.json_dir.lines import line_of, lines_in
from ore.ext.stores.json_dir.names import id_of, marked
from ore.ledger import (
    Control,
    ControlRecord,
    EndingRecord,
    Message,
    MetadataRecord,
    Operation,
    Outcome,
    QuestionRecord,
    QuestionStatus,
    Record,
    Role,
    TipRecord,
    Turn,
    TurnRecord,
    encode_turn,
    is_id,
)
from stores.json_folder import contents, fill, ids, mode, names, opened, said, save, turn, write

# ── The layout ───────────────────────────────────────────────────────────────


@pytest.mark.requirement("C227")
async def test_a_thread_is_one_file_of_the_originals_layout_once_it_is_given_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.create("t", {"a": "1"})
        assert names(tmp_path) == {"t.json"}
        writer = await store.take("t")
        await store.append(writer, [said("1"), said("2", parent="1"), TipRecord(turn_id="1")])
        await store.append(writer, [said("3", parent="1"), ControlRecord(turn_id="2", control=Control.SKIP)])
        await store.append(writer, [MetadataRecord(operations=(Operation(op="set", key="b", value=""),))])
        assert names(tmp_path) == {"t.json", "t.log"}
        await store.close(writer)
        assert names(tmp_path) == {"t.json"}
        stored = json.loads(contents(tmp_path / "t.json"))
    turns = [turn("1"), msgspec.structs.replace(turn("2", parent="1"), control=Control.SKIP), turn("3", parent="1")]
    assert {key: value for key, value in stored.items() if key != "ore"} == {
        "id": "t",
        "current_tip": "3",
        "metadata": {"a": "1", "b": ""},
        "turns": [json.loads(encode_turn(each)) for each in turns],
    }
    assert stored["turns"][0]["artifacts"] == [{"kind": "text", "content": "1", "provider_data": None}]


@pytest.mark.requirement("C226", "C227")
async def test_deleting_a_thread_removes_its_files(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        for name in ("a", "b"):
            await store.create(name, {})
        await store.append(await store.take("a"), [said("1")])
        assert (await store.delete("a"), await store.delete("a")) == (True, False)
        assert names(tmp_path) == {"b.json"}
        assert [thread.id for thread in (await store.list()).threads] == ["b"]


@pytest.mark.requirement("L10", "N06")
async def test_deleting_a_thread_that_was_never_read_tells_that_it_was_there(tmp_path: Path) -> None:
    await fill(tmp_path, t="x")
    async with opened(tmp_path) as store:
        assert [await store.delete("t"), await store.delete("t")] == [True, False]
    assert names(tmp_path) == set()


async def test_what_a_session_needs_beside_its_turns_is_in_the_same_file(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.create("t", {})
        for id in ("m", "n", "o"):
            await store.submit("t", Message(id=id, artifacts=(Text(content=id),)))
        asked = QuestionRecord(key="1:0", status=QuestionStatus.OPEN, question={"n": [1]})
        ended = EndingRecord(message="m", outcome=Outcome.DONE)
        writer = await store.take("t")
        await store.append(writer, [said("1"), asked, ended])
        await store.next(writer, mark=True)
        await store.interrupt("t")
        await store.close(writer)
        before = await store.load("t")
        assert names(tmp_path) == {"t.json"}
    async with opened(tmp_path) as store:
        assert await store.load("t") == before
        assert [(message.id, message.taken) for message in await store.pending("t")] == [("n", True), ("o", False)]
        assert await store.submit("t", Message(id="m", artifacts=(Text(content="m"),))) == ended
        with pytest.raises(ConflictError):
            await store.submit("t", Message(id="m", artifacts=(Text(content="another"),)))
        writer = await store.take("t")
        assert (writer.epoch, writer.sequence, writer.stop) == (3, 3, True)


async def test_closing_the_store_completes_the_files_of_what_was_not_given_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.create("t", {})
        await store.append(await store.take("t"), [said("1")])
    assert names(tmp_path) == {"t.json"}
    assert [each["id"] for each in json.loads(contents(tmp_path / "t.json"))["turns"]] == ["1"]


async def test_a_long_log_goes_into_the_file_whatever_is_in_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.create("t", {})
        message = Message(id="m", artifacts=(Text(content="x" * 100_000),))
        await store.submit("t", message)
        await store.close(await store.take("t"))
        assert names(tmp_path) == {"t.json"}
        assert await store.pending("t") == [message]


async def test_files_and_folders_are_for_the_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    async with opened(folder) as store:
        await store.create("t", {})
        await store.append(await store.take("t"), [said("1")])
        assert names(folder) == {"t.json", "t.log"}
        assert {mode(path) for path in folder.iterdir()} == {0o600}
        assert [mode(folder), mode(folder.parent)] == [0o700, 0o700]


async def test_an_append_touches_nothing_but_the_end_of_the_log(tmp_path: Path) -> None:
    """So it costs the same in a long thread as in a short one."""
    grown: list[int] = []
    for length in (10, 5_000):
        place = tmp_path / str(length)
        async with opened(place) as store:
            await store.create("t", {})
            await save(store, "t", *[said(f"{number:016x}", "x" * 200) for number in range(length)])
            writer = await store.take("t")
            file, log = os.stat(place / "t.json"), os.stat(place / "t.log")
            await store.append(writer, [said("f" * 16, "x" * 200)])
            after = os.stat(place / "t.json")
            assert (after.st_ino, after.st_mtime_ns, after.st_size) == (file.st_ino, file.st_mtime_ns, file.st_size)
            grown.append(os.stat(place / "t.log").st_size - log.st_size)
            assert len((await store.load("t")).turns) == length + 1
    assert grown[0] == grown[1]


async def test_reading_and_taking_leave_files_as_they_are(tmp_path: Path) -> None:
    write(tmp_path / "t.json", '{"id": "t", "turns": [{"role": "user", "artifacts": []}]}')
    before = contents(tmp_path / "t.json")
    async with opened(tmp_path) as store:
        await store.load("t")
        await store.list()
        await store.close(await store.take("t"))
    assert contents(tmp_path / "t.json") == before


# ── Names ────────────────────────────────────────────────────────────────────


THREAD_IDS = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}", fullmatch=True)


@pytest.mark.requirement("L11")
@given(st.lists(THREAD_IDS | st.sampled_from(["A", "a", "Ab", "aB", "AB", "ab"]), unique=True, min_size=2))
def test_marked_names_differ_also_where_case_does_not_count(thread_ids: list[str]) -> None:
    stems = [marked(thread_id) for thread_id in thread_ids]
    assert [id_of(stem) for stem in (*stems, *thread_ids)] == thread_ids * 2
    assert len({stem.casefold() for stem in stems}) == len(thread_ids)
    assert not any(is_id(stem) or len(stem) > 200 or stem.startswith(".") or "/" in stem for stem in stems)


@pytest.mark.parametrize("stem", ["a^", "a^g", "a^2", "a^01", "A^1", "a^1^1", "^1", "", "a b", "1^1", "a^" + "f" * 40])
def test_other_names_are_no_threads(stem: str) -> None:
    assert id_of(stem) is None


@pytest.mark.requirement("L11")
async def test_ids_that_differ_in_case_have_files_that_differ_in_more(tmp_path: Path) -> None:
    """The first one's name is the id, as the original has it."""
    thread_ids = ["Trip", "trip", "TRIP", "trip-1"]
    for thread_id in thread_ids:
        async with opened(tmp_path) as store:
            await store.create(thread_id, {"is": thread_id})
            await save(store, thread_id, said(thread_id))
    assert names(tmp_path) == {"Trip.json", "trip^0.json", "trip^f.json", "trip-1.json"}
    async with opened(tmp_path) as store:
        for thread_id in thread_ids:
            assert await store.get_by("is", thread_id) == thread_id
            assert ids((await store.load(thread_id)).turns) == [thread_id]
        assert await store.delete("Trip")
        await store.create("tRIP", {})
        await store.delete("trip")
        await store.create("trip", {})
        assert names(tmp_path) == {"tRIP.json", "trip^0.json", "trip^f.json", "trip-1.json"}


async def test_a_file_is_not_taken_for_that_of_an_id_in_another_case(tmp_path: Path) -> None:
    """As a file system that does not tell them apart would offer it."""
    write(tmp_path / "trip.json", '{"id": "Trip", "turns": []}')
    async with opened(tmp_path) as store:
        for work in (store.load, store.take):
            with pytest.raises(NotFoundError):
                await work("trip")
        assert not await store.delete("trip")
        await store.create("trip", {})
        await save(store, "trip", said("1"))
        assert ids((await store.load("trip")).turns) == ["1"]
    assert names(tmp_path) == {"trip.json", "trip^0.json"}


async def test_a_file_under_another_name_is_a_thread_of_that_name(tmp_path: Path) -> None:
    await fill(tmp_path, a="x")
    write(tmp_path / "copy.json", contents(tmp_path / "a.json"))
    async with opened(tmp_path) as store:
        await save(store, "copy", said("2"))
        assert [len((await store.load(name)).turns) for name in ("a", "copy")] == [1, 2]
    assert json.loads(contents(tmp_path / "copy.json"))["id"] == "copy"


async def test_what_is_no_threads_file_is_left_alone(tmp_path: Path) -> None:
    others = ["notes.txt", "t.tmp", "my file.json", ".hidden.json", "x.jsonl", ".t.0123456789abcdef", ".t.xyz.tmp"]
    for name in others:
        write(tmp_path / name, "{")
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    await fill(tmp_path, t="x")
    async with opened(tmp_path) as store:
        assert [thread.id for thread in (await store.list()).threads] == ["t"]
        for name in ("folder", "pipe"):
            with pytest.raises(StoreError):
                await store.load(name)
    assert names(tmp_path) == {*others, "folder.json", "pipe.json", "t.json"}


@pytest.mark.requirement("B54", "N07")
@pytest.mark.parametrize("name", ["t.json", "t.log"])
async def test_a_symbolic_link_leads_nowhere(tmp_path: Path, name: str) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    folder.mkdir()
    await fill(folder, u="x", **({} if name == "t.json" else {"t": "x"}))
    secret = b'{"id": "t", "metadata": {"secret": "1"}, "turns": []}'
    write(outside, secret)
    (folder / name).symlink_to(outside)
    async with opened(folder) as store:
        for work in (store.load, store.take, store.pending, store.interrupt):
            with pytest.raises(StoreError):
                await work("t")
        with pytest.raises(StoreError):
            await store.create("t", {})
        assert await store.get_by("secret", "1") is None
        assert "u" in [thread.id for thread in (await store.list()).threads]
        assert [hit.id for hit in await store.search("x")] == ["u"]
        if name == "t.json":
            with pytest.raises(StoreError):
                await store.delete("t")
        else:
            assert await store.delete("t")
    assert contents(outside) == secret


# ── Damage ───────────────────────────────────────────────────────────────────


DAMAGES = (
    *(b"", b"{", b"\0" * 40, b"[]", b"null", b"{}", b"\xff", b'{"turns":' * 10_000),
    *(b'{"turns": {}}', b'{"turns": [1]}', b'{"turns": [{}]}'),
)


@pytest.mark.requirement("L13")
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: repr(damage[:20]))
async def test_a_corrupt_file_names_itself_and_hides_no_other(tmp_path: Path, damage: bytes) -> None:
    await fill(tmp_path, bad="needle", good="needle")
    write(tmp_path / "bad.json", damage)
    for message in ("m", "n"):
        async with opened(tmp_path) as store:
            for work in (store.load, store.take, store.pending):
                with pytest.raises(CorruptError, match=r"'bad'.*bad\.json"):
                    await work("bad")
            with pytest.raises(ConflictError):
                await store.create("bad", {})
            assert [thread.id for thread in (await store.list()).threads] == ["good"]
            assert [await store.get_by("is", name) for name in ("bad", "good")] == [None, "good"]
            assert [hit.id for hit in await store.search("needle")] == ["good"]
            await store.submit("good", Message(id=message))
            assert await store.unfinished() == ["good"]
            await save(store, "good", EndingRecord(message=message, outcome=Outcome.DONE))
    assert contents(tmp_path / "bad.json") == damage
    async with opened(tmp_path) as store:
        assert await store.delete("bad")


async def test_a_file_cut_anywhere_is_corrupt_and_no_shorter_thread(tmp_path: Path) -> None:
    await fill(tmp_path, t="needle")
    whole = contents(tmp_path / "t.json")
    async with opened(tmp_path) as store:
        for end in range(len(whole) - 2):
            write(tmp_path / "t.json", whole[:end])
            with pytest.raises(CorruptError, match=r"t\.json"):
                await store.load("t")
        write(tmp_path / "t.json", whole)
        assert ids((await store.load("t")).turns) == ["1"]


async def test_a_file_that_was_mended_is_read_again(tmp_path: Path) -> None:
    await fill(tmp_path, t="x")
    whole = contents(tmp_path / "t.json")
    async with opened(tmp_path) as store:
        write(tmp_path / "t.json", "{")
        assert (await store.list()).threads == []
        write(tmp_path / "t.json", whole)
        assert [thread.id for thread in (await store.list()).threads] == ["t"]
        await store.take("t")


@pytest.mark.requirement("L14")
@pytest.mark.parametrize("kept", [0, 1, 7, 8, 9, 10, 100, -100, -2, -1])
async def test_what_was_never_finished_at_the_end_of_a_log_is_cut_off(tmp_path: Path, kept: int) -> None:
    """Wherever it broke off; what follows does not glue onto it."""
    async with opened(tmp_path) as store:
        await store.create("t", {})
        writer = await store.take("t")
        await store.append(writer, [said("1")])
        start = len(contents(tmp_path / "t.log"))
        await store.append(writer, [said("2")])
        file, log = contents(tmp_path / "t.json"), contents(tmp_path / "t.log")
    write(tmp_path / "t.json", file)
    write(tmp_path / "t.log", log[:start] + log[start:][:kept])
    async with opened(tmp_path) as store:
        assert ids((await store.load("t")).turns) == ["1"]
        writer = await store.take("t")  # a line that is shorter than what it takes the place of
        log = contents(tmp_path / "t.log")
        assert lines_in(log, "t.log")[1] == len(log)
        await store.append(writer, [said("3")])
        assert ids((await store.load("t")).turns) == ["1", "3"]
    async with opened(tmp_path) as store:
        assert ids((await store.load("t")).turns) == ["1", "3"]


@pytest.mark.parametrize("junk", [b"\x00" * 100, b"x" * 50 + b"\n", b"\n\n"])
async def test_what_a_log_ends_with_after_a_crash_of_the_machine_is_cut_off(tmp_path: Path, junk: bytes) -> None:
    async with opened(tmp_path) as store:
        await store.create("t", {})
        await store.append(await store.take("t"), [said("1")])
        file, log = contents(tmp_path / "t.json"), contents(tmp_path / "t.log")
    write(tmp_path / "t.json", file)
    write(tmp_path / "t.log", log + junk)
    async with opened(tmp_path) as store:
        await store.append(await store.take("t"), [said("2")])
        assert ids((await store.load("t")).turns) == ["1", "2"]


@pytest.mark.parametrize("damage", ["flip", "drop", "swap"])
async def test_damage_in_the_middle_of_a_log_is_corrupt_and_not_cut_off(tmp_path: Path, damage: str) -> None:
    async with opened(tmp_path) as store:
        await store.create("t", {})
        writer = await store.take("t")
        for number in range(4):
            await store.append(writer, [said(str(number))])
        file, lines = contents(tmp_path / "t.json"), contents(tmp_path / "t.log").splitlines(keepends=True)
    if damage == "flip":
        lines[2] = lines[2].replace(b'"content":"1"', b'"content":"7"')
    elif damage == "drop":
        del lines[2]
    else:
        lines[2], lines[3] = lines[3], lines[2]
    write(tmp_path / "t.json", file)
    write(tmp_path / "t.log", b"".join(lines))
    async with opened(tmp_path) as store:
        for work in (store.load, store.take):
            with pytest.raises(CorruptError, match=r"t\.log.*line [34]"):
                await work("t")
        assert (await store.list()).threads == []
    assert contents(tmp_path / "t.log") == b"".join(lines)


@pytest.mark.requirement("L15")
async def test_what_a_newer_ore_wrote_is_passed_over_and_kept(tmp_path: Path) -> None:
    async with opened(tmp_path) as store:
        await store.create("t", {})
        file = contents(tmp_path / "t.json")
        await store.append(await store.take("t"), [said("1")])
        log = contents(tmp_path / "t.log")
    news = [
        line_of(b'{"do":"sing","number":3,"song":1}'),
        line_of(b'{"do":"append","number":4,"written":9,"records":[{"record":"from the future","x":1}]}'),
    ]
    write(tmp_path / "t.json", file)
    write(tmp_path / "t.log", log + b"".join(news))
    async with opened(tmp_path) as store:
        await save(store, "t", said("2"))
        loaded = await store.load("t")
        assert (ids(loaded.turns), loaded.sequence) == (["1", "2"], 3)
    assert contents(tmp_path / "t.log").startswith(log + b"".join(news))


async def test_a_file_of_a_newer_ore_is_refused_and_left_alone(tmp_path: Path) -> None:
    newer = b'{"id":"t","ore":{"version":7},"turns":[]}'
    write(tmp_path / "t.json", newer)
    async with opened(tmp_path) as store:
        for work in (store.load, store.take):
            with pytest.raises(StoreError, match="newer ore"):
                await work("t")
    assert contents(tmp_path / "t.json") == newer


@pytest.mark.requirement("C233")
async def test_a_fragment_is_not_stored(tmp_path: Path) -> None:
    record = TurnRecord(turn=Turn(id="2", role=Role.ASSISTANT, artifacts=(TextDelta(content="x"),)))
    async with opened(tmp_path) as store:
        await store.create("t", {})
        writer = await store.take("t")
        with pytest.raises(InputError, match="text_delta"):
            await store.append(writer, [said("1"), record])
        assert ((await store.load("t")).turns, writer.sequence) == ((), 0)


async def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    broken = Turn(id="2", role=Role.USER, artifacts=(Unknown(name="x", raw=b"{"),))
    async with opened(tmp_path) as store:
        await store.create("t", {})
        writer = await store.take("t")
        with pytest.raises(InputError):
            await store.append(writer, [said("1"), TurnRecord(turn=broken)])
        await store.append(writer, [said("3")])
        assert ids((await store.load("t")).turns) == ["3"]


# ── Lists ────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("P19")
async def test_a_list_is_made_without_reading_turns(tmp_path: Path) -> None:
    """They could be anything."""
    await fill(tmp_path, t="first words")
    head, _, body = contents(tmp_path / "t.json").partition(b"\n")
    write(tmp_path / "t.json", head + b"\n" + b"?" * len(body))
    async with opened(tmp_path) as store:
        assert [(thread.preview, thread.turns) for thread in (await store.list()).threads] == [("first words", 1)]
        assert await store.get_by("is", "t") == "t"
        assert await store.search("first words") == []
        with pytest.raises(CorruptError):
            await store.load("t")


@pytest.mark.requirement("L9", "N05")
async def test_a_fact_that_is_missing_is_not_one_that_is_empty(tmp_path: Path) -> None:
    write(tmp_path / "without.json", '{"turns": []}')
    write(tmp_path / "other.json", '{"metadata": {"b": ""}, "turns": []}')
    async with opened(tmp_path) as store:
        assert await store.get_by("a", "") is None
        write(tmp_path / "with.json", '{"metadata": {"a": ""}, "turns": []}')
        assert await store.get_by("a", "") == "with"


@pytest.mark.requirement("P20")
async def test_looking_through_all_threads_and_working_on_them_stop_nobody(tmp_path: Path) -> None:
    async def work(store: JsonStore, name: str) -> None:
        await store.create(name, {"is": name})
        for number in range(3):
            await save(store, name, said(str(number)))
            assert await store.get_by("is", name) == name
            await store.list()

    async with opened(tmp_path) as store, asyncio.timeout(15), asyncio.TaskGroup() as group:
        for number in range(8):
            group.create_task(work(store, f"t{number}"))


async def test_an_old_file_is_read_once_for_all_lists(tmp_path: Path) -> None:
    """Until its time, its size or its inode changes."""
    path = tmp_path / "t.json"
    old = b'{"id": "t", "metadata": {"a": "1"}, "turns": []}'
    write(path, old)
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    async with opened(tmp_path) as store:
        assert await store.get_by("a", "1") == "t"
        write(path, old.replace(b'"1"', b'"2"'))
        os.utime(path, ns=times)
        assert await store.get_by("a", "1") == "t"
        os.utime(path, ns=(times[0], times[1] + 1))
        assert [await store.get_by("a", value) for value in ("1", "2")] == [None, "t"]


async def test_the_order_of_writing_survives_a_clock_that_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = time.time_ns() + 10**15
    monkeypatch.setattr(time, "time_ns", lambda: clock)
    expected: list[str] = []
    for number in range(6):
        clock -= 10**12
        async with opened(tmp_path) as store:
            await store.create(f"a{number}", {})
            await store.create(f"b{number}", {})
            await save(store, f"a{number}", said("1"))
            expected = [f"a{number}", f"b{number}", *expected]
            assert [thread.id for thread in (await store.list()).threads] == expected


async def test_pages_show_old_files_of_one_time_once(tmp_path: Path) -> None:
    for number in range(7):
        write(tmp_path / f"t{number}.json", '{"turns": []}')
        os.utime(tmp_path / f"t{number}.json", (1e9, 1e9))
    seen: list[str] = []
    async with opened(tmp_path) as store:
        page = await store.list(limit=3)
        while page.next_cursor is not None:
            seen += [thread.id for thread in page.threads]
            page = await store.list(limit=3, cursor=page.next_cursor)
        seen += [thread.id for thread in page.threads]
    assert seen == [f"t{number}" for number in range(7)]


# ── Tasks, loops and ends ────────────────────────────────────────────────────


@pytest.mark.requirement("C231")
async def test_many_threads_are_made_and_saved_at_once(tmp_path: Path) -> None:
    async def session(store: JsonStore, name: str) -> None:
        await store.create(name, {})
        await save(store, name, said(name))
        assert ids((await store.load(name)).turns) == [name]

    async with opened(tmp_path) as store, asyncio.timeout(10), asyncio.TaskGroup() as group:
        for number in range(50):
            group.create_task(session(store, f"t{number}"))
    async with opened(tmp_path) as store:
        assert len((await store.list(limit=100)).threads) == 50


@pytest.mark.requirement("N08", "L12")
async def test_facts_that_change_while_they_are_saved_tear_nothing(tmp_path: Path) -> None:
    facts = {"a": "1"}
    async with opened(tmp_path) as store:
        making = asyncio.create_task(store.create("t", facts))
        await asyncio.sleep(0)  # it has asked for the file
        facts.clear()
        await making
        assert (await store.load("t")).metadata == {"a": "1"}


async def test_more_threads_than_are_kept_in_memory_are_all_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_folder, "ENTRIES", 2)
    async with opened(tmp_path) as store:
        for number in range(6):
            await store.create(f"t{number}", {})
        writers = [await store.take(f"t{number}") for number in range(6)]
        for round in ("1", "2"):
            for writer in writers:
                await store.append(writer, [said(round)])
        assert [ids((await store.load(f"t{number}")).turns) for number in range(6)] == [["1", "2"]] * 6


def test_one_store_serves_one_event_loop_after_another(tmp_path: Path) -> None:
    store = JsonStore(tmp_path)

    async def first() -> None:
        await store.create("t", {})
        await store.append(await store.take("t"), [said("1")])

    async def second() -> None:
        await store.append(await store.take("t"), [said("2")])
        await store.aclose()

    async def third() -> None:
        assert ids((await store.load("t")).turns) == ["1", "2"]
        await store.aclose()

    for work in (first, second, third):
        asyncio.run(work())


def test_one_store_serves_event_loops_in_several_threads(tmp_path: Path) -> None:
    store = JsonStore(tmp_path)
    failures: list[BaseException] = []

    async def session(name: str) -> None:
        await store.create(name, {})
        writer = await store.take(name)
        for number in range(10):
            await store.append(writer, [said(str(number))])
        assert len((await store.load(name)).turns) == 10

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


async def test_work_that_comes_while_the_store_closes_finds_it_open_again(tmp_path: Path) -> None:
    store = JsonStore(tmp_path)
    await store.create("t", {})
    writer = await store.take("t")
    for number in range(20):
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            group.create_task(store.aclose())
            await asyncio.sleep(0)  # it is closing
            group.create_task(append(store, writer, said(str(number))))
    assert ids((await store.load("t")).turns) == [str(number) for number in range(20)]
    await store.aclose()


async def append(store: JsonStore, writer: object, record: Record) -> None:
    await store.append(writer, [record])  # type: ignore[arg-type]  # whatever take gave


async def test_nothing_is_opened_before_the_first_use(tmp_path: Path) -> None:
    threads = threading.active_count()
    store = JsonStore(tmp_path / "folder")
    with pytest.raises(InputError):
        await store.create("../x", {})
    with pytest.raises(InputError):
        await store.submit("t", Message(id="../x"))
    await store.aclose()
    assert (os.listdir(tmp_path), threading.active_count()) == ([], threads)


async def test_closing_leaves_no_thread_and_no_descriptor(tmp_path: Path) -> None:
    before = (threading.active_count(), len(os.listdir("/proc/self/fd")))
    for number in range(30):
        async with opened(tmp_path) as store:
            await store.create(f"t{number}", {})
            await store.append(await store.take(f"t{number}"), [said("1")])
            await store.list()
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == before


async def test_a_store_that_is_dropped_ends_its_thread_and_gives_the_folder_back(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    store = JsonStore(tmp_path)
    await store.create("t", {})
    started = set(threading.enumerate()) - before
    del store
    gc.collect()
    for thread in started:
        thread.join(5)
    assert (len(started), any(thread.is_alive() for thread in started)) == (1, False)
    async with opened(tmp_path) as store:
        await store.load("t")


@pytest.mark.requirement("D-json-one-process")
async def test_one_store_has_the_folder_at_a_time(tmp_path: Path) -> None:
    async with opened(tmp_path) as store, opened(tmp_path) as other:
        await store.create("t", {})
        for work in (other.load, other.take, other.delete):
            with pytest.raises(SessionOwnedError, match=str(tmp_path)):
                await work("t")
        await store.aclose()
        await other.load("t")


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_a_store_needs_the_path_of_a_folder(name: str) -> None:
    with pytest.raises(InputError):
        JsonStore(name)


async def test_a_folder_that_cannot_be_made_is_an_error_until_it_can(tmp_path: Path) -> None:
    write(tmp_path / "folder", "a file")
    async with opened(tmp_path / "folder") as store:
        with pytest.raises(StoreError):
            await store.list()
        os.unlink(tmp_path / "folder")
        await store.create("t", {})


async def test_a_codec_with_a_third_partys_kind_gives_it_back(tmp_path: Path) -> None:
    class Poll(Artifact, frozen=True, kw_only=True, tag="x_poll"):
        question: str

    poll = Poll(question="why?")
    async with opened(tmp_path, Codec(Poll)) as store:
        await store.create("t", {})
        await store.submit("t", Message(id="m", artifacts=(poll,)))
        await save(store, "t", TurnRecord(turn=Turn(id="1", role=Role.USER, artifacts=(poll,))))
    for codec, expected in ((Codec(Poll), poll), (Codec(), Unknown(name="x_poll", raw=msgspec.json.encode(poll)))):
        async with opened(tmp_path, codec) as store:
            assert (await store.load("t")).turns[0].artifacts == (expected,)
            assert (await store.pending("t"))[0].artifacts == (expected,)


async def test_a_url_opens_one(tmp_path: Path) -> None:
    store = open_store(f"json:{tmp_path}")
    assert isinstance(store, JsonStore)
    await store.create("t", {})
    await store.aclose()
    assert names(tmp_path) == {"t.json"}
