"""`TerminalConduit`: a session on a terminal."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from ore.errors import InputError
from ore.ext.conduits.terminal.app import TerminalApp
from ore.ext.conduits.terminal.link import Link
from ore.ext.conduits.terminal.local_link import PROVENANCE, LocalLink
from ore.ext.conduits.terminal.log_buffer import LogBuffer
from ore.ext.conduits.terminal.settings import ScreenSettings
from ore.ext.conduits.terminal.surroundings import background, has_few_colours
from ore.session import Descriptor, Manager

__all__ = ["DESCRIPTOR", "Shown", "TerminalConduit", "show"]

DESCRIPTOR: Final = Descriptor(
    name=PROVENANCE,
    description="a session on a terminal",
    capabilities=frozenset(
        {
            *("event-source", "show-status", "render-delta", "render-turn", "render-markdown", "audio-notification"),
            *("accept-text", "accept-image", "accept-file", "request-user-confirmation"),
        }
    ),
)


class Shown:
    """How a screen ended.

    Attributes:
        signal: Which signal ended it; `None` when a person did.
        crash: The fault that ended it.
        session_id: The session that was shown last; `None` when none was opened.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self.crash: BaseException | None = None
        self.session_id: str | None = None


class TerminalConduit:
    """Shows one session of a manager on the terminal, until somebody leaves; the session stays.

    Args:
        session_id: The session, made when there is none; a new one without an id.
        settings: How it looks and behaves.

    Attributes:
        shown: How it ended.
    """

    def __init__(
        self,
        session_id: str | None = None,
        *,
        settings: ScreenSettings | None = None,
    ) -> None:
        self._session_id = session_id
        self._settings = settings
        self.shown = Shown()

    @property
    def descriptor(self) -> Descriptor:
        """What it is."""
        return DESCRIPTOR

    async def serve(self, sessions: Manager) -> None:
        """Show the session until somebody leaves, or until cancelled.

        Raises:
            InputError: Standard input or error is no terminal.
            OreError: The session cannot be used.
        """
        self.shown = await show(LocalLink(sessions), self._session_id, self._settings)


async def show(link: Link, session_id: str | None, settings: ScreenSettings | None = None) -> Shown:
    """Show the session of a link on the terminal until somebody leaves; the terminal is as it was then.

    SIGTERM, SIGHUP and SIGINT end it as well; the last one stops what runs
    first. What is logged meanwhile goes to standard error afterwards.

    Raises:
        InputError: Standard input or error is no terminal.
        OreError: The session cannot be used.
    """
    if not (_is_terminal(sys.__stdin__) and _is_terminal(sys.__stderr__)):
        raise InputError("expected a terminal on standard input and error; without --connect, --plain needs none")
    shown, logs = Shown(), LogBuffer()
    try:
        snapshot = await link.open(session_id)
        app = TerminalApp(link, snapshot, await _fitted(settings or ScreenSettings()))
        with logs.instead(), _signals(app, shown):
            await app.run_async()
            await app.editor.aclose()
        shown.session_id, shown.crash = link.session_id, app.crash
    finally:
        await link.aclose()
        if sys.__stderr__ is not None:
            logs.flush_to(sys.__stderr__)
    return shown


async def _fitted(settings: ScreenSettings) -> ScreenSettings:
    """With colours for the terminal and its background."""
    settings = replace(settings, has_few_colours=has_few_colours())
    if settings.palette != "auto":
        return settings
    palette, typed = await asyncio.to_thread(background)
    return replace(settings, palette=palette, typed=settings.typed + typed)


@contextmanager
def _signals(app: TerminalApp, shown: Shown) -> Iterator[None]:
    """Let signals end the screen, where they can be taken over."""
    loop = asyncio.get_running_loop()

    def end(number: int) -> None:
        shown.signal = number
        app.editor.stop()
        app.exit(0)

    def interrupt() -> None:
        if app.editor.is_open:  # it was meant for that
            return
        if app.view.is_running and shown.signal is None:
            app.do(app.desk.interrupt)
        else:
            end(signal.SIGINT)

    handlers: dict[int, Callable[[], None]] = {
        signal.SIGTERM: lambda: end(signal.SIGTERM),
        signal.SIGHUP: lambda: end(signal.SIGHUP),
        signal.SIGINT: interrupt,
    }
    taken: list[int] = []
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler)
            taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            loop.remove_signal_handler(number)


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]  # every stream has it
    except ValueError:  # closed
        return False
