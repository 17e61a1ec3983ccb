"""What the vendor says that a whole is counts, where fragments of it were lost; nothing is there twice."""

from typing import Any

import pytest

from ore.artifact import Reasoning, ReasoningDelta, Restart, StopReason, Text, TextDelta, ToolCall, ToolCallDelta
from wires.corpus import Outcome
from wires.responses_answer import (
    Event,
    added,
    called,
    completed,
    created,
    delta,
    done,
    function_call,
    message,
    said,
    sse,
    thinking,
    thought,
)
from wires.responses_answer import (
    outcome as read,
)

CALL = function_call("fc_1", "call_1", "add", '{"a":1,"b":2}')


def decoded(*events: Event, one_by_one: bool = False) -> Outcome:
    return read(*(sse(event) for event in events)) if one_by_one else read(sse(*events))


def words(outcome: Outcome) -> list[str]:
    return [artifact.content for artifact in outcome.of(Text)]


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize("pieces", [("Hel",), ("He", "l"), ("H", "e", "l", "l", "o")])
def test_the_end_of_a_text_that_no_fragment_brought_is_one_more(pieces: tuple[str, ...], one_by_one: bool) -> None:
    whole = message("msg_1", "Hello.")
    outcome = decoded(created(), *said(0, whole, *pieces), completed(output=[whole]), one_by_one=one_by_one)
    assert words(outcome) == ["Hello."]
    missing = "Hello."[len("".join(pieces)) :]
    assert [one.content for one in outcome.stream if isinstance(one, TextDelta)] == [*pieces, missing]
    assert outcome.of(Restart) == []


def test_each_event_that_has_the_whole_brings_what_is_missing_and_none_brings_it_again() -> None:
    text = {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hello."}
    part = {"type": "response.content_part.done", "output_index": 0, "content_index": 0}
    whole = message("msg_1", "Hello.")
    begin, *middle, end = said(0, whole, "Hel")
    for told in ([text], [text, {**part, "part": whole["content"][0]}], [{**part, "part": whole["content"][0]}]):
        assert words(decoded(created(), begin, *middle, *told, end, completed(output=[whole]))) == ["Hello."]
        assert words(decoded(created(), begin, *middle, *told, completed(output=[whole]))) == ["Hello."]
    assert words(decoded(created(), begin, *middle, completed(output=[whole]))) == ["Hello."]


@pytest.mark.parametrize("pieces", [("Hel", "."), ("ello.",), ("Hello.", " And more.")])
def test_a_text_whose_fragments_are_not_its_beginning_is_told_anew(pieces: tuple[str, ...]) -> None:
    """With all that came beside it."""
    first, whole = thinking("rs_1", "Hmm."), message("msg_1", "Hello.")
    events = [*thought(0, first, ["Hmm."]), *said(1, whole, *pieces), *called(2, CALL, CALL["arguments"])]
    outcome = decoded(created(), *events, completed(output=[first, whole, CALL]))
    assert [one for one in outcome.stream if isinstance(one, Restart)] == [Restart(attempt=2)]
    fresh = read(sse(created(), completed(output=[first, whole, CALL])))
    after = outcome.stream[[*map(type, outcome.stream)].index(Restart) + 1 :]
    assert [*after] == [*fresh.stream]
    assert StopReason(reason="tool_use") in after


def test_reasoning_is_whole_as_well() -> None:
    item = thinking("rs_1", "Let me think.", "Done.")
    outcome = decoded(created(), *thought(0, item, ["Let me think."], ["Do"]), completed())
    assert [one.content for one in outcome.of(Reasoning)] == ["Let me think.\n\nDone."]
    assert [one.content for one in outcome.stream if isinstance(one, ReasoningDelta)][-1] == "ne."


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize("pieces", [('{"a":1,',), ('{"a"', ":1", ',"b"')])
def test_so_are_the_arguments_of_a_call(pieces: tuple[str, ...], one_by_one: bool) -> None:
    outcome = decoded(created(), *called(0, CALL, *pieces), completed(output=[CALL]), one_by_one=one_by_one)
    assert [one.arguments for one in outcome.of(ToolCall)] == ['{"a":1,"b":2}']
    assert "".join(one.arguments for one in outcome.stream if isinstance(one, ToolCallDelta)) == '{"a":1,"b":2}'


def test_arguments_that_lost_their_middle_are_told_anew_and_other_spaces_are_no_loss() -> None:
    torn = decoded(created(), *called(0, CALL, '{"a":', ',"b":2}'), completed(output=[CALL]))
    assert [one for one in torn.stream if isinstance(one, Restart)] == [Restart(attempt=2)]
    spaced = decoded(created(), *called(0, CALL, '{"a": 1, "b": 2}'), completed(output=[CALL]))
    assert [one for one in spaced.stream if isinstance(one, Restart)] == []
    assert [one.arguments for one in spaced.of(ToolCall)] == ['{"a": 1, "b": 2}']


@pytest.mark.parametrize("told", ["", "Hello.\n", "\n Hello."])
def test_an_empty_whole_and_spaces_around_one_are_no_other_text(told: str) -> None:
    outcome = decoded(created(), *said(0, message("msg_1", told), "Hello."), completed())
    assert [text.strip() for text in words(outcome)] == ["Hello."]
    assert not any(isinstance(one, Restart) for one in outcome.stream)


def test_half_a_character_is_made_whole_by_the_rest() -> None:
    whole = message("msg_1", "so 😀!")
    outcome = decoded(created(), *said(0, whole, "so \ud83d"), completed(output=[whole]))
    assert words(outcome) == ["so 😀!"]


def test_an_item_that_was_never_told_whole_is_so_by_the_response() -> None:
    item: dict[str, Any] = message("msg_1", "Hello.")
    outcome = decoded(
        created(),
        added(0, {**item, "content": []}),
        delta(0, "output_text", "Hel", content_index=0),
        completed(output=[item]),
    )
    assert words(outcome) == ["Hello."]
    once = decoded(created(), done(0, item), completed(output=[item]))
    assert words(once) == ["Hello."]
