"""Bad input has a clear error that names what was expected, and leaves every session usable."""

import json
from importlib import invalidate_caches
from pathlib import Path

import pytest

from cli.command import call, delta, said, script
from cli.conftest import Ore

SESSION_IDS = ["", ".", "..", "../a", "a/b", "-a", "a b", "é", "a" * 129, "a\n"]


@pytest.mark.requirement("D-cli-status")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--model", "nope:large"], "expected a provider that is one of anthropic, "),
        (["--model", "nope/large"], "expected a provider that is one of anthropic, "),
        (["--model", "nope"], "expected provider:name with one of anthropic, "),
        (["--model", ""], "expected provider:name with one of anthropic, "),
        (["--model", "scripted:"], "expected the file's name behind `scripted:`"),
        (["--model", "scripted:missing.json"], "scripted file 'missing.json': cannot be read"),
        (["--model", "scripted:bad.json"], "scripted file 'bad.json': calls[0][2].foo: unknown key"),
        (["--store", "bad.db"], "memory:…, sqlite:…, got 'bad.db'"),
        (["--store", "sqlite:"], "expected the path of a file"),
        (["--tool", "calculater"], "tool: expected one of "),
        (["--thinking", "hard"], "thinking level: expected one of off, minimal, low, medium, high, max, got 'hard'"),
        *(([f"--session={name}"], "session id: expected 1 to 128 of A-Z a-z 0-9 . _ -") for name in SESSION_IDS),
    ],
)
def test_what_cannot_be_used_is_status_2_and_named(run: Ore, folder: Path, words: list[str], expected: str) -> None:
    (folder / "bad.json").write_text(json.dumps({"calls": [[delta("a"), delta("b"), {**delta("c"), "foo": 1}]]}))
    model = script(folder, [delta("ok")])
    done = run("run", "--model", model, *words, "Hi")
    assert (done.status, done.out) == (2, "")
    assert expected in done.err
    assert json.loads(run("sessions", "list", "--json").out) == {"sessions": []}


@pytest.mark.requirement("D-cli-status")
def test_a_model_that_its_provider_does_not_know_is_status_2(run: Ore, folder: Path) -> None:
    done = run("run", "--model", "local:enormous", "--session", "a", "Hi")
    assert (done.status, done.out) == (2, "")
    assert "expected local, local:smollm2 or local:PATH.gguf" in done.err
    assert run("run", "--model", script(folder, [delta("fine")]), "--session", "a", "Hi").out == "fine\n"


def test_a_password_in_a_store_that_nobody_knows_is_not_shown(run: Ore, folder: Path) -> None:
    done = run("run", "--model", script(folder), "--store", "mystery://ada:secret@host/db", "Hi")
    assert done.status == 2
    assert "secret" not in done.err


@pytest.mark.requirement("D-cli-prompt")
@pytest.mark.parametrize("prompt", ["", "  ", "\n"])
def test_a_prompt_without_text_is_wrong_use(run: Ore, folder: Path, prompt: str) -> None:
    done = run("run", "--model", script(folder, [delta("ok")]), prompt)
    assert (done.status, done.out) == (2, "")
    assert "prompt: expected text as an argument or on standard input, got none" in done.err


VENDOR = """
import os
from ore.errors import AuthenticationError
from ore.testing.scripted import ScriptedProvider
from ore.artifact import TextDelta

def make(settings):
    if not os.environ.get("VENDOR_API_KEY"):
        raise AuthenticationError("vendor: expected a key in VENDOR_API_KEY", provider="vendor")
    return ScriptedProvider([TextDelta(content=f"{settings.base_url} {settings.timeout_s:g} {settings.lenient}")])
"""


