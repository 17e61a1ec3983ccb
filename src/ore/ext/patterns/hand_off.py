"""`HandOff`: one session, several agents, of which one works at a time."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec

from ore.agent import AgentSpec
from ore.artifact import Artifact, ToolResult
from ore.cognitive import Pattern, Runtime
from ore.errors import InputError, LimitError
from ore.event import Emitter
from ore.ledger import Draft, Role, State, Turn
from ore.loop import TurnExecutor
from ore.models import Spec, merge, spec_from_metadata
from ore.provider import Batch, Option, Provider
from ore.tool import Tool, tool, wire_name

__all__ = ["HandOff", "active_agent"]

_PREFIX: Final = "hand_off_to_"

_ACTIVE: ContextVar["tuple[_Team, AgentSpec] | None"] = ContextVar("ore.patterns.active", default=None)
"""Who works in the inference that runs, its calls included, for those who are asked without the conversation."""


class HandOff:
    """Lets an agent hand a conversation on to others, and them to each other and back.

    For `Agent(extensions=…)`, before all others. Each agent keeps its model,
    its instructions, its tools, its transforms and its pattern, with the
    guards of its answers; they share the session, its turns and its facts.
    Whoever works gets a tool for each of the others. Once it called one, the
    next inference is the other agent's, within the same message, and so are
    the messages behind it. The ledger says who works: it survives a restart,
    and going back before a hand-off takes it back.

    The first agent's limits, screens, `deps` and output type hold for all, and
    a model that a session's facts name is asked in the place of every agent's
    own.

    Args:
        others: The agents that it may hand on to; `Agent.spec()` makes them.

    Raises:
        InputError: There is none, or two have one name.
    """

    def __init__(self, *others: AgentSpec) -> None:
        if not others:
            raise InputError("hand-off: expected at least one agent to hand on to")
        self._others = others

    def __call__(self, spec: AgentSpec) -> AgentSpec:
        """The agent with the others behind it.

        Raises:
            InputError: Two have one name.
        """
        team = _Team([spec, *self._others])
        return replace(
            spec,
            provider=_TeamProvider(team),
            tools=team.tools,
            transforms=(team.show,),
            handlers=(*spec.handlers, *(_Only(team, agent, one) for agent in self._others for one in agent.handlers)),
            pattern=lambda: _Handing(team),
        )


def active_agent(turns: Sequence[Turn]) -> str | None:
    """Whom a conversation was handed on to last, as the tool names it; `None` while it is the first agent's."""
    answered: dict[str, ToolResult] = {}
    for turn in reversed(turns):
        if turn.role is Role.TOOL:
            results = [artifact for artifact in turn.artifacts if isinstance(artifact, ToolResult)]
            answered = {result.tool_call_id: result for result in results} | answered
        elif turn.role is Role.ASSISTANT:
            for call in reversed(turn.calls):
                result = answered.get(call.id)
                if call.name.startswith(_PREFIX) and result is not None and not result.is_error:
                    return call.name.removeprefix(_PREFIX)
            answered = {}
    return None


@dataclass(frozen=True, slots=True)
class _Handed:
    """What comes of handing on: what the next agent reads, and what people do."""

    name: str
    before: str
    task: str

    def for_model(self) -> str:
        told = f"The conversation is yours now, {self.name}; {self.before} had it before. Go on with it."
        return f"{told} {self.task}".strip()

    def for_human(self) -> str:
        return f"handed on to {self.name}"


class _Team:
    """Several agents, and who of them works."""

    def __init__(self, agents: Sequence[AgentSpec]) -> None:
        self._by_tool = {_tool_name(agent).removeprefix(_PREFIX): agent for agent in agents}
        if len(self._by_tool) < len(agents):
            raise InputError(f"hand-off: expected names that differ, got {', '.join(one.name for one in agents)}")
        self.first = agents[0]
        self._ways = {agent.name: [_way(agent, other) for other in agents if other is not agent] for agent in agents}

    def active(self, state: State) -> AgentSpec:
        """Who works from now on."""
        return self._by_tool.get(active_agent(state.base.turns) or "", self.first)

    @property
    def working(self) -> AgentSpec | None:
        """Who works in the inference that runs."""
        found = _ACTIVE.get()
        return found[1] if found is not None and found[0] is self else None

    def show(self, state: State) -> State:
        """The conversation as whoever works sees it."""
        for transform in self.active(state).transforms:
            state = transform(state)
        return state

    def tools(self, state: State) -> Sequence[Tool]:
        """The tools of whoever works, and the ways to the others."""
        active = self.active(state)
        return [*(active.tools(state) if active.tools is not None else ()), *self._ways[active.name]]


