"""`TypingKeys`: what keys and typed words mean."""

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.text import Text

from ore.errors import InputError, OreError
from ore.event import Question
from ore.ext.conduits.terminal.attaching import run_shell
from ore.ext.conduits.terminal.completing import (
    command_suggestions,
    file_suggestions,
    named_path,
    path_suggestions,
)
from ore.ext.conduits.terminal.here import HERE, is_here
from ore.ext.conduits.terminal.here_commands import HereCommands
from ore.ext.conduits.terminal.suggestions import Suggestion
from ore.models import MODEL_PREFIX

if TYPE_CHECKING:
    from ore.ext.conduits.terminal.app import TerminalApp

__all__ = ["TypingKeys"]

_AGAIN_S: Final = 2.0
"""Seconds in which the second Ctrl-C leaves."""

_TWICE_S: Final = 1.0
"""Seconds in which the second Esc goes back to an earlier message."""


class TypingKeys:
    """Does what is typed, and what keys mean that are no text."""

    def __init__(self, app: "TerminalApp") -> None:
        self._app = app
        self._here = HereCommands(app)
        self._stop_s = -_AGAIN_S
        self._escape_s = -_TWICE_S
        self._keys = 0
        self._searching = False
        self.sending: set[asyncio.Future[None]] = set()
        """Messages that were sent and have not arrived."""

    def hint(self) -> Text | None:
        """What the next key would do, where that has to be said."""
        if time.monotonic() - self._stop_s < _AGAIN_S:
            return Text("Ctrl+C again leaves; the session stays", style="bold")
        if self._searching:
            return Text("search in what was typed before · Enter takes it · Esc leaves", style="dim")
        if self._app.editing is not None:
            return Text("the arguments are yours to change · Enter runs it with them · Esc leaves them", style="bold")
        return None

    def tick(self) -> None:
        """Let a question take keys once nobody types."""
        app = self._app
        if self._stop_s > 0 and time.monotonic() - self._stop_s >= _AGAIN_S:
            self._stop_s = -_AGAIN_S
            app.request_draw()
        panel = app.panel
        if panel.question is None:
            return
        if app.composer.keys != self._keys:
            self._keys = app.composer.keys
            panel.pressed()
        if panel.arm() and panel.is_approval and app.editing is None:
            panel.focus()

    async def submitted(self, text: str) -> None:
        """Somebody sent what they typed."""
        app = self._app
        self._searching = False
        app.suggestions.offer(())
        if app.editing is not None:
            question, app.editing = app.editing, None
            await app.desk.approve_changed(question, text)
            app.panel.take_back()
            return
        app.composer.prompts.add(text)
        asked = app.panel.question
        if asked is not None and asked.purpose != "approval":
            await app.desk.tell(asked, app.panel.chosen(text))
            return
        own = is_here(text)
        if own is not None:
            await self._here.run(*own)
        elif text.startswith("!"):
            app.do(partial(self._shell, text), group="shell")
        else:
            arrived = asyncio.get_running_loop().create_future()
            self.sending.add(arrived)
            app.do(partial(self._send, text, arrived))

    async def pressed(self, key: str) -> None:
        """A key in the input that is no text."""
        if self._app.composer.has_list and key in ("up", "down", "tab", "enter", "escape", "ctrl+n", "ctrl+p"):
            self._app.suggestions.press(key)
            self._searching = self._searching and key != "escape"
            self._list_changed()
            return
        action = self._actions.get(key)
        if action is not None:
            await action() if asyncio.iscoroutinefunction(action) else action()

    async def answered(self, question: Question, how: str) -> None:
        """A question was answered with a key."""
        app = self._app
        app.composer.focus()
        if how == "edit":
            app.editing = question
            app.panel.lend()
            app.composer.put(question.arguments or "")
            app.request_draw()
        else:
            await app.desk.approve(question, how)

    async def stop(self) -> None:
        """Ctrl-C: a list goes first, then what runs, then what was typed; then it leaves at the second time."""
        app = self._app
        if len(app.screen_stack) > 1:
            app.pop_screen()
        elif time.monotonic() - self._stop_s < _AGAIN_S and not app.composer.text:
            app.action_leave()
        elif app.view.is_running:
            self._stop_s = time.monotonic()
            await app.desk.interrupt()
        elif app.composer.text:
            app.composer.put("")
        else:
            self._stop_s = time.monotonic()
        app.request_draw()

    async def think(self) -> None:
        """Let the model think one level more."""
        key = f"{MODEL_PREFIX}thinking_level"
        await self._app.desk.think(self._app.view.metadata.get(key))
        self._app.request_draw()

    async def run_here(self, name: str, rest: str) -> None:
        """Run a command of the screen."""
        await self._here.run(name, rest)

    def typed(self) -> None:
        """Offer what could stand in the input."""
        app = self._app
        text = app.composer.text
        before = _before_cursor(app)
        if self._searching:
            found = app.composer.prompts.search(text)
            app.suggestions.offer([Suggestion(text=one, label=one) for one in found])
        elif text.startswith("/") and "\n" not in text:
            app.suggestions.offer(command_suggestions(text, [*app.commands, *HERE]))
        elif (part := named_path(before)) is not None:
            app.suggestions.offer(file_suggestions(part, app.settings.folder))
        else:
            app.suggestions.offer(())
        self._list_changed()

    def taken(self, suggestion: Suggestion, *, sends: bool) -> None:
        """Put what was chosen into the input."""
        app = self._app
        text, before = app.composer.text, _before_cursor(app)
        if self._searching or text.startswith("/"):
            self._searching = False
            app.composer.put(suggestion.text)
        else:
            part = named_path(before)
            word = before[len(before) - len(part) :] if part is not None else before.split(" ")[-1].split("\n")[-1]
            app.composer.put(f"{before.removesuffix(word)}{suggestion.text}{text[len(before) :]}")
        app.suggestions.offer(())
        self._list_changed()
        if sends:
            app.composer.action_submit()

    def attach(self, path: Path) -> None:
        """Let a file go with the next message."""
        try:
            self._app.attachments.add_file(path.expanduser())
        except InputError as error:
            self._app.say(str(error), "error")
        self._app.request_draw()

    def search(self) -> None:
        """Find what was typed before."""
        self._searching = True
        self.typed()
        self._app.request_draw()

    async def edit(self) -> None:
        """Write in an editor, and come back with the text."""
        app = self._app
        written = await app.editor.write(app.composer.pasted.expanded(app.composer.text))
        if written is not None:
            app.composer.put(written)
        app.composer.focus()

    async def _send(self, text: str, arrived: "asyncio.Future[None]") -> None:
        app = self._app
        attached = app.attachments.take()
        mode = app.mode if app.view.is_running else "queue"
        try:
            if not await app.desk.send(text, attached, mode) and not app.composer.text:
                app.composer.put(text)  # nothing that was typed is lost
        finally:
            arrived.set_result(None)
            self.sending.discard(arrived)
        app.request_draw()

    async def _shell(self, text: str) -> None:
        """`!` runs a command, and its output goes with the next message; `!!` keeps it here."""
        app = self._app
        is_private = text.startswith("!!")
        command = text.lstrip("!").strip()
        if not command:
            return
        try:
            output = await run_shell(command)
        except OreError as error:
            app.say(str(error), "error")
            return
        if not is_private:
            app.attachments.add_output(command, output)
        beside = "not sent" if is_private else "goes with the next message"
        app.say(f"`$ {command}` ({beside})\n```\n{output}\n```")

    async def _escape(self) -> None:
        app = self._app
        now_s = time.monotonic()
        if app.editing is not None:
            app.editing = None
            app.composer.put("")
            app.panel.take_back()
        elif app.panel.question is not None and app.panel.is_armed:
            await app.desk.approve(app.panel.question, "deny")
        elif self._searching:
            self._searching = False
            app.composer.put("")
        elif app.view.is_running:
            await app.desk.interrupt()
            self._escape_s = -_TWICE_S
            return
        elif not app.composer.text and now_s - self._escape_s < _TWICE_S:
            await self._here.run("rewind", "")
        self._escape_s = now_s
        app.request_draw()

    async def _up(self) -> None:
        """Take back what waits last; without any, what was typed before."""
        app = self._app
        if not app.view.waiting:
            app.composer.recall_older()
            return
        last = app.view.waiting[-1]
        if await app.desk.withdraw(last.id) and last.text:
            app.composer.put(last.text)

    def _tab(self) -> None:
        app = self._app
        before = _before_cursor(app)
        app.suggestions.offer(path_suggestions(before, app.settings.folder))
        self._list_changed()
        if len(app.suggestions.options) == 1:
            app.suggestions.press("tab")

    def _list_changed(self) -> None:
        self._app.composer.has_list = self._app.suggestions.is_open

    @property
    def _actions(self) -> Mapping[str, Callable[[], object]]:
        app = self._app
        return {
            "escape": self._escape,
            "up": self._up,
            "tab": self._tab,
            "ctrl+d": app.action_leave,
            "ctrl+r": self.search,
            "ctrl+g": lambda: app.do(self.edit),
            "ctrl+s": app.next_mode,
            "ctrl+t": self.think,
            "ctrl+l": lambda: app.do(partial(self._here.run, "sessions", "")),
            "pageup": lambda: app.action_page(-1),
            "pagedown": lambda: app.action_page(1),
            "ctrl+up": lambda: app.action_line(-1),
            "ctrl+down": lambda: app.action_line(1),
            "end": app.action_end,
            "ctrl+end": app.transcript.follow,
        }


def _before_cursor(app: "TerminalApp") -> str:
    """What stands before the cursor."""
    row, column = app.composer.cursor_location
    lines = app.composer.text.split("\n")
    return "\n".join([*lines[:row], lines[row][:column]])
