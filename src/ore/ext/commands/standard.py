"""`standard_commands`: the commands that every front end has."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ore.ext.commands.compacting import compact
from ore.ext.commands.debugging import debug
from ore.ext.commands.exporting import export
from ore.ext.commands.invocation import CommandHandler
from ore.ext.commands.looking import analytics, tools, usage
from ore.ext.commands.model import model, temperature, thinking
from ore.ext.commands.moving import fork, new, redo, undo
from ore.ext.commands.naming import name
from ore.ext.commands.registry import Commands
from ore.ext.providers.capture_switch import CaptureSwitch

__all__ = ["standard_commands"]

_COMMANDS: Final[Mapping[str, tuple[str, CommandHandler]]] = {
    "analytics": ("what the conversation consists of", analytics),
    "compact": ("sum the conversation up; what follows is what to keep in mind", compact),
    "fork": ("go on in a new session with the same conversation, up to a turn or all of it", fork),
    "model": ("have another model answer: PROVIDER:NAME, or default", model),
    "name": ("name the session", name),
    "new": ("begin a new session", new),
    "redo": ("take the last /undo back", redo),
    "temperature": ("how evenly the model answers: a number, or default", temperature),
    "thinking": ("how hard the model thinks: a level, or default", thinking),
    "tools": ("what tools there are", tools),
    "undo": ("go back before the last thing you said, or before the last /compact", undo),
    "usage": ("what the session used", usage),
}


def standard_commands(
    *,
    folder: Path | None = None,
    capture: CaptureSwitch | None = None,
    more: Callable[[Commands], object] | None = None,
) -> Commands:
    """The commands that every front end has.

    Args:
        folder: Where `/export` and `/debug request` put files, under names of
            their own; nobody who types a command chooses a path.
        capture: Through which the providers were made, for `/debug request`.
        more: Binds others, or the same ones otherwise.
    """
    commands = Commands()
    for word, (description, handler) in _COMMANDS.items():
        commands.bind(word, description, handler)
    commands.bind("export", "write the conversation into a file: html, text or json", export(folder))
    commands.bind("debug", "with `request`: write the next request and its answer down", debug(capture, folder))
    if more is not None:
        more(commands)
    return commands
