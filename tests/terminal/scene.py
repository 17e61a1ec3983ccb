"""A screen over a session whose model is held by the test."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from textual.pilot import Pilot

from ore import Agent
from ore.app import live_sessions
from ore.artifact import StopReason, ToolCallDelta
from ore.ext.commands import Commands, standard_commands
from ore.ext.conduits.terminal import LocalLink, ScreenSettings
from ore.ext.conduits.terminal.app import TerminalApp
from ore.ledger import MemoryStore, Store
from ore.session import Manager, Stream
from ore.testing import ScriptedProvider

__all__ = ["Stage", "call", "stage", "until"]

WAIT_S = 15.0
"""For what happens at once on an idle machine."""


async def until(is_so: Callable[[], object], what: str = "it") -> None:
    """Wait for a condition, and never for a time."""
    try:
        async with asyncio.timeout(WAIT_S):
            for _ in count():
                if is_so():
                    return
                await asyncio.sleep(0)
    except TimeoutError:
        raise AssertionError(f"expected {what} to come true within {WAIT_S} s") from None


def call(name: str, arguments: str, id: str = "c1") -> list[Any]:
    """A model's turn that calls a tool."""
    return [ToolCallDelta(index=0, id=id, name=name, arguments=arguments), StopReason(reason="tool_use")]


@dataclass(slots=True)
class Stage:
    """A screen that is shown, and the session behind it."""

    app: TerminalApp
    pilot: Pilot[Any]
    sessions: Manager
    link: LocalLink

    @property
    def stream(self) -> Stream:
        return self.sessions.get(self.link.session_id)

    @property
    def lines(self) -> Sequence[str]:
        """All that is on the screen, line by line."""
        return screen_lines(self.app)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    async def type(self, text: str) -> None:
        """Type text, without sending it."""
        await self.pilot.press(*[{" ": "space", "\n": "ctrl+j"}.get(letter, letter) for letter in text])

    async def send(self, text: str) -> None:
        self.app.composer.put(text)
        await self.pilot.press("enter")

    async def shows(self, *texts: str) -> None:
        """Wait until the screen shows all of these."""
        await until(lambda: all(text in self.text for text in texts), f"the screen to show {texts}")

    async def idle(self) -> None:
        """Wait until nothing runs, and the screen says so."""
        await self.stream.idle()
        await until(lambda: not self.app.view.is_running and not self.app.pace.is_due, "rest")
        await self.pilot.pause()


def screen_lines(app: TerminalApp) -> list[str]:
    """The cells of the screen as they would be written."""
    width, height = app.size
    rows = app.screen._compositor.render_strips()
    return [row.text.rstrip() for row in rows[:height]] if width else []


@asynccontextmanager
async def stage(
    *calls: Any,
    tools: Sequence[Any] = (),
    size: tuple[int, int] = (80, 24),
    store: Store | None = None,
    session: str = "s1",
    commands: Callable[[], Commands] | None = standard_commands,
    **settings: Any,
) -> AsyncIterator[Stage]:
    """A screen of a size over a session whose model plays `calls`."""
    agent = Agent(ScriptedProvider(*calls), tools=list(tools), name="main")
    bound = commands() if commands is not None else None
    if bound is not None:
        agent = agent.with_(interceptors=(bound,))
    async with live_sessions([agent], store=store or MemoryStore()) as sessions:
        link = LocalLink(sessions)
        snapshot = await link.open(session)
        app = TerminalApp(link, snapshot, ScreenSettings(**{"quiet_s": 0.0, "has_bell": False, **settings}))
        try:
            async with app.run_test(size=size) as pilot:
                yield Stage(app, pilot, sessions, link)
        finally:
            await link.aclose()
