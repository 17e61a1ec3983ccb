"""A session: what goes in comes out, in order, once, and stays."""

import asyncio
from collections.abc import AsyncGenerator
from contextvars import ContextVar

import pytest

from ore.artifact import Image, Notice, Text, TextDelta, ToolCall, ToolResult
from ore.errors import ConflictError, InputError, LimitError, SessionClosedError
from ore.event import Lifecycle, SessionSwitch, TurnComplete, UserMessage, provenance
from ore.ledger import MemoryStore, Outcome, Role, State
from ore.models import Spec
from ore.provider import Batch, Option
from ore.session import Manager, SessionLimits
from ore.testing import ScriptedProvider
from session.held_store import HeldStore
from session.watch import Watch, agent, answer, roles, said, steps, until


@pytest.mark.requirement("C179", "P9")
async def test_a_message_and_its_answer_are_stored(watch: Watch) -> None:
    store = MemoryStore()
    stream = watch.of(await Manager(agent(ScriptedProvider(answer("hello"))), store).create())
    await stream.process("hi")
    assert said(stream.turns) == [("user", "hi"), ("assistant", "hello")]
    assert list((await store.load(stream.id)).turns) == list(stream.turns)


@pytest.mark.requirement("C180")
async def test_turns_that_were_taken_never_change(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider(answer("one"), answer("two")))
    await stream.process("hi")
    before = stream.turns
    await stream.process("again")
    assert (len(before), len(stream.turns)) == (2, 4)
    with pytest.raises(TypeError):
        before[0] = before[1]  # type: ignore[index]


class Counting:
    """A provider that knows how many ask it at once."""

    name = "counting"

    def __init__(self) -> None:
        self.running = self.most = 0

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            for piece in "abc":
                await asyncio.sleep(0)
                yield (TextDelta(content=piece),)
        finally:
            self.running -= 1


@pytest.mark.requirement("C181")
async def test_ten_waiters_at_once_are_served_one_after_another(watch: Watch) -> None:
    provider = Counting()
    stream = await watch.session(provider)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        tasks = [group.create_task(stream.process(str(number))) for number in range(10)]
    assert [task.result().status for task in tasks] == [Outcome.DONE] * 10
    assert provider.most == 1
    assert said(stream.turns) == [
        turn for number in range(10) for turn in (("user", str(number)), ("assistant", "abc"))
    ]


@pytest.mark.requirement("C182", "P15")
async def test_submitting_while_a_message_runs_returns_at_once(watch: Watch) -> None:
    hold = asyncio.Event()
    stream = await watch.session(ScriptedProvider([hold, *answer("one")], answer("two")))
    first = stream.submit("first")
    await until(lambda: "submitted" in watch.told(stream))
    second = stream.submit("second")
    assert (first.outcome, second.outcome) == (None, None)
    hold.set()
    async with asyncio.timeout(5):
        assert (await second).status is Outcome.DONE


@pytest.mark.requirement("C184", "B42")
async def test_messages_that_come_while_a_tool_runs_wait_their_turn(watch: Watch) -> None:
    """No abort, no turns in each other's way, and the queue can be seen."""
    hold = asyncio.Event()

    async def work() -> str:
        await hold.wait()
        return "worked"

    provider = ScriptedProvider([ToolCall(id="c", name="work", arguments="{}")], answer("A"), answer("B"), answer("C"))
    stream = await watch.session(provider, work)
    first = stream.submit(UserMessage(content="u1", id="m1"))
    await until(lambda: stream.snapshot().phase == "tools")
    async with asyncio.TaskGroup() as group:
        second = group.create_task(stream.process(UserMessage(content="u2", id="m2")))
        await steps()
        third = stream.submit(UserMessage(content="u3", id="m3"))
        assert [(item["id"], item["status"], item["position"]) for item in stream.snapshot().queue] == [
            *(("m1", "running", 0), ("m2", "waiting", 1), ("m3", "waiting", 2)),
        ]
        hold.set()
    async with asyncio.timeout(5):
        assert [(await first).status, second.result().status, (await third).status] == [Outcome.DONE] * 3
    spoken = [turn for turn in stream.turns if turn.role is not Role.TOOL and not turn.calls]
    assert said(spoken) == [
        *(("user", "u1"), ("assistant", "A"), ("user", "u2"), ("assistant", "B"), ("user", "u3"), ("assistant", "C")),
    ]
    assert [words[0] for words in (watch.told(stream, id) for id in ("m1", "m2", "m3"))] == [
        *("turn user", "queued", "queued"),
    ]


