"""The programs of the page on MCP servers are the ones that it shows, and they run."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from cli.command import call, delta, script
from ore.ext.tools.mcp import McpOptions
from tools.mcp.serving import web_now

DOCS = Path(__file__).parents[2] / "docs"
SOURCES = DOCS / "src/mcp"


def run(folder: Path, program: str, **variables: str) -> list[str]:
    """What a program of the page prints, in a folder with all of them."""
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run(
        [sys.executable, program],
        cwd=folder,
        env={"PATH": path, **variables},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return done.stdout.splitlines()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the programs."""
    return Path(shutil.copytree(SOURCES, tmp_path / "mcp"))


def test_the_page_shows_the_programs_as_they_are() -> None:
    page = (DOCS / "tools/mcp.md").read_text()
    blocks = re.findall(r"<!-- docs/src/mcp/(\S+) -->\n```\w+\n(.*?)```", page, re.DOTALL)
    assert dict(blocks) == {path.name: path.read_text() for path in SOURCES.iterdir() if path.is_file()}
    assert len(re.findall("^```", page, re.MULTILINE)) == 2 * len(blocks)


@pytest.mark.slow
def test_one_server_serves_one_run_after_the_other(folder: Path) -> None:
    model = script(folder, [call("notes__add_note", text="milk")], [delta("Noted.")])  # each run plays it
    assert run(folder, "one.py", ORE_MODEL=model) == ["Noted.", "Noted."]


@pytest.mark.slow
def test_servers_of_a_file_ask_before_they_write_and_one_that_is_away_is_gone_on_without(folder: Path) -> None:
    model = script(
        folder, [call("today"), {**call("notes__add_note", text="milk"), "id": "c2", "index": 1}], [delta("Done.")]
    )
    printed = run(
        folder, "several.py", ORE_MODEL=model, ORE_STORE="memory:", NOTES_KEY="k", SEARCH_URL="http://127.0.0.1:9/mcp"
    )
    assert printed == ['may run: notes__add_note {"text": "milk"}', "Done."]


@pytest.mark.slow
def test_a_server_on_the_network_has_tools_resources_and_prompts(folder: Path) -> None:
    model = script(folder, [call("sums__add", a=1, b=2)], [delta("3")])
    with web_now() as found:
        printed = run(folder, "web.py", ORE_MODEL=model, SUMS_URL=found.url)
    assert printed == [
        "3",
        "note://today What is to do.",
        "picture://dot ",
        "note://{day}/{hour} ",
        "buy milk",
        "user Review in a kind way:",
        "1 + 1",
    ]


def test_the_options_of_the_page_are_all_there_are() -> None:
    """With their defaults."""
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", (DOCS / "tools/mcp.md").read_text(), re.MULTILINE)
    words = {"64 MiB": 64 * 2**20, "10 MiB": 10 * 2**20, "the agent's": None, "true": True, "false": False}
    shown = {name: words.get(default, json.loads(default) if default.isdigit() else default) for name, default in rows}
    assert shown == {field.name: field.default for field in fields(McpOptions)}
