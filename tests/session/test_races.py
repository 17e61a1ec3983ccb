"""Every accepted message ends once, however narrow the moment in which somebody interferes."""

import asyncio

import pytest

from ore.artifact import ResultStatus, ToolCall, ToolResult
from ore.errors import NotFoundError, StoreError
from ore.event import ErrorEvent, UserMessage
from ore.ledger import Outcome, Role
from ore.session import Intercepted, Manager, Stream
from ore.testing import ScriptedProvider
from session.held_store import FullStore, HeldStore
from session.watch import Watch, agent, answer, said, steps, until


@pytest.mark.requirement("L2", "D-one-ending")
@pytest.mark.parametrize("passes", range(6))
async def test_a_cancel_in_the_very_moment_in_which_a_message_begins(watch: Watch, passes: int) -> None:
    """Whatever step the worker is at, the message has one ending, and its ticket knows it."""
    provider = ScriptedProvider([asyncio.Event()], answer("after"))
    stream = await watch.session(provider)
    ticket = stream.submit("hi")
    await steps(passes)
    cancelled = stream.cancel()
    if not cancelled:
        await until(stream.cancel)
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.CANCELLED
        await stream.idle()
    assert len(provider.invocations) <= 1
    assert [turn.role for turn in stream.turns].count(Role.USER) <= 1


@pytest.mark.requirement("L2", "D-one-ending")
@pytest.mark.parametrize("passes", range(6))
async def test_a_close_in_the_very_moment_in_which_a_message_begins(watch: Watch, passes: int) -> None:
    stream = await watch.session(ScriptedProvider([asyncio.Event()]))
    ticket = stream.submit("hi")
    await steps(passes)
    async with asyncio.timeout(5):
        await stream.close()
    assert ticket.outcome is not None
    assert ticket.outcome.status in (Outcome.CANCELLED, Outcome.CLOSED)


@pytest.mark.requirement("L2", "D-one-ending")
async def test_a_cancellation_that_nobody_asked_for_fails_the_message_once(watch: Watch) -> None:
    """Something inside it awaited what was cancelled; the session goes on."""
    provider = ScriptedProvider([asyncio.CancelledError()], answer("fine"))
    stream = await watch.session(provider)
    async with asyncio.timeout(5):
        assert (await stream.submit("hi")).status is Outcome.FAILED
        assert (await stream.process("again")).status is Outcome.DONE
    assert len(provider.invocations) == 2


async def test_a_cancellation_inside_an_interceptor_fails_the_message_once(watch: Watch) -> None:
    asked: list[UserMessage] = []

    class Cancelled:
        async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
            asked.append(message)
            if len(asked) == 1:
                raise asyncio.CancelledError
            return Intercepted(message=None)

    stream = watch.of(await Manager(agent(ScriptedProvider()), interceptors=[Cancelled()]).create())
    async with asyncio.timeout(5):
        assert (await stream.submit("hi")).status is Outcome.FAILED
        assert (await stream.process("again")).status is Outcome.DONE
    assert len(asked) == 2


@pytest.mark.requirement("L32", "D-store-fails")
async def test_a_store_that_is_full_fails_the_message_once_and_loses_nothing(watch: Watch) -> None:
    """It stays in the inbox, and goes on when the session is attached again."""
    store = FullStore()
    provider = ScriptedProvider(answer("hello"))
    manager = Manager(agent(provider), store)
    stream = watch.of(await manager.create())
    store.full = True
    ticket = stream.submit(UserMessage(content="hi", id="m"))
    async with asyncio.timeout(5):
        with pytest.raises(StoreError):
            await ticket
        await stream.idle()
    assert (provider.invocations, list(stream.turns)) == ([], [])
    store.full = False
    await stream.close()
    again = await manager.attach(stream.id)
    async with asyncio.timeout(5):
        await again.idle()
        await again.close()
    assert said((await store.load(stream.id)).turns) == [("user", "hi"), ("assistant", "hello")]
    assert await store.pending(stream.id) == []


@pytest.mark.requirement("D-store-fails")
async def test_a_store_that_is_full_at_the_ending_ends_the_message_once(watch: Watch) -> None:
    store = FullStore()
    hold = asyncio.Event()
    provider = ScriptedProvider([hold, *answer("hello")])
    stream = watch.of(await Manager(agent(provider), store).create())
    ticket = stream.submit("hi")
    await until(lambda: "submitted" in watch.told(stream))
    store.full = True
    hold.set()
    async with asyncio.timeout(5):
        with pytest.raises(StoreError):
            await ticket
        await stream.idle()
    assert watch.told(stream)[-1] == "error store"
    assert len(provider.invocations) == 1
    store.full = False


