"""The pytest plugin: no real request by accident, cassettes played and recorded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = 'pytest_plugins = ["ore.ext.replay.pytest_plugin"]\n'

FORBIDDEN = """
import pytest
from ore import Agent, Spec
from ore.ext.providers.openai import OpenAI

def ask(url):
    return Agent(OpenAI(api_key="any", base_url=url), spec=Spec(name="m")).run_sync("Hello?").text

def test_refused():
    ask("https://models.example/v1")

@pytest.mark.real_requests
def test_marked():
    ask("https://models.invalid/v1")
"""

PLAYED = """
import os
from ore import Agent, Spec
from ore.ext.providers.openai import OpenAI

def test_weather(cassette):
    agent = Agent(OpenAI(api_key="canary-key", base_url=os.environ["SERVER"]), spec=Spec(name="m"))
    assert agent.run_sync("Hello?").text == "Hi there."

def test_unasked(cassette):
    if os.environ.get("ASK"):
        Agent(OpenAI(api_key="canary-key", base_url=os.environ["SERVER"]), spec=Spec(name="m")).run_sync("Hello?")
"""

SERVER = """
import asyncio, sys
from ore.artifact import TextDelta
from ore.ext.mock import MockServer, script_of

async def main():
    async with MockServer(script_of([TextDelta(content="Hi there.")], repeat=True)) as server:
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


def run(folder: Path, *words: str, **environment: str) -> tuple[str, str]:
    """What pytest says of the tests in a folder: outcomes, and everything."""
    words = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:llmock", *words)
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}, timeout=250
    )
    return done.stdout.strip().splitlines()[-1], done.stdout


def write(folder: Path, test: str) -> None:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(test)


@pytest.mark.slow
@pytest.mark.requirement("D-no-real-requests")
def test_a_real_request_is_refused_by_name_unless_the_test_is_marked(tmp_path: Path) -> None:
    write(tmp_path, FORBIDDEN)
    last, told = run(tmp_path)
    assert "2 failed" in last
    assert "a test asked models.example, and real requests are forbidden here" in told
    assert "a test asked models.invalid" not in told


@pytest.mark.slow
@pytest.mark.requirement("D-cassette")
def test_a_cassette_is_recorded_once_and_played_from_then_on(tmp_path: Path) -> None:
    write(tmp_path, PLAYED)
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        last, told = run(tmp_path, "--ore-record", SERVER=url, ASK="1")
        assert "2 passed" in last, told
        server.kill()
    folder = tmp_path / "cassettes" / "test_it" / "test_weather"
    assert sorted(path.name for path in folder.iterdir()) == [
        "001-openai-chat.expected.json",
        "001-openai-chat.json",
        "001-openai-chat.sse",
    ]
    assert "canary" not in (folder / "001-openai-chat.json").read_text()
    last, told = run(tmp_path, SERVER=url, ASK="1")
    assert "2 passed" in last, told
    last, told = run(tmp_path, SERVER=url)
    assert "2 passed, 1 error" in last and "recorded and not asked for: 001-openai-chat" in told


ALIKE = """
import os
import pytest
from ore import Agent, Spec
from ore.ext.providers.openai import OpenAI

def ask(what):
    agent = Agent(OpenAI(api_key="canary-key", base_url=os.environ["SERVER"]), spec=Spec(name="m"))
    return agent.run_sync(what).text

class TestOne:
    def test_it(self, cassette):
        ask("one")

class TestTwo:
    def test_it(self, cassette):
        ask("two")

@pytest.mark.parametrize("what", ["a b", "a/b", "a-b", "x" * 500, "\\u4e2d"])
def test_it(cassette, what):
    ask(what)
"""


@pytest.mark.slow
@pytest.mark.requirement("D-cassette")
def test_tests_of_one_name_have_cassettes_of_their_own(tmp_path: Path) -> None:
    write(tmp_path, ALIKE)
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        last, told = run(tmp_path, "--ore-record", SERVER=url)
        assert "7 passed" in last, told
        server.kill()
    last, told = run(tmp_path, SERVER=url)
    assert "7 passed" in last, told
    names = sorted(path.name for path in (tmp_path / "cassettes" / "test_it").iterdir())
    assert len(names) == 7 and {"TestOne.test_it", "TestTwo.test_it", "test_it-a-b-"} < set(names)
