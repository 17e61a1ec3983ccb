"""Calls as a session's front ends see them."""

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from calls.stage import arguments, ask
from ore.agent import AgentSpec
from ore.artifact import ResultStatus, Text, ToolResult
from ore.errors import LimitError
from ore.event import UserMessage
from ore.ledger import MemoryStore, Outcome, Role, Turn, parted, unanswered
from ore.session import LocalPlacement, Manager, Services, Stream
from ore.testing.scripted import Item, ScriptedProvider
from ore.tool import Tool, tool

WHO: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")
DONE = [Text(content="Done.")]


def agent(tools: Sequence[Tool], *script: Sequence[Item]) -> AgentSpec:
    return AgentSpec(name="agent", provider=ScriptedProvider(*script), tools=lambda state: tools)


@asynccontextmanager
async def session(tools: Sequence[Tool], *script: Sequence[Item]) -> AsyncIterator[Stream]:
    async with asyncio.timeout(5), Manager(agent(tools, *script)) as manager:
        yield await manager.create()


def results(turns: Sequence[Turn]) -> list[tuple[str, ResultStatus | None]]:
    """What calls came to, in order."""
    found = [artifact for turn in turns for artifact in turn.artifacts if isinstance(artifact, ToolResult)]
    return [(result.content, result.status) for result in found]


def sendable(turns: Sequence[Turn]) -> bool:
    return not parted(turns) and not unanswered(turns)


@pytest.mark.requirement("B46")
async def test_whoever_waits_may_go_and_the_message_goes_on() -> None:
    """Leaving stops nothing; cancelling does, and says so when the tool has cleaned up."""
    started, cleaned = asyncio.Event(), asyncio.Event()

    @tool
    async def work() -> None:
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.set()

    async with session([work], [ask("work")]) as stream:
        waiter = asyncio.create_task(stream.process(UserMessage(content="hi", id="m1")))
        await started.wait()
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
        assert not cleaned.is_set()

        ticket = stream.submit(UserMessage(content="hi", id="m1"))
        assert stream.cancel()
        outcome = await ticket
        assert (cleaned.is_set(), outcome.status) == (True, Outcome.CANCELLED)
        assert results(stream.turns) == [("cancelled by the user", ResultStatus.CANCELLED)]


@pytest.mark.parametrize("blocking", [False, True])
async def test_a_tool_that_exits_does_not_take_the_session_with_it(blocking: bool) -> None:
    """Nor the process: the next message is answered."""

    def leave() -> None:
        raise SystemExit(3)

    async def leave_later() -> None:
        leave()

    tools = [tool(leave if blocking else leave_later, name="leave")]
    async with session(tools, [ask("leave")], DONE, DONE) as stream:
        assert (await stream.process("hi")).status is Outcome.DONE
        assert (await stream.process("hi again")).status is Outcome.DONE
        assert results(stream.turns)[0][1] is ResultStatus.ERROR


async def test_a_front_end_stops_one_call_and_the_message_is_done() -> None:
    both, go = asyncio.Barrier(3), asyncio.Event()

    @tool
    async def wait(name: str) -> str:
        await both.wait()
        await go.wait()
        return name

    calls = [ask("wait", arguments(name=name), id=name) for name in "ab"]
    async with session([wait], calls, DONE) as stream, stream.subscribe("turn_complete", "tool_result") as events:
        ticket = stream.submit("hi")
        await both.wait()
        turn = stream.turns[-1]
        assert stream.cancel(f"{turn.id}:0")
        async for entry in events:
            if entry.kind == "tool_result":
                break
        assert not stream.cancel(f"{turn.id}:0")
        go.set()
        assert (await ticket).status is Outcome.DONE
        assert results(stream.turns) == [
            ("cancelled by the user", ResultStatus.CANCELLED),
            ("b", ResultStatus.OK),
        ]


