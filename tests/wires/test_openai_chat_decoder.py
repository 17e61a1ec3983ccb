"""Streamed chat completions: text, thinking, endings, usage, and what servers make of them."""

import cProfile
import json
import pstats
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import BlockEnd, Reasoning, ReasoningDelta, StopReason, Text, TextDelta, Usage
from ore.errors import OverloadedError, ProtocolError
from ore.ext.wires.openai_chat.decoder import ChatDecoder
from ore.provider import BATCH_LIMIT
from wires.chat_stream import COUNTS, DONE, call, entry, event, raw, read, stop, text, usage
from wires.corpus import Outcome, bytewise, cut, decode, recording

USAGE = Usage(prompt_tokens=10, completion_tokens=2, total_tokens=12)
TAG = {"provider": "vendor", "model": "model"}
STOPPED = StopReason(reason="stop")


def thoughts(outcome: Outcome) -> list[tuple[str, dict[str, Any] | None]]:
    return [(found.content, found.provider_data) for found in outcome.of(Reasoning)]


# ── Endings and usage ────────────────────────────────────────────────────────


def test_the_reason_comes_once_and_the_usage_behind_it() -> None:
    outcome = read(text("a"), stop(), usage(), DONE, usage(prompt_tokens=1, completion_tokens=1))
    assert outcome.stream == [TextDelta(content="a"), STOPPED, USAGE]


@pytest.mark.requirement("B36")
@pytest.mark.parametrize("last", [{"choices": [], "usage": COUNTS}, {"choices": None, "usage": COUNTS}])
def test_a_usage_without_choices_counts(last: dict[str, Any]) -> None:
    outcome = read(text("hi"), raw({"choices": None}), stop(), raw(last))
    assert outcome.artifacts == (Text(content="hi"), STOPPED, USAGE)


@pytest.mark.requirement("B36")
@pytest.mark.parametrize("body", [b"", DONE, b": comment\n\n", b"\n\n", b"\xef\xbb\xbf"])
def test_a_body_without_an_event_is_an_error(body: bytes) -> None:
    outcome = read(body)
    assert (outcome.stream, type(outcome.error)) == ([], ProtocolError)


@pytest.mark.requirement("B33")
@pytest.mark.parametrize(
    ("events", "finished"),
    [
        ((text("a"), text("b")), False),
        ((text("a"), stop()), True),
        ((text("a"), DONE), True),
        ((text("a"), usage()), True),
        ((event({"role": "assistant"}), usage()), False),
        ((event({"content": "a"}, usage=COUNTS), event({"content": "b"}, usage=COUNTS)), False),
        ((event({"content": "a"}, usage=COUNTS), usage()), False),
        ((text("a"), stop()[:-3]), False),
    ],
    ids=["words", "reason", "done", "usage", "usage of nothing", "usage each time", "usage again", "half a reason"],
)
def test_an_answer_has_ended_when_it_said_so(events: tuple[bytes, ...], finished: bool) -> None:
    outcome = read(*events)
    assert outcome.of(Text) or not finished
    assert (outcome.error is None) is finished
    assert bool(outcome.of(StopReason)) is finished
    assert finished or "never said why it stopped" in str(outcome.error)


@pytest.mark.parametrize("end", [b"\n", b"", b"\r"])
def test_the_last_blank_line_may_be_missing(end: bytes) -> None:
    outcome = read(text("a"), stop().rstrip(b"\n") + end)
    assert outcome.artifacts == (Text(content="a"), STOPPED)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        *[("stop", "stop"), ("eos", "stop"), ("length", "length"), ("model_length", "length")],
        *[("content_filter", "refusal"), ("tool_calls", "stop"), ("somehow", "other")],
    ],
)
def test_what_a_reason_means(word: str, reason: Any) -> None:
    assert read(text("a"), stop(word)).of(StopReason) == [StopReason(reason=reason)]


@pytest.mark.parametrize("word", ["stop", "tool_calls", "function_call"])
def test_whoever_calls_stops_for_that(word: str) -> None:
    outcome = read(call(entry("{}", index=0, id="a", name="f")), stop(word), DONE)
    assert outcome.of(StopReason) == [StopReason(reason="tool_use")]


