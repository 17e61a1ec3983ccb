"""Answers into pipes and onto terminals."""

import json
import os
import pty
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.command import CALL, COMMAND, delta, ore, read_until, script, start
from ore.cli.terminal import inert, inert_json

NASTY = "a\x1b[31mred\x07\x9b2J\x7f\rb\té\n"


@dataclass(frozen=True, slots=True)
class Terminal:
    """A process at a terminal, as a person sees it."""

    process: "subprocess.Popen[bytes]"
    screen: int

    def until(self, mark: bytes) -> bytes:
        seen = b""
        while mark not in seen:
            piece = self._piece()
            assert piece, f"the process ended before it said {mark!r}: {seen[-500:]!r}"
            seen += piece
        return seen

    def rest(self) -> bytes:
        """What comes up to the end of the process."""
        seen = b""
        while piece := self._piece():
            seen += piece
        self.process.wait(timeout=100)
        return seen

    def type(self, text: str) -> None:
        os.write(self.screen, text.encode())

    def _piece(self) -> bytes:
        try:
            return os.read(self.screen, 65536)
        except OSError:  # Linux says so when the last writer is gone
            return b""


@contextmanager
def terminal(
    *words: str, folder: Path, env: dict[str, str] | None = None, **streams: int | IO[bytes]
) -> Iterator[Terminal]:
    """The command at a terminal that translates nothing and echoes nothing."""
    screen, device = pty.openpty()
    attributes = termios.tcgetattr(device)
    attributes[1] &= ~termios.OPOST
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(device, termios.TCSANOW, attributes)
    surroundings = {**os.environ, "TERM": "xterm", **(env or {})}
    at: dict[str, Any] = {"stdin": device, "stdout": device, "stderr": device} | streams
    process = subprocess.Popen([COMMAND, *words], cwd=folder, env=surroundings, **at)
    os.close(device)
    try:
        yield Terminal(process, screen)
    finally:
        process.kill()
        process.wait(timeout=100)
        os.close(screen)


@pytest.mark.requirement("D-cli-control-characters")
def test_into_a_pipe_control_characters_go_as_they_came(folder: Path) -> None:
    model = script(folder, [delta(NASTY)])
    done = subprocess.run(
        [COMMAND, "run", "--model", model, "--store", "memory:", "Hi"], cwd=folder, capture_output=True, timeout=15
    )
    assert done.stdout == NASTY.encode()


@pytest.mark.requirement("D-cli-control-characters")
def test_on_a_terminal_control_characters_do_nothing(folder: Path) -> None:
    model = script(
        folder, [delta(NASTY), {"kind": "notice", "content": "\x1b[2J"}, {"error": "protocol", "message": "\x07"}]
    )
    with terminal("run", "--model", model, "--store", "memory:", "Hi", folder=folder) as shown:
        text = shown.rest().decode()
    assert text.partition("\n")[2] == ("a␛[31mred␇\\x9b2J␡␍b\té\nore: ␛[2J\nore: the run failed (protocol): ␇\n")


@pytest.mark.requirement("D-cli-control-characters")
@pytest.mark.parametrize("words", [["--json"], ["--events"]])
def test_json_on_a_terminal_is_the_same_json_without_control_characters(folder: Path, words: list[str]) -> None:
    model = script(folder, [delta(NASTY)])
    with terminal("run", "--model", model, "--store", "memory:", *words, "Hi", folder=folder) as shown:
        text = shown.rest().decode()
    assert [character for character in text if not character.isprintable() and character != "\n"] == []
    lines = [json.loads(line) for line in text.splitlines()[1:]]
    assert NASTY in [line.get("text", line.get("content")) for line in lines]


def controls(text: str) -> list[str]:
    return [character for character in text if character < " " or "\x7f" <= character <= "\x9f"]


@given(st.text(st.characters() | st.characters(categories=["Cc"])))
def test_only_lines_and_tabs_steer_a_terminal(text: str) -> None:
    harmless = [character for character in controls(text) if character in "\t\n"]
    assert controls(inert(text)) == harmless
    assert (inert(text) == text) is (controls(text) == harmless)


@given(st.dictionaries(st.text(), st.text()))
def test_inert_json_is_the_same_json(value: dict[str, str]) -> None:
    shown = inert_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(shown) == value
    assert controls(shown) == []


