"""Sessions of agents that compact."""

from typing import Any

from ore.agent import AgentSpec
from ore.event import Entry
from ore.ext.transforms.compaction import Compaction, CompactionSettings
from ore.ledger import Store, Thread, Turn
from ore.models import Spec
from ore.provider import Provider
from ore.session import Manager, Stream, answering
from ore.tool import StaticTools, Tool
from transforms.histories import LOOK


def agent(provider: Provider, *tools: Tool, settings: CompactionSettings | None = None, **fields: Any) -> AgentSpec:
    """An agent that compacts its conversations."""
    spec = {"spec": Spec(name="m"), "tools": StaticTools(*(tools or (LOOK,))).tools, **fields}
    return Compaction(settings)(AgentSpec(name="agent", provider=provider, **spec))


async def session(
    thread: Thread, provider: Provider, *tools: Tool, store: Store | None = None, **settings: Any
) -> Stream:
    """A session with a conversation, of an agent that compacts so."""
    manager = Manager(agent(provider, *tools, settings=CompactionSettings(**settings)), store)
    stream = await manager.create_with_id("s")
    await stream.history.load(thread.turns)
    return stream


def shown(stream: Stream) -> list[Turn]:
    """What the next inference is shown."""
    state = stream.history.state
    for transform in answering(stream).agent.transforms:
        state = transform(state)
    return list(state.turns)


def notices(entries: list[Entry]) -> list[str]:
    """What people read meanwhile."""
    return [entry.event.for_human() for entry in entries if entry.kind == "notice"]  # type: ignore[union-attr]  # all are
