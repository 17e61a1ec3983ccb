"""`ore doctor`: what is there and whether it works, without a secret."""

from importlib.metadata import version
from pathlib import Path

import pytest

from cli.command import delta, script
from cli.conftest import Ore
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
