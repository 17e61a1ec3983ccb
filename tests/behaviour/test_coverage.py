"""Every promise has a test, and every test keeps a promise that there is."""

from collections import Counter
from pathlib import Path

import pytest

from behaviour._marks import Mark, marks_in, marks_under
from behaviour._requirements import ID, gather

TESTS = Path(__file__).parents[1]
REQUIREMENTS = gather()
MARKS = marks_under(TESTS)


def test_every_promise_that_is_kept_has_a_test() -> None:
    """Gaps may have one that pins what happens instead."""
    tested = {id for mark in MARKS for id in mark.ids}
    assert [entry.id for entry in REQUIREMENTS if entry.status != "gap" and entry.id not in tested] == []


def test_every_marked_id_is_in_the_manifest() -> None:
    known = {entry.id for entry in REQUIREMENTS}
    assert [(mark.place, id) for mark in MARKS for id in mark.ids if id not in known] == []


def test_every_mark_can_be_read_and_carries_at_most_three_ids() -> None:
    assert [(mark.place, mark.fault) for mark in MARKS if mark.fault] == []


def test_no_promise_stands_in_two_areas() -> None:
    assert [id for id, count in Counter(entry.id for entry in REQUIREMENTS).items() if count > 1] == []


def test_every_entry_is_complete() -> None:
    """An id of a known kind, a source, words, and a reason or a quotation where one is due."""
    assert [
        entry.id
        for entry in REQUIREMENTS
        if not (ID.fullmatch(entry.id) and entry.source and entry.behaviour)
        or (entry.status == "held") is bool(entry.note)
    ] == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("@pytest.mark.requirement('C1', 'C2')\ndef test_a(): ...", [Mark("f:2", ("C1", "C2"))]),
        ("class TestA:\n  @requirement('C1')\n  async def test_a(self): ...", [Mark("f:3", ("C1",))]),
        ("CASES = [pytest.param(1, marks=mark.requirement('C1'))]", [Mark("f:1", ("C1",))]),
        (
            "@mark.requirement('1', '2', '3', '4')\ndef test_a(): ...",
            [Mark("f:2", ("1", "2", "3", "4"), "carries 4 ids, at most 3")],
        ),
        ("@mark.requirement(*IDS)\ndef test_a(): ...", [Mark("f:2", (), "expected ids as literals")]),
        ("@mark.requirement()\ndef test_a(): ...", [Mark("f:2", (), "expected ids as literals")]),
        (
            "pytestmark = pytest.mark.requirement('C1')",
            [Mark("f:1", (), "stands neither on a test nor in pytest.param")],
        ),
        (
            "@mark.requirement('C1')\ndef check(): ...",
            [Mark("f:1", (), "stands neither on a test nor in pytest.param")],
        ),
        ("def test_a(): ...", []),
    ],
)
def test_marks_are_read_from_the_source(source: str, expected: list[Mark]) -> None:
    assert list(marks_in(source, "f")) == expected
