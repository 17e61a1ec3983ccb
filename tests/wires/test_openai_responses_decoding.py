"""What an answer of OpenAI's Responses says, however it is cut and whoever speaks the protocol."""

import base64
import cProfile
import json
import pstats
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import (
    Image,
    Reason,
    Reasoning,
    ReasoningDelta,
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
    ContentFilterError,
    ContextOverflowError,
    OverloadedError,
    PermissionDeniedError,
    ProtocolError,
    ProviderTimeoutError,
    RateLimitError,
)
from ore.ext.wires.openai_responses import COMPATIBLE, OpenAIResponses
from ore.provider import BATCH_LIMIT
from wires.corpus import an_ask, bytewise, cut, decode
from wires.responses_answer import (
    MODEL,
    PROVIDER,
    USAGE,
    added,
    artifacts,
    broken,
    called,
    completed,
    created,
    decoder,
    delta,
    done,
    failed,
    function_call,
    incomplete,
    message,
    of_blocks,
    outcome,
    replay,
    said,
    sse,
    streamed,
    thinking,
    thought,
)

STOP = StopReason(reason="stop")
COUNTED = Usage(
    prompt_tokens=20,
    completion_tokens=7,
    total_tokens=27,
    cache_read_tokens=8,
    cache_write_tokens=4,
    reasoning_tokens=3,
)
WEATHER = function_call("fc_1", "call_1", "weather", '{"city": "Porto"}')


# ── Text, thinking, calls ────────────────────────────────────────────────────


@pytest.mark.requirement("D-provider-data")
def test_an_answer_becomes_blocks_in_the_order_of_its_items() -> None:
    """Each keeps what its vendor wants back, and which reasoning led to it."""
    rs, msg = thinking("rs_1", "Which city?"), message("msg_1", "Let me see.", phase="commentary")
    second = function_call("fc_2", "call_2", "weather", "{}")
    found = outcome(
        sse(
            created(),
            *thought(0, rs, ["Which", " city?"]),
            *said(1, msg, "Let me", " see."),
            *called(2, WEATHER, '{"city"', ': "Porto"}'),
            *called(3, second, "{}"),
            completed(usage=USAGE),
        )
    )
    held = ("call_id", "name", "arguments")
    assert found.artifacts == (
        Reasoning(content="Which city?", provider_data=replay(rs)),
        Text(content="Let me see.", provider_data=replay(msg, "content", after="rs_1")),
        ToolCall(id="call_1", name="weather", arguments='{"city": "Porto"}', provider_data=replay(WEATHER, *held)),
        ToolCall(id="call_2", name="weather", arguments="{}", provider_data=replay(second, *held)),
        StopReason(reason="tool_use"),
        COUNTED,
    )


def test_fragments_come_as_they_are() -> None:
    found = outcome(
        sse(
            created(),
            *thought(0, thinking("rs_1", "Hm."), ["Hm", "."]),
            *said(1, message("msg_1", "Hello"), "Hel", "lo"),
            *called(2, WEATHER, '{"city"', ': "Porto"}'),
            completed(),
        )
    )
    assert [
        artifact for artifact in found.stream if isinstance(artifact, TextDelta | ReasoningDelta | ToolCallDelta)
    ] == [
        ReasoningDelta(content="Hm"),
        ReasoningDelta(content="."),
        TextDelta(content="Hel"),
        TextDelta(content="lo"),
        ToolCallDelta(index=0, id="call_1", name="weather"),
        ToolCallDelta(index=0, arguments='{"city"'),
        ToolCallDelta(index=0, arguments=': "Porto"}'),
    ]


def test_reasoning_without_words_is_kept_where_it_stood() -> None:
    first, second = thinking("rs_1"), thinking("rs_2")
    assert artifacts(*thought(0, first), *called(1, WEATHER, WEATHER["arguments"]), *thought(2, second)) == (
        Reasoning(content="", provider_data=replay(first)),
        ToolCall(
            id="call_1",
            name="weather",
            arguments=WEATHER["arguments"],
            provider_data=replay(WEATHER, "call_id", "name", "arguments", after="rs_1"),
        ),
        Reasoning(content="", provider_data=replay(second)),
    )


