"""Slash commands: what people say to ore, and not to a model."""

from ore.ext.commands.invocation import CommandHandler, Invocation
from ore.ext.commands.registry import Commands
from ore.ext.commands.standard import standard_commands

__all__ = ["CommandHandler", "Commands", "Invocation", "standard_commands"]
