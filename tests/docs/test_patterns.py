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
