"""The programs of the pages on budgets, usage, traces and logs run and say what they show."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.command import call, delta, script
from docs.pages import copied, run

pytestmark = pytest.mark.slow


def usage(tokens: int) -> dict[str, Any]:
    return {"kind": "usage", "prompt_tokens": tokens - 1, "completion_tokens": 1, "total_tokens": tokens}


def test_a_budget_is_shared_by_an_agent_and_the_one_in_its_call(tmp_path: Path) -> None:
    folder = copied("budgets", tmp_path)
    model = script(folder, [call("writer", prompt="Lighthouses."), usage(70)], [delta("They shine."), usage(20)])
    assert run(folder, "team.py", ORE_MODEL=model) == "They shine.\n4 inferences, 180 tokens\n"  # each plays it
    model = script(folder, [call("writer", prompt="Lighthouses."), usage(70_000)])
    assert run(folder, "team.py", ORE_MODEL=model).splitlines() == [
        "stopped: team: expected at most 60000 tokens, used 70000",
        "1 inferences, 70000 tokens",
    ]


def test_a_person_is_asked_at_the_soft_limit(tmp_path: Path) -> None:
    folder = copied("budgets", tmp_path)
    model = script(folder, [call("weather", city="Lisbon"), usage(900)], [delta("never")])
    assert run(folder, "ask.py", ORE_MODEL=model).splitlines() == [
        "usage: 900 of 1000 tokens are used. Go on?",
        "usage: 900 of 1000 tokens are used, and nobody said that it may go on",
    ]


def test_an_agent_of_the_core_is_counted(tmp_path: Path) -> None:
    """With the embedded model."""
    pytest.importorskip("xllamacpp")
    assert run(copied("budgets", tmp_path), "core.py") == "done\n"


def test_what_was_used_is_read_from_the_turns(tmp_path: Path) -> None:
    folder = copied("usage", tmp_path)
    model = script(folder, [delta("384,400 km."), usage(20)])
    assert run(folder, "report.py", ORE_MODEL=model).splitlines() == [
        "message: 19 + 1 tokens",
        f"{model}: 20 tokens, None USD",
        "| Kind | Source | Count | Bytes | % |",
        "| --- | --- | ---: | ---: | ---: |",
        "| stop_reason |  | 1 | 0 B | 0 |",
        "| text |  | 2 | 31 B | 100 |",
        "| usage |  | 1 | 0 B | 0 |",
        "| **Total** |  | **4** | **31 B** |  |",
    ]


def test_a_status_line_is_told_what_was_used(tmp_path: Path) -> None:
    folder = copied("usage", tmp_path)
    model = script(folder, [delta("384,400 km."), usage(20)])
    assert run(folder, "status.py", ORE_MODEL=model).splitlines() == [
        "{}",
        "{'sent': '19', 'received': '1', 'thinking': '?', 'total': '20'}",
    ]


def test_spans_have_the_conventions_names_and_hold_content_only_when_asked(tmp_path: Path) -> None:
    folder = copied("traces", tmp_path)
    model = script(folder, [call("weather", city="Lisbon")], [delta("Clear.")])
    printed = run(folder, "trace.py", ORE_MODEL=model).splitlines()
    chat = [line for line in printed if line.startswith("chat ")]
    assert (len(chat), printed[0], printed[-2:]) == (2, "execute_tool weather", ["invoke_agent guide", "Clear."])
    model = script(folder, [delta("Clear.")])
    printed = run(folder, "content.py", ORE_MODEL=model).splitlines()
    assert json.loads(printed[0])[0]["parts"] == [{"type": "text", "content": "Clear."}]
    assert printed[1] == "None"


def test_a_line_is_logged_for_each_inference_and_message(tmp_path: Path) -> None:
    folder = copied("traces", tmp_path)
    model = script(folder, [delta("Clear."), usage(20)])
    printed = run(folder, "logs.py", ORE_MODEL=model)
    lines = [json.loads(line) for line in printed.splitlines()]
    assert [(line["event"], line["session"], line["outcome"]) for line in lines] == [
        ("inference", "lisbon", "ok"),
        ("message", "lisbon", "ok"),
    ]
    assert lines[0]["prompt_tokens"] == 19
    assert "Clear" not in printed and "Lisbon?" not in printed
