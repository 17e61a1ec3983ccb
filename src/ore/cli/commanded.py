"""`commanded_agents`: the agents of a call in which people type slash commands."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ore.app import Agent, slash_commands
from ore.cli.calling import called_agent, said_by
from ore.cli.said import MODEL, Said
from ore.event import UserMessage
from ore.ext.commands import CommandHandler, Commands, Invocation
from ore.models import MODEL_PREFIX

__all__ = ["commanded_agents"]

_FIELDS: Final[Mapping[str, str]] = {"model": MODEL, "thinking": "thinking_level", "temperature": "temperature"}
"""Commands that say what an option may have said before, and what of."""


def commanded_agents(calls: Sequence[Namespace], folder: Path) -> Sequence[Agent]:
    """The agents that the options describe, to which people may say slash commands.

    Args:
        calls: Options of the command line, which differ in their agent alone.
        folder: Where commands put files.

    Raises:
        OreError: See `called_agent`.
    """
    commands, switch = slash_commands(folder)
    said = said_by(calls[0])
    if isinstance(commands, Commands):
        for word, field in _FIELDS.items():
            bound = commands.bound[word]
            commands.bind(word, bound.description, _before_options(said, field, bound.handler))
    return [called_agent(options, said=said, switch=switch).with_(interceptors=(commands,)) for options in calls]


def _before_options(said: Said, field: str, handler: CommandHandler) -> CommandHandler:
    """The same command, which holds before an option that said something else; unless it changes nothing."""

    async def typed(invocation: Invocation) -> UserMessage | None:
        stream, key = invocation.stream, MODEL_PREFIX + field
        before = stream.metadata.get(key)
        released = said.is_released(stream.id, field)
        if invocation.text.strip():
            said.release(stream.id, field)
        try:
            return await handler(invocation)
        finally:
            if not released and stream.metadata.get(key) == before:
                said.hold(stream.id, field)

    return typed