@pytest.fixture
def vendor(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package that brings a provider with a key."""
    (folder / "vendor_provider.py").write_text(VENDOR)
    facts = folder / "vendor-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: vendor\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[ore.providers]\nvendor = vendor_provider:make\n")
    monkeypatch.syspath_prepend(folder)
    invalidate_caches()


@pytest.mark.usefixtures("vendor")
@pytest.mark.requirement("D-cli-status")
def test_a_missing_key_is_status_2_and_names_its_variable(run: Ore, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("run", "--model", "vendor:large", "Hi")
    assert (done.status, done.out, done.err) == (2, "", "ore: vendor: expected a key in VENDOR_API_KEY\n")
    monkeypatch.setenv("VENDOR_API_KEY", "k")
    assert run(
        "run", "--model", "vendor:large", "--base-url", "http://x", "--timeout-s", "7", "--lenient", "Hi"
    ).out == ("http://x 7 True\n")


TOOLS = """
import asyncio
from ore import Agent, tool

@tool(timeout_s=0.01)
async def hangs() -> str:
    await asyncio.Event().wait()

def raises() -> str:
    raise RuntimeError("the roof is on fire")

def leaves() -> str:
    raise SystemExit(3)

def gives_an_object() -> object:
    return object()

def greets(name: str, times: int = 1) -> str:
    return f"Hello, {name}!" * times

agent = Agent(tools=[hangs, raises, leaves, gives_an_object, greets])
"""


@pytest.mark.requirement("D-cli-tools")
@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (call("raises"), "the roof is on fire"),
        (call("leaves"), ""),
        (call("hangs"), "timed out after 0.01 s"),
        (call("gives_an_object"), "can be JSON"),
        (call("greets", name=3, times="many"), "times: "),
        (call("greets"), "name: missing, expected string"),
        ({**call("greets"), "arguments": "{"}, "JSON"),
        ({**call("greets"), "arguments": "[]"}, "object"),
        (call("grets", name="Ada"), "tool 'grets' not found; the tools are: "),
    ],
)
def test_a_call_that_goes_wrong_is_an_error_for_the_model_and_the_run_goes_on(
    run: Ore, folder: Path, item: dict[str, object], expected: str
) -> None:
    (folder / "careless.py").write_text(TOOLS)
    words = ["run", "--agent", "careless:agent", "--session", "a", "--model"]
    done = run(*words, script(folder, [item], [delta("went on")]), "Hi")
    assert (done.status, done.out) == (0, "went on\n")
    assert run(*words, script(folder, [delta("still here")], name="next.json"), "And now?").out == "still here\n"
    turns = json.loads(run("sessions", "show", "a", "--json").out)["turns"]
    results = [artifact for artifact in turns[2]["artifacts"]]
    assert [(result["tool_call_id"], result["is_error"]) for result in results] == [("c1", True)]
    assert expected in results[0]["content"]


@pytest.mark.requirement("D-cli-limits")
def test_endless_identical_calls_fail_with_code_limit_and_the_session_goes_on(run: Ore, folder: Path) -> None:
    endless = script(folder, [call("calculator", expression="1+1")], name="endless.json", repeat=True)
    done = run("run", "--model", endless, "--tool", "calculator", "--session", "a", "--json", "Hi")
    assert (done.status, json.loads(done.out)["error"]["code"]) == (1, "limit")
    done = run("run", "--model", script(folder, [delta("fine")]), "--session", "a", "And now?")
    assert (done.status, done.out) == (0, "fine\n")
    turns = json.loads(run("sessions", "show", "a", "--json").out)["turns"]
    calls = [artifact for turn in turns for artifact in turn["artifacts"] if artifact["kind"] == "tool_call"]
    results = [artifact for turn in turns for artifact in turn["artifacts"] if artifact["kind"] == "tool_result"]
    assert len(calls) == len(results) < 10
    assert said(turns)[-1] == ("assistant", "complete", "fine")


def test_an_answer_without_anything_fails_and_the_session_goes_on(run: Ore, folder: Path) -> None:
    """The last list is used up: the script is at its end."""
    model = script(folder)
    for _ in range(2):
        done = run("run", "--model", model, "--session", "a", "Hi")
        assert done.status == 1
        assert "(bad_request)" in done.err
    assert run("run", "--model", script(folder, [delta("fine")]), "--session", "a", "Hi").out == "fine\n"


def test_a_store_that_is_another_programs_file_is_status_1(run: Ore, folder: Path) -> None:
    (folder / "other.db").write_bytes(b"not a database at all, but long enough to look like one" * 20)
    done = run("run", "--model", script(folder, [delta("ok")]), "--store", f"sqlite:{folder / 'other.db'}", "Hi")
    assert (done.status, done.out) == (1, "")
    assert "other.db" in done.err
