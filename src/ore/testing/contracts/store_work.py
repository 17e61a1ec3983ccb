"""Checks of a store's unfinished work: each message waits, is found, is counted, and ends once."""

import asyncio

from ore.artifact import Text, Unknown
from ore.errors import ConflictError, InputError, NotFoundError
from ore.ledger import (
    EndingRecord,
    Message,
    Opening,
    Outcome,
    QuestionRecord,
    QuestionStatus,
    Role,
    Store,
    TakenRecord,
    Turn,
    TurnRecord,
)
from ore.testing.contracts.expectations import same, set_fact, wrong
from ore.testing.contracts.store_bench import StoreBench
from ore.testing.contracts.store_threads import UNSAFE_IDS

__all__ = ["CHECKS"]


def _message(id: str, text: str | None = None) -> Message:
    return Message(id=id, artifacts=(Text(content=text or id),))


def _ended(id: str, outcome: Outcome = Outcome.DONE) -> EndingRecord:
    return EndingRecord(message=id, outcome=outcome)


async def _with(store: Store, *ids: str) -> Store:
    await store.create("t", {})
    for id in ids:
        await store.submit("t", _message(id))
    return store


async def _waiting(store: Store) -> list[str]:
    return [message.id for message in await store.pending("t")]


async def an_accepted_message_waits(bench: StoreBench) -> None:
    """All of it, over a restart."""
    store = await _with(await bench.fresh())
    message = Message(
        id="m",
        artifacts=(Text(content="hi"), Unknown(name="x_poll", raw=b'{"kind":"x_poll", "a":  1}')),
        mode="steer",
        provenance="http",
        traceparent="00-1-2-01",
    )
    same(await store.unfinished(), [])
    same(await store.submit("t", message), None)
    for _ in range(2):
        same(await store.pending("t"), [message])
        same(await store.unfinished(), ["t"])
        store = await bench.reopen(store)


async def a_message_is_accepted_once(bench: StoreBench) -> None:
    """Sent again it is the one that waits, however often and at once."""
    store = await _with(await bench.fresh())

    sent = [asyncio.ensure_future(store.submit("t", _message("m"))) for _ in range(8)]
    same(sorted([await answer for answer in sent], key=bool), [None, *[_message("m")] * 7])
    store = await bench.reopen(store)
    same(await store.submit("t", _message("m")), _message("m"))
    same(await _waiting(store), ["m"])


async def a_message_that_ended_tells_how(bench: StoreBench) -> None:
    """Sent again after its end it does not run again."""
    store = await _with(await bench.fresh(), "m", "n")
    await store.append(await store.take("t"), [_ended("m", Outcome.CANCELLED)])
    for _ in range(2):
        same(await store.submit("t", _message("m")), _ended("m", Outcome.CANCELLED))
        same(await _waiting(store), ["n"])
        store = await bench.reopen(store)


async def an_ending_is_told_without_submitting(bench: StoreBench) -> None:
    """Only once there is one, over a restart; asking makes nothing."""
    store = await _with(await bench.fresh(), "m", "n")
    same(await store.ending("t", "m"), None)
    await store.append(await store.take("t"), [_ended("m", Outcome.CANCELLED)])
    for _ in range(2):
        same(await store.ending("t", "m"), _ended("m", Outcome.CANCELLED))
        same([await store.ending("t", "n"), await store.ending("t", "unknown")], [None, None])
        same(await _waiting(store), ["n"])
        store = await bench.reopen(store)
    await wrong(NotFoundError, store.ending("u", "m"))
    await wrong(InputError, store.ending("t", "../m"))


async def another_content_under_a_known_id_conflicts(bench: StoreBench) -> None:
    """While the first waits, runs, and after it ended."""
    store = await _with(await bench.fresh(), "m")
    other = _message("m", "other")
    await wrong(ConflictError, store.submit("t", other))
    await store.next(await store.take("t"), mark=True)
    await wrong(ConflictError, store.submit("t", other))
    await store.append(await store.take("t"), [_ended("m")])
    await wrong(ConflictError, store.submit("t", other))
    store = await bench.reopen(store)
    await wrong(ConflictError, store.submit("t", other))
    same(await _waiting(store), [])


