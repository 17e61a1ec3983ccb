"""The page on how tools are called: its programs run, and its tables are all there is."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from cli.command import call, delta, script
from docs.pages import DOCS, copied, run
from ore.calls import CallLimits
from ore.tool import Traits

PAGE = (DOCS / "tools/handling.md").read_text()


def table(head: str) -> dict[str, str]:
    """The first two columns of a table of the page."""
    rows = PAGE.partition(f"| `{head}(…)` |")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", rows, re.MULTILINE))


def test_the_tables_show_every_trait_and_every_limit_with_its_default() -> None:
    assert list(table("@tool")) == [field.name for field in fields(Traits)]
    flags = {name: value == "true" for name, value in table("@tool").items() if value in ("true", "false")}
    assert flags == {field.name: field.default for field in fields(Traits) if isinstance(field.default, bool)}
    limits = {name: float(value) for name, value in table("CallLimits").items()}
    assert limits == {field.name: field.default for field in fields(CallLimits)}


@pytest.mark.slow
def test_one_tool_shows_its_calls_sets_a_fact_and_says_how_to_go_on(tmp_path: Path) -> None:
    folder = copied("handling", tmp_path)
    asked = [call("past", days=7)], [call("choose", city="Porto")], [call("past", days=7)]
    assert run(folder, "weather.py", ORE_MODEL=script(folder, *asked, [delta("Fine.")])).splitlines() == [
        "the last 7 days",
        '{"error":"no city was chosen; call choose first"}',
        "",
        "**Error:** no city was chosen; call choose first",
        '{"city": "Porto"}',
        "-> Porto",
        "the last 7 days",
        "Porto, 1 days ago: 21 °C",
        "Porto, 2 days ago: 21 °C",
        "Porto, 3 days ago: 21 °C",
        "",
        "Ask for 3 days at most.",
        "[output cut: 3 of 7 lines, 77 of 181 bytes shown, head]",
        "Fine.",
        "Porto",
    ]


@pytest.mark.slow
def test_a_tool_is_there_once_the_conversation_says_so(tmp_path: Path) -> None:
    folder = copied("handling", tmp_path)
    order: Any = call("shop__order", article="blue")
    both = [order, {**call("handbook", words="blue"), "index": 1, "id": "c2"}]
    model = script(folder, [order], [call("shop__log_in", name="Ada")], both, [delta("It comes.")])
    assert run(folder, "shop.py", ORE_MODEL=model).splitlines() == [
        'may run: shop__order {"article": "blue"}',
        """["tool 'shop__order' not found; the tools are: handbook, shop__log_in"]""",
        "['This is Ada.']",
        "['ordered: blue', 'page 3 is about blue']",
        "It comes.",
    ]