def test_what_is_encrypted_is_not_kept_of_reasoning_that_was_never_whole() -> None:
    """The vendor says that it may not be all of it."""
    begun = thinking("rs_1", encrypted="gAAA-not-all-of-it")
    found = artifacts(added(0, begun), *said(1, message("msg_1", "Hi"), "Hi"))
    assert found[0] == Reasoning(content="", provider_data=replay(begun, "encrypted_content"))


def test_summaries_and_thoughts_are_parted_by_an_empty_line() -> None:
    item = thinking("rs_1", "One.", "Two.")
    assert artifacts(*thought(0, item, ["On", "e."], ["Two."])) == (
        Reasoning(content="One.\n\nTwo.", provider_data=replay(item)),
    )
    open_ = thinking("rs_1", encrypted=None, content=[{"type": "reasoning_text", "text": "Raw."}])
    raw = [added(0, {**open_, "content": []}), delta(0, "reasoning_text", "Raw.", content_index=0), done(0, open_)]
    assert artifacts(*raw) == (Reasoning(content="Raw.", provider_data=replay(open_)),)


def test_what_came_in_no_fragments_is_taken_from_the_item() -> None:
    """Some servers send only whole things."""
    items = [thinking("rs_1", "One.", "Two."), message("msg_1", "Hello"), WEATHER]
    found = outcome(streamed(*items))
    assert [artifact.content for artifact in found.of(Reasoning) + found.of(Text)] == ["One.\n\nTwo.", "Hello"]
    assert [call.arguments for call in found.of(ToolCall)] == [WEATHER["arguments"]]


def test_what_ends_a_fragment_says_it_only_where_no_fragment_did() -> None:
    ends = [
        {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hello"},
        {
            "type": "response.content_part.done",
            "output_index": 0,
            "content_index": 0,
            "part": {"type": "output_text", "text": "Hello"},
        },
    ]
    begin = added(0, message("msg_1"))
    for events in ([begin, *ends], [begin, delta(0, "output_text", "Hello", content_index=0), *ends]):
        assert [artifact.content for artifact in artifacts(*events, done(0, message("msg_1", "Hello")))] == ["Hello"]
    whole = {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{}"}
    call = function_call("fc_1", "call_1", "ping", "{}")
    for events in ([added(0, call), whole], [added(0, call), delta(0, "function_call_arguments", "{}"), whole]):
        assert [artifact.arguments for artifact in artifacts(*events, done(0, call))] == ["{}"]


def test_parts_of_one_message_are_blocks_of_their_own() -> None:
    item = message("msg_1", "One", "Two")
    found = artifacts(
        added(0, message("msg_1")),
        delta(0, "output_text", "One", content_index=0),
        delta(0, "output_text", "Tw", content_index=1),
        delta(0, "output_text", "o", content_index=1),
        done(0, item),
    )
    assert [(text.content, text.provider_data["item"]["id"]) for text in found] == [("One", "msg_1"), ("Two", "msg_1")]


def test_empty_text_is_left_out() -> None:
    assert artifacts(*said(0, message("msg_1", ""), "")) == ()
    assert artifacts(added(0, message("msg_1")), done(0, message("msg_1"))) == ()


def test_citations_stay_with_their_text() -> None:
    """Also where the message itself does not repeat them."""
    cited = {"type": "url_citation", "url": "https://example.org", "title": "t", "start_index": 0, "end_index": 2}
    item = message("msg_1", "Hi")
    added_later = {"type": "response.output_text.annotation.added", "output_index": 0, "annotation": cited}
    expected = replay(item, "content", annotations=[cited])
    whole = {**item, "content": [{**item["content"][0], "annotations": [cited]}]}
    for last, between in ((item, [added_later]), (whole, [added_later]), (whole, [])):
        events = [added(0, message("msg_1")), delta(0, "output_text", "Hi", content_index=0), *between, done(0, last)]
        assert artifacts(*events) == (Text(content="Hi", provider_data=expected),)


def test_a_refusal_is_text_and_the_reason_says_so() -> None:
    refusal = {"type": "refusal", "refusal": "I will not."}
    item = message("msg_1") | {"content": [refusal]}
    streaming = [
        added(0, message("msg_1")),
        delta(0, "refusal", "I will", content_index=0),
        delta(0, "refusal", " not.", content_index=0),
    ]
    for events in ([*streaming, done(0, item)], [added(0, item), done(0, item)]):
        found = outcome(sse(created(), *events, completed()))
        data = replay(item, "content", refusal=True)
        assert found.artifacts == (Text(content="I will not.", provider_data=data), StopReason(reason="refusal"))


def test_a_custom_tool_is_called_with_free_text() -> None:
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "sql", "input": "SELECT 1"}
    events = [
        added(0, {**item, "input": ""}),
        delta(0, "custom_tool_call_input", "SELECT "),
        delta(0, "custom_tool_call_input", "1"),
        {"type": "response.custom_tool_call_input.done", "output_index": 0, "input": "SELECT 1"},
        done(0, item),
    ]
    data = replay(item, "call_id", "name", "input")
    assert artifacts(*events) == (ToolCall(id="call_1", name="sql", arguments="SELECT 1", provider_data=data),)


def test_what_the_vendor_ran_is_kept_whole_and_called_by_its_kind() -> None:
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "x"},
    }
    new = {"type": "time_travel_call", "id": "tt_1", "years": [1, 2], "nothing": None}
    found = outcome(
        sse(
            created(),
            *thought(0, thinking("rs_1")),
            added(1, {"type": "web_search_call", "id": "ws_1", "status": "in_progress"}),
            {"type": "response.web_search_call.searching", "output_index": 1, "item_id": "ws_1"},
            done(1, search),
            done(2, new),
            completed(),
        )
    )
    assert found.of(ServerTool) == [
        ServerTool(name="web_search_call", summary="web search: x", provider_data=replay(search, after="rs_1")),
        ServerTool(name="time_travel_call", provider_data=replay(new)),
    ]
    assert found.of(StopReason) == [STOP]


