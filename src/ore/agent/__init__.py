"""Agents: what makes one, as a value."""

from ore.agent.instructions import Instructions, instructions
from ore.agent.screen import Screen, Screened
from ore.agent.spec import AgentSpec, Extension, OutputType, Tools

__all__ = ["AgentSpec", "Extension", "Instructions", "OutputType", "Screen", "Screened", "Tools", "instructions"]
