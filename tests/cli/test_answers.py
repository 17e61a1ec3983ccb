"""What `ore run` says of answers that are none, or not all there, and of options that change nothing."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from cli.command import delta, script
from cli.conftest import Ore
from ore import Agent


def final(out: str) -> dict[str, Any]:
    """The one object of `--json`."""
    found: dict[str, Any] = json.loads(out)
    assert list(found) == ["session", "text", "stop_reason", "usage", "outcome", "error"]
    return found


@pytest.mark.requirement("D-cli-json")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--model", "openai:m"], "authentication"),
        (["--model", "nobody:m"], "not_found"),
        (["--model", "scripted:none.json"], "bad_request"),
        (["--model", "local:nobody"], "not_found"),
        (["--agent", "nobody:agent"], "bad_request"),
        (["--tool", "nobody", "--model", "local"], "bad_request"),
        (["--thinking", "much", "--model", "local"], "bad_request"),
        (["--session", "no id", "--model", "local"], "bad_request"),
        (["--store", "nowhere:x", "--model", "local"], "bad_request"),
        (["--base-url", "nowhere", "--model", "openai:m"], "bad_request"),
        (["--capture", "no/folder/x", "--model", "openai:m"], "bad_request"),
    ],
)
def test_json_is_one_object_for_wrong_use_as_well(
    run: Ore, monkeypatch: pytest.MonkeyPatch, words: list[str], code: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x" if "openai:m" in words and code != "authentication" else "")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    done = run("run", "--json", *words, "hi")
    found = final(done.out)
    assert (done.status, found["outcome"], found["error"]["code"]) == (2, "failed", code)
    assert found["error"]["message"] in done.err


def test_json_without_a_prompt_is_one_object(run: Ore) -> None:
    done = run("run", "--json", "--model", "local", " ")
    assert (done.status, final(done.out)["error"]["code"]) == (2, "bad_request")


@pytest.mark.parametrize("model", ["local", "scripted:script.json"])
def test_a_base_url_for_a_model_that_has_none_is_wrong_use(run: Ore, folder: Path, model: str) -> None:
    script(folder, [delta("Hello.")])
    done = run("run", "--model", model, "--base-url", "http://127.0.0.1:1", "hi")
    assert done.status == 2
    assert "base URL: expected a provider that is asked over a network, such as openai:NAME" in done.err


@pytest.mark.parametrize(
    "words", [["--base-url", "http://127.0.0.1:1"], ["--timeout-s", "3"], ["--lenient"], ["--capture", "x.json"]]
)
def test_what_cannot_be_said_to_an_agent_s_own_provider_is_wrong_use(run: Ore, folder: Path, words: list[str]) -> None:
    lines = ("from ore import Agent", "from ore.testing import ScriptedProvider", "agent = Agent(ScriptedProvider([]))")
    (folder / "own.py").write_text("\n".join(lines))
    done = run("run", "--agent", "own:agent", *words, "hi")
    assert done.status == 2
    assert f"{words[0][2:]}: expected a model by its name, got an agent that brings a provider" in done.err


@pytest.mark.parametrize(
    ("items", "text", "told"),
    [
        ([{"kind": "stop_reason", "reason": "refusal"}], "", "the model refused"),
        ([delta("I "), {"kind": "stop_reason", "reason": "refusal"}], "I \n", "the model refused"),
        ([delta("I "), {"kind": "stop_reason", "reason": "length"}], "I \n", "--max-output-tokens"),
        ([{"kind": "stop_reason", "reason": "stop"}], "", "the answer has no text"),
        ([delta("I do."), {"kind": "stop_reason", "reason": "stop"}], "I do.\n", ""),
    ],
)
def test_an_answer_that_is_not_all_there_says_so(
    run: Ore, folder: Path, items: list[Any], text: str, told: str
) -> None:
    done = run("run", "--model", script(folder, items), "--session", "s", "hi")
    assert (done.status, done.out) == (0, text)
    assert told in done.err
    assert bool(told) == bool(done.err)


def two_models(folder: Path, first: str, second: str) -> str:
    full = script(folder, [delta(first), {"error": "overloaded"}], name="full.json")
    fine = script(folder, [delta(second)], name="fine.json")
    (folder / "two.py").write_text(f"from ore import Agent\nagent = Agent([{full!r}, {fine!r}])\n")
    return "two:agent"


@pytest.mark.requirement("D-fallback")
@pytest.mark.parametrize(("first", "second"), [("The sea ", "The sea is calm."), ("A", "The sea is calm.")])
def test_into_a_pipe_goes_no_text_that_a_second_model_takes_back(
    run: Ore, folder: Path, first: str, second: str
) -> None:
    done = run("run", "--agent", two_models(folder, first, second), "--session", "s", "hi")
    assert (done.status, done.out) == (0, "The sea is calm.\n")
    assert "the answer begins again" in done.err


def test_of_a_model_that_begins_again_a_pipe_gets_what_is_new(run: Ore, folder: Path) -> None:
    items = [delta("The sea "), {"kind": "restart", "attempt": 2}, delta("The "), delta("sea is calm.")]
    done = run("run", "--model", script(folder, items), "--session", "s", "hi")
    assert done.out == "The sea is calm.\n"


@pytest.mark.requirement("D-cli-status")
async def test_a_key_that_is_missing_for_a_session_s_own_model_is_missing_configuration(
    run: Ore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = script(folder, [delta("Hello.")], repeat=True)
    async with Agent(model).session("s") as session:
        await session.metadata.set("ore.model.name", "anthropic:claude-sonnet-4-5")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    done = await asyncio.to_thread(run, "run", "--session", "s", "hi")
    assert done.status == 2
    assert "ANTHROPIC_API_KEY" in done.err
    assert (await asyncio.to_thread(run, "run", "--session", "s", "--model", model, "hi")).status == 0


@pytest.mark.requirement("D-cli-status")
@pytest.mark.parametrize("code", ["authentication", "bad_request", "rate_limit", "content_filter", "protocol"])
def test_what_a_model_that_was_asked_fails_with_is_a_failed_run(run: Ore, folder: Path, code: str) -> None:
    done = run("run", "--model", script(folder, [{"error": code}]), "--json", "hi")
    assert (done.status, final(done.out)["error"]["code"]) == (1, code)