async def sessions_know_nothing_of_each_others_messages(bench: StoreBench) -> None:
    """An id is unique in its session only."""
    store = await _with(await bench.fresh(), "m")
    await store.create("u", {})
    same(await store.submit("u", _message("m", "other")), None)
    await store.append(await store.take("t"), [_ended("m")])
    same(await store.pending("u"), [_message("m", "other")])
    same(await store.unfinished(), ["u"])


async def unsafe_message_ids_are_refused(bench: StoreBench) -> None:
    """They follow the pattern of thread ids."""
    store = await _with(await bench.fresh())
    for id in UNSAFE_IDS:
        await wrong(InputError, store.submit("t", Message(id=id)))
    same(await _waiting(store), [])


async def messages_come_in_the_order_of_their_acceptance(bench: StoreBench) -> None:
    """First in, first out; nothing when none waits."""
    store = await _with(await bench.fresh(), "b", "a", "c")
    writer = await store.take("t")
    for id in ("b", "a", "c"):
        same(await store.next(writer), _message(id))
        same(await store.next(writer), _message(id))
        await store.append(writer, [TakenRecord(message=id)])
        await store.append(writer, [_ended(id)])
    same(await store.next(writer), None)


async def what_steers_or_interrupts_heads_the_queue(bench: StoreBench) -> None:
    """Among themselves, and behind them, first in, first out; only what is unfinished is before them."""
    store = await _with(await bench.fresh(), "a", "b")
    for id, mode in (("c", "steer"), ("d", "interrupt"), ("e", "queue"), ("f", "steer")):
        await store.submit("t", Message(id=id, mode=mode))
    store = await bench.reopen(store)
    same(await _waiting(store), ["c", "d", "f", "a", "b", "e"])
    await store.append(await store.take("t"), [TakenRecord(message="b"), TakenRecord(message="d")])
    same(await _waiting(store), ["b", "d", "c", "f", "a", "e"])
    writer = await store.take("t")
    for id in ("b", "d", "c", "f", "a", "e"):
        found = await store.next(writer)
        same(found and found.id, id)
        await store.append(writer, [_ended(id)])


async def the_unfinished_message_comes_first(bench: StoreBench) -> None:
    """Whoever takes the session next finds it before the ones that wait."""
    store = await _with(await bench.fresh(), "a", "b", "c")
    await store.append(await store.take("t"), [TakenRecord(message="b")])
    store = await bench.reopen(store)
    same(await _waiting(store), ["b", "a", "c"])
    found = await store.next(await store.take("t"))
    same(found and (found.id, found.taken), ("b", True))


async def beginning_is_marked_at_once_or_with_the_first_append(bench: StoreBench) -> None:
    """Without either the message is as untouched as before."""
    store = await _with(await bench.fresh(), "a")
    same(await store.next(await store.take("t")), _message("a"))
    store = await bench.reopen(store)
    same([message.taken for message in await store.pending("t")], [False])
    same(await store.next(await store.take("t"), mark=True), _message("a"))
    store = await bench.reopen(store)
    same([message.taken for message in await store.pending("t")], [True])


async def every_finding_of_an_unfinished_message_counts(bench: StoreBench) -> None:
    """Once for each writer, and durably, so that what kills its process does not run for ever."""
    store = await _with(await bench.fresh(), "a")
    await store.next(await store.take("t"), mark=True)
    for attempts in (1, 2, 3, 4):
        store = await bench.reopen(store)
        writer = await store.take("t")
        for _ in range(2):
            found = await store.next(writer)
            same(found and found.attempts, attempts)
        same([message.attempts for message in await store.pending("t")], [attempts])


async def a_parked_message_is_not_counted(bench: StoreBench) -> None:
    """A shutdown is no attempt; the next crash is one again. What was steered into it is parked with it."""
    store = await _with(await bench.fresh(), "a", "b")
    writer = await store.take("t")
    await store.next(writer, mark=True)
    await store.append(writer, [TakenRecord(message="b")])
    await store.park(writer)
    for attempts in (0, 1):
        store = await bench.reopen(store)
        found = await store.next(await store.take("t"))
        same(found and (found.id, found.attempts), ("a", attempts))
    writer = await store.take("t")
    await store.append(writer, [_ended("a")])
    found = await store.next(writer)
    same(found and (found.id, found.attempts), ("b", 0))


