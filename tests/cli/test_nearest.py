"""A name that nobody knows gets the nearest one that somebody does."""

import json
from pathlib import Path

import pytest

from cli.command import delta, script
from cli.conftest import Ore
from providers.loopback import Exchange, serving_in_a_thread


@pytest.mark.requirement("D-cli-status")
@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["sesions"], "sessions"),
        (["sessions", "exprot"], "export"),
        (["run", "--modle", "local", "Hi"], "--model"),
        (["run", "--modle=local", "Hi"], "--model"),
        (["chat", "--plian"], "--plain"),
        (["sessions", "list", "--jsn"], "--json"),
        (["wire", "decode", "--protcol", "anthropic", "--protocol", "anthropic"], "--protocol"),
        (["run", "--model", "antropic:claude-sonnet-5-5", "Hi"], "anthropic"),
        (["run", "--model", "claude-sonet-5-5", "Hi"], "anthropic:claude-sonnet-5-5"),
        (["run", "--model", "local", "--tool", "calculater", "Hi"], "calculator"),
        (["run", "--model", "local", "--store", "sqlit:x", "Hi"], "sqlite"),
        (["wire", "decode", "--protocol", "antropic"], "anthropic"),
        (["serve", "--model", "local", "--conduit", "htp"], "http"),
    ],
)
def test_commands_options_models_providers_tools_stores_and_conduits(run: Ore, words: list[str], meant: str) -> None:
    done = run(*words)
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith(f"; did you mean {meant!r}?\n")


@pytest.mark.requirement("D-cli-status")
@pytest.mark.parametrize("words", [["show"], ["export"], ["fork"], ["delete"]])
def test_sessions(run: Ore, folder: Path, words: list[str]) -> None:
    run("run", "--model", script(folder, [delta("1")]), "--session", "trip-to-porto", "Hi")
    done = run("sessions", *words, "trip-to-prto")
    assert (done.status, done.out) == (1, "")
    assert "; did you mean 'trip-to-porto'?" in done.err


@pytest.mark.parametrize("words", [["run", "--zzzzzz", "Hi"], ["sessions", "show", "nothing-like-it"]])
def test_where_nothing_is_near_nothing_is_guessed(run: Ore, words: list[str]) -> None:
    done = run(*words)
    assert done.status in (1, 2)
    assert "did you mean" not in done.err


def test_a_turn_that_is_not_there_is_no_other_session(run: Ore, folder: Path) -> None:
    run("run", "--model", script(folder, [delta("1")]), "--session", "trip", "Hi")
    done = run("sessions", "fork", "trip", "--at", "nowhere")
    assert done.status == 1
    assert "did you mean" not in done.err


@pytest.mark.parametrize(
    ("model", "meant"),
    [("claude-sonet-5-5", "; did you mean 'anthropic:claude-sonnet-5-5'?"), ("claude-sonnet-5-5", ""), ("zzz", "")],
)
def test_models_that_only_their_vendor_misses(
    run: Ore, monkeypatch: pytest.MonkeyPatch, model: str, meant: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)
    unknown = {"type": "error", "error": {"type": "not_found_error", "message": f"model: {model}"}}

    async def answer(exchange: Exchange) -> None:
        exchange.whole(json.dumps(unknown).encode(), status=404, headers={"content-type": "application/json"})

    with serving_in_a_thread(answer) as server:
        done = run("run", "--model", f"anthropic:{model}", "--base-url", server.url, "--store", "memory:", "Hi")
    assert done.status == 2
    _, separator, guessed = done.err.rstrip("\n").partition("; did you mean")
    assert separator + guessed == meant


@pytest.mark.parametrize("path", ["/tmp/k.db", "k.db", "./sessions"])
@pytest.mark.parametrize("by_variable", [True, False])
def test_a_path_without_its_kind_of_store_is_told_the_form(
    run: Ore, monkeypatch: pytest.MonkeyPatch, path: str, *, by_variable: bool
) -> None:
    if by_variable:
        monkeypatch.setenv("ORE_STORE", path)
    done = run("run", "--model", "local", *([] if by_variable else ["--store", path]), "Hi")
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith(f"got {path!r}; for a path, say 'sqlite:{path}'\n")
