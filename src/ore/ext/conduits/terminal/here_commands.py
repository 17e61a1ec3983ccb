"""`HereCommands`: does what the commands of the screen say."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ore.event import Mode
from ore.ext.catalog import shared_catalog
from ore.ext.conduits.terminal.cells import Cell, Kind
from ore.ext.conduits.terminal.figures import age, compact
from ore.ext.conduits.terminal.painting import text_of
from ore.ext.conduits.terminal.picking import Choice, Picked, Picker
from ore.ledger import Role, Turn

if TYPE_CHECKING:
    from ore.ext.conduits.terminal.app import TerminalApp

__all__ = ["HereCommands"]

_FENCE: Final = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)^\1", re.DOTALL | re.MULTILINE)

_KEYS: Final = """\
- **Enter** sends; **Ctrl+J**, or `\\` and **Enter**, begins a new line; **Shift+Enter** where it is told
- **Esc** stops what runs; **Esc Esc** goes back to an earlier message
- **Ctrl+C** stops what runs, clears the input, or leaves at the second time; **Ctrl+D** leaves
- **Up** and **Down** go through what was typed before, **Ctrl+R** searches in it; **Up** takes back what waits
- **Ctrl+S** says how messages go while one runs: queue, steer, interrupt
- **Ctrl+O** unfolds thinking, calls and results, a click one of them; **PgUp**, **PgDn**, **End** scroll
- **Ctrl+T** lets the model think more; **Ctrl+G** opens the editor; **Ctrl+L** lists the sessions
- `/` lists commands, `@` files, **Tab** paths; `!command` runs one and sends its output along, `!!command` does not
"""


class HereCommands:
    """Runs the commands of the screen itself."""

    def __init__(self, app: "TerminalApp") -> None:
        self._app = app
        self._handlers: Mapping[str, Callable[[str], Awaitable[None]]] = {
            "sessions": self._sessions,
            "rewind": self._rewind,
            "models": self._models,
            "copy": self._copy,
            "image": self._image,
            "edit": self._edit,
            "mode": self._mode,
            "theme": self._theme,
            "keys": self._say_keys,
            "quit": self._quit,
        }

    async def run(self, name: str, rest: str) -> None:
        """Run one by its name."""
        await self._handlers[name](rest)

    async def _sessions(self, rest: str) -> None:
        keys = {"ctrl+r": "rename", "ctrl+d": "delete", "ctrl+n": "new"}
        picker = Picker("Sessions", self._find_sessions, keys=keys, asks_twice=frozenset({"delete"}))
        await self._app.push_screen(picker, self._session_picked)

    async def _find_sessions(self, text: str) -> Sequence[Choice]:
        page = await self._app.desk.got(self._app.link.threads(text))
        here = self._app.link.session_id
        return [
            Choice(
                value=one.id,
                label=("● " if one.id == here else "") + (one.title or one.preview or one.id),
                aside=" · ".join(part for part in (age(one.last_at), one.preview if one.title else "", one.id) if part),
            )
            for one in (page.threads if page is not None else ())
        ]

    def _session_picked(self, picked: Picked | None) -> None:
        if picked is not None:
            self._app.do(partial(self._with_session, picked))

    async def _with_session(self, picked: Picked) -> None:
        app, session_id = self._app, picked.choice.value
        if picked.action == "rename":
            await app.desk.name(session_id, picked.text.strip())
        elif picked.action == "delete" and session_id == app.link.session_id:
            app.say("this session is open here; go to another one before it is deleted", "warn")
        elif picked.action == "delete":
            await app.desk.got(app.link.delete(session_id))
        else:
            await app.open_session(None if picked.action == "new" else session_id)
            return
        await self._sessions("")

    async def _rewind(self, rest: str) -> None:
        if any(cell.kind is Kind.USER for cell in self._app.view.cells):
            picker = Picker("Go back before a message", self._find_messages, keys={"ctrl+f": "fork"})
            await self._app.push_screen(picker, self._message_picked)

    async def _find_messages(self, text: str) -> Sequence[Choice]:
        cells = [cell for cell in self._app.view.cells if cell.kind is Kind.USER and text.lower() in cell.text.lower()]
        return [Choice(value=cell.turn, label=cell.text, aside=age(cell.at)) for cell in reversed(cells)]

    def _message_picked(self, picked: Picked | None) -> None:
        if picked is not None:
            self._app.do(partial(self._go_back, picked))

    async def _go_back(self, picked: Picked) -> None:
        app = self._app
        snapshot = await app.desk.got(app.link.snapshot())
        turn = next((one for one in snapshot.turns if one.id == picked.choice.value), None) if snapshot else None
        if turn is None:
            return
        if picked.action == "fork" and turn.parent_id is not None:
            new_id = await app.desk.got(app.link.fork(turn.parent_id))
            if new_id is None:
                return
            await app.open_session(new_id)
        elif picked.action == "fork":
            await app.open_session(None)
        else:
            await app.desk.got(app.link.move(turn.parent_id))
            await app.refresh_view()
        app.composer.put(_said(turn))

    async def _models(self, rest: str) -> None:
        await self._app.push_screen(Picker("Models", _find_models), self._model_picked)

    def _model_picked(self, picked: Picked | None) -> None:
        if picked is not None:
            # Said like any command, so that it stands in the history of all who watch.
            self._app.do(partial(self._app.desk.send, f"/model {picked.choice.value}", (), "queue"))

    async def _copy(self, rest: str) -> None:
        text = self._to_copy(rest.split())
        if text:
            self._app.copy_to_clipboard(text)
            self._app.say(
                f"copied {compact(len(text))} characters to the clipboard, where the terminal allows it", "success"
            )
        else:
            self._app.say("there is nothing of that to copy", "warn")

    def _to_copy(self, words: Sequence[str]) -> str:
        cells = self._app.view.cells
        if words[:1] == ["all"]:
            return "\n\n".join(f"{_who(cell)}: {text_of(cell)}" for cell in cells if cell.kind is not Kind.NOTICE)
        last = next((cell.text for cell in reversed(cells) if cell.kind is Kind.TEXT), "")
        if words[:1] != ["code"]:
            return last
        blocks = [found[2] for found in _FENCE.finditer(last + "\n")]
        number = int(words[1]) if len(words) > 1 and words[1].isdigit() else len(blocks)
        return blocks[number - 1] if 0 < number <= len(blocks) else ""

    async def _image(self, rest: str) -> None:
        self._app.keys.attach(Path(rest))

    async def _edit(self, rest: str) -> None:
        self._app.do(self._app.keys.edit)  # the screen goes on meanwhile

    async def _mode(self, rest: str) -> None:
        modes: Mapping[str, Mode] = {"queue": "queue", "steer": "steer", "interrupt": "interrupt"}
        mode = modes.get(rest)
        if mode is None:
            self._app.say("usage: /mode queue | steer | interrupt")
            return
        self._app.mode = mode
        self._app.request_draw()

    async def _theme(self, rest: str) -> None:
        if rest not in ("dark", "light", "plain"):
            self._app.say("usage: /theme dark | light | plain")
            return
        self._app.settings.palette = rest
        self._app.dress()

    async def _say_keys(self, rest: str) -> None:
        self._app.say(_KEYS)

    async def _quit(self, rest: str) -> None:
        self._app.action_leave()


async def _find_models(text: str) -> Sequence[Choice]:
    found = shared_catalog().search(text)[:200]
    return [
        Choice(
            value=f"{one.provider}:{one.name}",
            label=f"{one.provider}:{one.name}",
            aside=f"window {compact(one.window)}" if one.window else "",
        )
        for one in found
    ]


def _said(turn: Turn) -> str:
    return "".join(artifact.for_human() for artifact in turn.artifacts) if turn.role is Role.USER else ""


def _who(cell: Cell) -> str:
    return {Kind.USER: "You", Kind.CALL: "Call", Kind.THINKING: "Thinking"}.get(cell.kind, "Assistant")