def test_an_image_that_the_vendor_made_stands_behind_its_item_which_is_kept_without_the_bytes() -> None:
    picture = b"\x89PNG\r\n\x1a\n and so on"
    item = {
        "type": "image_generation_call",
        "id": "ig_1",
        "status": "completed",
        "revised_prompt": "a cat",
        "result": base64.b64encode(picture).decode(),
    }
    partial = {"type": "response.image_generation_call.partial_image", "output_index": 0, "partial_image_b64": "AAAA"}
    assert artifacts(added(0, {**item, "result": None}), partial, done(0, item)) == (
        ServerTool(
            name="image_generation_call",
            summary="image generation: a cat",
            provider_data=replay(item, "result", image=True),
        ),
        Image(media_type="image/png", data=picture),
    )


@pytest.mark.parametrize("result", ["not base64!", "QQ", "QR=="])
def test_an_image_whose_bytes_would_not_come_back_the_same_stays_as_it_came(result: str) -> None:
    item = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": result}
    assert artifacts(done(0, item)) == (ServerTool(name="image_generation_call", provider_data=replay(item)),)


# ── Whose fragment it is ─────────────────────────────────────────────────────


def test_items_are_told_apart_by_their_index_though_every_event_has_another_id() -> None:
    found = artifacts(
        added(0, message("msg_a")),
        delta(0, "output_text", "One", content_index=0, item_id="msg_b"),
        done(0, message("msg_c", "One")),
        added(1, function_call("fc_a", "call_1", "weather", "")),
        delta(1, "function_call_arguments", "{", item_id="fc_b"),
        delta(1, "function_call_arguments", "}", item_id="fc_c"),
        done(1, function_call("fc_d", "call_1", "weather", "{}")),
    )
    assert [artifact.provider_data["item"]["id"] for artifact in found] == ["msg_c", "fc_d"]
    assert found[1].arguments == "{}"