def test_a_call_that_was_cut_stops_for_the_limit() -> None:
    outcome = read(call(entry('{"a', index=0, id="a", name="f")), stop("length"), DONE)
    assert outcome.of(StopReason) == [StopReason(reason="length")]


def test_a_reason_that_is_null_or_empty_takes_nothing_back() -> None:
    outcome = read(event({"content": "a"}, finish=""), stop("length"), event(finish=None), event(finish=""), DONE)
    assert outcome.of(StopReason) == [StopReason(reason="length")]


def test_a_refusal_is_text_and_the_reason_says_so() -> None:
    outcome = read(event({"refusal": "I can"}), event({"refusal": "not.", "content": None}), stop())
    assert outcome.artifacts == (Text(content="I cannot."), StopReason(reason="refusal"))


def test_content_and_refusal_in_one_event_are_both_seen() -> None:
    outcome = read(event({"content": "Well. ", "refusal": "No."}), stop())
    assert outcome.artifacts == (Text(content="Well. No."), StopReason(reason="refusal"))


@pytest.mark.parametrize("word", ["error", "insufficient_system_resource"])
def test_a_reason_that_is_a_failure_is_one(word: str) -> None:
    outcome = read(text("a"), stop(word, usage=COUNTS), DONE)
    assert (outcome.artifacts, type(outcome.error)) == ((Text(content="a"), USAGE), OverloadedError)


COUNTED: list[tuple[dict[str, Any], Usage]] = [
    (
        {**COUNTS, "prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": None},
        Usage(prompt_tokens=10, completion_tokens=2, total_tokens=12, cache_read_tokens=0),
    ),
    (
        {
            **COUNTS,
            "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 1},
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 0,
        },
        Usage(
            prompt_tokens=10,
            completion_tokens=2,
            total_tokens=12,
            cache_read_tokens=5,
            cache_write_tokens=0,
            reasoning_tokens=1,
        ),
    ),
    (
        {**COUNTS, "prompt_cache_hit_tokens": 8},
        Usage(prompt_tokens=10, completion_tokens=2, total_tokens=12, cache_read_tokens=8),
    ),
    ({"prompt_tokens": 3, "completion_tokens": 4}, Usage(prompt_tokens=3, completion_tokens=4, total_tokens=7)),
    (
        {**COUNTS, "total_tokens": 19, "completion_tokens_details": {"reasoning_tokens": 7}},
        Usage(prompt_tokens=10, completion_tokens=9, total_tokens=19, reasoning_tokens=7),
    ),
    (
        {**COUNTS, "total_tokens": "12", "queue_time": 0.5, "cost": {"total": 1}, "prompt_tokens_details": "none"},
        Usage(prompt_tokens=10, completion_tokens=2, total_tokens=12),
    ),
]


@pytest.mark.parametrize(("counts", "expected"), COUNTED)
def test_counts_have_one_meaning(counts: dict[str, Any], expected: Usage) -> None:
    """Cached from wherever it stands, thinking within the completion, whatever else there is passed over."""
    assert read(text("a"), stop(), raw({"choices": [], "usage": counts}), DONE).of(Usage) == [expected]


def test_a_usage_without_counts_is_none_and_the_last_one_holds() -> None:
    events = (text("a"), usage(prompt_tokens=1, completion_tokens=1), usage(), stop(), raw({"usage": {}}), DONE)
    assert read(*events).of(Usage) == [USAGE]


# ── Thinking ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking_is_a_block_that_knows_how_it_goes_back(field: str) -> None:
    outcome = read(event({field: "Hm"}), event({field: ".", "content": ""}), text("Yes."), stop())
    assert outcome.stream == [
        *(ReasoningDelta(content="Hm"), ReasoningDelta(content=".")),
        BlockEnd(provider_data={**TAG, "field": field}),
        *(TextDelta(content="Yes."), STOPPED),
    ]


def test_thinking_that_comes_in_three_forms_is_seen_once() -> None:
    detail = {"type": "reasoning.text", "text": "Hm.", "index": 0}
    both = {"reasoning": "Hm.", "reasoning_content": "Hm.", "reasoning_details": [detail]}
    outcome = read(event(both), text("Yes."), stop())
    assert thoughts(outcome) == [("Hm.", {**TAG, "reasoning_details": [detail]})]


