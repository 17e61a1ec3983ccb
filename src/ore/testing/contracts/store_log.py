"""Checks of a store's log: what is appended is whole, in order, durable and comes back as it was."""

import asyncio
from datetime import UTC, datetime
from decimal import Decimal

from ore.artifact import (
    Artifact,
    Image,
    Reasoning,
    ServerTool,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)
from ore.errors import ErrorInfo, FencedError, NotFoundError
from ore.ledger import (
    Control,
    ControlRecord,
    EffectRecord,
    EndingRecord,
    Fold,
    Outcome,
    ParentRecord,
    QuestionRecord,
    QuestionStatus,
    Record,
    Role,
    Store,
    TakenRecord,
    TipRecord,
    Turn,
    TurnRecord,
    TurnStatus,
    Writer,
)
from ore.testing.contracts.expectations import said, same, set_fact, tell, true, wrong
from ore.testing.contracts.store_bench import StoreBench

__all__ = ["CHECKS"]

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)

ARTIFACTS: tuple[Artifact, ...] = (
    Reasoning(content="", provider_data={"provider": "a", "model": "b", "signature": "S=="}),
    Text(content="a\u2028b\0c 😀", provider_data={"provider": "a", "items": [1, 2.5, None, True, {"x": []}]}),
    ToolCall(id="c", name="f", arguments='{"a": 1,  "half'),
    ToolCall(id="c", name="f", arguments=""),
    ServerTool(name="search", provider_data={"provider": "a", "raw": {"k": "v"}}),
    Image(data=b"\x00\xff", media_type="image/png"),
    Usage(prompt_tokens=1, completion_tokens=0, cost_usd=Decimal("0.00860376")),
    StopReason(reason="tool_use"),
    Unknown(name="x_poll", raw=b'{"kind":"x_poll", "b":1,  "a":[1.0,1e3]}'),
)


def _turn(id: str, parent: str | None = None) -> Turn:
    return Turn(id=id, parent_id=parent, role=Role.USER, artifacts=(Text(content=id),), timestamp=NOW)


def _everything() -> list[Record]:
    """Every kind of record, and every place where a turn may have something or nothing."""
    asked = Turn(
        id="2",
        parent_id="1",
        role=Role.ASSISTANT,
        artifacts=ARTIFACTS,
        timestamp=NOW,
        status=TurnStatus.INTERRUPTED,
        control=Control.SKIP,
        model="a:b",
        origin="agent",
    )
    result = ToolResult(tool_call_id="c", content="1\r\n2", display="one, two")
    return [
        TakenRecord(message="m"),
        TurnRecord(turn=_turn("1"), message="m"),
        TurnRecord(turn=asked, message="m"),
        EffectRecord(key="2:0", idempotent=True),
        EffectRecord(key="2:0", result=result),
        EffectRecord(key="9:0"),
        QuestionRecord(key="2:1", status=QuestionStatus.OPEN, question={"kind": "approval", "n": [1, None]}),
        QuestionRecord(key="2:1", status=QuestionStatus.ANSWERED, answer={"ok": True}),
        TurnRecord(turn=Turn(id="3", parent_id="2", role=Role.TOOL, artifacts=(result, result))),
        TurnRecord(turn=Turn(id="4", parent_id="1", role=Role.ASSISTANT, status=TurnStatus.FAILED)),
        ParentRecord(turn_id="4", parent_id="3"),
        ControlRecord(turn_id="2", control=Control.CONTINUE),
        ControlRecord(turn_id="nobody", control=Control.STOP),
        set_fact("a", "1"),
        set_fact("b", None),
        TipRecord(turn_id="3"),
        EndingRecord(message="m", outcome=Outcome.FAILED, turn="3", error=ErrorInfo(code="limit", message="x")),
    ]


async def what_was_appended_is_loaded(bench: StoreBench) -> None:
    """Byte for byte, kinds that nobody registered included, before and after a restart."""
    store = await bench.fresh()
    await store.create("t", {"b": "2"})
    records = _everything()
    fold = Fold(metadata={"b": "2"})
    for record in records:
        fold.add(record)
    writer = await store.take("t")
    await store.append(writer, records[:5])
    await store.append(writer, records[5:])
    expected = fold.stored("t", epoch=writer.epoch, sequence=len(records))
    for _ in range(2):
        same(await store.load("t"), expected)
        store = await bench.reopen(store)


async def a_loaded_thread_never_changes(bench: StoreBench) -> None:
    """What was read stays as it was, whatever is appended later."""
    store = await bench.fresh()
    await store.create("t", {"a": "1"})
    writer = await store.take("t")
    await tell(store, writer, _turn("1"))
    before = await store.load("t")
    await store.append(writer, [said(_turn("2", "1")), set_fact("a", "2")])
    same(([turn.id for turn in before.turns], before.metadata, before.sequence), (["1"], {"a": "1"}, 1))


async def an_append_is_durable_when_it_returns(bench: StoreBench) -> None:
    """A restart right after it knows of it."""
    store = await bench.fresh()
    await store.create("t", {})
    for number in range(3):
        await tell(store, await store.take("t"), _turn(str(number)))
        store = await bench.reopen(store)
        same([turn.id for turn in (await store.load("t")).turns], [str(n) for n in range(number + 1)])


async def records_are_numbered_without_gaps(bench: StoreBench) -> None:
    """The writer and the thread know the last number, and so does the next writer."""
    store = await bench.fresh()
    await store.create("t", {})
    writer = await store.take("t")
    same(writer.sequence, 0)
    await store.append(writer, [said(_turn("1")), said(_turn("2", "1"))])
    same(writer.sequence, 2)
    await store.append(writer, [])
    await tell(store, writer, _turn("3", "2"))
    same(writer.sequence, 3)
    same((await store.load("t")).sequence, 3)
    store = await bench.reopen(store)
    same((await store.take("t")).sequence, 3)


