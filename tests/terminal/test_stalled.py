"""A terminal that takes nothing any more stops neither the session nor the end of the program."""

import os
import pty
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.command import call, delta, said, script, shown
from processes import ended
from terminal.pane import COMMAND

pytestmark = pytest.mark.slow

WAIT_S = 60.0


@contextmanager
def stalled(folder: Path, *words: str) -> Iterator["tuple[subprocess.Popen[bytes], int]"]:
    """The chat in a terminal that nobody reads once it is there; with the terminal's other end."""
    master, slave = pty.openpty()
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), slave)
    process = subprocess.Popen([COMMAND, "chat", *words], cwd=folder, env=environment, **streams)  # type: ignore[call-overload]
    try:
        seen = b""
        while b"ready" not in seen:
            assert select.select([master], [], [], WAIT_S)[0], seen
            seen += os.read(master, 1 << 16)
        yield process, master
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


def long_answer(folder: Path) -> list[str]:
    """Options for a chat whose answer is more than a terminal holds, and that then says so through the pipe `out`."""
    os.mkfifo(folder / "out")
    many = [item for number in range(600) for item in (delta(f"paragraph {number}\n\n" * 20), {"pause_ms": 10})]
    model = script(folder, [*many, call("bash", command="echo done > out")], [{"hang": True}])
    store = f"sqlite:{folder / 'ore.db'}"
    return ["--session", "s1", "--model", model, "--store", store, "--tool", "bash", "--approve", "always"]


def waits_for(descriptor: int) -> None:
    assert select.select([descriptor], [], [], WAIT_S)[0], "expected the session to go on"


def test_a_session_goes_on_though_its_terminal_takes_nothing_and_a_signal_ends_it(tmp_path: Path) -> None:
    """Behaviour 24."""
    words = long_answer(tmp_path)
    out = os.open(tmp_path / "out", os.O_RDONLY | os.O_NONBLOCK)
    with stalled(tmp_path, *words) as (process, master):
        os.write(master, b"go\r")
        waits_for(out)
        process.send_signal(signal.SIGTERM)
        ended(process.pid, WAIT_S)
    os.close(out)
    answer = said(shown(f"sqlite:{tmp_path / 'ore.db'}", "s1", tmp_path))[1]
    assert answer[:2] == ("assistant", "complete") and "paragraph 599" in answer[2]


def test_a_terminal_that_takes_something_again_gets_all_of_the_screen(tmp_path: Path) -> None:
    """Behaviour 10."""
    words = long_answer(tmp_path)
    out = os.open(tmp_path / "out", os.O_RDONLY | os.O_NONBLOCK)
    with stalled(tmp_path, *words) as (_, master):
        os.write(master, b"go\r")
        waits_for(out)
        seen = b""
        while b"Ask, or type" not in seen.rpartition(b"paragraph 599")[2] or b"paragraph 599" not in seen:
            assert select.select([master], [], [], WAIT_S)[0], seen[-2_000:]
            seen += os.read(master, 1 << 16)
    os.close(out)
