"""`Roster`: several agents, of which each session has one by its name."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ore.agent import AgentSpec
from ore.errors import InputError

if TYPE_CHECKING:
    from ore.session.stream import Stream

__all__ = ["AGENT_KEY", "Roster"]

AGENT_KEY: Final = "ore.agent"
"""Metadata key of the agent of a session, by its name."""


class Roster:
    """Agents by name; an `AgentFactory`.

    A session whose facts name none of them has the first one.

    Args:
        agents: At least one; their names differ.

    Raises:
        InputError: There is none, or two have one name.
    """

    def __init__(self, agents: Sequence[AgentSpec]) -> None:
        self.agents = {agent.name: agent for agent in agents}
        if not agents:
            raise InputError("agents: expected at least one")
        if len(self.agents) < len(agents):
            names = ", ".join(agent.name for agent in agents)
            raise InputError(f"agents: expected names that differ, got {names}; `Agent(name=…)` names one")
        self._first = agents[0]

    def __call__(self, stream: "Stream") -> AgentSpec:
        """The agent of a session."""
        name = stream.metadata.get(AGENT_KEY)
        return self._first if name is None else self.agents.get(name, self._first)
