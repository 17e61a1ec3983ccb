"""What Anthropic's protocol says, however it is cut."""

import cProfile
import json
import pstats
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import (
    Artifact,
    Reason,
    Reasoning,
    Restart,
    ServerTool,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from ore.errors import (
    BadRequestError,
    ContextOverflowError,
    OverloadedError,
    ProtocolError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
)
from ore.provider import BATCH_LIMIT
from wires.anthropic_answer import (
    ISSUER,
    TEXT,
    THINKING,
    arguments,
    block,
    call,
    decoder,
    end,
    of_blocks,
    outcome,
    said,
    signed,
    signed_data,
    sse,
    start,
    thought,
)
from wires.corpus import Transcript, bytewise, check, cut, frame_ends, recordings

STOP = StopReason(reason="stop")

# ── Recorded answers ─────────────────────────────────────────────────────────


@pytest.mark.parametrize("transcript", recordings("anthropic"))
def test_a_recorded_answer_is_what_the_corpus_says(transcript: Transcript) -> None:
    check(transcript, of_blocks([transcript.body]))


@pytest.mark.requirement("B37")
@pytest.mark.parametrize("transcript", recordings("anthropic"))
def test_a_recorded_answer_is_the_same_one_byte_at_a_time(transcript: Transcript) -> None:
    whole, single = of_blocks([transcript.body]), of_blocks(bytewise(transcript.body))
    assert single.stream == whole.stream
    check(transcript, single)


@pytest.mark.requirement("B37")
@pytest.mark.parametrize("transcript", recordings("anthropic"))
def test_a_recorded_answer_is_the_same_in_200_random_cuts(transcript: Transcript) -> None:
    whole, dice = of_blocks([transcript.body]), random.Random(transcript.name)
    for _ in range(200):
        places = [dice.randrange(len(transcript.body)) for _ in range(dice.randrange(1, 40))]
        assert of_blocks(cut(transcript.body, places)).stream == whole.stream


@pytest.mark.requirement("B33")
@pytest.mark.parametrize("transcript", recordings("anthropic"))
def test_no_beginning_of_a_recorded_answer_is_taken_for_the_whole(transcript: Transcript) -> None:
    body, dice = transcript.body, random.Random(transcript.name)
    for place in (*frame_ends(body), *(dice.randrange(len(body)) for _ in range(200))):
        found = of_blocks([body[:place]])
        finished = b'"stop_reason":"' in body[:place] or b"message_stop" in body[:place]
        assert finished or found.error is not None
        assert (found.error is None) == bool(found.of(StopReason))


@pytest.mark.requirement("B37")
@given(st.lists(st.text(), min_size=1), st.data())
def test_text_in_any_script_survives_every_cut(texts: list[str], data: st.DataObject) -> None:
    body = sse(start(), *block(0, TEXT, *said(*texts)), *end())
    places = data.draw(st.lists(st.integers(0, len(body)), max_size=8))
    found = of_blocks(cut(body, places))
    joined = "".join(texts)
    assert (found.artifacts, found.error) == ((Text(content=joined), STOP) if joined else (STOP,), None)


# ── Text, thinking, calls ────────────────────────────────────────────────────


def artifacts(*events: Any, reason: str = "end_turn") -> Sequence[Artifact]:
    found = outcome(sse(start(), *events, *end(reason)))
    assert found.error is None
    return found.artifacts


@pytest.mark.requirement("B25", "D-provider-data")
def test_thinking_keeps_its_signature_and_its_place_between_calls() -> None:
    """Also where the vendor shows nothing of it."""
    assert artifacts(
        *block(0, THINKING, *thought("a", "bc"), signed("S1")),
        *block(1, call("toolu_1"), *arguments("{}")),
        *block(2, THINKING, signed("S2")),
        *block(3, {"type": "redacted_thinking", "data": "R1"}),
        *block(4, call("toolu_2"), *arguments('{"x":', "1}")),
        reason="tool_use",
    ) == (
        Reasoning(content="abc", provider_data=signed_data("abc", "S1")),
        ToolCall(id="toolu_1", name="get", arguments="{}"),
        Reasoning(content="", provider_data=signed_data("", "S2")),
        Reasoning(content="", provider_data={**ISSUER, "redacted": "R1"}),
        ToolCall(id="toolu_2", name="get", arguments='{"x":1}'),
        StopReason(reason="tool_use"),
    )


def test_a_signature_may_come_in_pieces() -> None:
    found = artifacts(*block(0, THINKING, *thought("a"), signed("S1"), signed("S2")))
    assert found[0] == Reasoning(content="a", provider_data=signed_data("a", "S1S2"))


def test_thinking_without_a_signature_has_no_vendor_data() -> None:
    assert artifacts(*block(0, THINKING, *thought("a"))) == (Reasoning(content="a"), STOP)


def test_blocks_of_one_kind_in_a_row_stay_apart() -> None:
    assert artifacts(
        *block(0, THINKING, *thought("a")),
        *block(1, THINKING, *thought("b"), signed("S")),
        *block(2, TEXT, *said("c")),
        *block(3, TEXT, *said("d")),
    ) == (
        Reasoning(content="a"),
        Reasoning(content="b", provider_data=signed_data("b", "S")),
        Text(content="c"),
        Text(content="d"),
        STOP,
    )


def test_citations_stay_with_the_text_that_they_are_of() -> None:
    citation = {"type": "char_location", "cited_text": "x", "document_index": 0, "start_char_index": 1}
    cited = {"type": "citations_delta", "citation": citation}
    assert artifacts(
        *block(0, TEXT, *said("It says ")),
        *block(1, {**TEXT, "citations": []}, *said("x"), cited, cited),
        *block(2, TEXT, *said(".")),
    ) == (
        Text(content="It says "),
        Text(content="x", provider_data={**ISSUER, "citations": [citation, citation]}),
        Text(content="."),
        STOP,
    )


def test_citations_may_stand_in_the_start_of_their_block() -> None:
    whole = {"type": "text", "text": "x", "citations": [{"type": "page_location"}]}
    cited = {**ISSUER, "citations": [{"type": "page_location"}]}
    assert artifacts(*block(0, whole)) == (Text(content="x", provider_data=cited), STOP)


@pytest.mark.parametrize("given_", [{"text": "Hel"}, {"text": "Hel", "citations": None}])
def test_text_may_stand_in_the_start_of_its_block(given_: dict[str, Any]) -> None:
    assert artifacts(*block(0, {"type": "text", **given_}, *said("lo"))) == (Text(content="Hello"), STOP)


@pytest.mark.parametrize("again", [[], [signed("S")], [signed(""), signed("S")]])
def test_thinking_may_come_whole_in_the_start_of_its_block(again: list[dict[str, Any]]) -> None:
    whole = {"type": "thinking", "thinking": "abc", "signature": "S"}
    assert artifacts(*block(0, whole, *again)) == (
        Reasoning(content="abc", provider_data=signed_data("abc", "S")),
        STOP,
    )


@pytest.mark.requirement("B07")
@pytest.mark.parametrize("begun", [{}, {"input": None}, {"input": {}}])
def test_a_call_without_arguments_is_a_call(begun: dict[str, Any]) -> None:
    whole = {"type": "tool_use", "id": "c", "name": "ping", **begun}
    found = artifacts(*block(0, whole, *arguments("")), reason="tool_use")
    assert found == (ToolCall(id="c", name="ping", arguments=""), StopReason(reason="tool_use"))


def test_arguments_may_come_whole_in_the_start_of_a_call() -> None:
    found = artifacts(*block(0, call(input={"a": [1, {}]})), reason="tool_use")
    assert found[0] == ToolCall(id="toolu_1", name="get", arguments='{"a": [1, {}]}')


def test_arguments_that_come_in_fragments_hold_against_those_in_the_start() -> None:
    found = artifacts(*block(0, call(input={"a": 1}), *arguments('{"a":', "2}")), reason="tool_use")
    assert found[0] == ToolCall(id="toolu_1", name="get", arguments='{"a":2}')


def test_calls_are_counted_from_0_whatever_stands_between() -> None:
    found = outcome(
        sse(
            start(),
            *block(0, TEXT, *said("a")),
            *block(1, call("c1"), *arguments("{", "}")),
            *block(2, TEXT, *said("b")),
            *block(5, call("c2"), *arguments("{}")),
            *end("tool_use"),
        )
    )
    indexes = [artifact.index for artifact in found.stream if isinstance(artifact, ToolCallDelta)]
    assert indexes == [0, 0, 0, 1, 1]


def test_who_called_when_it_was_not_the_model_itself_goes_back_with_the_call() -> None:
    by_code = {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}
    direct = {"type": "direct"}
    assert artifacts(
        *block(0, call("c1", caller=direct), *arguments("{}")),
        *block(1, call("c2", caller=by_code), *arguments('{"a":1}')),
        reason="tool_use",
    )[:2] == (
        ToolCall(id="c1", name="get", arguments="{}"),
        ToolCall(id="c2", name="get", arguments='{"a":1}', provider_data={**ISSUER, "fields": {"caller": by_code}}),
    )


@pytest.mark.requirement("D-server-tool")
def test_what_the_vendor_ran_and_what_nobody_knows_is_kept_whole() -> None:
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    result = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"encrypted_content": "E"}]}
    summed = {"type": "compaction", "content": None}
    found = artifacts(
        *block(0, use, *arguments('{"query": ', '"x"}')),
        *block(1, result),
        *block(2, summed, {"type": "compaction_delta", "content": "ab"}, {"type": "compaction_delta", "content": "c"}),
    )
    assert found == (
        ServerTool(
            name="web_search",
            summary='web_search {"query": "x"}',
            provider_data={**ISSUER, "block": {**use, "input": {"query": "x"}}},
        ),
        ServerTool(name="web_search_tool_result", provider_data={**ISSUER, "block": result}),
        ServerTool(name="compaction", provider_data={**ISSUER, "block": {**summed, "content": "abc"}}),
        STOP,
    )


