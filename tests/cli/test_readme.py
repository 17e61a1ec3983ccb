"""What the README shows works as it is written there."""

import re
from pathlib import Path

import pytest

from cli.command import delta, script
from cli.conftest import Ore

README = (Path(__file__).parents[2] / "README.md").read_text()


def example(language: str, mark: str) -> str:
    """The block of the README that holds `mark`."""
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return next(block for block in blocks if mark in block)


@pytest.mark.requirement("D-cli-agent")
def test_the_agent_file_of_the_readme_has_four_lines_and_runs(run: Ore, folder: Path) -> None:
    source = example("python", "count_words")
    (folder / "counter.py").write_text(source)
    assert len(source.splitlines()) == 4
    call = {"kind": "tool_call", "id": "c1", "name": "count_words", "arguments": '{"text": "the sea is calm tonight"}'}
    done = run(
        "run", "--agent", "counter:agent", "--model", script(folder, [call], [delta("5.")]), "--session", "a", "?"
    )
    assert (done.status, done.out) == (0, "5.\n")
    assert "tool:\n← 5\n" in run("sessions", "show", "a").out


@pytest.mark.requirement("D-cli-run")
def test_the_script_of_the_readme_plays(run: Ore, folder: Path) -> None:
    (folder / "script.json").write_text(example("json", "calls"))
    done = run("run", "--model", "scripted:script.json", "--tool", "calculator", "--session", "a", "What is 6*7?")
    assert (done.status, done.out) == (0, "Let me see.\n42.\n")