def test_without_an_index_items_are_told_apart_by_their_ids() -> None:
    """As llama.cpp's server sends them: nothing is numbered, and what ends an item comes when all is over."""
    thoughts = {**thinking("rs_1", encrypted=""), "content": []}
    text, call = message("msg_1", "Let me see."), function_call("fc_1", "call_1", "weather", "{}")
    other = function_call("fc_2", "call_2", "weather", '{"a":1}')
    found = artifacts(
        added(None, thoughts),
        delta(None, "reasoning_text", "Hm", item_id="rs_1"),
        delta(None, "reasoning_text", ".", item_id="rs_1"),
        added(None, message("msg_1") | {"status": "in_progress"}),
        delta(None, "output_text", "Let me", item_id="msg_1"),
        delta(None, "output_text", " see.", item_id="msg_1"),
        added(None, {**call, "arguments": ""}),
        delta(None, "function_call_arguments", "{}", item_id="fc_1"),
        added(None, {**other, "arguments": ""}),
        delta(None, "function_call_arguments", '{"a"', item_id="fc_2"),
        delta(None, "function_call_arguments", ":1}", item_id="fc_2"),
        done(None, {**thoughts, "content": [{"type": "reasoning_text", "text": "Hm."}]}),
        {"type": "response.output_text.done", "item_id": "msg_1", "text": "Let me see."},
        done(None, text),
        done(None, call),
        done(None, other),
        dialect=COMPATIBLE,
    )
    assert [type(artifact) for artifact in found] == [Reasoning, Text, ToolCall, ToolCall]
    assert [artifact.content for artifact in found[:2]] == ["Hm.", "Let me see."]
    assert [(call.id, call.arguments) for call in found[2:]] == [("call_1", "{}"), ("call_2", '{"a":1}')]
    assert [artifact.provider_data["item"]["id"] for artifact in found[:2]] == ["rs_1", "msg_1"]


@given(st.data())
def test_calls_whose_fragments_alternate_are_kept_apart(data: st.DataObject) -> None:
    """Whatever comes between them waits, since a block that was closed cannot go on."""
    pieces = [data.draw(st.lists(st.text(max_size=4), max_size=4)) for _ in range(3)]
    calls = [function_call(f"fc_{index}", f"call_{index}", "f", "".join(words)) for index, words in enumerate(pieces)]
    streams = [
        [*(delta(index, "function_call_arguments", word) for word in pieces[index]), done(index, call)]
        for index, call in enumerate(calls)
    ]
    words = [delta(3, "output_text", word, content_index=0) for word in ("Al", "so", ":")]
    streams.append([added(3, message("msg_1")), *words, done(3, message("msg_1", "Also:"))])
    order = data.draw(st.permutations([index for index, stream in enumerate(streams) for _ in stream]))
    rest = [iter(stream) for stream in streams]
    begun = [added(index, {**call, "arguments": ""}) for index, call in enumerate(calls)]
    found = artifacts(*begun, *(next(rest[index]) for index in order))
    assert [(call.id, call.arguments) for call in found if isinstance(call, ToolCall)] == [
        (call["call_id"], call["arguments"]) for call in calls
    ]
    assert [text.content for text in found if isinstance(text, Text)] == ["Also:"]


def test_an_index_that_begins_anew_is_another_item() -> None:
    events = [event for number in "12" for event in said(0, message(f"msg_{number}", number), number)]
    assert [text.content for text in artifacts(*events)] == ["1", "2"]


def test_what_is_said_twice_is_heard_once() -> None:
    item = message("msg_1", "Hello")
    assert len(artifacts(*said(0, item, "Hello"), done(0, item))) == 1


def test_fragments_of_an_item_that_nobody_announced_are_not_lost() -> None:
    found = artifacts(
        delta(0, "output_text", "Hello"),
        delta(1, "function_call_arguments", "{}"),
        done(1, function_call("fc_1", "call_1", "ping", "{}")),
    )
    assert [type(artifact) for artifact in found] == [Text, ToolCall]
    assert (found[1].id, found[1].name, found[1].arguments) == ("call_1", "ping", "{}")


