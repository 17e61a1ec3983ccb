"""A shell completes what `ore` takes, by asking `ore` what may stand at the cursor."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from cli.command import COMMAND, delta, script
from cli.conftest import Ore


def candidates(run: Ore, *words: str) -> list[str]:
    done = run("completion", "candidates", "--", *words)
    assert (done.status, done.err) == (0, "")
    return done.out.splitlines()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["se"], ["serve", "sessions"]),
        (["--v"], ["--version"]),
        (["sessions", "e"], ["export"]),
        (["sessions", "export", "x", "--f"], ["--format"]),
        (["sessions", "export", "--format", ""], ["json", "text", "html"]),
        (["run", "--mo"], ["--model"]),
        (["run", "--json", "--ma"], ["--max-output-tokens", "--max-rounds"]),
        (["run", "--approve", "a"], ["ask", "always"]),
        (["run", "--tool", "cal"], ["calculator"]),
        (["run", "--thinking", "m"], ["minimal", "medium", "max"]),
        (["run", "--store", "s"], ["sqlite:"]),
        (["run", "--model", "anth"], ["anthropic:"]),
        (["run", "--model", "anthropic:claude-opus-4-1"], ["anthropic:claude-opus-4-1"]),
        (["serve", "--conduit", ""], ["http"]),
        (["wire", "decode", "--protocol", "op"], ["openai-chat", "openai-responses"]),
        (["mock", "--vendor", "a"], ["anthropic"]),
        (["completion", "b"], ["bash"]),
        (["run", "--capture", ""], []),  # a file: the shell knows those itself
        (["run", "Hel"], []),
        (["nothing", "of", "the", "kind"], []),
    ],
)
def test_what_may_stand_at_the_cursor(run: Ore, words: list[str], found: list[str]) -> None:
    assert candidates(run, *words) == found


def test_sessions_are_those_of_the_store_that_is_meant(run: Ore, folder: Path) -> None:
    words = ["--model", script(folder, [delta("1")], repeat=True), "Hi"]
    assert run("run", "--session", "here", *words).status == 0
    assert run("run", "--session", "there", "--store", f"json:{folder / 'there'}", *words).status == 0
    assert candidates(run, "sessions", "show", "") == ["here"]
    assert candidates(run, "run", "--session", "h") == ["here"]
    assert candidates(run, "run", "--store", f"json:{folder / 'there'}", "--session", "") == ["there"]


def test_agents_are_those_of_the_folder_and_no_module_is_run_for_it(run: Ore, folder: Path) -> None:
    (folder / "counter.py").write_text("from ore import Agent\nraise SystemExit\nagent = Agent()\nother = 3\n")
    (folder / "several.py").write_text("import ore\none, two = 1, 2\nfirst = ore.Agent()\nlast = first.with_()\n")
    (folder / "notes.py").write_text("text = str(1)\n")
    (folder / "broken.py").write_text("agent = Agent(")
    assert candidates(run, "run", "--agent", "") == ["counter:", "several:"]
    assert candidates(run, "run", "--agent", "counter:") == ["counter:agent"]
    assert candidates(run, "serve", "--agent", "several:f") == ["several:first"]
    assert candidates(run, "run", "--agent", "gone:") == []


def test_a_store_that_cannot_be_read_completes_to_nothing(run: Ore, folder: Path) -> None:
    (folder / "store.db").write_bytes(b"no database" * 100)
    assert candidates(run, "sessions", "show", "") == []


def completed(shell: str, program: str, folder: Path) -> list[str]:
    """What a shell comes to, with the installed command."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    environment = {**os.environ, "PATH": f"{COMMAND.parent}:/usr/bin:/bin", "HOME": str(folder)}
    done = subprocess.run(
        [path, *(["-f"] if shell == "zsh" else []), "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stderr == ""
    return done.stdout.split()


LINES = [
    ("ore sess", ["sessions"]),
    ("ore run --tool cal", ["calculator"]),
    ("ore sessions export --format h", ["html"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "found"), [*LINES, ("ore run --model anthropic:claude-opus-4-1", ["claude-opus-4-1"])]
)
def test_bash_completes(folder: Path, line: str, found: list[str]) -> None:
    """Bash parts words at colons, so what stands before the last one is not said again."""
    program = (
        f'eval "$(ore completion bash)"; COMP_LINE="{line}"; COMP_POINT=${{#COMP_LINE}}; _ore; echo "${{COMPREPLY[@]}}"'
    )
    assert completed("bash", program, folder) == found


@pytest.mark.slow
@pytest.mark.parametrize(("line", "found"), [*LINES, ("ore run --capture no", ["a_file"])])
def test_zsh_completes(folder: Path, line: str, found: list[str]) -> None:
    program = (
        'compdef() {}; compadd() { shift; print -l -- "$@" }; _files() { print a_file }\n'
        f'eval "$(ore completion zsh)"; words=({line}); CURRENT=${{#words}}; _ore'
    )
    assert completed("zsh", program, folder) == found


@pytest.mark.slow
@pytest.mark.parametrize(("line", "found"), LINES)
def test_fish_completes(folder: Path, line: str, found: list[str]) -> None:
    assert completed("fish", f"ore completion fish | source; complete -C '{line}'", folder) == found