def test_half_of_what_the_vendor_was_about_to_run_is_left_out() -> None:
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    assert artifacts(*block(0, use, *arguments('{"que')), reason="max_tokens") == (StopReason(reason="length"),)


def test_the_tool_that_stands_for_a_structured_answer_is_its_text() -> None:
    body = sse(start(), *block(0, call(name="answer"), *arguments('{"a":', "1}")), *end("tool_use"))
    assert outcome(body, answer_tool="answer").artifacts == (Text(content='{"a":1}'), STOP)
    whole = sse(start(), *block(0, call(name="answer", input={"a": 1})), *end("tool_use"))
    assert outcome(whole, answer_tool="answer").artifacts == (Text(content='{"a": 1}'), STOP)


def test_beside_a_structured_answer_real_calls_are_calls() -> None:
    body = sse(
        start(),
        *block(0, TEXT, *said("So: ")),
        *block(1, call(name="answer"), *arguments("{}")),
        *block(2, call("c2"), *arguments("{}")),
        *end("tool_use"),
    )
    assert outcome(body, answer_tool="answer").artifacts == (
        Text(content="So: "),
        Text(content="{}"),
        ToolCall(id="c2", name="get", arguments="{}"),
        StopReason(reason="tool_use"),
    )


@pytest.mark.parametrize(
    ("delta", "made"),
    [
        (said("a")[0], Text(content="a")),
        (thought("a")[0], Reasoning(content="a")),
        (signed("S"), Reasoning(content="", provider_data=signed_data("", "S"))),
    ],
)
def test_a_block_whose_start_never_came_is_known_by_its_fragments(delta: dict[str, Any], made: Artifact) -> None:
    lonely = {"type": "content_block_delta", "index": 0, "delta": delta}
    assert artifacts(lonely) == (made, STOP)


