"""Checks of a store's threads: made, found, listed, searched and removed."""

import asyncio
from datetime import UTC, datetime

from ore.artifact import Text, ToolResult
from ore.errors import ConflictError, InputError, NotFoundError
from ore.ledger import (
    INNER,
    TITLE_KEY,
    EndingRecord,
    Message,
    Outcome,
    Role,
    Store,
    StoredThread,
    Summary,
    TipRecord,
    Turn,
)
from ore.testing.contracts.expectations import said, same, set_fact, tell, true, wrong
from ore.testing.contracts.store_bench import StoreBench

__all__ = ["CHECKS", "UNSAFE_IDS"]

UNSAFE_IDS = (
    *("../../x", "/etc/x", "..", ".", "a/../b", "a\\b", "x\0y", "", "a" * 300, "%2e%2e%2fx", "../x", ".hidden"),
    *("-flag", "a b", "a\n", "ключ", "a:b", "x\ud800"),
)
"""Ids that must never reach a path or a query."""

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def _turn(id: str, text: str, role: Role = Role.USER, parent: str | None = None) -> Turn:
    return Turn(id=id, parent_id=parent, role=role, artifacts=(Text(content=text),), timestamp=NOON)


async def _filled(store: Store, thread_id: str, *turns: Turn) -> None:
    await store.create(thread_id, {})
    await tell(store, await store.take(thread_id), *turns)


async def a_new_thread_is_empty(bench: StoreBench) -> None:
    """Nothing but what it was made with."""
    store = await bench.fresh()
    await store.create("t", {"a": "1", "b": ""})
    same(await store.load("t"), StoredThread(id="t", metadata={"a": "1", "b": ""}, turns=(), epoch=1))


async def a_thread_is_made_once(bench: StoreBench) -> None:
    """The second creation changes nothing."""
    store = await bench.fresh()
    await store.create("t", {"a": "1"})
    await wrong(ConflictError, store.create("t", {"a": "2"}))
    same((await store.load("t")).metadata, {"a": "1"})


async def of_many_creations_at_once_one_wins(bench: StoreBench) -> None:
    """Creation is exclusive."""
    store = await bench.fresh()

    async def attempt() -> bool:
        try:
            await store.create("t", {})
        except ConflictError:
            return False
        return True

    async with asyncio.TaskGroup() as group:
        attempts = [group.create_task(attempt()) for _ in range(8)]
    same(sum(attempt.result() for attempt in attempts), 1)


async def a_missing_thread_is_not_found(bench: StoreBench) -> None:
    """Missing is an error of its own; removing what is not there is none."""
    store = await bench.fresh()
    await wrong(NotFoundError, store.load("t"))
    await wrong(NotFoundError, store.take("t"))
    await wrong(NotFoundError, store.submit("t", Message(id="m")))
    await wrong(NotFoundError, store.pending("t"))
    await wrong(NotFoundError, store.interrupt("t"))
    same(await store.delete("t"), False)
    same(await store.get_by("a", "1"), None)


async def unsafe_ids_are_refused_before_anything_is_touched(bench: StoreBench) -> None:
    """No id leads out of the store, whatever is done with it."""
    store = await bench.fresh()
    for name in UNSAFE_IDS:
        await wrong(InputError, store.create(name, {}))
        await wrong(InputError, store.load(name))
        await wrong(InputError, store.delete(name))
        await wrong(InputError, store.submit(name, Message(id="m")))
        await wrong(InputError, store.pending(name))
        await wrong(InputError, store.take(name))
        await wrong(InputError, store.interrupt(name))
    same((await store.list()).threads, [])


async def sessions_are_locked_in_the_same_place(bench: StoreBench) -> None:
    """By everybody who opens the same threads."""
    store = await bench.fresh()
    folder = store.lock_folder
    same((await bench.reopen(store)).lock_folder, folder)


async def odd_ids_are_as_good_as_others(bench: StoreBench) -> None:
    """Ids that a file system might mistake for each other, or for a device."""
    store = await bench.fresh()
    names = ("CON", "con", "a_b", "a.b", "a-b", "_", "a" * 128, "0", "nul.txt", "a.tmp")
    for name in names:
        await store.create(name, {"is": name})
    store = await bench.reopen(store)
    for name in names:
        same((await store.load(name)).metadata, {"is": name})


async def absent_is_not_empty(bench: StoreBench) -> None:
    """A missing key matches no value."""
    store = await bench.fresh()
    await store.create("without", {})
    same(await store.get_by("a", ""), None)
    await store.create("empty", {"a": ""})
    same(await store.get_by("a", ""), "empty")


async def a_thread_is_found_by_what_its_metadata_became(bench: StoreBench) -> None:
    """Facts that were set and deleted later count, in their order."""
    store = await bench.fresh()
    await store.create("t", {"a": "1", "b": "1"})
    await store.create("u", {"a": "1"})
    writer = await store.take("t")
    await store.append(writer, [set_fact("a", "2"), set_fact("b", None), set_fact("c", "x"), set_fact("c", "")])
    for _ in range(2):
        same((await store.load("t")).metadata, {"a": "2", "c": ""})
        same(await store.get_by("a", "2"), "t")
        same(await store.get_by("a", "1"), "u")
        same(await store.get_by("b", "1"), None)
        same(await store.get_by("c", "x"), None)
        same(await store.get_by("c", ""), "t")
        store = await bench.reopen(store)


