"""`ore chat` in a real terminal, and the states that it may be in when something ends it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from cli.command import call, delta
from terminal.pane import Pane

__all__ = ["HANGING", "SLEEPING", "State", "asked", "at_a_tool", "begin", "idle", "listing", "send", "streaming"]

HANGING: Sequence[Any] = (delta("Half an ans"), {"hang": True})
SLEEPING: Sequence[Any] = (call("bash", command="echo $$ > tool.pid; exec sleep 600"),)
"""A tool whose process says who it is."""

State = Callable[[Pane], None]


def begin(on: Pane, store: Path, model: str, *words: str, shows: Sequence[str] = ("Ask, or type /",)) -> int:
    """Start the chat; its process."""
    on.run("ore", "chat", "--session", "s1", "--model", model, *words, "--store", f"sqlite:{store}")
    on.shows(*shows)
    return on.pid_of(store)


def send(on: Pane, text: str) -> None:
    """Type a message, and send it once it is seen."""
    on.type(text)
    on.shows(text)
    on.press("Enter")


def idle(on: Pane) -> None:
    """Nothing runs."""
    on.shows("ready")


def streaming(on: Pane) -> None:
    """An answer has begun."""
    send(on, "Go on.")
    on.shows("Half an ans", "answering")


def at_a_tool(on: Pane) -> None:
    """A tool runs."""
    send(on, "Go on.")
    on.shows("● bash")
    said = on.folder / "tool.pid"
    on.comes(lambda: said.exists() and said.read_text().endswith("\n"), "the tool to run")


def asked(on: Pane) -> None:
    """A question is open, and takes keys."""
    send(on, "Go on.")
    on.shows("Run bash?", "y yes · n no")


def listing(on: Pane) -> None:
    """A list lies over an answer that has begun."""
    streaming(on)
    on.press("C-l")
    on.shows("Sessions", "Enter choose")
