"""Messages that steer, in unusual moments: several, too late, intercepted, without end."""

import asyncio

import pytest

from ore.artifact import Text, ToolCall
from ore.errors import LimitError, ProviderError
from ore.event import Emitter, UserMessage
from ore.ledger import Outcome
from ore.session import Intercepted, Manager, Stream
from ore.testing import Item, ScriptedProvider
from session.watch import Watch, agent, answer, said, until

CALL = [ToolCall(id="c", name="work", arguments="{}")]


def steering(content: str, id: str) -> UserMessage:
    return UserMessage(content=content, id=id, mode="steer")


class Work:
    """A tool that works until it is told that it is done."""

    def __init__(self) -> None:
        self.began, self.done = asyncio.Event(), asyncio.Event()

    async def work(self) -> str:
        self.began.set()
        await self.done.wait()
        return "worked"


@pytest.mark.requirement("D-steer")
async def test_messages_that_steer_enter_in_order_and_before_those_that_wait(watch: Watch) -> None:
    tool = Work()
    stream = await watch.session(ScriptedProvider(CALL, answer("one"), answer("two")), tool.work)
    tickets = [stream.submit("first")]
    await tool.began.wait()
    tickets += [stream.submit(UserMessage(content="last", id="z"))]
    tickets += [stream.submit(steering(text, text)) for text in ("x", "y")]
    assert [item["id"] for item in stream.snapshot().queue][1:] == ["x", "y", "z"]
    tool.done.set()
    async with asyncio.timeout(5):
        assert [(await ticket).status for ticket in tickets] == [Outcome.DONE] * 4
    assert [text for role, text in said(stream.turns) if role == "user"] == ["first", "x", "y", "last"]


@pytest.mark.requirement("D-steer")
async def test_a_message_that_steers_too_late_heads_the_queue(watch: Watch) -> None:
    """The ending of the running one is durable already."""
    busy, hold = asyncio.Event(), asyncio.Event()

    class Slow:
        async def handle(self, artifact: object, emitter: Emitter) -> None:
            if artifact == Text(content="one"):
                busy.set()
                await hold.wait()

    stream = await watch.session(ScriptedProvider(answer("one"), answer("two"), answer("three")), handlers=(Slow(),))
    running, waiting = stream.submit("first"), stream.submit("waiting")
    await busy.wait()
    steered = stream.submit(steering("late", "b"))
    hold.set()
    async with asyncio.timeout(5):
        assert [(await ticket).status for ticket in (running, steered, waiting)] == [Outcome.DONE] * 3
    assert said(stream.turns) == [
        *(("user", "first"), ("assistant", "one"), ("user", "late"), ("assistant", "two")),
        *(("user", "waiting"), ("assistant", "three")),
    ]


@pytest.mark.requirement("D-steer")
async def test_a_message_that_steers_is_intercepted_as_any_other(watch: Watch) -> None:
    """One that is used up ends with the running message, and adds nothing."""
    tool = Work()

    class Using:
        async def intercept(self, stream: Stream, message: UserMessage) -> Intercepted:
            return Intercepted(message=None if message.id == "b" else message)

    provider = ScriptedProvider(CALL, answer("one"))
    stream = watch.of(await Manager(agent(provider, tool.work), interceptors=[Using()]).create())
    running = stream.submit("first")
    await tool.began.wait()
    steered = stream.submit(steering("/also", "b"))
    tool.done.set()
    async with asyncio.timeout(5):
        assert [(await running).status, (await steered).status] == [Outcome.DONE] * 2
    assert [text for role, text in said(stream.turns) if role == "user"] == ["first"]


@pytest.mark.requirement("D-steer")
async def test_a_message_that_steered_fails_with_the_one_that_it_joined(watch: Watch) -> None:
    """Each tells its own error."""
    tool, hold = Work(), asyncio.Event()
    last: list[Item] = [*answer("par"), hold, ProviderError("boom", provider="scripted")]
    stream = await watch.session(ScriptedProvider(CALL, last), tool.work)
    running = stream.submit("first")
    await tool.began.wait()
    joined = stream.submit(steering("also", "b"))
    tool.done.set()
    await until(lambda: "text_delta" in watch.told(stream))
    hold.set()
    async with asyncio.timeout(5):
        assert [(await running).status, (await joined).status] == [Outcome.FAILED] * 2
    assert said(stream.turns)[-2:] == [("user", "also"), ("assistant", "par")]


@pytest.mark.requirement("D-steer")
async def test_a_loop_that_is_steered_without_end_stops_at_its_limit_of_rounds(watch: Watch) -> None:
    """Each answer is met by another message; the last of them heads the queue, and is answered."""
    provider = ScriptedProvider(*[answer("again")] * 50, answer("the last"))
    stream = await watch.session(provider)
    ids: list[str] = []

    async def pester() -> None:
        async with stream.subscribe("text_delta", policy="block") as reader:
            async for _ in reader:
                if len(ids) == 50:
                    return
                ids.append(stream.submit(UserMessage(content="more", mode="steer")).id)

    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(pester())
        await asyncio.sleep(0)
        outcome = await stream.submit("first")
        await stream.idle()
    assert (outcome.status, type(outcome.error)) == (Outcome.FAILED, LimitError)
    assert len(provider.invocations) == 51
    assert said(stream.turns)[-2:] == [("user", "more"), ("assistant", "the last")]