async def deletion_is_told_by_its_effect(bench: StoreBench) -> None:
    """It reports what it did, a fresh store too, and leaves nothing."""
    store = await bench.fresh()
    await _filled(store, "t", _turn("1", "needle"))
    await store.append(await store.take("t"), [set_fact("a", "1")])
    await store.submit("t", Message(id="m"))
    store = await bench.reopen(store)
    same(await store.delete("t"), True)
    same(await store.delete("t"), False)
    await wrong(NotFoundError, store.load("t"))
    same(await store.get_by("a", "1"), None)
    same(await store.search("needle"), [])
    same(await store.unfinished(), [])
    same((await store.list()).threads, [])


async def a_deleted_thread_leaves_nothing_to_its_successor(bench: StoreBench) -> None:
    """The same id begins anew, endings and messages included."""
    store = await bench.fresh()
    await _filled(store, "t", _turn("1", "old words"))
    await store.submit("t", Message(id="m", artifacts=(Text(content="old"),)))
    await store.append(await store.take("t"), [EndingRecord(message="m", outcome=Outcome.DONE)])
    await store.search("old")
    await store.delete("t")
    await store.create("t", {})
    same(await store.load("t"), StoredThread(id="t", metadata={}, turns=(), epoch=1))
    same(await store.search("old"), [])
    same(await store.submit("t", Message(id="m", artifacts=(Text(content="new"),))), None)


async def the_list_says_what_threads_are_about(bench: StoreBench) -> None:
    """Title, the first thing the user said, the last time, the number of turns recorded."""
    store = await bench.fresh()
    await store.create("t", {})
    writer = await store.take("t")
    later = NOON.replace(hour=13)
    await tell(store, writer, _turn("1", "be brief", Role.SYSTEM), _turn("2", "\n Hello\n there ", parent="1"))
    await tell(store, writer, Turn(id="3", parent_id="2", role=Role.ASSISTANT, timestamp=later))
    await store.append(writer, [TipRecord(turn_id="1"), set_fact(TITLE_KEY, "A title")])
    await store.create("empty", {TITLE_KEY: "Named at once"})
    expected = [
        Summary(id="empty", title="Named at once"),
        Summary(id="t", title="A title", preview="Hello there", last_at=later, turns=3),
    ]
    same((await store.list()).threads, expected)
    store = await bench.reopen(store)
    same((await store.list()).threads, expected)
    await store.append(await store.take("t"), [set_fact(TITLE_KEY, None)])
    same((await store.list()).threads[0].title, None)


async def the_list_begins_with_what_was_written_last(bench: StoreBench) -> None:
    """Creating and appending count as writing; reading, submitting and taking do not."""
    store = await bench.fresh()
    for name in ("a", "b", "c"):
        await store.create(name, {})
    await tell(store, await store.take("a"), _turn("1", "x"))
    await store.load("b")
    await store.submit("b", Message(id="m"))
    await store.take("b")
    for _ in range(2):
        same([thread.id for thread in (await store.list()).threads], ["a", "c", "b"])
        store = await bench.reopen(store)


async def pages_show_every_thread_once(bench: StoreBench) -> None:
    """Whatever is written meanwhile, and across a restart, no page repeats or skips an untouched thread."""
    store = await bench.fresh()
    names = [f"t{number}" for number in range(7)]
    for name in names:
        await store.create(name, {})
    seen: list[str] = []
    page = await store.list(limit=3)
    while True:
        seen += [thread.id for thread in page.threads]
        if page.next_cursor is None:
            break
        await tell(store, await store.take("t6"), _turn(str(len(seen)), "again"))
        store = await bench.reopen(store)
        page = await store.list(limit=3, cursor=page.next_cursor)
    same(seen, names[::-1])


async def the_list_can_be_narrowed(bench: StoreBench) -> None:
    """By a part of the id, the title or the preview, in any case."""
    store = await bench.fresh()
    await store.create("Trip-1", {})
    await store.create("b", {TITLE_KEY: "Das GRÜNE Haus"})
    await _filled(store, "c", _turn("1", "Weather in 里斯本?"))
    for query, expected in (("tRIP", ["Trip-1"]), ("grüne", ["b"]), ("里斯", ["c"]), ("%", []), ("_", []), ("", 3)):
        found = [thread.id for thread in (await store.list(query=query)).threads]
        same(len(found) if expected == 3 else found, expected)
    page = await store.list(query="t", limit=1)
    same([thread.id for thread in page.threads], ["c"])
    same([thread.id for thread in (await store.list(query="t", cursor=page.next_cursor)).threads], ["Trip-1"])


