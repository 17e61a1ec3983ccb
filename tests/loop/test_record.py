"""The one way into history: durable first, then in the ledger, seen by callbacks and told, whole or not at all."""

import asyncio
from collections.abc import Sequence

import pytest

from loop.stage import Log, steps
from ore.artifact import Notice, Restart, Text, TextDelta
from ore.errors import ConflictError, FencedError, InputError, StoreError
from ore.event import CURRENT, Entry, EventContext, Properties, TurnComplete
from ore.ledger import (
    Buffer,
    Draft,
    EffectRecord,
    MetadataRecord,
    Operation,
    Record,
    Role,
    Thread,
    Turn,
    TurnRecord,
    TurnStatus,
    new_turn_id,
)
from ore.loop import EventBus, Step
from ore.testing import Recorder


def draft(content: str, role: Role = Role.USER) -> Draft:
    return Draft(role=role, artifacts=(Text(content=content),))


def told(seen: Recorder) -> list[Turn]:
    return [entry.event.turn for entry in seen.entries if isinstance(entry.event, TurnComplete)]


@pytest.mark.requirement("D-record-order")
async def test_a_turn_is_durable_then_in_the_ledger_then_with_callbacks_then_with_readers() -> None:
    order: list[str] = []
    state = Thread()

    async def journal(records: Sequence[Record]) -> None:
        order.append(f"journal, {len(state.turns)} in the ledger")
        await asyncio.sleep(0)

    def callback(entry: Entry) -> None:
        order.append(f"callback, {len(state.turns)} in the ledger, {len(seen.entries)} told")

    step = Step(state, journal=journal, bus=EventBus(on_emit=[callback]))
    seen = Recorder(step)
    turn = await step.record(draft("hi"))

    assert order == ["journal, 0 in the ledger", "callback, 1 in the ledger, 0 told"]
    assert told(seen) == list(state.turns) == [turn]
    assert told(seen)[0] is turn is state.turns[0]
    assert turn.timestamp is not None
    assert (turn.parent_id, len(turn.id)) == (None, 16)


@pytest.mark.requirement("D-record-order")
async def test_records_go_into_the_same_append_as_the_turn_with_the_message_it_belongs_to() -> None:
    log = Log()
    step = Step(Thread(), journal=log)
    effect = EffectRecord(key="a:0")
    token = CURRENT.set(EventContext(message="m1"))
    try:
        turn = await step.record(draft("hi"), effect)
    finally:
        CURRENT.reset(token)
    assert log.appends == [(TurnRecord(turn=turn, message="m1"), effect)]


async def test_a_draft_keeps_its_id_its_status_and_its_model() -> None:
    state, id = Buffer(), new_turn_id()
    given = Draft(id=id, role=Role.ASSISTANT, status=TurnStatus.FAILED, model="p:m", origin="import")
    turn = await Step(state).record(given)
    assert (turn.id, turn.status, turn.model, turn.origin) == (id, TurnStatus.FAILED, "p:m", "import")


@pytest.mark.requirement("D-record-atomic")
@pytest.mark.parametrize("error", [StoreError("disk full"), FencedError("another owner"), OSError("gone")])
async def test_a_journal_that_fails_leaves_the_turn_nowhere(error: Exception) -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    seen = Recorder(step)
    log.refusal = error
    with pytest.raises(type(error)) as caught:
        await step.record(draft("lost"))
    assert caught.value is error
    assert (list(state.turns), told(seen), log.turns) == ([], [], [])

    turn = await step.record(draft("kept"))
    assert (list(state.turns), told(seen), log.turns, turn.parent_id) == ([turn], [turn], [turn.id], None)


@pytest.mark.requirement("D-record-whole", "L26")
@pytest.mark.parametrize("strikes", [1, 3])
async def test_a_cancellation_is_raised_only_when_the_turn_stands(strikes: int) -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    seen = Recorder(step)
    log.go.clear()
    task = asyncio.ensure_future(step.record(draft("hi")))
    async with asyncio.timeout(5):
        await log.reached.wait()
        for _ in range(strikes):
            task.cancel()
            await steps()
            assert (task.done(), list(state.turns)) == (False, [])
        log.go.set()
        await asyncio.wait((task,))
    assert task.cancelled()
    assert log.turns == [turn.id for turn in state.turns] == [turn.id for turn in told(seen)]
    assert len(state.turns) == 1


@pytest.mark.requirement("D-record-whole")
async def test_a_cancellation_while_the_journal_fails_is_still_a_cancellation() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    log.go.clear()
    task = asyncio.ensure_future(step.record(draft("hi")))
    async with asyncio.timeout(5):
        await log.reached.wait()
        log.refusal = StoreError("disk full")
        task.cancel()
        log.go.set()
        await asyncio.wait((task,))
    assert task.cancelled()
    assert list(state.turns) == []


@pytest.mark.requirement("D-record-one-order", "P11")
async def test_turns_that_are_recorded_at_once_keep_one_order_everywhere() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    seen = Recorder(step)
    log.go.clear()
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for place in range(20):
            group.create_task(step.record(draft(str(place))))
        await steps()
        log.go.set()
    turns = list(state.turns)
    assert [turn.artifacts[0] for turn in turns] == [Text(content=str(place)) for place in range(20)]
    assert log.turns == [turn.id for turn in turns]
    assert told(seen) == turns
    assert [turn.parent_id for turn in turns] == [None, *log.turns[:-1]]


