"""`ore models`: the catalog on the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.conftest import Ore
from ore.ext.catalog import shared_catalog


@pytest.mark.requirement("D-cli-models")
def test_it_lists_every_model_that_is_known_with_its_figures(run: Ore) -> None:
    done = run("models")
    lines = done.out.splitlines()
    assert done.status == 0
    assert lines[0].split() == ["MODEL", "WINDOW", "OUTPUT", "IN", "OUT", "ABILITIES"]
    assert [line.split()[0] for line in lines[1:]] == [
        f"{info.provider}:{info.name}" for info in shared_catalog().search()
    ]


@pytest.mark.requirement("D-cli-models")
def test_words_narrow_it_down_and_unknown_figures_are_marked(run: Ore) -> None:
    done = run("models", "openai", "GPT-3.5-turbo-1106")
    line = done.out.splitlines()[1].split()
    assert line == ["openai:gpt-3.5-turbo-1106", "16,385", "?", "1", "2"]
    assert run("models", "openai GPT-3.5-turbo-1106").out == done.out


@pytest.mark.requirement("D-cli-models")
def test_where_the_figures_come_from_is_said_beside_them(run: Ore) -> None:
    done = run("models", "gpt-4o")
    assert f"figures of {shared_catalog().read} from genai-prices " in done.err


@pytest.mark.requirement("D-cli-models")
def test_as_json_it_has_the_shape_of_the_contract(run: Ore) -> None:
    done = run("models", "anthropic:claude-opus-4-5", "--json")
    assert (done.status, done.err) == (0, "")
    (model,) = json.loads(done.out)["models"]
    assert {"name", "provider", "window", "max_output_tokens", "price", "abilities"} <= model.keys()
    assert (model["provider"], model["name"], model["window"]) == ("anthropic", "claude-opus-4-5", 200_000)
    assert model["abilities"] == sorted(model["abilities"])
    assert {"tools", "vision", "thinking"} <= {*model["abilities"]}
    assert model["price"]["input_usd"] == "5"


@pytest.mark.requirement("D-cli-models")
def test_what_is_unknown_is_null(run: Ore) -> None:
    (model,) = json.loads(run("models", "gpt-5.3-codex-spark", "--json").out)["models"]
    assert model["price"] is None
    (model,) = json.loads(run("models", "openai:gpt-4.5-preview", "--json").out)["models"]
    assert (model["window"], model["max_output_tokens"]) == (None, None)


@pytest.mark.requirement("D-cli-models")
def test_no_model_is_an_empty_list_and_no_failure(run: Ore) -> None:
    assert json.loads(run("models", "no such", "--json").out) == {"models": []}
    done = run("models", "no such")
    assert (done.status, done.out) == (0, "")
    assert "'no such'" in done.err


@pytest.mark.requirement("D-cli-models")
def test_it_needs_neither_a_key_nor_a_store_nor_a_connection(run: Ore, folder: Path) -> None:
    code = """
import sys
def watch(event, args):
    if event.startswith("socket.") and event != "socket.__new__":
        raise AssertionError(event)
sys.addaudithook(watch)
from ore.cli.main import main
sys.exit(main(["models", "gpt-4o"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=15, cwd=folder)
    assert (done.returncode, done.stdout) == (0, run("models", "gpt-4o").out)
    assert list(folder.iterdir()) == []


@pytest.mark.requirement("D-cli-help")
def test_its_help_reads_no_figures(run: Ore) -> None:
    done = run("models", "--help")
    assert (done.status, done.err) == (0, "")
    assert [word for word in ("TEXT", "--json") if word not in done.out] == []