@pytest.mark.requirement("B02")
def test_a_call_without_an_id_gets_one_that_no_other_answer_has() -> None:
    nameless = {"type": "function_call", "name": "ping", "arguments": "{}"}
    found = [artifacts(added(0, nameless), done(0, nameless))[0].id for _ in range(2)]
    assert all(found)
    assert len(set(found)) == 2
    assert artifacts(added(0, {**nameless, "id": "fc_7"}), done(0, {**nameless, "id": "fc_7"}))[0].id == "fc_7"


def test_arguments_that_are_no_text_become_json() -> None:
    call = {**WEATHER, "arguments": {"city": "Porto"}}
    assert json.loads(artifacts(added(0, call), done(0, call))[0].arguments) == {"city": "Porto"}


# ── How it ends ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("why", "reason"), [("max_output_tokens", "length"), ("content_filter", "refusal"), ("max_messages", "other")]
)
def test_an_answer_that_was_cut_says_why(why: str, reason: Reason) -> None:
    found = outcome(sse(created(), *said(0, message("msg_1", "Once"), "Once"), incomplete(why)))
    assert found.artifacts[1:] == (StopReason(reason=reason), COUNTED)


@pytest.mark.requirement("B13")
def test_a_call_inside_of_which_the_answer_was_cut_goes_back_without_its_id() -> None:
    begun = [added(0, {**WEATHER, "arguments": ""}), delta(0, "function_call_arguments", '{"ci')]
    found = outcome(sse(created(), *begun, incomplete("max_output_tokens")))
    assert found.artifacts == (
        ToolCall(id="call_1", name="weather", arguments='{"ci'),
        StopReason(reason="length"),
        COUNTED,
    )


def test_a_server_that_never_says_it_cut_an_answer_is_seen_to_have_reached_its_limit() -> None:
    body = sse(created(), *said(0, message("msg_1", "Once"), "Once"), completed(usage=USAGE))
    wire = OpenAIResponses(COMPATIBLE)
    cases: list[tuple[int | None, Reason]] = [(7, "length"), (8, "stop"), (None, "stop")]
    for limit, reason in cases:
        ask = an_ask(provider=PROVIDER, model=MODEL)
        spec = type(ask.spec)(name=MODEL, max_output_tokens=limit)
        limited = type(ask)(turns=ask.turns, spec=spec, provider=PROVIDER)
        assert decode(wire.decoder(limited), [body]).of(StopReason) == [StopReason(reason=reason)]
    assert decode(OpenAIResponses().decoder(limited), [body]).of(StopReason) == [STOP]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": "server_error", "message": "oops"}, OverloadedError),
        ({"code": "rate_limit_exceeded", "message": "slow down"}, RateLimitError),
        ({"code": "insufficient_quota", "message": "pay"}, PermissionDeniedError),
        ({"code": "context_length_exceeded", "message": "too long"}, ContextOverflowError),
        ({"code": "invalid_prompt", "message": "flagged"}, ContentFilterError),
        ({"code": "invalid_image_format", "message": "no image"}, BadRequestError),
        ({"code": "vector_store_timeout", "message": "late"}, ProviderTimeoutError),
        ({"code": 5, "message": ["?"]}, OverloadedError),
        (None, OverloadedError),
    ],
)
def test_a_failure_is_one_error_with_what_came_before_it(error: dict[str, Any] | None, kind: type) -> None:
    """However it is told: an event of its own, in it or flat, or a response that failed."""
    failure = {"type": "response.failed", "response": {"status": "failed", "error": error, "usage": USAGE}}
    partial = [added(0, message("msg_1")), delta(0, "output_text", "On", content_index=0)]
    found = outcome(sse(created(), *partial, failure))
    assert (found.artifacts, type(found.error)) == ((Text(content="On"), COUNTED), kind)
    if error is not None:
        for event in ({"type": "error", "error": error}, {"type": "error", **error}):
            assert type(failed(event, failure)) is kind


def test_half_a_call_in_front_of_a_failure_is_not_made_whole() -> None:
    body = sse(created(), added(0, WEATHER), delta(0, "function_call_arguments", '{"ci'))
    for end in (b"", sse({"type": "error", "error": {"code": "server_error"}})):
        found = outcome(body + end)
        assert all(isinstance(artifact, ToolCallDelta) for artifact in found.stream)


