"""The lines between conversation and input: what goes on, what waits, what is not seen."""

import time
from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.widgets import Static

from ore.ext.conduits.terminal.conversation import Conversation, Queued
from ore.ext.conduits.terminal.figures import seconds
from ore.ext.conduits.terminal.inert import one_line
from ore.ext.conduits.terminal.status import phase_word

__all__ = ["Bar", "queue_text", "unseen_text", "welcome_text", "working_text"]

_MOST_CHIPS = 3


class Bar(Static):
    """Some lines that are there while there is something to say."""

    DEFAULT_CSS: ClassVar[str] = """
    Bar { height: auto; max-height: 4; display: none; padding: 0 1; }
    Bar.is-open { display: block; }
    """

    def __init__(self, id: str) -> None:
        super().__init__("", id=id, markup=False)
        self._told: Text | None = None

    def say(self, text: Text | None) -> None:
        """Show this, or nothing; the same again costs nothing."""
        if text == self._told:
            return
        is_new = self._told is None or text is None or text.plain.count("\n") != self._told.plain.count("\n")
        self._told = text
        self.update(text if text is not None else "", layout=is_new)
        self.set_class(text is not None, "is-open")

    @property
    def text(self) -> str:
        """What it says."""
        return "" if self._told is None else self._told.plain


def working_text(view: Conversation, since_s: float | None) -> Text | None:
    """What is being worked on, and how it is stopped."""
    if not view.is_running:
        return None
    descriptions = [one_line(text) for text in view.activities.values() if text]
    what = descriptions[-1] if descriptions else phase_word(view)
    took = f" · {seconds(time.monotonic() - since_s)}" if since_s is not None else ""
    stops = "" if view.questions else " · Esc stops"  # there it says no
    return Text(f"● {what}{took}{stops}", style="dim", no_wrap=True, overflow="ellipsis")


def welcome_text(view: Conversation) -> Text | None:
    """What the keys are, while nothing was said."""
    if view.cells:
        return None
    keys = "Enter sends · Ctrl+J new line · Esc stops · Ctrl+D leaves · /keys all of them"
    return Text(keys, style="dim", no_wrap=True, overflow="ellipsis")


def queue_text(waiting: Sequence[Queued]) -> Text | None:
    """What waits, in order."""
    if not waiting:
        return None
    rows = [f"{number}. {one_line(one.text or '…')}" for number, one in enumerate(waiting[:_MOST_CHIPS], 1)]
    if len(waiting) > _MOST_CHIPS:
        rows.append(f"… and {len(waiting) - _MOST_CHIPS} more")
    rows[-1] += "  (Up takes the last one back)"
    return Text("\n".join(rows), style="italic", no_wrap=True, overflow="ellipsis")


def unseen_text(unseen: int, *, following: bool) -> Text | None:
    """That somebody reads further up, and what they have not seen."""
    if following:
        return None
    what = f"↓ {unseen:,} new {'line' if unseen == 1 else 'lines'}" if unseen else "↓ not at the end"
    return Text(f"{what} · End goes there", style="reverse", no_wrap=True)
