"""`Editor`: a text, written in the person's own editor."""

import asyncio
import contextlib
import os
import shlex
import tempfile
import termios
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ore.ext.conduits.terminal.app import TerminalApp

__all__ = ["Editor"]

_STDIN: Final = 0
_END_S: Final = 5.0
"""Seconds until an editor that was told to end is killed."""


class Editor:
    """Lets the person's own editor have the terminal; the session goes on meanwhile.

    Args:
        app: Whose terminal it is.
    """

    def __init__(self, app: "TerminalApp") -> None:
        self._app = app
        self._process: asyncio.subprocess.Process | None = None
        self._modes: list[Any] = []

    @property
    def is_open(self) -> bool:
        """Whether it has the terminal."""
        return self._process is not None and self._process.returncode is None

    async def write(self, text: str) -> str | None:
        """What became of a text; `None` when the editor could not be run, which is told."""
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        with tempfile.NamedTemporaryFile("w+", suffix=".md", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            try:
                await self._run([*shlex.split(editor), file.name])
            except (OSError, ValueError) as error:
                self._app.say(f"the editor {editor!r} could not be run: {error}", "error")
                return None
            return _read(file.name)

    def stop(self) -> None:
        """Tell one that runs to end."""
        if self._process is not None and self.is_open:
            self._process.terminate()

    async def aclose(self) -> None:
        """See one that runs to its end: two cannot have one terminal."""
        process = self._process
        if process is None or not self.is_open:
            return
        self.stop()
        try:
            async with asyncio.timeout(_END_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        self._tidy()

    async def _run(self, words: list[str]) -> None:
        driver = self._app._driver
        if driver is None or not driver.can_suspend:
            raise OSError("no terminal is here to be given away")
        with driver.no_automatic_restart():
            driver.suspend_application_mode()
            self._modes = termios.tcgetattr(_STDIN)
            try:
                self._process = await asyncio.create_subprocess_exec(*words)
                await self._process.wait()
            finally:
                if not self.is_open and self._app.is_running:
                    self._tidy()
                    driver.resume_application_mode()
                    self._app.refresh(layout=True)

    def _tidy(self) -> None:
        """Have the terminal as it was: an editor that was killed leaves it as it is."""
        with contextlib.suppress(termios.error):
            termios.tcsetattr(_STDIN, termios.TCSANOW, self._modes)


def _read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8", errors="replace").rstrip("\n")