@pytest.mark.requirement("C186")
@pytest.mark.parametrize("event", [SessionSwitch(session_id="other"), 5])
async def test_an_event_that_is_no_input_is_refused(watch: Watch, event: object) -> None:
    stream = await watch.session(ScriptedProvider())
    with pytest.raises(InputError):
        stream.submit(event)  # type: ignore[arg-type]
    assert watch.told(stream) == []


@pytest.mark.requirement("D-content")
async def test_content_that_a_ledger_does_not_keep_is_refused(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider())
    for artifact in (TextDelta(content="half"), Notice(content="read this")):
        with pytest.raises(InputError):
            stream.submit(UserMessage(content=(artifact,)))
    assert watch.told(stream) == []


async def test_content_may_be_a_list_of_artifacts(watch: Watch) -> None:
    content = (Text(content="look"), Image(url="https://example.org/x.png"))
    provider = ScriptedProvider(answer("nice"))
    stream = await watch.session(provider)
    await stream.process(UserMessage(content=content))
    assert stream.turns[0].artifacts == content
    assert provider.invocations[0].turns[-1].artifacts == content


@pytest.mark.requirement("C191", "P7")
async def test_a_cancelled_message_is_no_error(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider([asyncio.Event()]))
    ticket = stream.submit("hi")
    await until(lambda: "submitted" in watch.told(stream))
    assert stream.cancel()
    async with asyncio.timeout(5):
        outcome = await ticket
    assert (outcome.status, outcome.error, outcome.turn) == (Outcome.CANCELLED, None, None)
    assert watch.told(stream) == ["turn user", "submitted", "cancelled", "done cancelled"]
    assert said(stream.turns) == [("user", "hi")]


async def test_there_is_nothing_to_cancel_in_an_idle_session(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider(answer("hello")))
    assert not stream.cancel()
    await stream.process("hi")
    await stream.idle()
    assert not stream.cancel()
    assert watch.told(stream)[-1] == "done done"


WHO: ContextVar[str] = ContextVar("who", default="nobody")


@pytest.mark.requirement("C197", "P16", "D-context-of-the-message")
async def test_each_message_runs_in_the_context_of_whoever_sent_it(watch: Watch) -> None:
    """Its sender's variables reach its tools, and nothing of one message is left for the next."""
    seen: list[str] = []

    async def note() -> str:
        seen.append(WHO.get())
        return "noted"

    call = [ToolCall(id="c", name="note", arguments="{}")]
    stream = await watch.session(ScriptedProvider(call, answer("one"), call, answer("two")), note)
    token = WHO.set("ann")
    with provenance("web"):
        first = stream.submit(UserMessage(content="first", id="a"))
    WHO.reset(token)
    second = stream.submit(UserMessage(content="second", id="b"))
    async with asyncio.timeout(5):
        await first
        await second
    assert seen == ["ann", "nobody"]
    assert {entry.context.provenance for entry in watch.events(stream, "a")} == {"web"}
    assert {entry.context.provenance for entry in watch.events(stream, "b")} == {None}


@pytest.mark.requirement("C200")
async def test_a_closed_session_stays_in_the_store_and_has_no_more_events(watch: Watch) -> None:
    store = MemoryStore()
    stream = watch.of(await Manager(agent(ScriptedProvider(answer("hello"))), store).create())
    await stream.process("hi")
    await stream.close()
    await stream.close()
    assert [entry async for entry in stream.subscribe()] == []
    assert list((await store.load(stream.id)).turns) == list(stream.turns)