def test_details_that_repeat_all_words_at_the_end_are_kept_and_not_seen() -> None:
    detail = {"type": "reasoning.text", "text": "Hm. So.", "signature": "S==", "index": 0}
    events = (event({"reasoning_content": "Hm. "}), event({"reasoning_content": "So."}))
    outcome = read(*events, event({"reasoning_details": [detail]}), text("Yes."), stop())
    assert thoughts(outcome) == [("Hm. So.", {**TAG, "signature": "S==", "reasoning_details": [detail]})]


def test_details_alone_are_thinking_too() -> None:
    entries = [
        {"type": "reasoning.summary", "summary": "I th", "index": 0, "id": "r1", "format": "openai-responses-v1"},
        {"type": "reasoning.summary", "summary": "ink.", "index": 0},
        {"type": "reasoning.encrypted", "data": "gA==", "index": 1, "id": "r2"},
    ]
    outcome = read(*[event({"reasoning_details": [one]}) for one in entries], text("Yes."), stop())
    whole = {**entries[0], "summary": "I think."}
    assert thoughts(outcome) == [("I think.", {**TAG, "reasoning_details": [whole, entries[2]]})]


def test_a_signature_stays_with_its_words_and_two_blocks_stay_two() -> None:
    entries: list[dict[str, Any]] = [
        {"type": "reasoning.text", "text": "a", "signature": "", "index": 0},
        {"type": "reasoning.text", "text": "b", "index": 0},
        {"type": "reasoning.text", "signature": "S1==", "index": 0},
        {"type": "reasoning.text", "text": "c", "index": 0},
        {"type": "reasoning.text", "signature": "S2==", "index": 0},
    ]
    events = [event({"reasoning_details": [one], "reasoning": one.get("text")}) for one in entries]
    [(words, kept)] = thoughts(read(*events, stop()))
    first = {"type": "reasoning.text", "text": "ab", "signature": "S1==", "index": 0}
    second = {"type": "reasoning.text", "text": "c", "signature": "S2==", "index": 0}
    assert words == "abc"
    assert kept == {**TAG, "signature": "S2==", "reasoning_details": [first, second]}


def test_encrypted_thinking_without_words_is_kept_and_parts_no_call() -> None:
    detail = {"type": "reasoning.encrypted", "data": "gA==", "id": "tool_1", "index": 0}
    begun = call(entry("{", index=0, id="a", name="f"))
    outcome = read(begun, event({"reasoning_details": [detail]}), call(entry("}", index=0)), stop("tool_calls"), DONE)
    assert [artifact.kind for artifact in outcome.artifacts] == ["tool_call", "reasoning", "stop_reason"]
    assert thoughts(outcome) == [("", {**TAG, "reasoning_details": [detail]})]


def test_thinking_that_was_cut_does_not_go_back() -> None:
    """By the output limit, by an error, by the end of the connection."""
    begun = event({"reasoning": "Hm", "reasoning_details": [{"type": "reasoning.text", "text": "Hm", "index": 0}]})
    for ending in (stop("length"), raw({"error": {"message": "x"}}), b""):
        assert thoughts(read(begun, ending)) == [("Hm", None)]


def test_content_that_is_a_list_of_parts_is_thinking_and_text() -> None:
    parts: list[Any] = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Yes"},
        ".",
        {"type": "reference", "reference_ids": [1]},
    ]
    outcome = read(event({"content": parts}), stop())
    assert [(type(found), found.content) for found in outcome.artifacts[:2] if isinstance(found, Reasoning | Text)] == [
        (Reasoning, "Hm."),
        (Text, "Yes."),
    ]


def test_text_thinking_and_text_are_three_blocks() -> None:
    outcome = read(text("a"), event({"reasoning": "b"}), text("c"), stop())
    assert [artifact.kind for artifact in outcome.artifacts] == ["text", "reasoning", "text", "stop_reason"]


# ── What stands beside ───────────────────────────────────────────────────────