def test_indexes_and_stops_may_be_missing() -> None:
    events = [*block(0, TEXT, *said("a", "b")), *block(1, call(), *arguments("{", "}"))]
    bare = [
        {key: value for key, value in event.items() if key != "index"}
        for event in events
        if event["type"] != "content_block_stop"
    ]
    assert artifacts(*bare, reason="tool_use")[:2] == (
        Text(content="ab"),
        ToolCall(id="toolu_1", name="get", arguments="{}"),
    )


@pytest.mark.parametrize(
    "event",
    [
        {"type": "ping"},
        {"type": "vendor_news", "delta": {"text": "x"}, "index": 9},
        {"type": "content_block_delta", "index": 0},
        {"type": "content_block_delta", "index": 7, "delta": {"type": "news_delta", "news": "x"}},
        {"type": "content_block_stop", "index": 7},
    ],
)
def test_what_nobody_knows_is_passed_over(event: dict[str, Any]) -> None:
    assert artifacts(event, *block(0, TEXT, *said("a")), event) == (Text(content="a"), STOP)


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (("Hi ", "\ud83d", "\udc4b ok"), "Hi 👋 ok"),
        (("Hi \ud83d", "\udc4b", " ok"), "Hi 👋 ok"),
        (("Hi \udc4b ok",), "Hi \ufffd ok"),
        (("Hi \ud83d ok",), "Hi \ufffd ok"),
    ],
)
def test_a_character_that_was_cut_in_two_is_whole_again_or_replaced(pieces: Sequence[str], whole: str) -> None:
    found = outcome(sse(start(), *block(0, TEXT, *said(*pieces)), *end()))
    assert (found.artifacts, found.error) == ((Text(content=whole), STOP), None)
    assert all(c < "\ud800" or c > "\udfff" for a in found.stream if isinstance(a, TextDelta) for c in a.content)


