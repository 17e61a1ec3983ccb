"""The programs of the pages on patterns."""

from pathlib import Path

import pytest

from cli.command import call, delta, script
from docs.pages import copied, run

pytestmark = pytest.mark.slow


def test_code_is_mended_until_its_test_passes(tmp_path: Path) -> None:
    folder = copied("verified", tmp_path)
    good = "def add(a, b):\n    return a + b\n"
    model = script(folder, [delta("It looks fine.")], [call("write_code", content=good)], [delta("Now it adds.")])
    assert run(folder, "fix.py", ORE_MODEL=model).splitlines() == ["Now it adds.", "1 time sent back"]
    assert (folder / "add.py").read_text() == good


def test_a_desk_hands_on_to_money(tmp_path: Path) -> None:
    folder = copied("hand_off", tmp_path)
    model = script(
        folder, [call("hand_off_to_money", task="Order 7.")], [call("refund", order=7)], [delta("It is paid back.")]
    )
    assert run(folder, "desk.py", ORE_MODEL=model).splitlines() == ["It is paid back.", "now at: money"]


def test_work_stops_at_its_limits_and_one_inference_may_be_all(tmp_path: Path) -> None:
    folder = copied("working", tmp_path)
    model = script(folder, [call("look", place="kitchen")], repeat=True)
    told = run(folder, "limits.py", ORE_MODEL=model).splitlines()
    assert told[0].startswith("stopped: tool 'look' was called with the same arguments 5 times in a row")
    assert told[1:] == ["11 turns, and the next message is answered", "['user', 'assistant', 'tool']"]


def test_what_steers_enters_behind_the_results_of_calls(tmp_path: Path) -> None:
    folder = copied("working", tmp_path)
    model = script(folder, [call("survey", area="the north")], [delta("Voilà.")])
    assert run(folder, "steer.py", ORE_MODEL=model).splitlines() == [
        "Voilà.",
        "['user', 'assistant', 'tool', 'user', 'assistant']",
        "done",
    ]


def test_a_pattern_of_ones_own_asks_for_a_second_look(tmp_path: Path) -> None:
    folder = copied("working", tmp_path)
    model = script(folder, [delta("The Tejo.")], [delta("The Tagus, or Tejo.")])
    assert run(folder, "own.py", ORE_MODEL=model).splitlines() == [
        "The Tagus, or Tejo.",
        "['user', 'assistant', 'user', 'assistant']",
    ]