@pytest.mark.requirement("D-record-whole", "D-record-one-order")
async def test_whoever_waits_for_its_turn_to_record_is_not_pushed_out_by_a_cancellation() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    log.go.clear()
    tasks = [asyncio.ensure_future(step.record(draft(str(place)))) for place in range(4)]
    async with asyncio.timeout(5):
        await log.reached.wait()
        await steps()
        tasks[1].cancel()
        tasks[2].cancel()
        await steps()
        assert [task.done() for task in tasks] == [False] * 4
        log.go.set()
        await asyncio.wait(tasks)
    assert [task.cancelled() for task in tasks] == [False, True, True, False]
    assert [turn.artifacts[0] for turn in state.turns] == [Text(content=str(place)) for place in range(4)]


async def test_a_cancelled_record_whose_append_fails_lets_the_next_one_in() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    log.go.clear()
    tasks = [asyncio.ensure_future(step.record(draft(str(place)))) for place in range(3)]
    async with asyncio.timeout(5):
        await log.reached.wait()
        await steps()
        tasks[1].cancel()
        await steps()
        log.refusal = None
        log.go.set()
        await asyncio.wait((tasks[0],))
        log.refusal = StoreError("disk full")
        await asyncio.wait(tasks)
    assert (tasks[1].cancelled(), len(state.turns)) == (True, 2)


@pytest.mark.requirement("D-record-atomic")
@pytest.mark.parametrize("artifact", [TextDelta(content="x"), Notice(content="x"), Restart(attempt=2)])
async def test_what_no_ledger_keeps_is_refused_before_the_journal_hears_of_it(artifact: TextDelta | Notice) -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    with pytest.raises(InputError):
        await step.record(Draft(role=Role.USER, artifacts=(artifact,)))
    assert (list(state.turns), log.appends) == ([], [])


@pytest.mark.requirement("D-record-atomic")
async def test_an_id_that_is_taken_is_refused_before_the_journal_hears_of_it() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    turn = await step.record(draft("one"))
    with pytest.raises(ConflictError):
        await step.record(Draft(id=turn.id, role=Role.USER))
    assert log.turns == [turn.id]


async def test_without_a_journal_nothing_is_written_and_everything_else_is_the_same() -> None:
    state = Buffer()
    step = Step(state)
    seen = Recorder(step)
    turns = [await step.record(draft("one")), await step.record(draft("two"))]
    assert list(state.turns) == told(seen) == turns


@pytest.mark.requirement("P13")
async def test_a_turn_that_becomes_durable_after_the_close_stands_and_is_told_nobody() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    seen = Recorder(step)
    log.go.clear()
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        task = group.create_task(step.record(draft("hi")))
        await log.reached.wait()
        step.close()
        log.go.set()
    assert list(state.turns) == [task.result()]
    assert told(seen) == []


# ── Facts ────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("D-facts")
async def test_facts_are_durable_then_seen_and_told_in_one_event_in_their_order() -> None:
    state, log = Thread(meta={"old": "1"}), Log()
    step = Step(state, journal=log)
    seen = Recorder(step)
    operations = (
        Operation(op="set", key="a", value="1"),
        Operation(op="delete", key="old"),
        Operation(op="set", key="a", value="2"),
        Operation(op="delete", key="missing"),
    )
    await step.set_metadata(operations)
    assert log.appends == [(MetadataRecord(operations=operations),)]
    assert state.meta.all() == {"a": "2"}
    assert [entry.event for entry in seen.entries] == [Properties(operations=operations)]


@pytest.mark.requirement("D-facts", "D-record-whole")
async def test_facts_are_whole_or_absent_as_turns_are() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    seen = Recorder(step)
    change = [Operation(op="set", key="a", value="1")]
    log.refusal = StoreError("disk full")
    with pytest.raises(StoreError):
        await step.set_metadata(change)
    assert (state.meta.all(), seen.kinds) == ({}, [])

    log.go.clear()
    log.reached.clear()
    task = asyncio.ensure_future(step.set_metadata(change))
    async with asyncio.timeout(5):
        await log.reached.wait()
        task.cancel()
        await steps()
        log.go.set()
        await asyncio.wait((task,))
    assert task.cancelled()
    assert (state.meta.all(), seen.kinds) == ({"a": "1"}, ["properties"])


async def test_turns_and_facts_share_one_order() -> None:
    state, log = Thread(), Log()
    step = Step(state, journal=log)
    seen = Recorder(step)
    log.go.clear()
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(step.record(draft("one")))
        group.create_task(step.set_metadata([Operation(op="set", key="a", value="1")]))
        group.create_task(step.record(draft("two")))
        await steps()
        log.go.set()
    assert [type(append[0]) for append in log.appends] == [TurnRecord, MetadataRecord, TurnRecord]
    assert seen.kinds == ["turn_complete", "properties", "turn_complete"]
