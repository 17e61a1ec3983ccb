"""The program of the page on slash commands runs; the page lists what there is."""

import re
from pathlib import Path

import pytest

from cli.command import delta, script
from docs.pages import DOCS, copied, run
from ore.ext.commands import standard_commands


def test_the_page_lists_every_command() -> None:
    table = "\n".join(
        line for line in (DOCS / "talking/commands.md").read_text().splitlines() if line.startswith("| `")
    )
    assert sorted(set(re.findall(r"`/(\w+)", table))) == list(standard_commands().bound)


@pytest.mark.slow
def test_a_command_of_ones_own_is_said_to_ore_and_a_path_to_the_model(tmp_path: Path) -> None:
    folder = copied("slash", tmp_path)
    printed = run(folder, "deploy.py", ORE_MODEL=script(folder, [delta("It does.")])).splitlines()
    assert printed[0] == "deploying to staging"
    assert printed[1].startswith("there is no command /deplyo; did you mean /deploy?")
    assert printed[2:] == ["It does.", "staging"]
