"""`ore mock` says where it listens, plays its script, and ends when it is told to."""

import json
import re
import signal
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from cli.command import delta, ore
from cli.conftest import Ore
from mock.command import mocking

CHAT = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]}
MESSAGE = {**CHAT, "max_tokens": 9}


def post(url: str, body: Any, **headers: str) -> Any:
    """The decoded answer to a request; errors count as such."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(url, json.dumps(body).encode(), named)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return json.load(error)


@pytest.mark.requirement("D-mock-command")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_plays_its_script_and_ends_with_0_when_it_is_told_to(tmp_path: Path, ending: signal.Signals) -> None:
    with mocking(tmp_path, [delta("Hello")]) as (url, process):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
        answer = post(f"{url}/v1/chat/completions", CHAT)
        process.send_signal(ending)
        out, err = process.communicate(timeout=100)
    assert answer["choices"][0]["message"]["content"] == "Hello"
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.requirement("D-mock-command")
def test_an_answer_that_hangs_does_not_keep_it(tmp_path: Path) -> None:
    with mocking(tmp_path, [delta("part"), {"hang": True}]) as (url, process):
        body = json.dumps({**CHAT, "stream": True}).encode()
        with urllib.request.urlopen(f"{url}/v1/chat/completions", body, timeout=5) as answer:
            assert answer.readline().startswith(b"data: ")
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=100)
    assert process.returncode == 0


@pytest.mark.requirement("D-mock-command")
def test_anthropic_with_a_key(tmp_path: Path) -> None:
    with mocking(tmp_path, [delta("Hello")], vendor="anthropic", words=("--api-key", "right")) as (url, _):
        refused = post(f"{url}/v1/messages", MESSAGE, x_api_key="wrong", anthropic_version="2023-06-01")
        answer = post(f"{url}/v1/messages", MESSAGE, x_api_key="right", anthropic_version="2023-06-01")
        with urllib.request.urlopen(f"{url}/journal", timeout=5) as journal:
            shown = json.load(journal)["requests"]
    assert refused["error"]["type"] == "authentication_error"
    assert answer["content"] == [{"type": "text", "text": "Hello"}]
    assert [(request["status"], request["headers"]["x-api-key"]) for request in shown] == [(401, "***"), (200, "***")]


@pytest.mark.requirement("D-mock-command", "D-cli-status")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--vendor", "openai"), "the following arguments are required: --script"),
        (("--script", "s.json"), "the following arguments are required: --vendor"),
        (("--vendor", "google", "--script", "s.json"), "invalid choice: 'google' (choose from"),
        (("--vendor", "openai", "--script", "s.json", "--port", "70000"), "expected a port, a whole number from 0 to"),
        (("--vendor", "openai", "--script", "none.json"), "'none.json': cannot be read: No such file or directory"),
        (("--vendor", "openai", "--script", "s.json"), "'s.json': calls[0][0].kind: expected one of text"),
        (("--vendor", "openai", "--script", "n.json"), "'n.json': calls[0][0]: expected what a model says, got notice"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_was_expected(
    run: Ore, folder: Path, words: tuple[str, ...], said: str
) -> None:
    (folder / "s.json").write_text('{"calls": [[{"kind": "word"}]]}')
    (folder / "n.json").write_text('{"calls": [[{"kind": "notice", "content": "x"}]]}')
    done = run("mock", *words)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


@pytest.mark.requirement("D-mock-command", "D-cli-status")
def test_a_port_that_is_taken_ends_with_2(tmp_path: Path) -> None:
    with mocking(tmp_path, [delta("Hello")]) as (url, _):
        port = url.rpartition(":")[2]
        done = ore("mock", "--vendor", "openai", "--script", "mock.json", "--port", port, folder=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"ore: port {port} of 127.0.0.1 cannot be listened on: ")