async def waiting_for_a_person_is_not_counted(bench: StoreBench) -> None:
    """While a question is open; once all are answered a finding is an attempt again."""
    store = await _with(await bench.fresh(), "a")
    await store.next(await store.take("t"), mark=True)
    asked = [QuestionRecord(key=key, status=QuestionStatus.OPEN, question={}) for key in ("1:0", "1:1")]
    await store.append(await store.take("t"), asked)
    await store.append(await store.take("t"), [QuestionRecord(key="1:0", status=QuestionStatus.ANSWERED)])
    for _ in range(3):
        store = await bench.reopen(store)
        found = await store.next(await store.take("t"))
        same(found and found.attempts, 0)
    await store.park(await store.take("t"))
    await store.append(await store.take("t"), [QuestionRecord(key="1:1", status=QuestionStatus.EXPIRED)])
    for attempts in (0, 1):  # the answer does not undo the shutdown before it
        store = await bench.reopen(store)
        found = await store.next(await store.take("t"))
        same(found and found.attempts, attempts)


async def an_ending_takes_the_message_from_the_inbox(bench: StoreBench) -> None:
    """In one append with what led to it, or not at all."""
    store = await _with(await bench.fresh(), "a", "b")
    writer = await store.take("t")
    await store.append(writer, [TakenRecord(message="a"), set_fact("k", "v"), _ended("a")])
    store = await bench.reopen(store)
    same(await _waiting(store), ["b"])
    await store.append(await store.take("t"), [_ended("b", Outcome.CLEARED), _ended("unknown")])
    same(await store.unfinished(), [])
    same((await store.load("t")).sequence, 5)


async def giving_back_tells_whether_work_waits(bench: StoreBench) -> None:
    """So that what came in the last moment is not forgotten."""
    store = await _with(await bench.fresh())
    writer = await store.take("t")
    same(await store.close(writer), False)
    await store.submit("t", _message("a"))
    same(await store.close(writer), True)
    await store.append(writer, [_ended("a")])
    same(await store.close(writer), False)


async def giving_back_comes_behind_an_append_that_is_on_its_way(bench: StoreBench) -> None:
    """A session that is at its end asks for both at once."""
    store = await _with(await bench.fresh(), "a")
    writer = await store.take("t")
    append = asyncio.ensure_future(store.append(writer, [TakenRecord(message="a"), _ended("a")]))
    given = asyncio.ensure_future(store.close(writer))
    same(await given, False)
    await append
    same(await _waiting(store), [])


async def an_interrupt_reaches_whoever_takes_the_session(bench: StoreBench) -> None:
    """Over a restart; and again, should they die before they act on it."""
    store = await _with(await bench.fresh(), "a", "b")
    await store.next(await store.take("t"), mark=True)
    same((await store.take("t")).stop, False)
    await store.interrupt("t")
    for _ in range(2):
        store = await bench.reopen(store)
        writer = await store.take("t")
        same(writer.stop, True)
    await store.append(writer, [_ended("b", Outcome.CLEARED), set_fact("k", "v")])
    same(await store.close(writer), True)
    same((await store.take("t")).stop, True)


async def an_interrupt_ends_with_the_message_that_it_was_for(bench: StoreBench) -> None:
    """The next message is not stopped by it."""
    store = await _with(await bench.fresh(), "a", "b")
    await store.next(await store.take("t"), mark=True)
    await store.interrupt("t")
    await store.append(await store.take("t"), [_ended("a", Outcome.CANCELLED)])
    store = await bench.reopen(store)
    same((await store.take("t")).stop, False)


