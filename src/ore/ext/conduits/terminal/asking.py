"""`QuestionPanel`: what a tool asks, and what people answer with one key."""

import time
from collections.abc import Callable
from typing import ClassVar, Final

from rich.text import Text
from textual.events import Key
from textual.message import Message
from textual.widgets import Static

from ore.event import Question
from ore.ext.conduits.terminal.call_text import arguments_text, change_of
from ore.ext.conduits.terminal.cells import Call
from ore.ext.conduits.terminal.inert import harmless, one_line

__all__ = ["QUIET_S", "QuestionPanel"]

QUIET_S: Final = 0.6
"""Seconds without a key until a question takes keys: whoever types is not answering it."""

_MOST_LINES: Final = 12


class QuestionPanel(Static, can_focus=True):
    """Shows one question, with exactly what would run.

    It takes keys only once nobody has pressed one for a moment since it was
    there, so that no key that was meant for something else answers it.

    Args:
        quiet_s: Seconds of quiet that it takes.
        clock: Seconds, to tell how long nobody pressed a key.
    """

    DEFAULT_CSS: ClassVar[str] = """
    QuestionPanel { height: auto; max-height: 60%; display: none; border: round $warning; padding: 0 1; }
    QuestionPanel.is-open { display: block; }
    """

    class Answered(Message):
        """Somebody pressed a key that answers.

        Attributes:
            how: `approve`, `deny`, `always` or `edit`.
        """

        def __init__(self, question: Question, how: str) -> None:
            super().__init__()
            self.question = question
            self.how = how

    def __init__(self, *, quiet_s: float = QUIET_S, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__("", id="question", markup=False)
        self.question: Question | None = None
        self.is_armed = False
        self._clock = clock
        self._quiet_s = quiet_s
        self._quiet_since = 0.0
        self._is_whole = False

    def ask(self, question: Question | None) -> None:
        """Show a question, or none."""
        if question is not None and self.question is not None and question.key == self.question.key:
            return
        self.question, self.is_armed, self._is_whole = question, False, False
        self._quiet_since = self._clock()
        self.set_class(question is not None, "is-open")
        self._show()

    def pressed(self) -> None:
        """A key was pressed somewhere else: it is not yet time."""
        self._quiet_since = self._clock()

    def arm(self) -> bool:
        """Take keys from now on, when it has been quiet; whether that begins now."""
        if self.question is None or self.is_armed or self._clock() - self._quiet_since < self._quiet_s:
            return False
        self.is_armed = True
        self._show()
        return True

    @property
    def is_approval(self) -> bool:
        """Whether it is answered by one key."""
        return self.question is not None and self.question.purpose == "approval"

    def on_key(self, event: Key) -> None:
        """Answer."""
        question = self.question
        if question is None or not self.is_armed:
            return
        how = self._meaning(question, event)
        if how is None:
            return
        event.stop()
        event.prevent_default()
        if how == "whole":
            self._is_whole = not self._is_whole
            self._show()
        else:
            self.post_message(self.Answered(question, how))

    def _meaning(self, question: Question, event: Key) -> str | None:
        if question.purpose != "approval":
            return None
        keys = {"y": "approve", "n": "deny", "escape": "deny", "v": "whole"}
        keys |= {"a": "always"} if question.tool else {}
        keys |= {"e": "edit"} if question.editable else {}
        return keys.get(event.key)

    def chosen(self, text: str) -> str:
        """What an answer in words means: one of the options by its number, or the words themselves."""
        options = () if self.question is None else self.question.options or ()
        number = text.strip()
        if number.isascii() and number.isdigit() and 0 < int(number) <= len(options):
            return options[int(number) - 1]
        return text

    def _show(self) -> None:
        self.update(Text("") if self.question is None else self._text(self.question))

    def _text(self, question: Question) -> Text:
        text = Text()
        if question.purpose == "approval":
            text.append(f"Run {one_line(question.tool)}?\n" if question.tool else "Go on?\n", style="bold")
            if question.text:
                text.append(f"{harmless(question.text)}\n")
            self._arguments(text, question)
            always = f" · a always {one_line(question.tool)} in this session" if question.tool else ""
            keys = f"y yes · n no{always}{' · e edit' * question.editable} · Esc no"
        else:
            text.append(f"{harmless(question.text or 'The tool asks for an answer')}\n", style="bold")
            for number, option in enumerate(question.options or (), 1):
                text.append(f"  {number}  {one_line(option)}\n")
            what = "type its number, or the answer," if question.options else "type the answer"
            keys = f"{what} and press Enter · Esc no answer"
        text.append(keys if self.is_armed or not self.is_approval else "… (keys count in a moment)", style="dim")
        return text

    def _arguments(self, text: Text, question: Question) -> None:
        call = Call(name=question.tool or "", arguments=question.arguments or "")
        lines = [*arguments_text(call).split("\n"), *change_of(call)]
        shown = lines if self._is_whole else lines[:_MOST_LINES]
        for line in shown:
            text.append(f"{line}\n")
        if len(shown) < len(lines):
            text.append(f"… {len(lines) - len(shown):,} more lines: v shows all\n", style="dim")
