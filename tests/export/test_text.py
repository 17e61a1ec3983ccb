"""A thread as text: every branch, each result behind its call, the same text every time."""

import pytest

from export.threads import call, chain, result, rich, thread, turn
from ore.artifact import Text, Usage
from ore.ext.export import export_json, export_text
from ore.ext.export.story import tell
from ore.ledger import Role, read_export

RICH = """\
Thread: t1
ore.title: To the moon
title: Trip

=== user (2026-11-30T12:00:00+00:00) ===

How *far* is it?

=== assistant (2026-11-30T12:00:00+00:00, p:m) ===

[Reasoning]
*thinking*

Let me look.

[Tool Call: find]
{"q": 1}

[Tool Result: find]
found

[Tool Call: read]
{"p": 2}

[Tool Result: read (denied)]
no
[cut: 5 of 90 bytes, 1 of 9 lines, the head]
[Image: without a name]

[Usage] prompt=9 completion=1 total=10 cost_usd=0.5

=== assistant ===

Far.

[Stopped: length]

~~~ branch behind turn a2 (2 turns) ~~~

=== user ===

And then?

=== assistant (not shown to models) ===

Not any more.

~~~ end of the branch behind turn a2 ~~~

=== user ===

[Image: https://example.com/a.png]

[File: a.pdf]

=== assistant (interrupted, models are shown the conversation from here on) ===

[Audio: audio/wav]

searched

[Unknown artifact: weather]

[Tool Result: lost]
alone
"""


@pytest.mark.requirement("D-export-text")
def test_a_thread_is_told_in_the_order_in_which_people_read_it() -> None:
    assert export_text(rich()) == RICH


@pytest.mark.requirement("D-export-text")
def test_an_empty_thread_is_its_name() -> None:
    assert export_text(thread([], None)) == "Thread: t1\n"
    assert export_json(thread([], None)) == b'{"ore":1,"id":"t1","metadata":{},"tip":null,"turns":[]}'


def test_json_comes_back_as_it_was() -> None:
    found = read_export(export_json(rich()))
    assert (found.turns, found.tip, found.metadata) == (rich().turns, "a4", rich().metadata)


@pytest.mark.requirement("D-export-pairs")
def test_results_go_to_the_calls_of_the_last_turn_that_made_any_one_after_the_other() -> None:
    """Vendors repeat their ids from turn to turn, and a call that was lost takes nobody else's result."""
    stored = chain(
        [call("c", "lost"), call("d", "first")],
        [result("d", "1")],
        [call("c", "second"), result("c", "2")],
        [call("c", "third")],
        [result("c", "3"), result("c", "alone")],
    )
    (trunk,) = tell(stored)
    told = [
        (getattr(piece.artifact, "name", piece.artifact.kind), piece.result.content if piece.result else None)
        for one in trunk.turns
        for piece in one.pieces
    ]
    assert told == [
        ("lost", None),
        ("first", "1"),
        ("second", "2"),
        ("third", "3"),
        ("tool_result", None),
    ]


@pytest.mark.requirement("D-export-branches")
def test_every_turn_is_told_once_wherever_the_tip_is() -> None:
    """Before a turn that was undone, on a branch of a branch, before everything, behind a parent that is not there."""
    turns = [
        turn("a", None, Role.USER, Text(content="a")),
        turn("b", "a", Role.ASSISTANT, Text(content="b")),
        turn("c", "b", Role.USER, Text(content="c")),
        turn("d", "a", Role.ASSISTANT, Text(content="d")),
        turn("e", "d", Role.USER, Text(content="e")),
        turn("f", "d", Role.USER, Text(content="f")),
        turn("g", None, Role.USER, Text(content="g")),
        turn("h", "gone", Role.USER, Text(content="h")),
    ]
    for tip in ("a", "b", "f", "g", None):
        text = export_text(thread(turns, tip))
        assert sorted(line for line in text.splitlines() if len(line) == 1) == sorted("abcdefgh")
        assert text.count("===") == 2 * 8
    assert "~~~ a branch behind turn gone (1 turns) ~~~" in text


@pytest.mark.requirement("D-export-branches")
def test_branches_may_be_as_deep_as_they_like() -> None:
    turns = [turn("0", None, Role.USER, Text(content="-"))]
    for depth in range(1, 2_000):
        turns.append(turn(f"{depth}", turns[-1].id, Role.USER, Text(content="-")))
    branches = [turn(f"{depth}x", f"{depth}", Role.USER, Text(content="-")) for depth in range(2_000)]
    nested = [turn("y0", "0x", Role.USER, Text(content="-"))]
    for depth in range(1, 500):  # each leaves the branch before it
        nested += [
            turn(f"z{depth}", nested[-1].id, Role.USER, Text(content="-")),
            turn(f"y{depth}", nested[-1].id, Role.USER, Text(content="-")),
        ]
    text = export_text(thread([*turns, *branches, *nested], "0"))
    assert text.count("\n-\n") == len([*turns, *branches, *nested])


def test_what_nobody_counted_is_a_question_mark() -> None:
    assert "[Usage] prompt=? completion=0 total=?" in export_text(chain([Usage(completion_tokens=0)]))