def test_an_answer_without_an_end_or_without_anything_broke_the_protocol() -> None:
    assert broken(outcome(sse(created(), *said(0, message("msg_1", "Once"), "Once"))))
    assert broken(outcome(sse(created())))
    assert broken(outcome(b""))
    assert broken(outcome(b"data: [DONE]\n\n"))


def test_an_answer_that_was_cut_inside_of_an_event_is_not_blamed_on_the_address() -> None:
    for last in (b"data: {", b'event: response.completed\ndata: {"type": "response.compl'):
        found = outcome(sse(created(), *said(0, message("msg_1", "Once"), "Once")) + last)
        assert broken(found)
        assert "base URL" not in str(found.error)


def test_what_comes_behind_the_end_is_passed_over() -> None:
    later = sse(*said(1, message("msg_2", "More"), "More"), completed()) + b"data: [DONE]\n\n"
    found = outcome(sse(created(), *said(0, message("msg_1", "Hi"), "Hi"), completed()) + later)
    assert [text.content for text in found.of(Text)] == ["Hi"]
    assert found.of(StopReason) == [STOP]


def test_an_answer_that_begins_again_makes_what_came_void() -> None:
    found = outcome(
        sse(
            created(),
            *said(0, message("msg_1", "On"), "On"),
            created("resp_2"),
            *said(0, message("msg_2", "Two"), "Two"),
            completed(),
        )
    )
    assert [artifact for artifact in found.stream if isinstance(artifact, Restart)] == [Restart(attempt=2)]
    assert found.stream[-1] == STOP


def test_an_answer_in_one_piece_is_read_as_well() -> None:
    whole = {"object": "response", "status": "completed", "usage": USAGE}
    items = [thinking("rs_1", "Hm."), message("msg_1", "Hello"), WEATHER]
    found = of_blocks(bytewise(json.dumps({**whole, "output": items}, indent=1).encode()))
    assert found.error is None
    assert found.artifacts == outcome(streamed(*items)).artifacts
    failure = {"error": {"code": "server_error", "message": "oops"}}
    assert type(outcome(json.dumps(failure).encode()).error) is OverloadedError


def test_an_answer_whose_only_event_is_its_end_is_read_from_there() -> None:
    found = outcome(sse(completed(output=[message("msg_1", "Hello")], usage=USAGE)))
    assert [text.content for text in found.of(Text)] == ["Hello"]


@pytest.mark.parametrize(
    "body",
    [
        b"<html><body>Bad gateway</body></html>",
        b"\xef\xbb\xbf  <!doctype html>",
        b"data: not json\n\n",
        b"data: [1, 2\n\n",
        b'event: response.completed\ndata: {"type": "response.compl',
        b"data: " + b"[" * 200_000 + b"\n\n",
        b"{" * 30,
    ],
)
def test_what_is_no_answer_is_an_error(body: bytes) -> None:
    assert broken(outcome(body))


@given(st.binary(max_size=200), st.data())
def test_no_bytes_raise_anything_but_errors_of_ours(noise: bytes, data: st.DataObject) -> None:
    """Also in the middle of an answer."""
    body = sse(
        created(), *said(0, message("msg_1", "Once upon"), "Once", " upon"), *called(1, WEATHER, "{}"), completed()
    )
    place = data.draw(st.integers(0, len(body)))
    found = outcome(body[:place] + noise + body[place:])
    assert found.error is not None or found.of(StopReason)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


@given(st.data())
def test_fields_of_any_type_raise_nothing_but_errors_of_ours(data: st.DataObject) -> None:
    events = json.loads(json.dumps([  # copies
        created(),
        *thought(0, thinking("rs_1", "Hm."), ["Hm."]),
        *said(1, message("msg_1", "Once"), "Once"),
        *called(2, WEATHER, "{}"),
        completed(usage=USAGE),
    ]))  # fmt: skip
    for _ in range(data.draw(st.integers(1, 4))):
        event: Any = data.draw(st.sampled_from(events))
        while isinstance(event, dict) and event:
            name = data.draw(st.sampled_from(sorted(event)))
            if not isinstance(event[name], dict) or data.draw(st.booleans()):
                event[name] = data.draw(ODD)
                break
            event = event[name]
    outcome(b"".join(b"data: %s\n\n" % json.dumps(event).encode() for event in events))


