"""What a model is told before a conversation and behind it."""

from ore.ext.transforms.prompt.agents_md import AgentsMd
from ore.ext.transforms.prompt.facts import Facts
from ore.ext.transforms.prompt.files import TextFile
from ore.ext.transforms.prompt.source import FromState, Line, Slot, Source, ToolExamples, text_of
from ore.ext.transforms.prompt.system import SystemPrompt

__all__ = [
    "AgentsMd",
    "Facts",
    "FromState",
    "Line",
    "Slot",
    "Source",
    "SystemPrompt",
    "TextFile",
    "ToolExamples",
    "text_of",
]