# ── Beginning anew ───────────────────────────────────────────────────────────


@pytest.mark.requirement("D-restart-drops-all")
def test_a_second_beginning_in_the_middle_voids_the_first() -> None:
    first = [start(input_tokens=9, output_tokens=5), *block(0, TEXT, *said("a")), *block(1, call("c1"))[:1]]
    second = [start(input_tokens=7), *block(0, TEXT, *said("b")), *end(output_tokens=2)]
    found = outcome(sse(*first, *second))
    assert [artifact for artifact in found.stream if type(artifact) is Restart] == [Restart(attempt=2)]
    usage = Usage(prompt_tokens=7, completion_tokens=2, total_tokens=9)
    assert found.artifacts == (Text(content="b"), STOP, usage)


def test_each_beginning_is_another_attempt_and_one_of_nothing_is_none() -> None:
    begun = [start(), *block(0, TEXT, *said("a"))]
    found = outcome(sse(start(), *begun, *begun, *begun, *end()))
    assert [artifact.attempt for artifact in found.stream if isinstance(artifact, Restart)] == [2, 3]


def test_what_comes_behind_the_end_is_passed_over() -> None:
    found = outcome(sse(start(), *block(0, TEXT, *said("a")), *end(), start(), *block(0, TEXT, *said("b")), *end()))
    assert (found.artifacts, found.error) == ((Text(content="a"), STOP), None)


# ── Endings ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "other"),
        ("something_new", "other"),
    ],
)
def test_stop_reasons_are_those_of_every_vendor(reason: str, expected: Reason) -> None:
    assert artifacts(*block(0, TEXT, *said("a")), reason=reason) == (Text(content="a"), StopReason(reason=expected))


@pytest.mark.parametrize("reason", ["tool_use", "end_turn", None])
def test_an_answer_with_calls_stops_for_them(reason: str | None) -> None:
    found = outcome(sse(start(), *block(0, call(), *arguments("{}")), *end(reason)))
    assert found.artifacts[-1] == StopReason(reason="tool_use")


@pytest.mark.requirement("D-half-calls")
def test_a_call_that_the_output_limit_cut_keeps_its_half_arguments() -> None:
    found = artifacts(*block(0, call(), *arguments('{"a": "x')), reason="max_tokens")
    assert found == (ToolCall(id="toolu_1", name="get", arguments='{"a": "x'), StopReason(reason="length"))


def test_a_stop_reason_is_an_end_and_so_is_message_stop() -> None:
    begun = [start(), *block(0, TEXT, *said("a"))]
    for last in (end()[:1], end()[1:]):
        found = outcome(sse(*begun, *last))
        assert (found.artifacts, found.error) == ((Text(content="a"), STOP), None)


def test_the_last_blank_line_may_be_missing() -> None:
    body = sse(start(), *block(0, TEXT, *said("a")), *end()[:1]).rstrip(b"\n")
    assert outcome(body).artifacts == (Text(content="a"), STOP)