async def an_interrupt_of_nothing_stops_nothing_later(bench: StoreBench) -> None:
    """It is over when a message begins, or when the session is given back with none unfinished."""
    store = await _with(await bench.fresh(), "a", "b", "c")
    await store.interrupt("t")
    await store.append(await store.take("t"), [TakenRecord(message="a")])
    same((await store.take("t")).stop, False)
    await store.append(await store.take("t"), [_ended("a")])
    await store.interrupt("t")
    await store.next(await store.take("t"), mark=True)
    same((await store.take("t")).stop, False)
    await store.append(await store.take("t"), [_ended("b")])
    await store.interrupt("t")
    await store.close(await store.take("t"))
    same((await store.take("t")).stop, False)


async def closing_the_store_twice_is_fine(bench: StoreBench) -> None:
    """Closing finishes what was begun."""
    store = await _with(await bench.fresh(), "a")
    append = store.append(await store.take("t"), [set_fact("k", "v")])
    await store.aclose()
    await append
    await store.aclose()
    store = await bench.reopen(store)
    same((await store.load("t")).metadata, {"k": "v"})


async def an_opening_that_fits_is_appended_with_the_taking(bench: StoreBench) -> None:
    """A store may leave it aside; then nothing of it is written."""
    store = await _with(await bench.fresh(), "a")
    writer = await store.take("t", _opening("a"))
    if not writer.opened:
        same((writer.sequence, await _waiting(store)), (0, ["a"]))
        return
    same(writer.sequence, 2)
    same([message.taken for message in await store.pending("t")], [True])
    found = await store.next(writer)
    same(found and (found.id, found.attempts), ("a", 0))
    await store.append(writer, [_ended("a")])
    store = await bench.reopen(store)
    stored = await store.load("t")
    same(([turn.id for turn in stored.turns], stored.sequence), (["first"], 3))


async def an_opening_that_does_not_fit_writes_nothing(bench: StoreBench) -> None:
    """Something was recorded since, another message waits, the content is another, it was begun or is to be stopped."""

    async def another_record(store: Store) -> None:
        await store.append(await store.take("t"), [set_fact("k", "v")])

    async def another_message(store: Store) -> None:
        await store.submit("t", _message("b"))

    async def begun(store: Store) -> None:
        await store.next(await store.take("t"), mark=True)

    async def stopped(store: Store) -> None:
        await store.interrupt("t")

    async def another_content(store: Store) -> None:
        pass

    for change in (another_record, another_message, begun, stopped, another_content):
        store = await _with(await bench.fresh(), "a")
        await change(store)
        known = (await store.load("t")).sequence
        text = "other" if change is another_content else "a"
        writer = await store.take("t", _opening("a", text, after=0))
        same((change.__name__, writer.opened, writer.sequence), (change.__name__, False, known))
        same(list((await store.load("t")).turns), [])
        await store.aclose()


def _opening(message_id: str, text: str | None = None, *, after: int = 0) -> Opening:
    turn = Turn(id="first", role=Role.USER, artifacts=(Text(content="a"),))
    records = [TurnRecord(turn=turn, message=message_id), TakenRecord(message=message_id)]
    return Opening(message=_message(message_id, text), after=after, records=records)


CHECKS = (
    an_accepted_message_waits,
    a_message_is_accepted_once,
    a_message_that_ended_tells_how,
    an_ending_is_told_without_submitting,
    another_content_under_a_known_id_conflicts,
    sessions_know_nothing_of_each_others_messages,
    unsafe_message_ids_are_refused,
    messages_come_in_the_order_of_their_acceptance,
    what_steers_or_interrupts_heads_the_queue,
    the_unfinished_message_comes_first,
    beginning_is_marked_at_once_or_with_the_first_append,
    every_finding_of_an_unfinished_message_counts,
    a_parked_message_is_not_counted,
    waiting_for_a_person_is_not_counted,
    an_ending_takes_the_message_from_the_inbox,
    giving_back_tells_whether_work_waits,
    giving_back_comes_behind_an_append_that_is_on_its_way,
    an_interrupt_reaches_whoever_takes_the_session,
    an_interrupt_ends_with_the_message_that_it_was_for,
    an_interrupt_of_nothing_stops_nothing_later,
    an_opening_that_fits_is_appended_with_the_taking,
    an_opening_that_does_not_fit_writes_nothing,
    closing_the_store_twice_is_fine,
)
