"""Sessions whose every event is collected, and the order of them checked at the end."""

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from ore.agent import AgentSpec
from ore.artifact import Artifact, Text, TextDelta
from ore.event import Entry, ErrorEvent, Lifecycle, TurnComplete
from ore.ledger import Role, Turn
from ore.provider import Provider
from ore.session import Manager, Stream
from ore.testing import Recorder
from ore.tool import StaticTools, Tool


class Watch:
    """Makes sessions and keeps everything they tell."""

    def __init__(self) -> None:
        self._seen: dict[Stream, Recorder] = {}

    async def session(self, provider: Provider, *tools: Tool | Callable[..., Any], **fields: Any) -> Stream:
        """A new session of an agent that answers with `provider`; `fields` are the agent's."""
        return self.of(await Manager(agent(provider, *tools, **fields)).create())

    def of(self, stream: Stream) -> Stream:
        """The same session, watched from now on."""
        if stream not in self._seen:
            self._seen[stream] = Recorder(stream)
        return stream

    def events(self, stream: Stream, message: str | None = None) -> Sequence[Entry]:
        """What the session told so far, or what it told of one message."""
        seen = self._seen[stream]
        return seen.entries if message is None else seen.of(message)

    def told(self, stream: Stream, message: str | None = None) -> list[str]:
        """The same, in words."""
        return [words(entry) for entry in self.events(stream, message)]

    async def close(self) -> Sequence[Sequence[Entry]]:
        """Close every session, and give all that each told."""
        for stream in self._seen:
            async with asyncio.timeout(5):
                await stream.close()
        return [seen.entries for seen in self._seen.values()]


def agent(provider: Provider, *tools: Tool | Callable[..., Any], **fields: Any) -> AgentSpec:
    """An agent in few words."""
    return AgentSpec(name="agent", provider=provider, tools=StaticTools(*tools).tools, **fields)


def words(entry: Entry) -> str:
    """An event in a word or two."""
    event = entry.event
    if isinstance(event, Lifecycle):
        return f"{event.phase} {event.outcome.value}" if event.outcome is not None else event.phase
    if isinstance(event, TurnComplete):
        status = "" if event.turn.status == "complete" else f" {event.turn.status.value}"
        return f"turn {event.turn.role.value}{status}"
    if isinstance(event, ErrorEvent):
        return f"error {event.code}"
    return entry.kind


def answer(*pieces: str) -> list[Artifact]:
    """An answer that comes in these pieces."""
    return [TextDelta(content=piece) for piece in pieces]


def said(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """Who said what, as far as it is text."""
    return [(turn.role.value, "".join(a.content for a in turn.artifacts if isinstance(a, Text))) for turn in turns]


def roles(turns: Sequence[Turn]) -> list[Role]:
    return [turn.role for turn in turns]


async def steps(count: int = 20) -> None:
    """Let everything that is ready run."""
    for _ in range(count):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Let others run until it holds."""
    async with asyncio.timeout(5):
        for _ in count():
            if condition():
                return
            await asyncio.sleep(0)
