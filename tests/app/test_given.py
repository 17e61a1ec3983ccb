"""Text that was given is not given again when its answer begins again."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore import Agent
from ore.app.given import Given
from ore.artifact import Restart, TextDelta
from ore.testing import ScriptedProvider


def told(*attempts: Sequence[str], ends: bool = True) -> str:
    """What a reader gets of one answer in so many attempts."""
    text = Given()
    pieces: list[str] = []
    for number, attempt in enumerate(attempts):
        if number:
            text.restart()
        pieces += [text.give(piece) for piece in attempt]
    return "".join(pieces) + (text.end() if ends else "")


@pytest.mark.parametrize(
    ("attempts", "shown"),
    [
        ([["Hel", "lo"]], "Hello"),
        ([["Hel"], ["Hel", "lo"]], "Hello"),
        ([["Hel"], ["H", "ello there"]], "Hello there"),
        ([["Hel"], ["Hi"]], "Hel\nHi"),
        ([["Hello"], ["Hel"]], "Hello\nHel"),
        ([["Hello"], []], "Hello"),
        ([[], ["Hello"]], "Hello"),
        ([["Hel"], ["Hi"], ["Hi", "!"]], "Hel\nHi!"),
        ([["Hel"], ["H"], ["Hello"]], "Hello"),
    ],
)
def test_an_answer_that_begins_again_goes_on_or_comes_anew(attempts: Sequence[Sequence[str]], shown: str) -> None:
    assert told(*attempts) == shown


@given(st.text(), st.lists(st.text(max_size=4)), st.integers(0, 20))
def test_however_it_is_cut_an_answer_that_is_said_twice_is_given_once(
    first: str, pieces: Sequence[str], seen: int
) -> None:
    whole = first + "".join(pieces)
    assert told([whole[:seen]], [first, *pieces]) in (whole, f"{whole[:seen]}\n{whole}")
    if whole:
        assert told([whole[:seen]], [first, *pieces]) == whole


@given(st.lists(st.lists(st.text("ab", max_size=3), max_size=4), min_size=1, max_size=4))
def test_what_a_reader_has_at_the_end_ends_with_the_last_attempt(attempts: Sequence[Sequence[str]]) -> None:
    assert told(*attempts).endswith("".join(attempts[-1]))


@given(st.text("ab", max_size=5), st.text("ab", max_size=5))
def test_a_whole_text_is_completed_and_the_next_one_begins(had: str, whole: str) -> None:
    text = Given()
    text.give(had)
    rest = text.complete(whole)
    assert had + rest in (whole, f"{had}\n{whole}", whole or had)
    assert text.give("next") == "next"


async def test_a_run_s_text_goes_on_where_a_second_model_says_the_same() -> None:
    provider = ScriptedProvider(
        [TextDelta(content="Hel"), Restart(attempt=2), TextDelta(content="He"), TextDelta(content="llo")],
        [TextDelta(content="Hel"), Restart(attempt=2), TextDelta(content="Hi")],
    )
    async with Agent(provider).session(store="memory:") as session:
        texts = ["".join([piece async for piece in session.stream("?").text()]) for _ in range(2)]
    assert texts == ["Hello", "Hel\nHi"]


@pytest.mark.requirement("D-fallback")
async def test_a_fallback_in_the_middle_of_an_answer_repeats_no_text(tmp_path: Path) -> None:
    names = []
    for name, items in (("full", ["The sea ", {"error": "overloaded"}]), ("fine", ["The sea is calm."])):
        calls = [[{"kind": "text_delta", "content": item} if isinstance(item, str) else item for item in items]]
        (tmp_path / f"{name}.json").write_text(json.dumps({"calls": calls}))
        names.append(f"scripted:{tmp_path / name}.json")
    async with Agent(names).session(store="memory:") as session:
        pieces = [piece async for piece in session.stream("?").text()]
    assert pieces == ["The sea ", "is calm."]