@pytest.mark.requirement("C202", "L3", "N12")
async def test_one_may_emit_while_a_message_runs_and_not_after_the_end(watch: Watch) -> None:
    hold = asyncio.Event()
    stream = await watch.session(ScriptedProvider([hold, *answer("hello")]))
    ticket = stream.submit("hi")
    await until(lambda: "submitted" in watch.told(stream))
    stream.emit(Notice(content="still here"))
    hold.set()
    async with asyncio.timeout(5):
        await ticket
    assert [entry.event for entry in watch.events(stream) if entry.kind == "notice"] == [Notice(content="still here")]
    await stream.close()
    with pytest.raises(SessionClosedError):
        stream.emit(Notice(content="too late"))


async def test_a_closed_session_takes_nothing_in(watch: Watch) -> None:
    stream = await watch.session(ScriptedProvider())
    await stream.close()
    with pytest.raises(SessionClosedError):
        stream.submit("hi")
    with pytest.raises(SessionClosedError):
        stream.cancel()
    with pytest.raises(SessionClosedError):
        await stream.interrupt()
    with pytest.raises(SessionClosedError):
        await stream.append_turn(Role.USER, Text(content="hi"))
    with pytest.raises(SessionClosedError):
        await stream.metadata.set("a", "1")


@pytest.mark.requirement("C203")
async def test_a_turn_that_no_message_brought_is_stored_and_told(watch: Watch) -> None:
    store = MemoryStore()
    stream = watch.of(await Manager(agent(ScriptedProvider()), store).create())
    turn = await stream.append_turn(Role.ASSISTANT, Text(content="Welcome."))
    [entry] = watch.events(stream)
    assert (entry.event, entry.context.message) == (TurnComplete(turn=turn), None)
    assert turn.timestamp is not None
    assert list((await store.load(stream.id)).turns) == list(stream.turns) == [turn]


@pytest.mark.requirement("C209", "P10")
async def test_no_turn_stands_twice_after_a_tool(watch: Watch) -> None:
    async def echo() -> str:
        return "echo"

    store = MemoryStore()
    provider = ScriptedProvider([ToolCall(id="c", name="echo", arguments="{}")], answer("done"))
    stream = watch.of(await Manager(agent(provider, echo), store).create())
    await stream.process("hi")
    assert roles(stream.turns) == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert list((await store.load(stream.id)).turns) == list(stream.turns)


@pytest.mark.requirement("B18", "D-worker-persists")
async def test_whoever_leaves_at_the_last_event_leaves_a_stored_turn_behind(watch: Watch) -> None:
    """The worker stores, not the reader; done is told only after the turn is durable."""
    store = HeldStore("append")
    stream = watch.of(await Manager(agent(ScriptedProvider(answer("hello"))), store).create())

    async def leave_at_once() -> None:
        async with stream.subscribe("lifecycle") as reader:
            stream.submit("hi")
            async for entry in reader:
                if entry.event == Lifecycle(phase="done", outcome=Outcome.DONE):
                    return

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(leave_at_once())
        await until(lambda: store.waiting == ["append"])
        await steps()
        assert watch.told(stream) == []
        store.release()
    assert said((await store.load(stream.id)).turns) == [("user", "hi"), ("assistant", "hello")]


@pytest.mark.requirement("D-message-ids")
async def test_a_message_that_is_sent_twice_is_one_message(watch: Watch) -> None:
    hold = asyncio.Event()
    stream = await watch.session(ScriptedProvider([hold, *answer("one")], answer("two")))
    stream.submit(UserMessage(content="first", id="a"))
    once = stream.submit(UserMessage(content="second", id="b"))
    again = stream.submit(UserMessage(content="second", id="b"))
    hold.set()
    async with asyncio.timeout(5):
        assert await once == await again
        await stream.idle()
        late = await stream.submit(UserMessage(content="second", id="b"))
    assert (late.status, late.turn) == (Outcome.DONE, stream.turns[-1])
    assert said(stream.turns) == [("user", "first"), ("assistant", "one"), ("user", "second"), ("assistant", "two")]