async def appends_keep_the_order_in_which_they_were_made(bench: StoreBench) -> None:
    """Also when nobody waited in between."""
    store = await bench.fresh()
    await store.create("t", {})
    writer = await store.take("t")
    made = [store.append(writer, [said(_turn(str(number)))]) for number in range(20)]
    for append in made:
        await append
    same([turn.id for turn in (await store.load("t")).turns], [str(number) for number in range(20)])
    same(writer.sequence, 20)


async def sessions_append_side_by_side(bench: StoreBench) -> None:
    """Many at once lose and mix nothing."""
    store = await bench.fresh()

    async def session(name: str) -> None:
        await store.create(name, {})
        writer = await store.take(name)
        await tell(store, writer, *[_turn(f"{name}-{number}") for number in range(10)])

    async with asyncio.TaskGroup() as group:
        for number in range(20):
            group.create_task(session(f"s{number}"))
    store = await bench.reopen(store)
    for number in range(20):
        name = f"s{number}"
        same([turn.id for turn in (await store.load(name)).turns], [f"{name}-{n}" for n in range(10)])


async def a_writer_is_fenced_by_the_next(bench: StoreBench) -> None:
    """From then on it can do nothing, and nothing of what it tried is there."""
    store = await bench.fresh()
    await store.create("t", {})
    old = await store.take("t")
    await tell(store, old, _turn("1"))
    new = await store.take("t")
    true(new.epoch > old.epoch, "a greater epoch")
    for _ in range(2):
        await wrong(FencedError, _append(store, old, said(_turn("2")), set_fact("a", "1")))
        await wrong(FencedError, store.next(old))
        await wrong(FencedError, store.next(old, mark=True))
        await wrong(FencedError, store.park(old))
        await wrong(FencedError, store.close(old))
        same(old.sequence, 1)
        await tell(store, new, _turn(f"after {new.sequence}"))
    loaded = await store.load("t")
    same([turn.id for turn in loaded.turns], ["1", "after 1", "after 2"])
    same((loaded.metadata, loaded.epoch), ({}, new.epoch))


async def a_refused_append_takes_no_other_with_it(bench: StoreBench) -> None:
    """Fenced and good ones that were made together."""
    store = await bench.fresh()
    for name in ("a", "b"):
        await store.create(name, {})
    fenced, good = await store.take("a"), await store.take("b")
    await store.take("a")

    async def refused() -> None:
        await wrong(FencedError, _append(store, fenced, said(_turn("x"))))

    async with asyncio.TaskGroup() as group:
        for number in range(5):
            group.create_task(refused())
            group.create_task(_append(store, good, said(_turn(str(number)))))
    same((await store.load("a")).turns, ())
    same([turn.id for turn in (await store.load("b")).turns], ["0", "1", "2", "3", "4"])


async def epochs_only_rise(bench: StoreBench) -> None:
    """Over restarts too, so a writer from before one is fenced behind it."""
    store = await bench.fresh()
    await store.create("t", {})
    epochs = []
    for _ in range(3):
        epochs.append((await store.take("t")).epoch)
        store = await bench.reopen(store)
    same(epochs, sorted(set(epochs)))
    same((await store.load("t")).epoch, epochs[-1])


async def the_writer_of_a_deleted_thread_has_nothing_left(bench: StoreBench) -> None:
    """Neither where the thread is gone, nor where another stands under its id."""
    store = await bench.fresh()
    await store.create("t", {})
    old = await store.take("t")
    await store.delete("t")
    await wrong(NotFoundError, _append(store, old, said(_turn("1"))))
    await store.create("t", {})
    await store.take("t")
    await wrong(FencedError, _append(store, old, said(_turn("1"))))
    same((await store.load("t")).turns, ())


async def a_waiter_that_goes_away_leaves_the_store_usable(bench: StoreBench) -> None:
    """Its append is whole or absent, and the next ones work."""
    store = await bench.fresh()
    await store.create("t", {})
    writer = await store.take("t")
    for number in range(5):
        waiter = asyncio.create_task(_append(store, writer, said(_turn(f"{number}a")), said(_turn(f"{number}b"))))
        await asyncio.sleep(0)  # it has made its append
        waiter.cancel()
        await asyncio.wait((waiter,))
    await tell(store, writer, _turn("last"))
    ids = [turn.id for turn in (await store.load("t")).turns]
    same(ids[-1], "last")
    same([id[0] for id in ids[:-1:2]], [id[0] for id in ids[1:-1:2]])
    same(((await store.load("t")).sequence, writer.sequence), (len(ids), len(ids)))


async def _append(store: Store, writer: Writer, *records: Record) -> None:
    """One append; a refusal comes when it is awaited, whenever the store raises it."""
    await store.append(writer, records)


CHECKS = (
    what_was_appended_is_loaded,
    a_loaded_thread_never_changes,
    an_append_is_durable_when_it_returns,
    records_are_numbered_without_gaps,
    appends_keep_the_order_in_which_they_were_made,
    sessions_append_side_by_side,
    a_writer_is_fenced_by_the_next,
    a_refused_append_takes_no_other_with_it,
    epochs_only_rise,
    the_writer_of_a_deleted_thread_has_nothing_left,
    a_waiter_that_goes_away_leaves_the_store_usable,
)
