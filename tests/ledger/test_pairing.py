"""Calls and results pair by position, found from the turns alone."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.conversation import answer, calls, chain, results, turn, user
from ore.artifact import ServerTool, StopReason, Text, ToolCall, ToolResult
from ore.ledger import Role, Thread, Turn, Unanswered, call_key, parted, unanswered


def keys(turns: Sequence[Turn]) -> list[str]:
    return [open.key for open in unanswered(turns)]


@pytest.mark.requirement("D-call-key")
def test_a_calls_key_is_its_turn_and_its_place_among_the_calls() -> None:
    """Whatever else stands between them."""
    made = Turn(
        id="t",
        role=Role.ASSISTANT,
        artifacts=(
            Text(content="let me look"),
            ToolCall(id="same", name="f", arguments="1"),
            ServerTool(name="web_search"),
            ToolCall(id="same", name="f", arguments="2"),
            StopReason(reason="tool_use"),
        ),
    )
    assert unanswered([made]) == [
        Unanswered(turn=made, index=index, call=call) for index, call in enumerate(made.calls)
    ]
    assert keys([made]) == ["t:0", "t:1"] == [call_key("t", 0), call_key("t", 1)]


@pytest.mark.requirement("N03", "L6", "D-unanswered")
@pytest.mark.parametrize(
    ("turns", "open"),
    [
        ([], []),
        ([user("a")], []),
        ([answer("a")], []),
        ([calls("a", None, "1", "2")], ["a:0", "a:1"]),
        ([calls("a", None, "1", "2"), results("b", None, "1")], ["a:1"]),
        ([calls("a", None, "1", "2"), results("b", None, "2")], ["a:0"]),
        ([calls("a", None, "1", "2"), results("b", None, "2"), results("c", None, "1")], []),
        ([calls("a", None, "1"), turn("s", None, Role.SYSTEM, Text(content="note"))], ["a:0"]),
        ([calls("a", None, "1"), results("b", None, "other")], ["a:0"]),
        ([calls("a", None, "1"), results("b", None, "1"), calls("c", None, "2")], ["c:0"]),
        ([results("a", None, "1")], []),
    ],
)
def test_the_calls_that_nobody_answered_are_found(turns: list[Turn], open: list[str]) -> None:
    assert keys(chain(*turns)) == open


@pytest.mark.requirement("D-pairing")
def test_results_pair_by_position_where_ids_repeat() -> None:
    assert keys([calls("a", None, "1", "1", "1"), results("b", None, "1", "1")]) == ["a:2"]
    assert keys([calls("a", None, "", ""), results("b", None, "")]) == ["a:1"]


@pytest.mark.requirement("B10", "D-pairing")
def test_an_id_that_was_used_in_an_earlier_round_is_a_call_of_its_own() -> None:
    thread = Thread(
        chain(
            user("u"),
            calls("r1", None, "search:1"),
            results("t1", None, "search:1"),
            calls("r2", None, "search:1"),
        )
    )
    assert keys(thread.turns) == ["r2:0"]
    thread.append(results("t2", "r2", "search:1"))
    assert (keys(thread.turns), parted(thread.turns)) == ([], False)
    assert [artifact.kind for turn in thread.turns for artifact in turn.artifacts] == [
        "text",
        "tool_call",
        "tool_result",
        "tool_call",
        "tool_result",
    ]


@pytest.mark.requirement("D-unanswered")
@pytest.mark.parametrize("last", [[answer("z")], [user("z")], [calls("y", None, "1"), results("z", None, "1")]])
def test_looking_for_them_reads_no_further_back_than_the_turn_that_settles_it(last: list[Turn]) -> None:
    class Counting(Sequence[Turn]):
        reads = 0

        def __len__(self) -> int:
            return 1_000 + len(last)

        def __getitem__(self, place: Any) -> Any:
            Counting.reads += 1
            assert place >= 1_000, "looked into settled history"
            return last[place - 1_000]

    assert unanswered(Counting()) == []
    assert Counting.reads == len(last)


# ── Against a model ──────────────────────────────────────────────────────────

_calls = st.lists(st.sampled_from("12"), max_size=3)
_turns = st.lists(
    st.one_of(
        st.just(user("u")),
        st.just(turn("s", None, Role.SYSTEM)),
        _calls.map(lambda names: calls("a", None, *names)),
        _calls.map(lambda names: results("t", None, *names)),
    ),
    max_size=7,
)


def rounds(turns: Sequence[Turn]) -> list[tuple[list[str], list[str]]]:
    """Calls of each user or assistant turn, and the results up to the next; first what comes before any."""
    found: list[tuple[list[str], list[str]]] = [([], [])]
    for made in turns:
        if made.role in {Role.USER, Role.ASSISTANT}:
            found.append(([call.id for call in made.calls], []))
        elif made.role is Role.TOOL:
            found[-1][1].extend(part.tool_call_id for part in made.artifacts if isinstance(part, ToolResult))
    return found


@pytest.mark.requirement("N03", "D-pairing")
@given(_turns)
def test_unanswered_are_the_calls_that_the_last_round_has_too_many(turns: list[Turn]) -> None:
    asked, answered = rounds(turns)[-1]
    left = Counter(answered)
    missing: list[int] = []
    for index, id in enumerate(asked):
        left[id] -= 1
        missing += [index] if left[id] < 0 else []
    assert [open.index for open in unanswered(turns)] == missing


@given(_turns)
def test_parted_is_a_result_too_many_or_in_a_round_that_is_over_one_too_few(turns: list[Turn]) -> None:
    *over, (asked, answered) = rounds(turns)
    torn = any(Counter(names) != Counter(given) for names, given in over)
    assert parted(turns) is (torn or not Counter(answered) <= Counter(asked))


@given(_turns)
def test_answering_what_is_unanswered_leaves_nothing_open(turns: list[Turn]) -> None:
    names = [open.call.id for open in unanswered(turns)]
    assert unanswered([*turns, results("t", None, *names)]) == []