@pytest.mark.requirement("D-message-ids")
async def test_another_content_under_a_known_id_is_refused(watch: Watch) -> None:
    """While it waits, and after it ended."""
    hold = asyncio.Event()
    stream = await watch.session(ScriptedProvider([hold, *answer("one")]))
    ticket = stream.submit(UserMessage(content="first", id="a"))
    with pytest.raises(ConflictError):
        stream.submit(UserMessage(content="other", id="a"))
    hold.set()
    async with asyncio.timeout(5):
        await ticket
        await stream.idle()
    assert said(stream.turns) == [("user", "first"), ("assistant", "one")]


@pytest.mark.requirement("D-message-ids")
@pytest.mark.parametrize("id", ["", "../x", "a b", "x" * 129])
async def test_a_message_id_that_could_name_a_path_is_refused(watch: Watch, id: str) -> None:
    stream = await watch.session(ScriptedProvider())
    with pytest.raises(InputError):
        stream.submit(UserMessage(content="hi", id=id))


@pytest.mark.requirement("D-limits")
async def test_a_message_that_is_too_large_is_refused(watch: Watch) -> None:
    limits = SessionLimits(message_bytes=10)
    stream = watch.of(await Manager(agent(ScriptedProvider(answer("ok"))), limits=limits).create())
    with pytest.raises(LimitError):
        stream.submit("x" * 11)
    with pytest.raises(LimitError):
        stream.submit(UserMessage(content=(Image(media_type="image/png", data=b"x" * 11),)))
    assert (await stream.process("x" * 10)).status is Outcome.DONE


@pytest.mark.requirement("D-limits")
async def test_a_full_queue_refuses_until_something_ended(watch: Watch) -> None:
    hold = asyncio.Event()
    provider = ScriptedProvider([hold, *answer("one")], answer("two"), answer("three"))
    stream = watch.of(await Manager(agent(provider), limits=SessionLimits(queue=1)).create())
    first = stream.submit("first")
    await until(lambda: "submitted" in watch.told(stream))
    second = stream.submit("second")
    with pytest.raises(LimitError):
        stream.submit("third")
    hold.set()
    async with asyncio.timeout(5):
        await first
        await second
        assert (await stream.process("third")).status is Outcome.DONE


@pytest.mark.requirement("D-cancelled-results")
async def test_one_call_can_be_stopped_and_the_message_goes_on(watch: Watch) -> None:
    began = asyncio.Event()

    async def wait() -> None:
        began.set()
        await asyncio.Event().wait()

    provider = ScriptedProvider([ToolCall(id="c", name="wait", arguments="{}")], answer("without it"))
    stream = await watch.session(provider, wait)
    ticket = stream.submit("hi")
    await began.wait()
    assert not stream.cancel("no-such-activity")
    assert stream.cancel(f"{stream.turns[-1].id}:0")
    async with asyncio.timeout(5):
        assert (await ticket).status is Outcome.DONE
    result = stream.turns[2].artifacts[0]
    assert isinstance(result, ToolResult) and result.status == "cancelled"
    assert said(stream.turns)[-1] == ("assistant", "without it")


@pytest.mark.requirement("D-snapshot")
async def test_a_snapshot_and_what_follows_it_have_no_gap_and_no_double(watch: Watch) -> None:
    hold = asyncio.Event()
    stream = await watch.session(ScriptedProvider([*answer("Hel"), hold, *answer("lo")]))
    ticket = stream.submit("hi")
    await until(lambda: "text_delta" in watch.told(stream))
    snapshot, reader = stream.snapshot_and_subscribe("text_delta", "text")
    hold.set()
    async with asyncio.timeout(5):
        await ticket
    assert [block.artifact for block in snapshot.blocks] == [Text(content="Hel")]
    assert (snapshot.phase, said(snapshot.turns)) == ("streaming", [("user", "hi")])
    assert [entry.event for entry in reader.take()] == [TextDelta(content="lo"), Text(content="Hello")]
    assert [entry.kind for entry in stream.subscribe(after=snapshot.id).take()][:2] == ["text_delta", "text"]
