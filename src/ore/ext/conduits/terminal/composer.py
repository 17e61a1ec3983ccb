"""`Composer`: where people type."""

from pathlib import Path
from typing import ClassVar

from textual.events import Key, Paste
from textual.message import Message
from textual.widgets import TextArea

from ore.ext.conduits.terminal.attaching import picture_path
from ore.ext.conduits.terminal.pasting import Pasted
from ore.ext.conduits.terminal.recall import PromptHistory

__all__ = ["Composer"]

_NEW_LINE = frozenset({"shift+enter", "alt+enter", "ctrl+j", "ctrl+enter", "shift+\r", "alt+\r", "ctrl+\r"})
"""Which of them a terminal can tell from Enter differs; Ctrl+J is told everywhere."""

_ELSEWHERE = frozenset(
    {
        "escape",
        "tab",
        "shift+tab",
        "ctrl+r",
        "ctrl+g",
        "ctrl+s",
        "ctrl+t",
        "ctrl+l",
        "pageup",
        "pagedown",
        "ctrl+up",
        "ctrl+down",
        "end",
        "ctrl+end",
    }
)
"""Keys that are no text, and mean something to the screen."""

_PASSED_ON = frozenset({"up", "down", "tab", "escape", "enter", "ctrl+n", "ctrl+p"})
"""Keys that belong to a list of completions while there is one."""


class Composer(TextArea):
    """Takes a prompt of one or more lines.

    Enter sends, and with a backslash before it begins a new line. What is
    pasted is never sent by itself, and stands there as a sign when it is long.

    Args:
        prompts: What was typed before.

    Attributes:
        has_list: Whether a list of completions is open, which then gets the keys that move about in it.
    """

    DEFAULT_CSS: ClassVar[str] = """
    Composer { height: auto; min-height: 3; max-height: 8; padding: 0 1; border: round $primary;
               background: transparent; scrollbar-size-vertical: 1; overflow-x: hidden; }
    Composer .text-area--placeholder { text-style: dim; color: $foreground; }
    Composer:focus { border: round $primary; background: transparent; background-tint: transparent 0%; }
    Composer.is-small, Composer.is-small:focus { border: none; border-top: solid $primary; min-height: 2; }
    """

    class Submitted(Message):
        """Somebody pressed Enter.

        Attributes:
            text: What was typed, with all that was pasted.
        """

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Picture(Message):
        """The path of a picture was pasted."""

        def __init__(self, path: Path) -> None:
            super().__init__()
            self.path = path

    class Pressed(Message):
        """A key that means something else than text here.

        Attributes:
            key: Its name.
        """

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, prompts: PromptHistory) -> None:
        super().__init__(
            "",
            id="composer",
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="focus",
            compact=False,
            highlight_cursor_line=False,
            placeholder="Ask, or type / for commands",
        )
        self.prompts = prompts
        self.pasted = Pasted()
        self.has_list = False
        self.keys = 0
        """How many keys were pressed here."""

    def put(self, text: str) -> None:
        """Have `text` there instead, with the cursor behind it."""
        self.text = text
        self.move_cursor(self.document.end)

    def take(self) -> str:
        """What was typed, with all that was pasted; the input is empty then."""
        text = self.pasted.expanded(self.text)
        self.pasted.clear()
        self.put("")
        return text

    async def _on_key(self, event: Key) -> None:
        """Keys that are no text."""
        self.keys += 1
        if self._means(event.key):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)

    async def _on_paste(self, event: Paste) -> None:
        """Put it there, short or as a sign."""
        self.keys += 1
        event.stop()
        event.prevent_default()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        picture = picture_path(text)
        if picture is not None:
            self.post_message(self.Picture(picture))
        else:
            self.insert(self.pasted.sign(text))

    def _means(self, key: str) -> bool:
        """Do what a key is for; whether it is for something here."""
        if self.has_list and key in _PASSED_ON:
            self.post_message(self.Pressed(key))
            return True
        if key in _NEW_LINE:
            self.insert("\n")
            return True
        if key == "enter":
            self._enter()
            return True
        if key in ("up", "down"):
            return self._recall(key)
        if key in _ELSEWHERE or (key == "ctrl+d" and not self.text):
            self.post_message(self.Pressed(key))
            return True
        return False

    def _enter(self) -> None:
        row, column = self.cursor_location
        if column and self.document[row][column - 1] == "\\":
            self.action_delete_left()
            self.insert("\n")
            return
        self.action_submit()

    def action_submit(self) -> None:
        """Send what stands there, if anything does."""
        if self.text.strip():
            self.post_message(self.Submitted(self.take()))

    def _recall(self, key: str) -> bool:
        """Inside a text of several lines the cursor moves first."""
        row, _ = self.cursor_location
        if key == "up" and row == 0 and self.wrapped_document.location_to_offset(self.cursor_location).y == 0:
            if not self.text:
                self.post_message(self.Pressed("up"))  # what waits is taken back before anything else
                return True
            self.recall_older()
            return True
        last = self.wrapped_document.location_to_offset(self.document.end).y
        if key == "down" and self.wrapped_document.location_to_offset(self.cursor_location).y == last:
            text = self.prompts.newer()
            if text is not None:
                self.put(text)
            return True
        return False

    def recall_older(self) -> None:
        """Show what was typed before."""
        text = self.prompts.older(self.text)
        if text is not None:
            self.put(text)
