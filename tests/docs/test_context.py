"""The programs of the pages on what a model is shown, and what their tables say."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from cli.command import call, delta, script
from docs.pages import DOCS, copied, run
from ore.ext.transforms.compaction import CompactionSettings

WORDS: dict[str, Any] = {"true": True, "none": None, "who answers": None, "an eighth of the window": None}


@pytest.mark.slow
def test_a_trip_is_summed_up_and_comes_back(tmp_path: Path) -> None:
    folder = copied("compaction", tmp_path)
    said = ["Nice.", "Good dog.", "## Goal\nLisbon in May.", "In May."]
    model = script(folder, *[[delta(text)] for text in said])
    assert run(folder, "trip.py", ORE_MODEL=model).splitlines() == [
        "4 turns are summed up",
        "In May.",
        "6 turns are shown",
    ]
    assert run(folder, "settings.py", ORE_MODEL=model) == "Nice.\n"


@pytest.mark.slow
def test_what_a_model_is_told_is_exchanged(tmp_path: Path) -> None:
    folder = copied("prompt", tmp_path)
    model = script(folder, [delta("Hi.")])
    assert run(folder, "live.py", ORE_MODEL=model) == "Hi.\nHi.\n"


@pytest.mark.slow
def test_a_shop_has_guardrails(tmp_path: Path) -> None:
    folder = copied("guardrails", tmp_path)
    model = script(folder, [call("refund", order="7", amount=500)], [delta("It is on its way, guaranteed.")])
    assert run(folder, "shop.py", ORE_MODEL=model).splitlines() == [
        'may it run: {"order": "7", "amount": 500}',
        "user Refund order 7, my card is [card number].",
        'assistant {"order": "7", "amount": 500}',
        "tool 500 euros for order 7 are on their way",
        "assistant I cannot give that answer.",
    ]


@pytest.mark.slow
def test_what_was_sent_is_watched(tmp_path: Path) -> None:
    folder = copied("manifest", tmp_path)
    model = script(folder, *[[delta(text)] for text in ("Hi.", "Yes.", "Now.")])
    assert run(folder, "watch.py", ORE_MODEL=model).splitlines() == [
        "SystemPrompt 1, user 1",
        "SystemPrompt 1, user 2, assistant 1",
        "  differs at turns[2] because of turn",
        "SystemPrompt 1, user 3, assistant 2",
        "  differs at turns[0].artifacts[0].content because of SystemPrompt",
    ]


def test_the_settings_of_compaction_on_the_page_are_all_there_are() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \|", (DOCS / "context/compaction.md").read_text(), re.MULTILINE)
    shown = {name: WORDS.get(default, float(default) if default[0].isdigit() else default) for name, default in rows}
    expected = {field.name: field.default for field in fields(CompactionSettings)} | {"prompt": "its own"}
    assert shown == expected
