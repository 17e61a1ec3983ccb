"""A real terminal: tmux, with the command in it."""

import os
import select
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["NEEDS_TMUX", "Pane", "pane"]

NEEDS_TMUX = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed: apt-get install tmux")

COMMAND = Path(sys.executable).with_name("ore")
WAIT_S = 60.0
"""For what takes a second or two on an idle machine."""


class Pane:
    """A shell in a terminal of its own, apart from every other tmux."""

    def __init__(self, socket: Path, folder: Path) -> None:
        self._socket = socket
        self._told: subprocess.Popen[bytes] | None = None
        self.folder = folder

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Hear from tmux whenever the terminal changes, while the block lasts."""
        words = ["tmux", "-S", str(self._socket), "-C", "attach", "-f", "read-only,ignore-size"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as self._told:
            try:
                yield
            finally:
                self._told.kill()

    def changes(self, end: float, what: str) -> None:
        """Wait for the next change, but no longer than the clock's `end`."""
        assert self._told is not None and self._told.stdout is not None
        pipe = self._told.stdout.fileno()
        ready = select.select([pipe], [], [], max(end - time.monotonic(), 0))[0]
        assert ready and os.read(pipe, 1 << 20), (
            f"expected {what}, got:\n{self.tmux('capture-pane', '-p', check=False)}"
        )

    def tmux(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            ["tmux", "-S", str(self._socket), "-f", "/dev/null", *words],
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=check,
        )
        return done.stdout

    def run(self, *words: str | Path) -> None:
        """Type a command into the shell."""
        self.type(shlex.join(map(str, words)))
        self.press("Enter")

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    @property
    def text(self) -> str:
        return self.tmux("capture-pane", "-p")

    @property
    def colours(self) -> str:
        """What is on the screen, with its colours."""
        return self.tmux("capture-pane", "-p", "-e")

    def fact(self, name: str) -> str:
        """What tmux knows of the terminal, such as `alternate_on`."""
        return self.tmux("display-message", "-p", f"#{{{name}}}").strip()

    def shows(self, *texts: str) -> str:
        """Wait until the terminal shows all of these."""
        end = time.monotonic() + WAIT_S
        while not all(text in (now := self.text) for text in texts):
            self.changes(end, f"{texts}")
        return now

    def comes(self, is_so: Callable[[], bool], what: str) -> None:
        """Wait for what changes together with the terminal."""
        end = time.monotonic() + WAIT_S
        while not is_so():
            self.changes(end, what)

    def until(self, name: str, value: str) -> None:
        """Wait until a fact has a value."""
        end = time.monotonic() + WAIT_S
        while (now := self.fact(name)) != value:
            self.changes(end, f"{name} to be {value} and not {now}")

    def pid_of(self, store: Path) -> int:
        """The process that was begun with this store."""
        end = time.monotonic() + WAIT_S
        while True:
            for path in Path("/proc").iterdir():
                if path.name.isdigit() and self._is_chat(path, store):
                    return int(path.name)
            self.changes(end, "the command to run")

    def is_usable(self) -> None:
        """The terminal is as a shell wants it: echo, lines, the normal screen, no modes of mouse or paste left."""
        self.until("alternate_on", "0")
        self.until("cursor_flag", "1")
        for fact in ("mouse_any_flag", "mouse_button_flag", "mouse_standard_flag", "mouse_sgr_flag"):
            assert self.fact(fact) == "0", fact
        self.run("stty", "-a")
        shown = self.shows("iexten")
        words = shown.replace(";", " ").split()
        for word in ("echo", "icanon", "isig", "icrnl", "ixon"):
            assert word in words and f"-{word}" not in words, shown
        self.type("echo he''llo")
        self.shows("echo he''llo")  # what is typed is seen
        self.press("Enter")
        self.shows("hello")  # what was typed has quotes in it

    @staticmethod
    def _is_chat(path: Path, store: Path) -> bool:
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return any(word.endswith(str(store).encode()) for word in words) and b"chat" in words


@contextmanager
def pane(folder: Path, *, size: tuple[int, int] = (90, 28), env: Mapping[str, str] | None = None) -> Iterator[Pane]:
    """A shell in a terminal of a size, whose home is an empty folder."""
    here = Pane(folder / "tmux", folder)
    given = {
        "PATH": f"{COMMAND.parent}:/usr/bin:/bin",
        "HOME": str(folder),
        "PS1": "$ ",
        "TERM": "tmux-256color",
        "XDG_DATA_HOME": str(folder / "data"),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        **(env or {}),
    }
    words = ["env", "-i", *(f"{key}={value}" for key, value in given.items()), "/bin/sh"]
    here.tmux("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), "-c", str(folder), shlex.join(words))
    try:
        here.tmux("set", "-g", "escape-time", "0")
        here.tmux("set", "-g", "extended-keys", "on", check=False)
        with here.watched():
            yield here
    finally:
        here.tmux("kill-server", check=False)