# ── Bytes ────────────────────────────────────────────────────────────────────


@pytest.mark.requirement("B37")
@given(st.lists(st.text(), min_size=1), st.data())
def test_text_in_any_script_survives_every_cut(texts: list[str], data: st.DataObject) -> None:
    joined = "".join(texts)
    body = sse(created(), *said(0, message("msg_1", joined), *texts), completed())
    found = of_blocks(cut(body, data.draw(st.lists(st.integers(0, len(body)), max_size=8))))
    assert [text.content for text in found.of(Text)] == ([joined] if joined else [])
    assert (found.artifacts[-1], found.error) == (STOP, None)


@pytest.mark.parametrize("kind", ["output_text", "reasoning_summary_text", "function_call_arguments"])
def test_a_character_that_was_cut_in_two_is_whole_again(kind: str) -> None:
    """And half of one that stays alone does no harm."""
    item: dict[str, Any] = {
        "output_text": message("msg_1"),
        "reasoning_summary_text": thinking("rs_1"),
        "function_call_arguments": function_call("fc_1", "call_1", "f", ""),
    }[kind]
    for halves, whole in (
        (["a\ud83d", "\udc4b b", "c"], "a👋 bc"),
        (["a\ud83d", "b"], "a\ufffdb"),
        (["a", "\udc4b"], "a\ufffd"),
    ):
        [found] = artifacts(added(0, item), *(delta(0, kind, half) for half in halves), done(0, item))
        assert whole == (found.arguments if isinstance(found, ToolCall) else found.content)
    [last] = artifacts(added(0, item), delta(0, kind, "a\ud83d"), done(0, item))
    assert (last.arguments if isinstance(last, ToolCall) else last.content) == "a\ufffd"


def test_the_first_words_of_a_long_block_are_seen_before_its_last_ones_are_read() -> None:
    """A batch is made when it is asked for."""
    fragments = [delta(0, "output_text", f"{number} ", content_index=0) for number in range(300)]
    body = sse(created(), added(0, message("msg_1")), *fragments) + b"data: not json\n\n"
    batches = decoder().feed(body)
    assert [len(next(batches)) for _ in range(4)] == [BATCH_LIMIT] * 4
    with pytest.raises(ProtocolError):
        list(batches)


@pytest.mark.parametrize(
    ("item", "kind", "more"),
    [
        (message("msg_1"), "output_text", {"content_index": 0}),
        (thinking("rs_1"), "reasoning_summary_text", {"summary_index": 0}),
        (function_call("fc_1", "call_1", "f", ""), "function_call_arguments", {}),
    ],
)
def test_a_fragment_costs_six_calls_and_nine_more_when_it_comes_alone(
    item: dict[str, Any], kind: str, more: dict[str, Any]
) -> None:
    """Those of built-in functions and of the framing are counted as well."""
    begin = sse(created(), added(0, item), delta(0, kind, "a", **more))
    fragments = [sse(delta(0, kind, "word ", item_id="x", sequence_number=place, **more)) for place in range(1_064)]
    assert (calls(begin, b"".join(fragments)) - calls(begin, b"".join(fragments[:64]))) / 1_000 <= 6.1
    assert (calls(begin, *fragments) - calls(begin, *fragments[:64])) / 1_000 <= 15


def calls(*blocks: bytes) -> int:
    """How many calls reading these blocks takes."""
    reader, profile = decoder(), cProfile.Profile()
    profile.enable()
    for block in blocks:
        for batch in reader.feed(block):
            assert batch
    profile.disable()
    counts = pstats.Stats(profile).stats.values()  # type: ignore[attr-defined]  # typeshed does not know it
    return sum(count for _, count, *_ in counts)