@pytest.mark.requirement("B33")
@pytest.mark.parametrize("cut_at", [b'"type": "content_block_stop"', b'"type": "message_delta"'])
def test_an_answer_without_an_end_is_an_error_behind_its_text_and_its_usage(cut_at: bytes) -> None:
    body = sse(start(input_tokens=3, output_tokens=1), *block(0, TEXT, *said("a")), *end())
    found = outcome(body[: body.index(cut_at)])
    assert isinstance(found.error, ProtocolError)
    assert found.error.provider == "anthropic"
    assert found.artifacts == (Text(content="a"), Usage(prompt_tokens=3, completion_tokens=1, total_tokens=4))


@pytest.mark.parametrize(
    "body", [b"", b"\n\n", b": comment\n\n", b"<html>no</html>", sse(start()), sse({"type": "ping"})]
)
def test_a_body_without_an_answer_is_an_error(body: bytes) -> None:
    found = outcome(body)
    assert isinstance(found.error, ProtocolError)
    assert found.stream == []


@pytest.mark.parametrize(
    "data",
    [b"{", b"no json", b"[1]", b'{"type": 7}', b'{"type":"content_block_start","content_block":[]}', b"\xff"],
)
def test_what_is_no_event_is_an_error_that_does_not_quote_it(data: bytes) -> None:
    begun = sse(start(), *block(0, TEXT, *said("a")))
    found = outcome(begun + b"data: " + data + b"\n\n" + sse(*end()))
    assert isinstance(found.error, ProtocolError)
    assert found.artifacts[:1] == (Text(content="a"),)
    assert "no json" not in str(found.error)


def test_what_is_no_event_is_nobodys_business_behind_the_end() -> None:
    found = outcome(sse(start(), *block(0, TEXT, *said("a")), *end()) + b"data: {\n\n")
    assert (found.artifacts, found.error) == ((Text(content="a"), STOP), None)


def test_the_end_of_another_protocol_says_nothing() -> None:
    body = sse(start(), *block(0, TEXT, *said("a")), *end()) + b"data: [DONE]\n\n"
    assert (outcome(body).artifacts, outcome(body).error) == ((Text(content="a"), STOP), None)
    assert outcome(b"data: [DONE]\n\n" + body).artifacts == (Text(content="a"), STOP)


# ── Errors in the stream ─────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("overloaded_error", OverloadedError),
        ("api_error", OverloadedError),
        ("rate_limit_error", RateLimitError),
        ("timeout_error", ProviderTimeoutError),
        ("invalid_request_error", BadRequestError),
        ("something_new", OverloadedError),
    ],
)
def test_an_error_in_the_stream_has_its_class_behind_what_came(kind: str, error: type[ProviderError]) -> None:
    fault = {"type": "error", "error": {"type": kind, "message": "canary"}}
    body = sse(start(input_tokens=3, output_tokens=1), *block(0, TEXT, *said("par"))[:2], fault)
    found = outcome(body)
    assert (type(found.error), found.error.provider) == (error, "anthropic")  # type: ignore[union-attr]  # it is one
    assert found.artifacts == (Text(content="par"), Usage(prompt_tokens=3, completion_tokens=1, total_tokens=4))
    assert "canary" not in str(found.error)


@pytest.mark.parametrize("fault", [{}, {"error": None}, {"error": "busy"}, {"error": [1]}, {"error": {"type": 5}}])
def test_an_error_of_any_shape_is_an_error(fault: dict[str, Any]) -> None:
    assert isinstance(outcome(sse(start(), {"type": "error", **fault})).error, ProviderError)


def test_an_error_may_be_named_by_its_frame_alone() -> None:
    body = b'event: error\ndata: {"error": {"type": "overloaded_error"}}\n\n'
    assert isinstance(outcome(sse(start()) + body).error, OverloadedError)


def test_a_prompt_that_does_not_fit_is_told_apart_in_the_stream() -> None:
    fault = {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}
    assert isinstance(outcome(sse(start(), {"type": "error", "error": fault})).error, ContextOverflowError)


# ── Usage ────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("B34")
def test_cumulative_usage_is_never_added_up() -> None:
    counts: dict[str, Any] = {"input_tokens": 9, "cache_read_input_tokens": 1, "cache_creation_input_tokens": 0}
    body = sse(start(**counts, output_tokens=1), *block(0, TEXT, *said("a")), *end(**counts, output_tokens=16))
    assert outcome(body).of(Usage) == [
        Usage(
            prompt_tokens=10,
            completion_tokens=16,
            total_tokens=26,
            cache_read_tokens=1,
            cache_write_tokens=0,
        )
    ]