def test_citations_and_annotations_stay_with_the_text() -> None:
    note = {"type": "url_citation", "url_citation": {"url": "http://a", "start_index": 0}}
    first = event({"content": "See "}, citations=["http://a"])
    outcome = read(first, event({"content": "a.", "annotations": [note]}, citations=["http://a", "http://b"]), stop())
    kept = {**TAG, "annotations": [note], "citations": ["http://a", "http://b"]}
    assert outcome.artifacts[0] == Text(content="See a.", provider_data=kept)


def test_only_the_first_answer_is_read() -> None:
    def choice(index: int | None, words: str, finish: str | None = None) -> dict[str, Any]:
        return {"index": index, "delta": {"content": words}, "finish_reason": finish}

    events = [
        raw({"choices": [choice(1, "no"), choice(0, "a")]}),
        raw({"choices": [choice(1, "no", "length")]}),
        raw({"choices": [choice(0, "b"), choice(1, "no")]}),
        raw({"choices": [choice(None, "c")]}),
        stop(),
    ]
    assert read(*events).artifacts == (Text(content="abc"), STOPPED)


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": [{"index": 0, "delta": None}]},
        {"choices": [{"index": 0}]},
        {"choices": [None, 3]},
        {"choices": {}},
        {"choices": [{"index": 0, "delta": {"content": 5, "tool_calls": [None, 4], "reasoning_details": ["x", None]}}]},
        {"choices": [{"index": 0, "delta": {"content": [None, 4], "annotations": "x", "function_call": 3}}]},
        {"id": 7, "usage": "none", "error": None},
    ],
)
def test_what_makes_no_sense_is_passed_over(odd: dict[str, Any]) -> None:
    assert read(text("a"), raw(odd), text("b"), stop(), DONE).artifacts == (Text(content="ab"), STOPPED)


@pytest.mark.parametrize("name", [b"event: message\n", b"event: completion.chunk\n", b"id: 4\n"])
def test_events_may_have_names(name: bytes) -> None:
    assert read(name + text("a"), name + stop(), name + DONE).artifacts == (Text(content="a"), STOPPED)


def test_an_answer_in_one_piece_is_read_as_well() -> None:
    message = {
        "role": "assistant",
        "content": "Yes.",
        "reasoning_content": "Hm.",
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    }
    body = raw({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}], "usage": COUNTS})[6:]
    outcome = decode(ChatDecoder("vendor", "model"), bytewise(b"\n " + body))
    assert [artifact.kind for artifact in outcome.artifacts] == [
        *("reasoning", "text", "tool_call", "stop_reason", "usage")
    ]
    assert outcome.error is None


def test_a_message_beside_the_delta_doubles_nothing() -> None:
    choice = {"index": 0, "delta": {"content": "a"}, "message": {"content": "a"}, "finish_reason": "stop"}
    assert read(raw({"choices": [choice]}), DONE).artifacts == (Text(content="a"), STOPPED)


# ── Errors ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("body", [b"<!DOCTYPE html><html>", b"\r\n  <html>", b"\xef\xbb\xbf<html>"])
def test_a_web_page_is_no_answer_and_says_so_at_once(body: bytes) -> None:
    decoder = ChatDecoder("vendor", "model")
    with pytest.raises(ProtocolError, match="base URL"):
        for block in bytewise(body):
            list(decoder.feed(block))


@pytest.mark.parametrize("body", [b"data: {broken\n\n", b"data: hello\n\n", b"data: [1, 2]\n\n", b"data: \xff\xfe\n\n"])
def test_an_event_that_is_no_object_is_an_error_behind_what_came(body: bytes) -> None:
    outcome = read(text("a"), body, stop())
    assert (outcome.artifacts, type(outcome.error)) == ((Text(content="a"),), ProtocolError)


@pytest.mark.parametrize("body", [b"{broken", b"{}", b"[]", b'{"choices": []}', b"[null]", b'{"choices": [{}]}'])
def test_an_object_that_is_neither_answer_nor_error_is_an_error(body: bytes) -> None:
    outcome = read(body)
    assert (outcome.stream, type(outcome.error)) == ([], ProtocolError)


