"""The page on vendors: its program, and the variables that it names."""

import re
from pathlib import Path

import pytest

from docs.pages import DOCS, copied, run
from ore.app import Resolver
from ore.cli.checkup import ADDRESSES, KEYS
from ore.testing.contracts.provider import Answer
from providers.loopback import serving_in_a_thread
from providers.vendor_answers import CLAUDE, RESPONSES, answering

PAGE = DOCS / "models/vendors.md"


@pytest.mark.slow
def test_a_conversation_changes_its_model_and_says_what_that_means(tmp_path: Path) -> None:
    folder = copied("vendors", tmp_path)
    hello, fine = Answer(text=("Hello.",)), Answer(text=("Fine.",))
    with (
        serving_in_a_thread(answering([hello], CLAUDE)) as claude,
        serving_in_a_thread(answering([fine], RESPONSES)) as responses,
    ):
        said = run(
            folder,
            "change_model.py",
            *("anthropic:claude-sonnet-5-5", "openai-responses:gpt-unheard-of"),
            ANTHROPIC_BASE_URL=claude.url,
            OPENAI_BASE_URL=responses.url,
        )
    first, notice, last = said.splitlines()
    assert (first, last) == ("Hello.", "Fine. openai-responses:gpt-unheard-of")
    assert notice.startswith("notice: nothing is known of openai-responses:gpt-unheard-of: ")


def test_the_page_names_all_vendors_and_their_variables() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (.+?) \| (.*?) ?\|", PAGE.read_text(), re.MULTILINE)
    assert {name for name, _, _ in rows} == {*Resolver().known()} - {"local", "scripted"}
    variables = {name for _, key, address in rows for name in re.findall(r"`(\w+)`", key + address)}
    assert variables == {*KEYS, *ADDRESSES} - {"ORE_TOKEN"}
