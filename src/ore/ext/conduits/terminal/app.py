"""`TerminalApp`: the screen."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar, Final

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Mount, Resize, TextSelected
from textual.widgets import TextArea
from textual.worker import Worker

from ore.event import Entry, Mode, Question, Snapshot
from ore.ext.conduits.terminal.asking import QuestionPanel
from ore.ext.conduits.terminal.attaching import Attachments
from ore.ext.conduits.terminal.bars import Bar, queue_text, unseen_text, welcome_text, working_text
from ore.ext.conduits.terminal.cells import Cell, Kind
from ore.ext.conduits.terminal.composer import Composer
from ore.ext.conduits.terminal.conversation import Conversation, place
from ore.ext.conduits.terminal.desk import Desk
from ore.ext.conduits.terminal.editing import Editor
from ore.ext.conduits.terminal.folding import fold
from ore.ext.conduits.terminal.keyboard import Keyboard
from ore.ext.conduits.terminal.link import CommandLine, Link
from ore.ext.conduits.terminal.pace import Pace
from ore.ext.conduits.terminal.painting import Painter
from ore.ext.conduits.terminal.palette import PLAIN, THEMES, Palette, palette_of
from ore.ext.conduits.terminal.settings import ScreenSettings
from ore.ext.conduits.terminal.signals import Signals
from ore.ext.conduits.terminal.status import Around, status_lines
from ore.ext.conduits.terminal.suggestions import Suggestions
from ore.ext.conduits.terminal.transcript import Transcript
from ore.ext.conduits.terminal.typing_keys import TypingKeys

__all__ = ["TerminalApp"]

log = logging.getLogger(__name__)

_LEAVE_S: Final = 5.0
"""Seconds in which a message that was just sent may arrive before the screen is left."""

_TICK_S: Final = 0.1


class TerminalApp(App[int]):
    """Shows one session and lets people speak to it.

    It submits, subscribes and renders; whatever happens to it, nothing happens
    to the session.

    Args:
        link: Where the session lives; opened already.
        snapshot: The session as it stood then.
        settings: How it looks and behaves.
    """

    ENABLE_COMMAND_PALETTE: ClassVar[bool] = False
    CSS: ClassVar[str] = """
    Screen { layout: vertical; background: transparent; }
    #status { height: auto; max-height: 3; padding: 0 1; display: block; color: $text-muted; text-style: dim; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "stop", show=False, priority=True),
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("ctrl+o", "unfold", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("ctrl+up", "line(-1)", show=False),
        Binding("ctrl+down", "line(1)", show=False),
        Binding("end,ctrl+end", "end", show=False),
    ]

    def __init__(self, link: Link, snapshot: Snapshot, settings: ScreenSettings | None = None) -> None:
        self.settings = settings or ScreenSettings()
        super().__init__(ansi_color=True)
        self.link = link
        self.view = Conversation()
        self.view.load(snapshot)
        self.desk = Desk(link, self.say)
        self.attachments = Attachments()
        self.mode: Mode = "queue"
        self.commands: Sequence[CommandLine] = ()
        self.editing: Question | None = None
        """The question whose arguments stand in the input."""
        self.crash: BaseException | None = None
        self.line_state = "live"
        self.signals = Signals(self, self.settings)
        self.editor = Editor(self)
        self.keys = TypingKeys(self)
        self.transcript = Transcript(Painter(self.palette))
        self.panel = QuestionPanel(quiet_s=self.settings.quiet_s)
        self.suggestions = Suggestions()
        self.composer = Composer(self.settings.prompts)
        self.bars = {name: Bar(name) for name in ("unseen", "working", "queue", "status")}
        self.pace = Pace(self, self.draw)
        self._shape = -1
        self._running_since_s: float | None = None
        self._notes = 0

    def get_driver_class(self) -> type[Driver]:
        """What reads the keys."""
        found = super().get_driver_class()
        return Keyboard if found is LinuxDriver else found

    # ── Layout ──

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield self.transcript
        yield self.bars["unseen"]
        yield self.bars["working"]
        yield self.bars["queue"]
        yield self.panel
        yield self.suggestions
        yield self.composer
        yield self.bars["status"]

    @property
    def palette(self) -> Palette:
        """The colours in use."""
        settings = self.settings
        return PLAIN if self.no_color else palette_of(settings.palette, has_few_colours=settings.has_few_colours)

    def dress(self) -> None:
        """Draw all of it in the colours in use."""
        self.theme = self.palette.theme
        self.transcript.repaint(Painter(self.palette))

    @on(Mount)
    def _mounted(self) -> None:
        """Show what there is, and follow."""
        for theme in THEMES:
            self.register_theme(theme)
        self.dress()
        self.composer.focus()
        if self.settings.typed:
            self.composer.put(self.settings.typed)
        self.draw()
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        self.set_interval(_TICK_S, self._tick)
        self.do(self._learn_commands)
        self._follow_link()

    @on(Resize)
    def _resized(self, event: Resize) -> None:
        """The input may have a third of the screen."""
        self.composer.styles.max_height = max(3, event.size.height // 3) + 2
        self.composer.set_class(event.size.height < 18, "is-small")
        self.request_draw()

    # ── Following ──

    def do(self, work: Callable[[], Awaitable[Any]], *, group: str = "work") -> None:
        """Have something done beside everything else; it ends with the screen, and its faults are told.

        Args:
            work: Begun once there is room for it, which at the end of the screen is never.
            group: Of which only the latest goes on; those of `work` do not disturb each other.
        """

        async def begin() -> None:
            await self._guarded(work)

        _: Worker[None] = self.run_worker(begin, group=group, exclusive=group != "work")

    async def _guarded(self, work: Callable[[], Awaitable[Any]]) -> None:
        try:
            await work()
        except Exception as error:  # one thing that fails must not take the conversation from the screen
            log.exception("something on the screen failed")
            self.say(f"that failed: {type(error).__name__}", "error")

    def line(self, state: str) -> None:
        """How the line to the session is; see `Lines`."""
        self.line_state = state
        self.request_draw()

    async def open_session(self, session_id: str | None) -> None:
        """Show another session."""
        self.workers.cancel_group(self, "follow")
        snapshot = await self.desk.got(self.link.open(session_id))
        if snapshot is not None:
            self.desk.always.clear()  # what was said of one session is no consent in another
            self.view = Conversation()
            self.view.load(snapshot)
            self._shape = -1
            self.transcript.following = True
            self.do(self._learn_commands)
        self._follow_link()
        self.request_draw()

    async def refresh_view(self) -> None:
        """Look at the state, where events do not tell all of it."""
        view = self.view
        view.is_stale = False
        snapshot = await self.desk.got(self.link.snapshot())
        if snapshot is None or view is not self.view:
            return
        if view.cursor is None or place(snapshot.id) >= place(view.cursor):
            view.load(snapshot)
        else:
            view.is_stale = True  # events that came meanwhile are newer than the answer
        self.request_draw()

    def _follow_link(self) -> None:
        self.do(self._follow, group="follow")

    async def _follow(self) -> None:
        async with aclosing(self.link.events(self)) as batches:
            async for batch in batches:
                self._take(batch)

    def _take(self, batch: Sequence[Entry]) -> None:
        view = self.view
        was_running, running = view.is_running, view.running
        fold(view, batch)
        if view.is_running != was_running:
            self._running_since_s = time.monotonic() if view.is_running else None
        self.signals.tell(view, was_running=was_running)
        if view.switch is not None:
            session_id, view.switch = view.switch, None
            self.call_later(self.open_session, session_id)
        elif view.is_stale:
            self.do(self.refresh_view, group="refresh")
        for question in view.questions.values():
            if question.tool in self.desk.always:
                self.do(partial(self.desk.is_approved, question), group=f"answer {question.key}")
        if view.running == running:
            self.request_draw()
        else:
            self.pace.at_once()

    async def _learn_commands(self) -> None:
        self.commands = await self.desk.got(self.link.commands()) or ()

    # ── Drawing ──

    def request_draw(self) -> None:
        """Draw soon: once for all that comes until then."""
        self.pace.soon()

    def draw(self) -> None:
        """Bring the screen up to what is known."""
        worked_s = self.pace.begin()
        if not self.transcript.is_attached:  # it is being left
            return
        view = self.view
        changed, view.changed = view.changed, set()
        reshaped, self._shape = view.shape != self._shape, view.shape
        self.transcript.show(view.cells, changed, reshaped=reshaped)
        self._draw_bars()
        self.signals.title(view)
        self.pace.end(worked_s)

    def _draw_bars(self) -> None:
        view = self.view
        working = working_text(view, self._running_since_s) or welcome_text(view)
        self.bars["working"].say(self.keys.hint() or working)
        self.bars["queue"].say(queue_text(view.waiting))
        self.panel.ask(next((one for one in view.questions.values() if one.tool not in self.desk.always), None))
        if self.panel.question is None and self.panel.has_focus:
            self.composer.focus()
        labels = " ".join(self.attachments.labels)
        around = Around(model=self.link.model, folder=self.settings.folder_line, line=self.line_state, mode=self.mode)
        status = status_lines(view, self.settings.zones, around, width=max(self.size.width - 2, 1))
        self.bars["status"].say(status)
        self.composer.border_subtitle = labels

    def _tick(self) -> None:
        """What changes with time alone."""
        if not self.transcript.is_attached:
            return
        self.keys.tick()
        if isinstance(self._driver, Keyboard) and self._driver.keeps_up_again():
            self.refresh(layout=True)
        running = [cell for cell in self.view.calls.values() if cell.the_call.is_active]
        if self.view.is_running and int(time.monotonic() * 10) % 5 == 0:
            for cell in running:
                self.view.touch(cell)
            self.request_draw()

    def say(self, text: str, severity: str = "info") -> None:
        """Tell people something, beside the turns."""
        self._notes += 1
        cell = Cell(f"own/{self._notes}", Kind.NOTICE, text, at=datetime.now(UTC))
        cell.mark = severity
        self.view.append(cell)
        self.request_draw()

    def write_control(self, sequence: str) -> None:
        """Write to the terminal past the screen, such as its title."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)
            self._driver.flush()

    # ── Events ──

    @on(Transcript.Moved)
    def _moved(self, event: Transcript.Moved) -> None:
        """Say whether there is more below."""
        self.bars["unseen"].say(unseen_text(event.unseen, following=event.following))

    @on(TextSelected)
    def _selected(self, event: TextSelected) -> None:
        """What is marked with the mouse is copied, as terminals do it."""
        text = self.screen.get_selected_text()
        if text:
            self.copy_to_clipboard(text)

    @on(TextArea.Changed)
    def _typed(self, event: TextArea.Changed) -> None:
        """Offer what could stand there."""
        self.keys.typed()

    @on(Composer.Submitted)
    async def _submitted(self, event: Composer.Submitted) -> None:
        """Somebody pressed Enter."""
        self.transcript.follow()
        await self.keys.submitted(event.text)

    @on(Composer.Pressed)
    async def _pressed(self, event: Composer.Pressed) -> None:
        """A key that is no text."""
        await self.keys.pressed(event.key)

    @on(Composer.Picture)
    def _picture(self, event: Composer.Picture) -> None:
        """A picture's path was pasted."""
        self.keys.attach(event.path)

    @on(Suggestions.Taken)
    def _taken(self, event: Suggestions.Taken) -> None:
        """Something was chosen from the list."""
        self.keys.taken(event.suggestion, sends=event.sends)

    @on(QuestionPanel.Answered)
    async def _answered(self, event: QuestionPanel.Answered) -> None:
        """Somebody answered with a key."""
        await self.keys.answered(event.question, event.how)

    # ── Actions ──

    async def action_stop(self) -> None:
        """Ctrl-C: stop what runs, or clear the input, or leave at the second time."""
        await self.keys.stop()

    def action_leave(self) -> None:
        """Leave, once what was sent has arrived; the session stays."""
        self.do(self._leave, group="leave")

    async def _leave(self) -> None:
        if self.keys.sending:
            await asyncio.wait(self.keys.sending, timeout=_LEAVE_S)
        self.exit(0)

    def action_unfold(self) -> None:
        """Show all, or little, of what can be folded."""
        self.transcript.unfold(0 if self.transcript.rows.unfolded else 1)

    def next_mode(self) -> None:
        """How the next message goes while one runs."""
        modes: Sequence[Mode] = ("queue", "steer", "interrupt")
        self.mode = modes[(modes.index(self.mode) + 1) % len(modes)]
        self.request_draw()

    def action_page(self, by: int) -> None:
        """Scroll by a page."""
        self.action_line(by * max(self.transcript.size.height - 2, 1))

    def action_line(self, by: int) -> None:
        """Scroll by lines."""
        self.transcript.scroll_relative(y=by, animate=False, force=True)

    def action_end(self) -> None:
        """Follow again; or to the end of the line, where one follows already."""
        if self.transcript.following:
            self.composer.action_cursor_line_end()
        else:
            self.transcript.follow()

    def _fatal_error(self) -> None:
        """A fault of the screen: its traceback goes to the log, without what variables held."""
        log.error("the screen failed", exc_info=self._exception)
        self.crash = self._exception
        self._close_messages_no_wait()
