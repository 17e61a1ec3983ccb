"""Sessions in which commands are typed."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ore.agent import AgentSpec
from ore.artifact import Artifact, Notice, Text, TextDelta, Usage
from ore.event import Content, Mode, SessionSwitch, UserMessage, content_of
from ore.ext.commands import Commands, standard_commands
from ore.ext.providers.capture_switch import CaptureSwitch
from ore.ext.transforms.compaction import Compaction
from ore.ledger import MemoryStore, Turn
from ore.provider import Provider
from ore.session import Manager, Outcome, Services, Stream
from ore.testing import Recorder, ScriptedProvider, check_order
from ore.tool import StaticTools, Tool

USAGE = Usage(prompt_tokens=9, completion_tokens=1, total_tokens=10)


def said(*pieces: str) -> list[Artifact]:
    """An answer with its usage."""
    return [*(TextDelta(content=piece) for piece in pieces), USAGE]


class Typist:
    """Types into one session, and reads what comes back."""

    def __init__(self, manager: Manager, stream: Stream, provider: ScriptedProvider) -> None:
        self.manager = manager
        self.stream = stream
        self.provider = provider
        self.seen = Recorder(stream)

    async def type(self, content: Content, *, mode: Mode = "queue") -> Outcome:
        """Send it and wait for its ending."""
        return await self.stream.submit(UserMessage(content=content_of(content), mode=mode))

    async def notices(self, content: Content) -> list[str]:
        """What it was told for it."""
        ticket = self.stream.submit(UserMessage(content=content_of(content)))
        await ticket
        return [entry.event.content for entry in self.seen.of(ticket.id) if isinstance(entry.event, Notice)]

    async def notice(self, content: Content) -> str:
        """The one thing that it was told for it."""
        (found,) = await self.notices(content)
        return found

    @property
    def switched(self) -> list[str]:
        """Ids of the sessions that front ends were sent to."""
        return [entry.event.session_id for entry in self.seen.entries if isinstance(entry.event, SessionSwitch)]

    @property
    def heard(self) -> list[str]:
        """All that any model was ever sent."""
        return [words(turn) for invocation in self.provider.invocations for turn in invocation.turns]


def words(turn: Turn) -> str:
    """The text of a turn."""
    return "".join(artifact.content for artifact in turn.artifacts if isinstance(artifact, Text))


def texts(turns: Sequence[Turn]) -> list[str]:
    """The text of each turn."""
    return [words(turn) for turn in turns]


@asynccontextmanager
async def typing(
    *script: Sequence[Artifact],
    tools: Sequence[Tool] = (),
    folder: Path | None = None,
    capture: CaptureSwitch | None = None,
    commands: Commands | None = None,
    provider: Provider | None = None,
    **fields: Any,
) -> AsyncIterator[Typist]:
    """A session with the standard commands; its provider plays the script."""
    scripted = ScriptedProvider(*script)
    spec = AgentSpec(name="a", provider=provider or scripted, tools=StaticTools(*tools).tools, **fields)

    def resolve(name: str) -> tuple[Provider, str]:
        if name.startswith("none"):
            from ore.errors import ModelNotFoundError

            raise ModelNotFoundError(f"no such provider: {name}", provider="none")
        return scripted, name

    manager = Manager(
        Compaction()(spec),
        MemoryStore(),
        interceptors=[commands or standard_commands(folder=folder, capture=capture)],
        services=Services(resolve=resolve),
    )
    typist = Typist(manager, await manager.create_with_id("s"), scripted)
    try:
        yield typist
        check_order(typist.seen.entries)
    finally:
        await manager.close_all()