@pytest.mark.parametrize("held", ["take", "next", "submit"])
async def test_a_message_becomes_durable_while_another_runs_whenever_it_came(watch: Watch, held: str) -> None:
    """Also one that was submitted while the worker was taking the session."""
    store = HeldStore(held)
    stream = watch.of(await Manager(agent(ScriptedProvider([asyncio.Event()], repeat=True)), store).create())
    stream.submit("first")
    await until(lambda: store.waiting == [held])
    second = stream.submit("second")
    store.release()
    await until(lambda: "submitted" in watch.told(stream))
    async with asyncio.timeout(5):
        await second.accepted()


@pytest.mark.parametrize("held", ["take", "next", "submit"])
async def test_an_interrupt_works_whenever_the_messages_came(watch: Watch, held: str) -> None:
    store = HeldStore(held)
    stream = watch.of(await Manager(agent(ScriptedProvider([asyncio.Event()], repeat=True)), store).create())
    first = stream.submit("first")
    await until(lambda: store.waiting == [held])
    second = stream.submit("second")
    store.release()
    await until(lambda: "submitted" in watch.told(stream))
    interrupting = asyncio.create_task(stream.interrupt())
    await asyncio.wait((interrupting,), timeout=2)
    stream.cancel()
    async with asyncio.timeout(5):
        done = await interrupting
    assert (done.cancelled, [id for id, _ in done.cleared]) == (first.id, [second.id])


@pytest.mark.requirement("L17")
async def test_attaching_a_session_that_is_being_closed_waits_for_its_end(watch: Watch) -> None:
    """There are never two of one session, and what was cancelled is not run again."""
    provider = ScriptedProvider([*answer("par"), asyncio.Event()], answer("again"))
    manager = Manager(agent(provider))
    stream = watch.of(await manager.create_with_id("x"))
    ticket = stream.submit("hi")
    await until(lambda: "text_delta" in watch.told(stream))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(stream.close())
        await asyncio.sleep(0)
        attaching = group.create_task(manager.attach("x"))
    again = watch.of(attaching.result())
    await again.idle()
    assert (await ticket).status is Outcome.CANCELLED
    assert (manager.list(), len(provider.invocations)) == ((again,), 1)
    assert (await again.process("and now?")).status is Outcome.DONE


@pytest.mark.requirement("L17")
async def test_two_who_open_a_new_session_at_once_get_the_same_one(watch: Watch) -> None:
    manager = Manager(agent(ScriptedProvider()))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        tasks = [group.create_task(manager.open("x")) for _ in range(3)]
    assert {watch.of(task.result()) for task in tasks} == {manager.get("x")}


@pytest.mark.requirement("D-one-error")
async def test_each_of_two_messages_that_fail_with_one_error_object_tells_its_own(watch: Watch) -> None:
    failure = ValueError("no")

    class Failing:
        async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
            raise failure

    stream = watch.of(await Manager(agent(ScriptedProvider()), interceptors=[Failing()]).create())
    for id in ("a", "b"):
        assert (await stream.submit(UserMessage(content="hi", id=id))).error is failure
    assert [[type(entry.event) is ErrorEvent for entry in watch.events(stream, id)] for id in ("a", "b")] == [
        *([True, False], [True, False]),
    ]


@pytest.mark.requirement("C218")
async def test_defaults_that_fail_leave_nothing_behind(watch: Watch) -> None:
    failing = True

    def defaults(stream: Stream) -> dict[str, str]:
        if failing:
            raise ValueError("no defaults")
        return {}

    manager = Manager(agent(ScriptedProvider()), defaults=defaults)
    with pytest.raises(ValueError):
        await manager.create_with_id("x")
    assert manager.list() == ()
    with pytest.raises(NotFoundError):
        await manager.get_thread("x")
    failing = False
    watch.of(await manager.create_with_id("x"))


@pytest.mark.requirement("D-cancelled-results")
async def test_a_call_that_is_stopped_before_its_first_step_costs_no_other_its_result(watch: Watch) -> None:
    async def work(name: str) -> str:
        return f"{name} worked"

    round = [ToolCall(id=name, name="work", arguments=f'{{"name": "{name}"}}') for name in ("a", "b")]
    stream = await watch.session(ScriptedProvider(round, answer("fine")), work)
    ticket = stream.submit("hi")
    await until(lambda: stream.snapshot().phase == "tools")
    stream.cancel(f"{stream.turns[-1].id}:0")
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.DONE
    results = [item for turn in stream.turns for item in turn.artifacts if isinstance(item, ToolResult)]
    assert [(item.tool_call_id, item.status) for item in results] == [
        *(("a", ResultStatus.CANCELLED), ("b", ResultStatus.OK)),
    ]


