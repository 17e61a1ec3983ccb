"""`ore run --tool mcp`: the servers of a file in the current folder."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.command import call, delta, script
from ore.cli.main import main
from tools.mcp.serving import TINY


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORE_STORE", f"sqlite:{tmp_path / 'store.db'}")
    yield tmp_path


@pytest.mark.parametrize("name", ["mcp.json", ".mcp.json"])
def test_the_command_uses_the_servers_of_a_file_in_the_current_folder(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    server = {"command": sys.executable, "args": [str(TINY), json.dumps({"tools": ["look.up"]})]}
    (folder / name).write_text(json.dumps({"mcpServers": {"tiny": server}}))
    model = script(folder, [call("tiny__look_up_58b98e79", q=1)], [delta("found")])
    assert main(("run", "--model", model, "--tool", "mcp", "--session", "s", "look it up")) == 0
    assert capsys.readouterr().out == "found\n"
    main(("sessions", "show", "s"))
    shown = capsys.readouterr().out
    assert '→ tiny__look_up_58b98e79 tiny/look.up {"q":1}\n' in shown
    assert '← look.up {"q": 1}\n' in shown


def test_without_such_a_file_the_command_says_what_it_expected(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(("run", "--model", script(folder), "--tool", "mcp", "hello")) == 2
    assert "expected a file mcp.json or .mcp.json in the current folder" in capsys.readouterr().err
