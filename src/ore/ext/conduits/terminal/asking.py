"""`QuestionPanel`: what a tool asks, and what people answer with one key."""

import time
from collections.abc import Callable
from typing import ClassVar, Final

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.events import Key, Resize
from textual.message import Message
from textual.widgets import Static

from ore.event import Question
from ore.ext.conduits.terminal.call_text import readable
from ore.ext.conduits.terminal.cells import Call
from ore.ext.conduits.terminal.inert import harmless, one_line

__all__ = ["QUIET_S", "QuestionPanel"]

QUIET_S: Final = 0.6
"""Seconds without a key until a question takes keys: whoever types is not answering it."""

_SHARE: Final = 0.6
"""Of the screen; more of a question is scrolled to."""

_LEAST_LINES: Final = 3
_FRAME_LINES: Final = 2

_KEYS: Final = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10, "home": -100_000, "end": 100_000}
"""Lines that keys scroll by, while the question has them."""


class QuestionPanel(Vertical, can_focus=True):
    """Shows one question, with exactly what would run.

    It takes keys only once nobody has pressed one for a moment since it was
    there, so that no key that was meant for something else answers it. What it
    cannot show at once is scrolled to, and it says how much that is; what the
    keys mean is seen in every case.

    Args:
        quiet_s: Seconds of quiet that it takes.
        clock: Seconds, to tell how long nobody pressed a key.
    """

    DEFAULT_CSS: ClassVar[str] = """
    QuestionPanel { height: auto; display: none; border: round $warning; padding: 0 1; }
    QuestionPanel.is-open { display: block; }
    QuestionPanel VerticalScroll { height: auto; background: transparent; scrollbar-size-vertical: 1;
                                   scrollbar-color: ansi_bright_black; scrollbar-background: transparent; }
    QuestionPanel Static { height: auto; }
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
        super().__init__(id="question")
        self._body = Static("", markup=False)
        self._scroll = VerticalScroll(self._body, can_focus=False)
        self._answers = Static("", markup=False)
        self.question: Question | None = None
        self.is_armed = False
        self.is_lent = False
        """Whether the keys belong to the input, where the arguments are being changed."""
        self._clock = clock
        self._quiet_s = quiet_s
        self._quiet_since = 0.0

    def compose(self) -> ComposeResult:
        """What is asked, and below it how it is answered."""
        yield self._scroll
        yield self._answers

    def on_mount(self) -> None:
        """Say how much there is to scroll to, whenever that changes."""
        self.watch(self._scroll, "scroll_y", self._say_keys)
        self.watch(self._scroll, "virtual_size", self._say_keys)

    def on_resize(self, event: Resize) -> None:
        """Have the room that there is."""
        self.fit()

    def ask(self, question: Question | None) -> None:
        """Show a question, or none."""
        if question is not None and self.question is not None and question.key == self.question.key:
            return
        self.question, self.is_armed, self.is_lent = question, False, False
        self._quiet_since = self._clock()
        self.set_class(question is not None, "is-open")
        self._body.update(Text("") if question is None else self._text(question))
        self._scroll.scroll_home(animate=False)
        self.fit()

    def fit(self) -> None:
        """Have as much of the screen as a question may have."""
        self._say_keys()
        keys = self._answers_lines()
        room = int(self.app.size.height * _SHARE) - _FRAME_LINES - keys
        self._scroll.styles.max_height = max(room, _LEAST_LINES)

    @property
    def hidden_lines(self) -> int:
        """How much stands below what is seen."""
        return max(int(self._scroll.max_scroll_y - self._scroll.scroll_y), 0)

    def pressed(self) -> None:
        """A key was pressed somewhere else: it is not yet time."""
        self._quiet_since = self._clock()

    def lend(self) -> None:
        """Take no keys while the arguments are changed in the input."""
        self.is_lent, self.is_armed = True, False
        self._say_keys()

    def take_back(self) -> None:
        """Take keys again, once it has been quiet for a moment."""
        self.is_lent = False
        self.pressed()
        self._say_keys()

    def arm(self) -> bool:
        """Take keys from now on, when it has been quiet; whether that begins now."""
        if self.question is None or self.is_armed or self.is_lent:
            return False
        if self._clock() - self._quiet_since < self._quiet_s:
            return False
        self.is_armed = True
        self._say_keys()
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
        by = _KEYS.get(event.key) if self._scroll.max_scroll_y else None
        how = self._meaning(question, event)
        if how is None and by is None:
            return
        event.stop()
        event.prevent_default()
        if by is not None:
            self._scroll.scroll_relative(y=by, animate=False)
        elif how is not None:
            self.post_message(self.Answered(question, how))

    def _meaning(self, question: Question, event: Key) -> str | None:
        if question.purpose != "approval":
            return None
        keys = {"y": "approve", "n": "deny", "escape": "deny"}
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

    def _text(self, question: Question) -> Text:
        text = Text()
        if question.purpose == "approval":
            text.append(f"Run {one_line(question.tool)}?" if question.tool else "Go on?", style="bold")
            if question.text:
                text.append(f"\n{harmless(question.text)}")
            call = Call(name=question.tool or "", arguments=question.arguments or "")
            for line in readable(call):
                text.append(f"\n{line}")
        else:
            text.append(harmless(question.text or "The tool asks for an answer"), style="bold")
            for number, option in enumerate(question.options or (), 1):
                text.append(f"\n  {number}  {one_line(option)}")
        return text

    def _say_keys(self) -> None:
        """What the keys mean, and how much is not seen."""
        question = self.question
        text = Text()
        if question is not None:
            if self._scroll.max_scroll_y:
                text.append(f"{_more(self.hidden_lines)}\n", style="reverse")
            is_waiting = self.is_approval and not self.is_armed
            text.append(self._meanwhile() if is_waiting else self._keys(question), style="dim" * is_waiting)
        self._answers.update(text)

    def _meanwhile(self) -> str:
        return "its arguments are being changed below" if self.is_lent else "… (keys count in a moment)"

    def _keys(self, question: Question) -> str:
        if question.purpose != "approval":
            what = "type its number, or the answer," if question.options else "type the answer"
            return f"{what} and press Enter · Esc no answer"
        always = f" · a always {one_line(question.tool)} in this session" if question.tool else ""
        return f"y yes · n no{always}{' · e edit' * question.editable} · Esc no"

    def _answers_lines(self) -> int:
        """How many lines the keys take, with the one that says how much is not seen."""
        if self.question is None:
            return 0
        width = max(self.app.size.width - 4, 1)
        return 1 - (-cell_len(self._keys(self.question)) // width)


def _more(lines: int) -> str:
    return f"↓ {lines:,} more {'line' if lines == 1 else 'lines'} · Down" if lines else "↑ that is all of it · Up"
