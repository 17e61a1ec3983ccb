"""`set_title`: the model names the conversation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ore.errors import ToolError
from ore.ledger import TITLE_KEY
from ore.tool import Tool, tool

__all__ = ["LONGEST", "set_title", "tools"]

LONGEST = 100
"""Characters of a title: what a list of sessions can show."""


@dataclass(frozen=True, slots=True)
class Title:
    """A title that was set; it becomes a fact of the session, which lists show."""

    text: str

    def for_model(self) -> str:
        """That it worked."""
        return "the title is set"

    def for_human(self) -> str:
        """The title."""
        return self.text

    def status(self) -> Mapping[str, str]:
        """The session's new fact."""
        return {TITLE_KEY: self.text}


@tool(idempotent=True)
async def set_title(title: str) -> Title:
    """Name this conversation, once it is clear what it is about.

    Args:
        title: A few words, without quotes.
    """
    text = " ".join(title.split())
    if not text:
        raise ToolError("title: expected a few words, got none")
    if len(text) > LONGEST:
        raise ToolError(f"title: expected at most {LONGEST} characters, got {len(text)}")
    return Title(text)


def tools() -> Sequence[Tool]:
    """The tool, for `--tool set_title`."""
    return (set_title,)
