"""Whatever ends the command, in whatever state: the session is whole, and the next process goes on with it."""

import os
import signal
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli.command import COMMAND, call, delta, ore, read_until, said, script, shown
from cli.test_output import terminal

pytestmark = pytest.mark.slow  # three processes each

AGENT = '''
import sys
import threading
from ore import Agent, tool

def look(word: str) -> str:
    """Look for ever."""
    print("looking", file=sys.stderr, flush=True)
    threading.Event().wait()
    return word

@tool(approve=True)
def pay(amount: int) -> str:
    """Pay."""
    return "paid"

agent = Agent(tools=[look, pay])
'''

STATES = {
    "streaming": ([delta("part"), {"hang": True}], b"part"),
    "a tool runs": ([call("look", word="x")], b"looking"),
    "before the first word": ([{"hang": True}], b"session: "),
}
"""What the model says, and what is seen once the state is there."""

CASES = [
    *((number, state) for number in (signal.SIGTERM, signal.SIGHUP) for state in STATES),
    *((number, "a tool runs") for number in (signal.SIGINT, signal.SIGKILL)),
]
"""The others of SIGINT and SIGKILL stand in `test_signals`."""
STATUSES = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130, signal.SIGKILL: -9}


@contextmanager
def started(folder: Path, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    (folder / "own.py").write_text(AGENT)
    with subprocess.Popen(
        [COMMAND, *words, "--agent", "own:agent"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def goes_on(folder: Path) -> list[tuple[str, str, str]]:
    """What the session holds once the next process has been there."""
    after = script(folder, [delta("one")], [delta("two")], name="after.json")
    done = ore("run", "--model", after, "--session", "a", "--agent", "own:agent", "Two?", folder=folder)
    assert done.status == 0, done.err
    turns = said(shown(os.environ["ORE_STORE"], "a", folder))
    assert [text for role, _, text in turns if role == "user"] == ["One?", "Two?"]
    return turns


@pytest.mark.requirement("D-cli-ending")
@pytest.mark.parametrize(("number", "state"), CASES)
def test_a_run_that_is_ended_goes_on_at_the_next_attach(folder: Path, number: signal.Signals, state: str) -> None:
    """Only Ctrl-C ends the message itself; everything else leaves it to the next process."""
    items, mark = STATES[state]
    words = ["run", "--model", script(folder, items), "--session", "a", "One?"]
    if state == "before the first word":
        words = ["run", "--events", *words[1:]]
        mark = b'"phase":"submitted"'
    with started(folder, *words) as process:
        read_until(process.stdout, mark)
        process.send_signal(number)
        process.communicate(timeout=60)
        assert process.returncode == STATUSES[number]
    turns = goes_on(folder)
    answers = [text for role, status, text in turns if role == "assistant" and status == "complete"]
    assert answers[-1] == ("one" if number is signal.SIGINT else "two")
    if state == "streaming" and number is not signal.SIGKILL:
        assert ("assistant", "interrupted", "part") in turns


@pytest.mark.requirement("D-cli-ending")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_chat_that_waits_for_a_line_just_ends(folder: Path, number: signal.Signals) -> None:
    model = script(folder, [delta("1")])
    with started(folder, "chat", "--plain", "--model", model, "--session", "a") as process:
        assert process.stdin is not None
        process.stdin.write(b"One?\n")
        process.stdin.flush()
        read_until(process.stdout, b"1\n")
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (STATUSES[number], b"")
    assert said(shown(os.environ["ORE_STORE"], "a", folder)) == [
        ("user", "complete", "One?"),
        ("assistant", "complete", "1"),
    ]


@pytest.mark.requirement("D-cli-ending")
def test_what_an_earlier_process_left_is_left_again(folder: Path) -> None:
    hanging = script(folder, [delta("part"), {"hang": True}])
    for _ in range(2):
        with started(folder, "run", "--events", "--model", hanging, "--session", "a", "One?") as process:
            read_until(process.stdout, b'"content":"part"')
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
    after = script(folder, [delta("one")], [delta("two")], name="after.json")
    done = ore("run", "--model", after, "--session", "a", "--agent", "own:agent", "Two?", folder=folder)
    assert (done.status, done.out) == (0, "two\n")
    assert "finishing 1 earlier message" in done.err


@pytest.mark.requirement("D-cli-ending")
def test_a_terminal_that_was_asked_something_is_left_as_it_was_and_the_question_stays(folder: Path) -> None:
    (folder / "own.py").write_text(AGENT)
    model = script(folder, [call("pay", amount=5)])
    words = ["chat", "--plain", "--model", model, "--session", "a", "--agent", "own:agent"]
    with terminal(*words, folder=folder) as at:
        at.until(b"> ")
        before = termios.tcgetattr(at.screen)
        at.type("One?\n")
        at.until(b"[y/N]")
        at.process.send_signal(signal.SIGTERM)
        at.rest()
        assert (at.process.returncode, termios.tcgetattr(at.screen)) == (143, before)
    after = script(folder, [delta("Paid.")], name="after.json")
    words = ["run", "--model", after, "--session", "a", "--agent", "own:agent", "--approve", "always", "Two?"]
    done = ore(*words, folder=folder)
    assert "finishing 1 earlier message" in done.err
    results = [
        artifact["content"]
        for turn in shown(os.environ["ORE_STORE"], "a", folder)
        for artifact in turn["artifacts"]
        if artifact["kind"] == "tool_result"
    ]
    assert results == ["paid"]


@pytest.mark.requirement("D-cli-ending")
def test_who_is_told_to_ignore_a_hang_up_does(folder: Path) -> None:
    """As `nohup` has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with started(folder, "chat", "--plain", "--model", script(folder, [delta("1")]), "--session", "a") as process:
            process.send_signal(signal.SIGHUP)
            out, _ = process.communicate(b"One?\n", timeout=60)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (process.returncode, out) == (0, b"1\n")
