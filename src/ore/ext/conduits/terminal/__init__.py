"""A session on a terminal: conversation, input, questions, queue and history on one screen."""

from ore.ext.conduits.terminal.conduit import DESCRIPTOR, Shown, TerminalConduit, show
from ore.ext.conduits.terminal.link import CommandLine, Lines, Link
from ore.ext.conduits.terminal.local_link import LocalLink
from ore.ext.conduits.terminal.recall import PromptHistory
from ore.ext.conduits.terminal.settings import ScreenSettings
from ore.ext.conduits.terminal.status import Zones

__all__ = [
    "DESCRIPTOR",
    "CommandLine",
    "Lines",
    "Link",
    "LocalLink",
    "PromptHistory",
    "ScreenSettings",
    "Shown",
    "TerminalConduit",
    "Zones",
    "show",
]