def test_after_an_error_nothing_more_is_read() -> None:
    outcome = read(text("a"), raw({"error": {"message": "x", "code": 500}}), text("b"), stop(), usage(), DONE)
    assert (outcome.artifacts, type(outcome.error)) == ((Text(content="a"),), OverloadedError)


# ── Cuts and cost ────────────────────────────────────────────────────────────

WORDS = "é 北 👩‍👩‍👧 ok"
SPLIT = rb'data: {"choices":[{"index":0,"delta":{"content":"\ud83d"}}]}' + b"\n\n"
HALVES = SPLIT + SPLIT.replace(rb"\ud83d", rb"\udc4b!")


@pytest.mark.requirement("B37")
def test_a_body_may_be_cut_anywhere() -> None:
    body = text(WORDS) + HALVES + stop() + DONE
    expected = (Text(content=f"{WORDS}👋!"), STOPPED)
    assert read(body).artifacts == expected
    for place in range(len(body)):
        assert decode(ChatDecoder("vendor", "model"), cut(body, [place])).artifacts == expected


def test_each_fragment_of_a_cut_character_can_be_written_down() -> None:
    outcome = read(HALVES, stop())
    assert [found.content for found in outcome.stream if isinstance(found, TextDelta)] == ["👋!"]


@pytest.mark.parametrize("rest", [(), (text("b"),), (event({"reasoning": "c"}),)], ids=["end", "text", "thinking"])
def test_half_a_character_that_stays_alone_is_marked(rest: tuple[bytes, ...]) -> None:
    outcome = read(text("a"), SPLIT, *rest, stop())
    assert outcome.of(Text)[0].content == "a\ufffd" + ("b" if rest == (text("b"),) else "")


@given(st.text(max_size=40), st.lists(st.integers(0, 40), max_size=6), st.data())
def test_any_text_in_any_pieces_comes_back(words: str, places: list[int], data: st.DataObject) -> None:
    """Cut between UTF-16 units, as some servers do, and between any bytes of the body."""
    units = words.encode("utf-16-le")
    borders = [0, *sorted(2 * min(place, len(units) // 2) for place in places), len(units)]
    pieces = [units[one:other].decode("utf-16-le", "surrogatepass") for one, other in pairwise(borders)]
    choices = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    body = b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in choices) + stop()
    cuts = data.draw(st.lists(st.integers(0, len(body)), max_size=6))
    outcome = decode(ChatDecoder("vendor", "model"), cut(body, cuts))
    assert outcome.artifacts == (*([Text(content=words)] if words else []), STOPPED)


def test_a_burst_is_read_as_its_batches_are_asked_for() -> None:
    """The first batch is seen before the 129th event is parsed."""
    batches = ChatDecoder("vendor", "model").feed(text("a") * 128 + b"data: nonsense\n\n" + text("a") * 1000)
    assert [len(next(batches)) for _ in range(2)] == [BATCH_LIMIT, BATCH_LIMIT]
    with pytest.raises(ProtocolError, match="expected JSON"):
        next(batches)


@pytest.mark.parametrize("delta", [{"content": "word"}, {"reasoning_content": "word"}])
def test_a_fragment_costs_at_most_three_calls_beside_its_parsing(delta: dict[str, Any]) -> None:
    """All calls of Python and of C, framing and batches included."""
    decoder = ChatDecoder("vendor", "model")
    events = event(delta) * 640
    list(decoder.feed(event(delta)))
    profile = cProfile.Profile()
    profile.enable()
    for batch in decoder.feed(events):
        assert batch
    profile.disable()
    counts = pstats.Stats(profile).stats.values()  # type: ignore[attr-defined]  # typeshed does not know it
    assert (sum(calls for _, calls, *_ in counts) - 640) / 640 <= 3


def test_a_recording_with_an_error_inside_gives_all_that_came_first() -> None:
    outcome = decode(ChatDecoder("vendor", "model"), [recording("openrouter/001-error-in-stream").body])
    assert [artifact.kind for artifact in outcome.artifacts] == ["reasoning", "stop_reason", "usage"]
    assert "Token limit reached" in str(outcome.error)