@pytest.mark.requirement("B60")
async def test_every_tool_sees_the_context_variables_of_the_one_who_sent_the_message() -> None:
    """Also one that waited behind another's."""
    begun, go = threading.Event(), threading.Event()

    @tool
    def blocking() -> str:
        begun.set()
        go.wait(5)
        return WHO.get()

    @tool
    async def plain() -> str:
        return WHO.get()

    script: list[Sequence[Item]] = [[ask("blocking"), ask("plain")], DONE]
    async with session([blocking, plain], *script, *script) as stream:
        tickets = []
        for name in ("ada", "grace"):
            context = contextvars.copy_context()
            context.run(WHO.set, name)
            tickets.append(context.run(stream.submit, f"hello from {name}"))
        go.set()
        for ticket in tickets:
            await ticket
        assert [content for content, _ in results(stream.turns)] == ["ada", "ada", "grace", "grace"]


async def test_a_call_without_end_fails_the_message_and_the_next_one_goes_on() -> None:
    @tool
    async def noop() -> None: ...

    async with session([noop], *[[ask("noop")]] * 5, DONE) as stream:
        outcome = await stream.submit("hi")
        assert isinstance(outcome.error, LimitError)
        assert sendable(stream.turns)
        assert (await stream.process("go on")).status is Outcome.DONE
        assert sendable(stream.turns)


async def test_closing_a_session_answers_its_running_calls() -> None:
    started = asyncio.Event()

    @tool
    async def wait() -> None:
        started.set()
        await asyncio.Event().wait()

    async with session([wait], [ask("wait"), ask("wait")]) as stream:
        ticket = stream.submit("hi")
        await started.wait()
        await stream.close()
        assert (await ticket).status is Outcome.CANCELLED
        assert sendable(stream.turns)


class Process:
    """Tools of a process that stops in the middle of a round, and of the one that goes on.

    Attributes:
        ran: What ran, over both.
    """

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.stops = True
        self.started = asyncio.Barrier(4)

    def tools(self) -> list[Tool]:
        async def finish(name: str) -> str:
            self.ran.append(name)
            return name

        async def hang(name: str) -> str:
            self.ran.append(name)
            if self.stops:
                await self.started.wait()
                await asyncio.Event().wait()
            return name

        return [
            tool(finish, name="finish"),
            tool(hang, name="act"),
            tool(hang, name="set", idempotent=True),
            tool(hang, name="look", read_only=True),
        ]


@pytest.mark.requirement("D-calls-resume")
async def test_a_process_that_is_killed_leaves_a_round_that_the_next_one_ends() -> None:
    """Finished calls do not run again, a started one is unknown, unless it may run twice or changes nothing."""
    store, process = MemoryStore(), Process()
    calls = [ask(name, arguments(name=name), id=name) for name in ("finish", "act", "set", "look")]
    async with asyncio.timeout(5):
        first = await Manager(agent(process.tools(), calls), store).create_with_id("s")
        first.submit("hi")
        await process.started.wait()  # from here on it hangs, and the next one takes the session from it

        process.stops = False
        elsewhere = Services(placement=LocalPlacement())
        async with Manager(agent(process.tools(), DONE), store, services=elsewhere) as manager:
            second = await manager.attach("s")
            await second.idle()
            assert [status for _, status in results(second.turns)] == [
                ResultStatus.OK,
                ResultStatus.UNKNOWN,
                ResultStatus.OK,
                ResultStatus.OK,
            ]
            assert sorted(process.ran) == ["act", "finish", "look", "look", "set", "set"]
            assert (second.turns[-1].role, sendable(second.turns)) == (Role.ASSISTANT, True)
        await end_of_everything()


async def end_of_everything() -> None:
    """End every other task, as the end of a loop does."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def test_facts_of_a_value_are_the_sessions_facts() -> None:
    """Here, and for whoever attaches later."""

    class Moved:
        def status(self) -> dict[str, str]:
            return {"cwd": "/tmp"}

        def for_model(self) -> str:
            return "moved"

    @tool
    async def move() -> Moved:
        return Moved()

    store = MemoryStore()
    async with asyncio.timeout(5), Manager(agent([move], [ask("move")], DONE), store) as manager:
        stream = await manager.create_with_id("s")
        await stream.process("hi")
        assert stream.metadata.all() == {"cwd": "/tmp"}
        assert (await store.load("s")).metadata == {"cwd": "/tmp"}