@pytest.mark.requirement("D-queued")
async def test_nothing_is_ahead_of_a_message_that_is_sent_when_the_last_one_has_ended(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider(answer("one"), answer("two")))
    await stream.process("first")
    assert (stream.snapshot().phase, list(stream.snapshot().queue)) == ("idle", [])
    second = stream.submit(UserMessage(content="second", id="b"))
    async with asyncio.timeout(5):
        await second
    assert "queued" not in watch.told(stream, "b")


async def test_a_tool_that_closes_its_own_session_hangs_nobody(watch: Watch) -> None:
    async def leave() -> str:
        await stream.close()
        return "left"

    stream = await watch.session(ScriptedProvider([ToolCall(id="c", name="leave", arguments="{}")]), leave)
    ticket = stream.submit("hi")
    async with asyncio.timeout(5):
        assert (await ticket).status in (Outcome.CANCELLED, Outcome.FAILED)


async def test_a_tool_that_waits_for_its_own_session_hears_that_it_would_wait_for_itself(watch: Watch) -> None:
    async def ask(text: str) -> str:
        await stream.process(text)
        return "asked"

    call = ToolCall(id="c", name="ask", arguments='{"text": "deeper"}')
    stream = await watch.session(ScriptedProvider([call], answer("fine"), repeat=True), ask)
    ticket = stream.submit("hi")
    async with asyncio.timeout(2):
        assert (await ticket).status is Outcome.DONE


@pytest.mark.requirement("D-message-ids")
async def test_a_message_that_ended_and_comes_again_tells_nothing_new(watch: Watch) -> None:
    """Neither that it is queued nor anything behind its done."""
    hold = asyncio.Event()
    stream = await watch.session(ScriptedProvider(answer("one"), [hold, *answer("two")]))
    await stream.process(UserMessage(content="first", id="a"))
    await stream.idle()
    running = stream.submit("second")
    await until(lambda: watch.told(stream).count("submitted") == 2)
    again = stream.submit(UserMessage(content="first", id="a"))
    hold.set()
    async with asyncio.timeout(5):
        assert (await again).status is Outcome.DONE
        await running


async def test_an_interrupt_whose_caller_goes_away_still_ends_what_runs(watch: Watch) -> None:
    """It is whole or absent: the queue is not cleared without the message being cancelled."""
    store = HeldStore()
    stream = watch.of(await Manager(agent(ScriptedProvider([asyncio.Event()])), store).create())
    running, waiting = stream.submit("running"), stream.submit("waiting")
    await until(lambda: "submitted" in watch.told(stream))
    store.held.add("append")
    interrupting = asyncio.create_task(stream.interrupt())
    await until(lambda: store.waiting == ["append"])
    interrupting.cancel()
    await steps()
    store.release()
    async with asyncio.timeout(2):
        assert (await waiting).status is Outcome.CLEARED
        assert (await running).status is Outcome.CANCELLED
    await asyncio.wait((interrupting,))


async def test_a_fact_set_in_the_moment_before_the_close_is_whole_or_absent(watch: Watch) -> None:
    store = HeldStore()
    stream = watch.of(await Manager(agent(ScriptedProvider()), store).create())
    store.held.add("append")
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(stream.metadata.set("a", "1"))
        await until(lambda: store.waiting == ["append"])
        group.create_task(stream.close())
        await steps()
        store.release()
    assert (await store.load(stream.id)).metadata == {"a": "1"}
    assert stream.metadata.all() == {"a": "1"}


@pytest.mark.requirement("D-one-ending")
@pytest.mark.parametrize("by", ["cancel", "close"])
async def test_a_message_that_steers_is_not_lost_when_the_running_one_is_cut(watch: Watch, by: str) -> None:
    """It has not entered yet: it heads the queue, or is closed."""
    hold, store = asyncio.Event(), HeldStore()

    async def work() -> str:
        await hold.wait()
        return "worked"

    late = [asyncio.Event()] if by == "close" else answer("late")  # an answer must not come before the end
    provider = ScriptedProvider([ToolCall(id="c", name="work", arguments="{}")], late, answer("later"))
    stream = watch.of(await Manager(agent(provider, work), store).create())
    running = stream.submit("running")
    await until(lambda: stream.snapshot().phase == "tools")
    store.held.add("submit")
    steering = stream.submit(UserMessage(content="steering", mode="steer"))
    await until(lambda: store.waiting == ["submit"])
    hold.set()
    await until(lambda: "turn tool" in watch.told(stream))
    await steps()
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        if by == "close":
            group.create_task(stream.close())
        else:
            stream.cancel()
        await steps()
        store.release()
    async with asyncio.timeout(5):
        outcomes = [(await ticket).status for ticket in (running, steering)]
    assert outcomes == [Outcome.CANCELLED, Outcome.DONE if by == "cancel" else Outcome.CLOSED]