class _TeamProvider:
    """Whoever answers for the agent that works."""

    def __init__(self, team: _Team) -> None:
        self._team = team

    @property
    def name(self) -> str:
        return (self._team.working or self._team.first).provider.name

    def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        agent = self._team.working or self._team.active(state)
        return agent.provider.invoke(state, spec, *options)


class _HandedOn(Exception):
    """The next inference is another agent's: the pattern of the one before has nothing more to do."""


class _Handing:
    """The pattern of whoever works, one after the other; together they have the rounds of one message."""

    def __init__(self, team: _Team) -> None:
        self._team = team
        self._inner: Pattern = team.first.pattern()

    @property
    def name(self) -> str:
        return self._inner.name

    async def run(self, runtime: Runtime) -> Turn:
        step = _Switching(runtime.step, self._team, runtime.limits.rounds)
        while True:
            step.agent = self._team.active(runtime.state)
            self._inner = step.agent.pattern()
            try:
                return await self._inner.run(replace(runtime, step=step))
            except _HandedOn:
                step.handed = True

    def ends(self, draft: Draft | Turn) -> bool:
        return self._inner.ends(draft)


class _Switching:
    """A step whose inferences are those of one agent, as long as that works.

    Args:
        step: The message's.
        team: The agents.
        rounds: Inferences that all of them have together, once there is more than one.

    Attributes:
        agent: The one.
        handed: Whether it is the second or a later one.
    """

    def __init__(self, step: TurnExecutor, team: _Team, rounds: int) -> None:
        self._step = step
        self._team = team
        self._rounds = self._left = rounds
        self.agent = team.first
        self.handed = False

    async def turn(self, state: State, spec: Spec, provider: Provider, *options: Option) -> Turn:
        agent = self.agent
        if self._team.active(state) is not agent:
            raise _HandedOn
        if self.handed and self._left <= 0:
            raise LimitError(f"expected an answer within {self._rounds} rounds; raise the limit or ask for less")
        self._left -= 1
        if agent is not self._team.first:
            spec, options = self._spec(agent, state, spec), (*options, *agent.options)
        token = _ACTIVE.set((self._team, agent))
        try:
            return await self._step.turn(state, spec, provider, *options)
        finally:
            _ACTIVE.reset(token)

    async def submit(self, state: State, role: Role, *artifacts: Artifact) -> Turn:
        return await self._step.submit(state, role, *artifacts)

    def _spec(self, agent: AgentSpec, state: State, asked: Spec) -> Spec:
        """How another agent than the first is asked: as it says, then as the session's facts do."""
        said = spec_from_metadata(state.meta.all()) or Spec()
        is_moved = said.name not in (None, self._team.first.spec.name)  # then all of them are asked there
        return merge(agent.spec, msgspec.structs.replace(said, name=asked.name if is_moved else agent.spec.name))


class _Only:
    """A handler that sees only what its own agent says."""

    def __init__(self, team: _Team, agent: AgentSpec, handler: Any) -> None:
        self._team = team
        self._agent = agent
        self._handler = handler

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """`handle` and `finish`, where the handler has them; what has to be prepared is prepared for all."""
        method: Callable[..., Any] = getattr(self._handler, name)
        if name not in ("handle", "finish"):
            return method

        async def own(what: Any, emitter: Emitter) -> None:
            if (self._team.working or self._team.active(emitter.state)) is self._agent:
                await method(what, emitter)

        return own


def _tool_name(agent: AgentSpec) -> str:
    return wire_name(f"{_PREFIX}{agent.name}")


def _way(agent: AgentSpec, other: AgentSpec) -> Tool:
    """The tool by which one agent hands on to another."""
    about = f" {other.description.strip()}" if other.description.strip() else ""

    @tool(
        name=_tool_name(other),
        description=f"Hand this conversation on to {other.name}, who goes on with it in your place.{about}",
        idempotent=True,
        alone=True,
    )
    async def hand_off(task: str = "") -> _Handed:
        """Hand on.

        Args:
            task: What it should do, where that is not clear from the conversation.
        """
        return _Handed(other.name, agent.name, task.strip())

    return hand_off
