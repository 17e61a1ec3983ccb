"""Agents: what makes one, as a value."""

from ore.agent.instructions import Instructions, instructions
from ore.agent.spec import AgentSpec, OutputType, Tools

__all__ = ["AgentSpec", "Instructions", "OutputType", "Tools", "instructions"]
