"""`Signals`: what reaches people who look elsewhere: the window's title, the bell, a notification."""

from typing import Protocol

from ore.ext.conduits.terminal.conversation import Conversation
from ore.ext.conduits.terminal.inert import one_line
from ore.ext.conduits.terminal.settings import ScreenSettings
from ore.ext.conduits.terminal.surroundings import title_sequence
from ore.ledger import TITLE_KEY

__all__ = ["Signals", "Terminal"]

_MARKS = {"failed": "[err]", "cancelled": "[cancelled]"}


class Terminal(Protocol):
    """What signals need of a screen."""

    def bell(self) -> None:
        """Ring."""
        ...

    def write_control(self, sequence: str) -> None:
        """Write a sequence to the terminal."""
        ...


class Signals:
    """Tells the terminal how a session is."""

    def __init__(self, terminal: Terminal, settings: ScreenSettings) -> None:
        self._terminal = terminal
        self._settings = settings
        self._title = ""
        self._asked: set[str] = set()

    def tell(self, view: Conversation, *, was_running: bool) -> None:
        """Ring when a message has ended, and when something is asked that was not before."""
        if was_running and not view.is_running:
            self._ring(f"{self._settings.name}: {view.ended or 'done'}")
        new = view.questions.keys() - self._asked
        self._asked = set(view.questions)
        if new:
            self._ring(f"{self._settings.name} asks")

    def title(self, view: Conversation) -> None:
        """Name the window; the same name again writes nothing."""
        name = one_line(view.metadata.get(TITLE_KEY) or self._settings.name)
        mark = "[...]" if view.is_running else _MARKS.get(view.ended or "", "[ok]")
        title = f"{name} {mark}"
        if title != self._title:
            self._title = title
            self._terminal.write_control(title_sequence(title))

    @property
    def current(self) -> str:
        """The window's title."""
        return self._title

    def _ring(self, text: str) -> None:
        if self._settings.has_bell:
            self._terminal.bell()
            self._terminal.write_control(f"\x1b]9;{one_line(text)}\x07")
