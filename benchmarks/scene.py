"""Agents, histories and readers to measure with."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager

from ore.agent import AgentSpec
from ore.artifact import Artifact, StopReason, Text, TextDelta, ToolCall
from ore.ledger import Role, State, Store, Thread, Turn, TurnRecord
from ore.loop import EventBus, Subscription
from ore.models import Spec
from ore.provider import BATCH_LIMIT, Batch, Option, Provider
from ore.session import Stream
from ore.testing import ScriptedProvider
from ore.tool import StaticTools

__all__ = ["Fragments", "Paced", "answering", "calling", "conversation", "fill", "process", "read_by"]

CALL: Sequence[Artifact] = [ToolCall(id="c", name="add", arguments='{"a": 1, "b": 2}')]
ANSWER: Sequence[Artifact] = [TextDelta(content="Hello"), TextDelta(content=" there.")]


class Fragments:
    """A provider whose answers are made of fragments that exist already, so that it costs next to nothing.

    The answers go round: each takes the next `size` fragments.
    """

    name = "fragments"

    def __init__(self, fragments: Sequence[TextDelta], size: int) -> None:
        self._answers = [
            [fragments[at : min(at + BATCH_LIMIT, end)] for at in range(start, end, BATCH_LIMIT)]
            for start, end in ((start, start + size) for start in range(0, len(fragments), size))
        ]
        self._next = 0

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Give the next answer."""
        batches = self._answers[self._next % len(self._answers)]
        self._next += 1
        for batch in batches:
            yield batch
        yield (StopReason(reason="stop"),)


class Paced:
    """A provider that says one fragment so many times, with a pause behind each."""

    name = "paced"

    def __init__(self, fragment: TextDelta, size: int, pause_s: float) -> None:
        self._batch = (fragment,)
        self._size = size
        self._pause_s = pause_s

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Give the answer."""
        for _ in range(self._size):
            yield self._batch
            await asyncio.sleep(self._pause_s)
        yield (StopReason(reason="stop"),)


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def answering(provider: Provider | None = None) -> AgentSpec:
    """An agent without tools; it says hello in two fragments, or what its provider says."""
    return AgentSpec(name="agent", provider=provider or ScriptedProvider(ANSWER, repeat=True))


def calling() -> AgentSpec:
    """An agent that calls its one tool, which is async, before each answer."""
    provider = ScriptedProvider(CALL, ANSWER, repeat=True)
    return AgentSpec(name="agent", provider=provider, tools=StaticTools(add).tools)


def conversation(count: int) -> Sequence[Turn]:
    """Turns of about 100 characters each, of the user and the assistant alternately."""
    thread = Thread()
    for number in range(count):
        text = Text(content=f"message {number:5} " + "x" * 86)
        if number % 2:
            thread.add(Role.ASSISTANT, text, StopReason(reason="stop"))
        else:
            thread.add(Role.USER, text)
    return thread.all_turns


async def fill(store: Store, thread_id: str, turns: Sequence[Turn], **metadata: str) -> str:
    """Make a thread that holds these turns."""
    await store.create(thread_id, metadata)
    writer = await store.take(thread_id)
    await store.append(writer, [TurnRecord(turn=turn) for turn in turns])
    await store.close(writer)
    return thread_id


async def process(stream: Stream, times: int) -> None:
    """Send a message so many times, each when the one before has ended."""
    for _ in range(times):
        await stream.process("hi")


@asynccontextmanager
async def read_by(count: int, source: Stream | EventBus, *, looking: bool = False) -> AsyncIterator[None]:
    """Have `count` readers take all events in batches while the block lasts; `looking`: at each event too."""
    read = _look if looking else _take
    readers = [source.subscribe() for _ in range(count)]
    async with asyncio.TaskGroup() as group:
        for reader in readers:
            group.create_task(read(reader))
        await asyncio.sleep(0)
        yield
        for reader in readers:
            reader.close()


async def _take(reader: Subscription) -> int:
    count = 0
    async with aclosing(reader.batches()) as batches:
        async for batch in batches:
            count += len(batch)
    return count


async def _look(reader: Subscription) -> int:
    count = 0
    async with aclosing(reader.batches()) as batches:
        async for batch in batches:
            for _ in batch:
                count += 1
    return count
