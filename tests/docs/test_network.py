"""The pages on scripts and on failures: their programs do what they say, and their tables name all there is."""

import json
import re
from pathlib import Path

import pytest

from cli.command import ore
from docs.pages import DOCS, copied, run
from ore import errors
from ore.ext.mock.vendors import VENDORS
from ore.ext.providers.script import _ERRORS, _KINDS
from ore.testing.contracts.provider import Answer
from providers.loopback import serving_in_a_thread
from providers.vendor_answers import answering

SCRIPTS, NETWORK = DOCS / "models/scripts.md", DOCS / "models/network.md"


def cells(page: Path, heading: str) -> set[str]:
    """The names in the first column of a table."""
    table = page.read_text().partition(f"\n| {heading} |")[2].partition("\n\n")[0]
    return {name for row in re.findall(r"^\| (.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}


def test_the_script_of_the_page_is_played(tmp_path: Path) -> None:
    folder = copied("scripts", tmp_path)
    words = ("run", "--model", "scripted:weather.json", "--tool", "calculator", "--json", "--session", "s")
    done = ore(*words, "What is 6 times 7?", folder=folder, env={"ORE_STORE": "memory:"})
    found = json.loads(done.out)
    assert (done.status, found["text"], found["usage"]["total_tokens"]) == (0, "It is 42.", 12)


def test_the_tables_on_scripts_name_what_is_read() -> None:
    assert cells(SCRIPTS, "kind") | {"tool_result", "image", "file", "audio"} == {*_KINDS}
    assert cells(SCRIPTS, "error") == {*_ERRORS}
    assert cells(SCRIPTS, "key") == {"calls", "repeat", "retry"}
    assert {"openai", "anthropic"} <= {*VENDORS}


@pytest.mark.slow
def test_a_mock_answers_and_fails_as_its_script_says(tmp_path: Path) -> None:
    said = run(copied("scripts", tmp_path), "against_a_mock.py")
    assert said.splitlines() == ["Hello.", "rate_limit 0.1", "[200, 429, 429, 429]"]


def test_the_table_of_failures_names_every_code_of_a_provider() -> None:
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.ProviderError)
    ]
    assert cells(NETWORK, "code") == {kind.code for kind in kinds} - {"provider"} | {"limit"}


@pytest.mark.slow
def test_ten_inferences_share_their_limits(tmp_path: Path) -> None:
    hello = Answer(text=("Hel", "lo."))
    with serving_in_a_thread(answering([hello] * 10)) as server:
        said = run(copied("network", tmp_path), "shared_limits.py", "m", server.url)
    assert said.strip() == str(["Hello."] * 10)
    assert server.opened <= 4


@pytest.mark.slow
def test_a_provider_of_one_s_own_answers(tmp_path: Path) -> None:
    assert run(copied("own_provider", tmp_path), "echo.py").strip() == "Is anybody there?"
