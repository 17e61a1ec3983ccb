"""What a model is told that has to sum up a conversation."""

from typing import Final

__all__ = ["PROMPT", "request_text"]

PROMPT: Final = (
    "Stop here and write a handover. The conversation above gets too long: its turns will be removed, and what you "
    "write now takes their place, for whoever goes on with the work and has seen nothing of it. Think through all of "
    "it first, then write these five sections in Markdown and nothing else:\n"
    "## Goal\nWhat the user wants, in their own terms.\n"
    "## Decisions and limits\nWhat was decided and why, what the user asked for or ruled out.\n"
    "## Done\nWhat is finished, with the names, paths, numbers and results that are needed again.\n"
    "## Now\nWhat is being worked on and how far it is.\n"
    "## Next\nWhat is still to do, in order.\n"
    "Leave out what a system prompt says, since that stays. Call no tools. Invent nothing."
)
"""The default."""

_LENGTH: Final = "\nWrite at most {words} words; what is longer is lost as a whole."
_FOCUS: Final = "\nThe user asks to keep in mind above all: {focus}"

_WORDS_PER_TOKEN: Final = 0.6
"""English has about 0.75 words a token; the rest is room for Markdown and for what is not English."""


def request_text(prompt: str, tokens: int, focus: str = "") -> str:
    """The last words of a request for a summary of at most so many tokens."""
    told = prompt + _LENGTH.format(words=max(int(tokens * _WORDS_PER_TOKEN) // 10 * 10, 20))
    return told + (_FOCUS.format(focus=focus) if focus.strip() else "")