async def what_belongs_to_a_call_is_in_no_list(bench: StoreBench) -> None:
    """It is read, found by a fact and deleted like any other thread."""
    store = await bench.fresh()
    name = f"{INNER}0123.0"
    for thread_id in ("t", name):
        await _filled(store, thread_id, _turn("1", "needle"))
    for _ in range(2):
        same([thread.id for thread in (await store.list(query="needle")).threads], ["t"])
        same([thread.id for thread in (await store.list(limit=1)).threads], ["t"])
        same([hit.id for hit in await store.search("needle")], ["t"])
        same(len((await store.load(name)).turns), 1)
        store = await bench.reopen(store)
    same(await store.delete(name), True)


async def a_made_up_cursor_is_refused(bench: StoreBench) -> None:
    """Cursors are the store's own."""
    store = await bench.fresh()
    for cursor in ("", "x", "-1", "1.5", "1 OR 1", "\uff19", "9" * 60):
        await wrong(InputError, store.list(cursor=cursor))


async def turns_are_found_by_the_text_they_contain(bench: StoreBench) -> None:
    """Any part of a text, in any case and script; each turn once, latest written threads first."""
    store = await bench.fresh()
    await _filled(store, "a", _turn("1", "The Straße is wet"), _turn("2", "rain, RAIN", Role.ASSISTANT, "1"))
    await _filled(store, "b", _turn("1", "brainstorm: 里斯本的天气"), _turn("2", 'say "100%_sure"', parent="1"))
    places = {
        "rain": [("b", "1"), ("a", "2")],
        "STRASSE": [("a", "1")],
        "斯本": [("b", "1")],
        "天气": [("b", "1")],
        '"100%_SURE"': [("b", "2")],
        "0%": [("b", "2")],
        "is wet": [("a", "1")],
        "wet is": [],
        "rain*": [],
        "rain OR wet": [],
    }
    for _ in range(2):
        for text, expected in places.items():
            same([(hit.id, hit.turn) for hit in await store.search(text)], expected)
        same([(hit.id, hit.turn) for hit in await store.search("a", limit=2)], [("b", "1"), ("b", "2")])
        store = await bench.reopen(store)


async def a_find_shows_its_surroundings(bench: StoreBench) -> None:
    """A snippet holds the text that was found, and not the whole turn."""
    store = await bench.fresh()
    await _filled(store, "t", _turn("1", "x" * 5000 + "needle" + "y" * 5000))
    (hit,) = await store.search("NEEDLE")
    true("needle" in hit.snippet and len(hit.snippet) < 500, f"a short snippet with the find, got {hit.snippet!r}")


async def what_was_said_since_the_last_search_is_found(bench: StoreBench) -> None:
    """An index, if there is one, is never behind."""
    store = await bench.fresh()
    await _filled(store, "t", _turn("1", "one"))
    same(len(await store.search("two")), 0)
    await tell(store, await store.take("t"), _turn("2", "two", parent="1"))
    same([hit.turn for hit in await store.search("two")], ["2"])


async def lone_surrogates_break_nothing(bench: StoreBench) -> None:
    """What is no character may be replaced, but never makes a thread unreadable."""
    store = await bench.fresh()
    await store.create("t", {"a": "x\ud800y", TITLE_KEY: "\udcb2"})
    result = ToolResult(tool_call_id="c", content="x\ud800y 😀")
    turn = Turn(id="1", role=Role.USER, artifacts=(Text(content="x\udcb2y 😀"), result), timestamp=NOON)
    writer = await store.take("t")
    await store.append(writer, [said(turn), set_fact("b", "\udfff")])
    await store.submit("t", Message(id="m", artifacts=(Text(content="\ud800 😀"),), provenance="\ud800"))
    store = await bench.reopen(store)
    (stored,) = (await store.load("t")).turns
    true("😀" in str(stored.artifacts), "the valid pair untouched")
    same(await store.get_by("a", "x\ud800y"), "t")
    same(await store.get_by("b", "\udfff"), "t")
    same([thread.id for thread in (await store.list()).threads], ["t"])
    same([hit.turn for hit in await store.search("y 😀")], ["1"])
    same(await store.search("\ud800 nothing"), [])
    same([message.id for message in await store.pending("t")], ["m"])


CHECKS = (
    a_new_thread_is_empty,
    a_thread_is_made_once,
    of_many_creations_at_once_one_wins,
    a_missing_thread_is_not_found,
    unsafe_ids_are_refused_before_anything_is_touched,
    sessions_are_locked_in_the_same_place,
    odd_ids_are_as_good_as_others,
    absent_is_not_empty,
    a_thread_is_found_by_what_its_metadata_became,
    deletion_is_told_by_its_effect,
    a_deleted_thread_leaves_nothing_to_its_successor,
    the_list_says_what_threads_are_about,
    the_list_begins_with_what_was_written_last,
    pages_show_every_thread_once,
    the_list_can_be_narrowed,
    what_belongs_to_a_call_is_in_no_list,
    a_made_up_cursor_is_refused,
    turns_are_found_by_the_text_they_contain,
    a_find_shows_its_surroundings,
    what_was_said_since_the_last_search_is_found,
    lone_surrogates_break_nothing,
)
