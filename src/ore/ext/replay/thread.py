"""`replay`: a stored conversation as a test."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Literal

import msgspec

from ore.agent import AgentSpec
from ore.artifact import Artifact, Text, ToolResult
from ore.event import Emitter, UserMessage
from ore.ext.replay.faults import Fault, Faulty
from ore.ext.replay.recorded import Recorded, recorded_tool, results_of
from ore.ledger import MemoryStore, Role, StoredThread, Thread, Turn
from ore.models import MODEL_PREFIX
from ore.provider import Provider
from ore.session import Manager, Stream
from ore.tool import Tool

__all__ = ["Difference", "Replay", "replay"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Something that came out otherwise.

    Attributes:
        turn_id: Of the stored turn; `None` for one that was not there before.
        place: The turn's place on the stored path, from 0.
        what: Such as `text`, `call 0 arguments`, `result 1` or `turn`.
        before: As it is stored; `None` where there was nothing.
        now: As it came out; `None` where there is nothing.
    """

    turn_id: str | None
    place: int
    what: str
    before: str | None
    now: str | None

    def __str__(self) -> str:
        return f"turn {self.place} ({self.turn_id or 'new'}), {self.what}: expected {self.before!r}, got {self.now!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What became of a conversation.

    Attributes:
        turns: The turns as they came out.
        first: Where it first differs; `None` when it does not.
    """

    turns: Sequence[Turn]
    first: Difference | None

    def check(self) -> None:
        """Fail a test.

        Raises:
            AssertionError: It differs; the message says where.
        """
        if self.first is not None:
            raise AssertionError(str(self.first))


async def replay(
    stored: StoredThread,
    agent: AgentSpec,
    *,
    model: Literal["recorded", "agent"] = "recorded",
    tools: Literal["recorded", "agent"] = "agent",
    faults: Mapping[int, Fault] | None = None,
) -> Replay:
    """Say to an agent again what a stored conversation's people said, and compare what comes of it.

    In memory; the stored thread is not touched. Compared are texts, calls with
    their arguments as JSON, and results; not ids, times, thinking or usage.
    Behind the first difference nothing more is said. The model that the
    conversation's people chose is not chosen again; what else they set holds.

    Args:
        stored: The conversation; its active path counts.
        agent: Who answers now, such as `Agent.spec()`.
        model: `recorded` answers as the stored model did, for changed tools and
            code; `agent` asks the agent's own, for another model or prompt.
        tools: `agent` runs them; `recorded` gives what they came to then, and runs nothing.
        faults: What goes wrong on purpose, by the number of the inference, from 1.
            A tool is made slow by `slow`.

    Raises:
        ValueError: The conversation begins with an answer, so nobody can ask for it again.
    """
    path = Thread(stored.turns, tip=stored.tip).turns
    if path and path[0].role is not Role.USER:
        raise ValueError("expected a conversation that begins with what a person said")
    provider: Provider = Recorded(path) if model == "recorded" else agent.provider
    if faults:
        provider = Faulty(provider, faults)
    steering = _Steering()
    spec = replace(
        agent,
        provider=provider,
        tools=_tools(agent, path) if tools == "recorded" else agent.tools,
        handlers=(*agent.handlers, steering),  # behind what runs the calls
    )
    manager = Manager(spec, MemoryStore())
    try:
        stream = steering.stream = await manager.create(_settings(stored) if model == "agent" else {})
        at = 0
        for asked in _messages(path):
            await steering.say(asked)
            first = _first(path[: at + len(asked)], stream.turns, at)
            if first is not None:
                return Replay(turns=tuple(stream.turns), first=first)
            at += len(asked)
        return Replay(turns=tuple(stream.turns), first=None)
    finally:
        await manager.aclose()


def _settings(stored: StoredThread) -> dict[str, str]:
    """The conversation's metadata without the model's name, which the agent's own provider may not know."""
    return {key: value for key, value in stored.metadata.items() if key != f"{MODEL_PREFIX}name"}


def _messages(path: Sequence[Turn]) -> Iterator[Sequence[Turn]]:
    """The turns of each message: what was said, with what came of it. What was said in between steered it."""
    begin = 0
    for place in range(1, len(path)):
        if path[place].role is Role.USER and path[place - 1].role is not Role.TOOL:
            yield path[begin:place]
            begin = place
    if path:
        yield path[begin:]


class _Steering:
    """A handler that says, behind the results of calls, what was said there."""

    def __init__(self) -> None:
        self.stream: Stream | None = None
        self.steers: Mapping[int, Turn] = {}
        self.rounds = 0

    async def finish(self, turn: Turn, emitter: Emitter) -> None:
        if not turn.calls or self.stream is None:
            return
        self.rounds += 1
        said = self.steers.get(self.rounds)
        if said is not None:
            self.stream.submit(UserMessage(content=_said(said), mode="steer"))

    async def say(self, turns: Sequence[Turn]) -> None:
        """Submit a message, with what steers it where it did, and wait for its end, whatever that is."""
        assert self.stream is not None
        self.rounds = 0
        self.steers = {
            sum(turn.role is Role.TOOL for turn in turns[:place]): turn
            for place, turn in enumerate(turns)
            if place and turn.role is Role.USER
        }
        await self.stream.submit(UserMessage(content=_said(turns[0])))


def _said(turn: Turn) -> tuple[Artifact, ...]:
    return tuple(turn.artifacts)


def _tools(agent: AgentSpec, path: Sequence[Turn]) -> Any:
    results = results_of(path)

    def tools(state: Any) -> Sequence[Tool]:
        return tuple(recorded_tool(tool, results) for tool in (agent.tools(state) if agent.tools else ()))

    return tools


def _first(before: Sequence[Turn], now: Sequence[Turn], start: int) -> Difference | None:
    for place, (one, other) in enumerate(zip_longest(before, now)):
        if place < start:
            continue
        turn_id = one.id if one is not None else None
        if one is None or other is None or one.role is not other.role:
            return Difference(turn_id=turn_id, place=place, what="turn", before=_shown(one), now=_shown(other))
        for (what, old), (_, new) in zip_longest(_facts(one), _facts(other), fillvalue=("", None)):
            if old != new:
                return Difference(turn_id=turn_id, place=place, what=what or "call", before=old, now=new)
    return None


def _facts(turn: Turn) -> Iterator[tuple[str, str | None]]:
    """What is compared of a turn, by name."""
    yield "text", "".join(one.content for one in turn.artifacts if isinstance(one, Text))
    for place, call in enumerate(turn.calls):
        yield f"call {place}", call.name
        yield f"call {place} arguments", _plain(call.arguments)
    results = [one for one in turn.artifacts if isinstance(one, ToolResult)]
    for place, result in enumerate(results):
        yield f"result {place}", result.content
        yield f"result {place} is_error", str(result.is_error)


def _plain(arguments: str) -> str:
    try:
        return msgspec.json.encode(msgspec.json.decode(arguments or "{}"), order="deterministic").decode()
    except (msgspec.DecodeError, UnicodeError):
        return arguments


def _shown(turn: Turn | None) -> str | None:
    if turn is None:
        return None
    return f"{turn.role.value}: " + " ".join(one.for_human() for one in turn.artifacts)[:200]