def test_the_prompt_includes_what_was_read_from_the_cache_and_written_to_it() -> None:
    counts = {"input_tokens": 5, "cache_read_input_tokens": 1_000, "cache_creation_input_tokens": 200}
    details = {"thinking_tokens": 30}
    body = sse(start(**counts), *block(0, TEXT, *said("a")), *end(output_tokens=40, output_tokens_details=details))
    assert outcome(body).of(Usage) == [
        Usage(
            prompt_tokens=1_205,
            completion_tokens=40,
            total_tokens=1_245,
            cache_read_tokens=1_000,
            cache_write_tokens=200,
            reasoning_tokens=30,
        )
    ]


def test_of_each_count_the_last_one_that_was_given_holds() -> None:
    later = {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 4, "input_tokens": None}}
    body = sse(start(input_tokens=3, output_tokens=1), *block(0, TEXT, *said("a")), later, *end(input_tokens=8))
    assert outcome(body).of(Usage) == [Usage(prompt_tokens=8, completion_tokens=4, total_tokens=12)]


@pytest.mark.parametrize("usage", [{}, {"service_tier": "standard"}])
def test_without_counts_there_is_no_usage(usage: dict[str, Any]) -> None:
    assert outcome(sse(start(**usage), *block(0, TEXT, *said("a")), *end())).of(Usage) == []


def test_a_count_that_is_missing_is_unknown_and_not_zero() -> None:
    assert outcome(sse(start(output_tokens=2), *end())).of(Usage) == [Usage(completion_tokens=2)]


# ── What it costs ────────────────────────────────────────────────────────────


def test_the_first_word_of_a_burst_is_seen_before_its_129th_is_parsed() -> None:
    burst = sse(start(), *block(0, TEXT, *said(*map(str, range(128))))[:-1]) + b"data: broken\n\n"
    batches = decoder().feed(burst)
    assert next(batches)[0] == TextDelta(content="0")
    assert len(next(batches)) == BATCH_LIMIT
    with pytest.raises(ProtocolError):
        next(batches)


def test_batches_are_full_and_none_is_empty() -> None:
    found = outcome(sse(start(), *block(0, TEXT, *said(*"x" * 300)), *end(output_tokens=300)))
    assert found.sizes[:4] == [BATCH_LIMIT] * 4
    assert sum(found.sizes) == 302


@pytest.mark.parametrize("begun", [{}, {"text": "a"}, None])
def test_a_block_that_does_not_say_what_it_is_breaks_the_protocol(begun: Any) -> None:
    """Nobody could send it back."""
    event = {"type": "content_block_start", "index": 0, **({} if begun is None else {"content_block": begun})}
    found = outcome(sse(start(), event, *end()))
    assert isinstance(found.error, ProtocolError) and found.of(ServerTool) == []


@pytest.mark.parametrize(
    ("begun", "deltas"),
    [(TEXT, said("word ")), (THINKING, thought("word ")), (call(), arguments('"word "'))],
    ids=["text", "thinking", "arguments"],
)
def test_a_fragment_costs_seven_calls(begun: dict[str, Any], deltas: list[dict[str, Any]]) -> None:
    """All calls, those of built-in functions included, framing too; counted, so the same on every machine."""

    def calls(count: int) -> int:
        body = sse(start(), *block(0, begun, *deltas * count)[:-1])
        reader, profile = decoder(), cProfile.Profile()
        profile.enable()
        for batch in reader.feed(body):
            assert batch
        profile.disable()
        counts = pstats.Stats(profile).stats.values()  # type: ignore[attr-defined]  # typeshed does not know it
        return sum(number for _, number, *_ in counts)

    assert (calls(1_064) - calls(64)) / 1_000 <= 7


def test_json_of_any_layout_is_read() -> None:
    events = [start(), *block(0, TEXT, *said("a")), *end()]
    body = b"".join(
        b"data: " + json.dumps(event, indent=1).replace("\n", "\ndata: ").encode() + b"\n\n" for event in events
    )
    assert outcome(body).artifacts == (Text(content="a"), STOP)
