"""Fragments of calls find each other, however a server numbers and names them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import StopReason, Text, TextDelta, ToolCall, ToolCallDelta
from wires.chat_stream import DONE, call, calls_in, entry, event, read, stop, text

ENDED = (stop("tool_calls"), DONE)
FRAGMENTS: list[list[dict[str, Any]]] = [
    [{"id": "c1", "name": "get", "arguments": ""}],
    [{"id": None, "arguments": '{"a":'}],
    [{"arguments": "1}"}],
]


@pytest.mark.requirement("B01")
@pytest.mark.parametrize("place", [{"index": None}, {}], ids=["null", "absent"])
def test_a_call_without_a_position_is_one_call(place: dict[str, Any]) -> None:
    outcome = read(*[call(*[entry(**place, **one) for one in fragments]) for fragments in FRAGMENTS], *ENDED)
    assert calls_in(outcome) == [("c1", "get", '{"a":1}')]
    assert [type(artifact) for artifact in outcome.stream] == [ToolCallDelta] * 3 + [StopReason]


@pytest.mark.requirement("B02")
def test_a_call_without_an_id_gets_one_that_the_next_turn_does_not_have() -> None:
    body = (call(entry('{"p":', index=0, name="read")), call(entry('"x"}', index=0)), *ENDED)
    one, other = read(*body), read(*body)
    [(first, *rest)] = calls_in(one)
    [(second, *_)] = calls_in(other)
    assert first
    assert second
    assert first != second
    assert rest == ["read", '{"p":"x"}']
    assert one.of(Text) == []


@pytest.mark.requirement("B04")
def test_two_fragments_of_one_position_in_one_event_are_one_call() -> None:
    first = call(entry("", index=0, id="c", name="f"), entry('{"k"', index=0))
    assert calls_in(read(first, call(entry(":7}", index=0)), *ENDED)) == [("c", "f", '{"k":7}')]


@pytest.mark.requirement("B06")
def test_two_calls_in_one_event_without_positions_are_two() -> None:
    both = call(entry("{}", id="a", name="f"), entry('{"k":1}', id="b", name="g"))
    assert calls_in(read(both, *ENDED)) == [("a", "f", "{}"), ("b", "g", '{"k":1}')]


def test_calls_that_have_nothing_but_names_are_told_apart_by_them_and_by_being_whole() -> None:
    fragments = [
        *[entry('{"a":', name="f"), entry("1}", name="f"), entry('{"a":2}', name="f")],
        *[entry("", name="g"), entry("", name="h")],
    ]
    found = [(name, arguments) for _, name, arguments in calls_in(read(*[call(one) for one in fragments], *ENDED))]
    assert found == [("f", '{"a":1}'), ("f", '{"a":2}'), ("g", ""), ("h", "")]


@pytest.mark.requirement("B08")
def test_an_empty_text_before_a_call_is_nothing() -> None:
    outcome = read(text(""), call(entry("{}", index=0, id="a", name="f")), *ENDED)
    assert outcome.artifacts == (ToolCall(id="a", name="f", arguments="{}"), StopReason(reason="tool_use"))


ODD = {
    "the index comes late": [
        [entry("", id="a", name="f")],
        [entry('{"x":', index=0)],
        [entry("1}", index=0)],
    ],
    "the id comes late": [[entry('{"x":', index=0, name="f")], [entry("1}", index=0, id="a")]],
    "the id stands alone later": [[entry("", index=0, id="a", name="f")], [entry('{"x":1}', id="a")]],
    "the id changes on the way": [
        [entry('{"x":', index=0, id="a", name="f")],
        [entry("1", index=0, id="b")],
        [entry("}", index=0, id="c")],
    ],
    "the id is empty later": [[entry('{"x":', index=0, id="a", name="f")], [entry("1}", index=0, id="", name="")]],
    "name and id are said each time": [
        [entry("", index=0, id="a", name="f")],
        [entry('{"x":', index=0, id="a", name="f")],
        [entry("1}", index=0, id="a", name="f")],
    ],
    "only the name is said each time": [[entry('{"x":', name="f", id="a")], [entry("1}", name="f")]],
    "the whole call is said once more": [
        [entry('{"x":', index=0, id="a", name="f")],
        [entry("1}", index=0)],
        [entry('{"x":1}', index=0, id="a", name="f")],
    ],
    "the index is text": [[entry('{"x":', index="0", id="a", name="f")], [entry("1}", index="0")]],
    "the arguments are an object": [[{"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 1}}}]],
    "the arguments are null": [
        [{"index": 0, "id": "a", "function": {"name": "f", "arguments": None}}],
        [entry('{"x":1}', index=0)],
    ],
}


@pytest.mark.parametrize("fragments", ODD.values(), ids=ODD)
def test_one_call_is_one_call(fragments: list[list[dict[str, Any]]]) -> None:
    assert calls_in(read(*[call(*one) for one in fragments], *ENDED)) == [("a", "f", '{"x":1}')]


TWO = {
    "the index is always 0": [
        [entry("{", index=0, id="a", name="f"), entry("{", index=0, id="b", name="g")],
        [entry("}", index=0, id="a"), entry("}", index=0, id="b")],
    ],
    "the index begins anew": [[entry("{}", index=0, id="a", name="f")], [entry("{}", index=0, id="b", name="g")]],
    "indexes have gaps": [
        [entry("{", index=3, id="a", name="f"), entry("{", index=7, id="b", name="g")],
        [entry("}", index=7), entry("}", index=3)],
    ],
    "calls come in turns": [
        [entry("", index=0, id="a", name="f")],
        [entry("", index=1, id="b", name="g")],
        [entry("{", index=0)],
        [entry("{", index=1)],
        [entry("}", index=0)],
        [entry("}", index=1)],
    ],
}


@pytest.mark.parametrize("fragments", TWO.values(), ids=TWO)
def test_two_calls_are_two(fragments: list[list[dict[str, Any]]]) -> None:
    outcome = read(*[call(*one) for one in fragments], *ENDED)
    assert calls_in(outcome) == [("a", "f", "{}"), ("b", "g", "{}")]


def test_calls_that_share_an_id_are_told_apart_by_their_positions() -> None:
    begun = call(entry("{", index=0, id="x", name="f"), entry("{", index=1, id="x", name="g"))
    ended = call(entry('"a":1}', index=0, id="x"), entry('"b":2}', index=1, id="x"))
    assert calls_in(read(begun, ended, *ENDED)) == [("x", "f", '{"a":1}'), ("x", "g", '{"b":2}')]


def test_calls_without_ids_at_one_position_are_told_apart_once_one_is_whole() -> None:
    outcome = read(call(entry('{"a":1}', index=0, name="f")), call(entry('{"a":2}', index=0, name="f")), *ENDED)
    assert [(name, arguments) for _, name, arguments in calls_in(outcome)] == [("f", '{"a":1}'), ("f", '{"a":2}')]
    assert len({id for id, _, _ in calls_in(outcome)}) == 2


def test_text_between_the_fragments_of_a_call_comes_behind_it() -> None:
    outcome = read(call(entry("{", index=0, id="a", name="f")), text("\n"), call(entry("}", index=0)), *ENDED)
    assert outcome.artifacts == (
        ToolCall(id="a", name="f", arguments="{}"),
        Text(content="\n"),
        StopReason(reason="tool_use"),
    )


def test_the_older_form_of_a_call_is_read_too() -> None:
    parts = [{"name": "f", "arguments": '{"a"'}, {"arguments": ":1}"}]
    outcome = read(*[event({"function_call": part}) for part in parts], stop("function_call"))
    assert [(name, arguments) for _, name, arguments in calls_in(outcome)] == [("f", '{"a":1}')]
    assert outcome.of(StopReason) == [StopReason(reason="tool_use")]


def test_a_character_cut_in_the_middle_of_arguments_is_whole() -> None:
    body = b"".join(
        b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":%s}]}}]}\n\n' % part
        for part in (rb'{"name":"f","arguments":"{\"x\":\"\ud83d"}', rb'{"arguments":"\udc4b\"}"}')
    )
    assert calls_in(read(body, *ENDED)) == [("a", "f", '{"x":"👋"}')]


def test_an_output_tool_is_an_answer_in_disguise() -> None:
    parts = [entry("", index=0, id="a", name="answer"), entry('{"x":', index=0), entry("1}", index=0)]
    outcome = read(*[call(part) for part in parts], *ENDED, output="answer")
    assert outcome.stream == [TextDelta(content='{"x":'), TextDelta(content="1}"), StopReason(reason="stop")]


CALLS = st.lists(st.tuples(st.sampled_from("fgh"), st.dictionaries(st.sampled_from("abc"), st.integers())), max_size=4)


@given(CALLS, st.sampled_from(["index", "id", "both", "restarting"]), st.data())
def test_any_calls_come_back_from_fragments_in_any_order(
    calls: list[tuple[str, dict[str, int]]], known_by: str, data: st.DataObject
) -> None:
    """By index or id they may come in turns; where the index begins anew they come one after the other."""
    waiting = []
    for number, (name, arguments) in enumerate(calls):
        written = json.dumps(arguments)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(written)), max_size=3)))
        pieces = [written[one:other] for one, other in zip([0, *cuts], [*cuts, len(written)], strict=True)]
        places: dict[str, dict[str, Any]] = {
            "index": {"index": number},
            "id": {"id": f"c{number}"},
            "both": {"index": number, "id": f"c{number}"},
            "restarting": {"index": 0, "id": f"c{number}"},
        }
        place = places[known_by]
        first = entry("", name=name, **(place | {"id": f"c{number}"}))
        waiting.append([first, *[entry(piece, **place) for piece in pieces]])
    events = [call(fragments.pop(0)) for fragments in waiting]
    while any(waiting):
        chosen = data.draw(st.sampled_from([fragments for fragments in waiting if fragments]))
        events.append(call(chosen.pop(0)))
    expected = [(f"c{number}", name, json.dumps(arguments)) for number, (name, arguments) in enumerate(calls)]
    assert calls_in(read(*events, *ENDED)) == expected