@pytest.mark.requirement("D-cli-closed-pipe")
@pytest.mark.parametrize("words", [[], ["--events"], ["--json"]])
def test_a_reader_that_leaves_stops_nothing_and_nobody_complains(tmp_path: Path, words: list[str]) -> None:
    model = script(tmp_path, [delta("first\n"), *[delta("line\n")] * 3_000])
    store = f"sqlite:{tmp_path / 'store.db'}"
    process = start("run", "--model", model, "--store", store, "--session", "a", *words, "Hi", folder=tmp_path)
    with process:
        assert process.stdout is not None
        if not words:
            read_until(process.stdout, b"first")
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(timeout=100) == 0
    turns = json.loads(ore("sessions", "show", "a", "--json", "--store", store, folder=tmp_path).out)["turns"]
    assert turns[-1]["status"] == "complete"


@pytest.mark.requirement("D-cli-closed-pipe")
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["doctor", "--store", "memory:"], ["sessions", "list"]])
def test_every_command_ends_quietly_when_nobody_reads(folder: Path, words: list[str]) -> None:
    (reader, writer) = os.pipe()
    os.close(reader)
    model = script(folder, [delta("yes")])
    with start(*words, folder=folder, stdout=writer, **_environment(ORE_MODEL=model)) as process:
        os.close(writer)
        _, err = process.communicate(timeout=100)
    assert (process.returncode, err) == (0, b"")


def test_a_slow_reader_gets_everything(tmp_path: Path) -> None:
    """More than a pipe holds, and more than the event log keeps."""
    text = "".join(f"{number:07}\n" for number in range(200_000))
    model = script(tmp_path, [delta(text[start : start + 4000]) for start in range(0, len(text), 4000)])
    with start("run", "--model", model, "--store", "memory:", "Hi", folder=tmp_path) as process:
        assert process.stdout is not None
        first = os.read(process.stdout.fileno(), 10)
        rest = process.stdout.read()
        assert process.wait(timeout=100) == 0
    assert (first + rest).decode() == text


@pytest.mark.parametrize("words", [["run", "--json", "Hi"], ["run", "Hi"], ["sessions", "list", "--json"]])
def test_output_that_cannot_be_written_is_a_failure(folder: Path, words: list[str]) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("only Linux has a device that is always full")
    model = script(folder, [delta("ok")])
    with (
        open("/dev/full", "wb") as full,
        start(*words, folder=folder, stdout=full, **_environment(ORE_MODEL=model)) as process,
    ):
        _, err = process.communicate(timeout=100)
    assert process.returncode == 1
    assert err.splitlines()[-1].startswith(b"ore: standard output: ")


@pytest.mark.parametrize("name", ["stdin", "stdout", "stderr"])
def test_a_stream_that_is_closed_from_the_start_is_no_reason_to_fail(folder: Path, name: str) -> None:
    closing = {"stdin": "0<&-", "stdout": "1>&-", "stderr": "2>&-"}[name]
    words = ["run", "--model", script(folder, [delta("ok")]), "--store", "memory:", "--session", "a", "Hi"]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closing}', "sh", COMMAND, *words],
        cwd=folder,
        capture_output=True,
        timeout=15,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"" if name == "stdout" else b"ok\n", b"")


@pytest.mark.requirement("D-cli-no-color")
@pytest.mark.parametrize(
    ("env", "dimmed"), [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)]
)
def test_colours_are_for_terminals_that_want_them(folder: Path, env: dict[str, str], dimmed: bool) -> None:
    model = script(folder, [delta("Let me see."), CALL], [delta("42.")])
    words = ["--store", "memory:", "--session", "a", "--tool", "calculator", "Hi"]
    with terminal("run", "--model", model, *words, folder=folder, env=env) as shown:
        lines = shown.rest().decode().splitlines()
    asides = ['→ calculator {"expression": "6*7"}', "← 42"]
    assert lines == ["Let me see.", *(f"\x1b[2m{aside}\x1b[0m" if dimmed else aside for aside in asides), "42."]


def _environment(**more: str) -> dict[str, Any]:
    return {"env": {**os.environ, **more}}
