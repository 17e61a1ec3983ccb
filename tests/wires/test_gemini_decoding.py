"""What Gemini says, chunk by chunk."""

import base64
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.artifact import (
    Audio,
    BlockEnd,
    File,
    Image,
    Reasoning,
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
    OverloadedError,
    ProtocolError,
    ProviderError,
    RateLimitError,
)
from ore.ext.wires.gemini import Gemini
from ore.ext.wires.gemini.decoder import GeminiDecoder
from ore.provider import BATCH_LIMIT, OutputOption, WithTools
from strategies import json_values
from wires.corpus import decode
from wires.gemini_request import asked, lookup, named, turns
from wires.gemini_stream import ISSUER, answer, chunk, event, read

CALL = {"functionCall": {"name": "get", "args": {"a": 1}, "id": "x"}}
SEVERAL = {"usageMetadata": {"promptTokenCount": 1, "totalTokenCount": 2}}


def piece(path: str, value: Any = None, *, goes_on: bool = False, last: bool = False) -> dict[str, Any]:
    kinds = {str: "stringValue", bool: "boolValue", int: "numberValue", float: "numberValue"}
    kind = kinds.get(type(value), "nullValue")
    arg = {"jsonPath": path, kind: "NULL_VALUE" if value is None else value} | (
        {"willContinue": True} if goes_on else {}
    )
    return {"functionCall": {"partialArgs": [arg]} | ({} if last else {"willContinue": True})}


BEGIN = {"functionCall": {"name": "get", "willContinue": True}}


# ── Text, thinking, signatures ───────────────────────────────────────────────


def test_text_and_thinking_are_blocks_in_the_order_of_their_coming() -> None:
    thought = {"text": "hm", "thought": True}
    assert answer(chunk("a"), chunk("", "b"), chunk(thought), chunk(thought, "c")) == (
        Text(content="ab"),
        Reasoning(content="hmhm"),
        Text(content="c"),
    )


def test_fragments_are_seen_as_they_come() -> None:
    decoder = GeminiDecoder(provider="vendor", model="model")
    assert list(decoder.feed(event(chunk("Hel")))) == [[TextDelta(content="Hel")]]
    assert list(decoder.feed(event(chunk("lo")))) == [[TextDelta(content="lo")]]


def test_a_part_that_carries_a_signature_ends_there() -> None:
    signed = {"text": "b", "thoughtSignature": "S"}
    parts = (Text(content="ab", provider_data={**ISSUER, "signature": "S"}), Text(content="cd"))
    assert answer(chunk("a", signed, "c"), chunk("d")) == parts
    assert answer(chunk("a"), chunk(signed), chunk("c"), chunk("d")) == parts


def test_a_signature_that_comes_late_signs_the_text_before_it() -> None:
    data = {**ISSUER, "signature": "S"}
    for late in ({"text": "", "thoughtSignature": "S"}, {"thoughtSignature": "S"}):
        assert answer(chunk("a"), chunk(late)) == (Text(content="a", provider_data=data),)
        assert answer(chunk(CALL), chunk(late))[1:] == (Text(content="", provider_data=data),)


def test_thinking_can_be_signed_too() -> None:
    signed = {"text": "hm", "thought": True, "thoughtSignature": "S"}
    assert answer(chunk(signed, "a")) == (
        Reasoning(content="hm", provider_data={**ISSUER, "signature": "S"}),
        Text(content="a"),
    )
    assert answer(chunk({**signed, "text": ""})) == (Reasoning(content="", provider_data={**ISSUER, "signature": "S"}),)


# ── Calls ────────────────────────────────────────────────────────────────────


def test_a_call_comes_whole_with_its_signature_and_makes_the_turn_one_of_calls() -> None:
    outcome = read(chunk("a"), chunk({**CALL, "thoughtSignature": "S"}), chunk("", finish="STOP"))
    assert outcome.artifacts == (
        Text(content="a"),
        ToolCall(id="x", name="get", arguments='{"a": 1}', provider_data={**ISSUER, "signature": "S"}),
        StopReason(reason="tool_use"),
    )


@pytest.mark.requirement("B02")
def test_calls_without_ids_get_ids_that_differ_in_a_turn_and_between_turns() -> None:
    bare = {"functionCall": {"name": "get"}}
    calls = [*answer(chunk(bare, bare)), *answer(chunk(bare)), *answer(chunk(BEGIN, piece("$.a", 1, last=True)))]
    assert len({call.id for call in calls}) == 4
    assert all(call.id for call in calls)


@pytest.mark.parametrize("args", [{}, {"args": None}, {"args": {}}])
def test_a_call_without_arguments_has_an_empty_object(args: dict[str, Any]) -> None:
    assert answer(chunk({"functionCall": {"name": "get", "id": "x", **args}})) == (
        ToolCall(id="x", name="get", arguments="{}"),
    )


def test_arguments_in_pieces_are_seen_as_they_come() -> None:
    outcome = read(
        chunk({**BEGIN, "thoughtSignature": "S"}),
        chunk(piece("$.text", "Hel", goes_on=True)),
        chunk(piece("$.text", 'lo "you"', goes_on=True), piece("$.text", "")),
        chunk(piece("$.rows[0].n", 1), piece("$.rows[0]['a.b']", True), piece("$.rows[1]", None)),
        chunk({"functionCall": {}}),
        chunk(finish="STOP"),
    )
    arguments = [part.arguments for part in outcome.stream if isinstance(part, ToolCallDelta)]
    assert arguments[:3] == ["", '{"text":"Hel', r"lo \"you\""]
    (call,) = outcome.of(ToolCall)
    assert json.loads(call.arguments) == {"text": 'Hello "you"', "rows": [{"n": 1, "a.b": True}, None]}
    assert call.provider_data == {**ISSUER, "signature": "S"}
    assert outcome.of(StopReason) == [StopReason(reason="tool_use")]


def test_the_end_of_the_answer_ends_a_call_that_nothing_else_ended() -> None:
    (call,) = answer(chunk(BEGIN), chunk(piece("$.a[0]", "x", goes_on=True)))
    assert call.arguments == '{"a":["x"]}'


def test_a_signature_may_come_with_any_piece_of_a_call_and_the_first_one_holds() -> None:
    (call,) = answer(
        chunk(BEGIN),
        chunk({**piece("$.a", 1), "thoughtSignature": "S"}),
        chunk({**piece("$.b", 1, last=True), "thoughtSignature": "T"}),
    )
    assert call.provider_data == {**ISSUER, "signature": "S"}


def test_calls_in_pieces_one_after_the_other_are_two() -> None:
    second = {"functionCall": {"name": "put", "id": "y", "willContinue": True}}
    found = answer(chunk(BEGIN, piece("$.a", 1)), chunk(second, piece("$.b", 2, last=True)), chunk(CALL), chunk("c"))
    assert [(one.name, one.arguments) for one in found[:3]] == [
        ("get", '{"a":1}'),
        ("put", '{"b":2}'),
        ("get", '{"a": 1}'),
    ]
    assert found[3] == Text(content="c")


@pytest.mark.requirement("B13")
def test_a_call_that_the_output_limit_cut_stays_as_far_as_it_came_and_unsigned() -> None:
    outcome = read(
        chunk({**BEGIN, "thoughtSignature": "S"}), chunk(piece("$.a", "x", goes_on=True)), chunk(finish="MAX_TOKENS")
    )
    (call,) = outcome.of(ToolCall)
    assert (call.arguments, call.provider_data) == ('{"a":"x', None)
    assert outcome.of(StopReason) == [StopReason(reason="length")]


@pytest.mark.parametrize(
    "pieces",
    [
        [piece("$.a.b", 1), piece("$.c", 1), piece("$.a.d", 1)],
        [piece("$.a", 1), piece("$.a", 2)],
        [piece("$.a", 1), piece("$.a.b", 2)],
        [piece("$.a[1]", 1), piece("$.a[0]", 2)],
        [piece("$.a[0]", 1), piece("$.a.b", 2)],
        [piece("$[0]", 1)],
        [piece("a", 1)],
        [piece("$.a[", 1)],
        [piece("$", 1)],
        [{"functionCall": {"args": [1], "willContinue": True}}],
    ],
)
def test_pieces_that_do_not_fit_together_break_the_protocol(pieces: list[Any]) -> None:
    outcome = read(chunk("a"), chunk(BEGIN, *pieces), chunk(finish="STOP", **SEVERAL))
    assert isinstance(outcome.error, ProtocolError)
    assert outcome.artifacts[0] == Text(content="a")


def pieces_of(value: Any, path: str = "$") -> list[dict[str, Any]]:
    """A value as a model writes it: from its beginning to its end; strings in two halves."""
    if isinstance(value, dict) and value:
        return [found for key, item in value.items() for found in pieces_of(item, f"{path}[{quoted(key)}]")]
    if isinstance(value, list) and value:
        return [found for place, item in enumerate(value) for found in pieces_of(item, f"{path}[{place}]")]
    if isinstance(value, str):
        half = len(value) // 2
        return [piece(path, value[:half], goes_on=True), piece(path, value[half:])]
    return [piece(path, None if isinstance(value, dict | list) else value)]


def quoted(key: str) -> str:
    return "'" + key.replace("\\", "\\\\").replace("'", "\\'") + "'"


def hollow(value: Any) -> Any:
    """A value without what cannot be said in pieces: empty objects and lists."""
    if isinstance(value, dict):
        return {key: hollow(item) for key, item in value.items()} or None
    return ([hollow(item) for item in value] or None) if isinstance(value, list) else value


@settings(max_examples=40)
@given(st.dictionaries(st.text(max_size=5), json_values(), min_size=1, max_size=4))
def test_any_arguments_come_back_from_their_pieces(value: dict[str, Any]) -> None:
    outcome = decode(
        GeminiDecoder(provider="vendor", model="model"),
        [event(chunk(BEGIN)), *[event(chunk(one)) for one in pieces_of(value)], event(chunk(finish="STOP"))],
    )
    assert outcome.error is None
    assert json.loads(outcome.of(ToolCall)[0].arguments) == hollow(value)


def test_a_call_of_the_tool_that_answers_is_text() -> None:
    whole = {"functionCall": {"name": "city", "args": {"name": "Rome"}}}
    outcome = read(chunk(whole), chunk(finish="STOP"), answer_tool="city")
    assert outcome.artifacts == (Text(content='{"name": "Rome"}'), StopReason(reason="stop"))
    begin = {"functionCall": {"name": "city", "willContinue": True}}
    outcome = read(chunk(begin, piece("$.name", "Rome", last=True)), chunk(finish="STOP"), answer_tool="city")
    assert outcome.artifacts == (Text(content='{"name":"Rome"}'), StopReason(reason="stop"))


def test_the_wire_knows_the_names_that_it_gave() -> None:
    output = OutputOption("city", {"type": "object", "properties": {"name": {"type": "string"}}})
    ask = asked(turns(("u", "a")), WithTools([lookup, named("7zip")]), output)
    body = event(chunk({"functionCall": {"name": "_7zip"}}, {"functionCall": {"name": "city"}}, finish="STOP"))
    outcome = decode(Gemini().decoder(ask), [body])
    assert [call.name for call in outcome.of(ToolCall)] == ["7zip"]
    assert outcome.of(Text) == [Text(content="{}")]


# ── What else there is ───────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("mime", "kind"), [("image/png", Image), ("audio/wav", Audio), ("application/pdf", File), ("video/mp4", File)]
)
def test_what_a_model_makes_comes_as_its_bytes(mime: str, kind: type[Image | Audio | File]) -> None:
    made = {"inlineData": {"mimeType": mime, "data": base64.b64encode(b"bytes").decode()}}
    assert answer(chunk("see", made)) == (
        Text(content="see"),
        kind(media_type=mime, data=b"bytes", size_bytes=5),
    )


def test_a_picture_that_is_signed_keeps_its_signature_and_drafts_are_left_out() -> None:
    made = {"inlineData": {"mimeType": "image/png", "data": "YQ=="}}
    found = answer(chunk({**made, "thought": True}), chunk({**made, "thoughtSignature": "S"}))
    assert found == (
        Image(media_type="image/png", data=b"a", size_bytes=1),
        ServerTool(name="image_signature", provider_data={**ISSUER, "signature": "S", "signs": "image"}),
    )


def test_bytes_that_are_none_break_the_protocol() -> None:
    outcome = read(chunk({"inlineData": {"mimeType": "image/png", "data": "*"}}), chunk(finish="STOP"))
    assert isinstance(outcome.error, ProtocolError)


def test_a_file_that_stands_elsewhere_comes_as_its_address() -> None:
    made = {"fileData": {"mimeType": "video/mp4", "fileUri": "https://a/b"}}
    assert answer(chunk(made)) == (File(media_type="video/mp4", url="https://a/b"),)


def test_what_the_vendor_ran_is_kept_as_it_came() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "print(1)"}, "thoughtSignature": "S"}
    found = answer(chunk("a", code), chunk({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}}, "b"))
    assert [artifact.kind for artifact in found] == ["text", "server_tool", "server_tool", "text"]
    assert (found[1].name, found[1].summary, found[2].summary) == ("code_execution", "print(1)", "1\n")
    assert json.loads(found[1].provider_data["part"]) == code


def test_parts_that_nobody_knows_are_kept_too() -> None:
    (found,) = answer(chunk({"hologram": {"deep": 1.50}}))
    assert (found.name, found.provider_data) == ("hologram", {**ISSUER, "part": '{"hologram": {"deep": 1.5}}'})


def test_what_is_said_of_sources_goes_to_the_text_that_it_stands_with() -> None:
    sources = {"webSearchQueries": ["x"]}
    assert answer(chunk("a"), chunk("b", groundingMetadata=sources)) == (
        Text(content="ab", provider_data={**ISSUER, "groundingMetadata": sources}),
    )
    signed = {"text": "", "thoughtSignature": "S"}
    assert answer(chunk("a"), chunk(signed, groundingMetadata=sources)) == (
        Text(content="a", provider_data={**ISSUER, "signature": "S", "groundingMetadata": sources}),
    )
    assert answer(chunk(CALL, citationMetadata=sources))[1] == (
        ServerTool(name="sources", provider_data={**ISSUER, "citationMetadata": sources})
    )


def test_sources_that_are_null_are_none() -> None:
    assert answer(chunk("a"), chunk("b", groundingMetadata=None, citationMetadata=None)) == (Text(content="ab"),)


def test_only_the_first_of_several_answers_is_read() -> None:
    second = {"content": {"parts": [{"text": "no"}]}, "index": 1, "finishReason": "STOP"}
    both = chunk("yes")
    both["candidates"].insert(0, second)
    assert read(both).error is not None
    assert answer(both) == (Text(content="yes"),)
    assert answer(chunk("yes"), {"candidates": [{**second, "finishReason": None}]}) == (Text(content="yes"),)


# ── How it ends ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "refusal"),
        ("RECITATION", "refusal"),
        ("PROHIBITED_CONTENT", "refusal"),
        ("IMAGE_SAFETY", "refusal"),
        ("LANGUAGE", "other"),
        ("OTHER", "other"),
        ("SOMETHING_NEW", "other"),
    ],
)
def test_reasons_have_one_meaning(finish: str, reason: str) -> None:
    outcome = read(chunk("a"), chunk(finish=finish, **SEVERAL))
    assert outcome.error is None
    assert outcome.artifacts[1:] == (StopReason(reason=reason), Usage(prompt_tokens=1, total_tokens=2))  # type: ignore[arg-type]  # one of the literals


@pytest.mark.parametrize(
    ("finish", "error"),
    [
        ("SAFETY", ContentFilterError),
        ("IMAGE_PROHIBITED_CONTENT", ContentFilterError),
        ("MALFORMED_FUNCTION_CALL", ProtocolError),
        ("UNEXPECTED_TOOL_CALL", ProtocolError),
        ("MISSING_THOUGHT_SIGNATURE", BadRequestError),
    ],
)
def test_an_answer_of_which_nothing_is_left_is_an_error_with_what_it_cost(
    finish: str, error: type[ProviderError]
) -> None:
    outcome = read(chunk(finish=finish, **SEVERAL))
    assert type(outcome.error) is error
    assert outcome.artifacts == (Usage(prompt_tokens=1, total_tokens=2),)


def test_a_call_that_could_not_be_read_beside_one_that_could_is_passed_over() -> None:
    outcome = read(chunk(CALL), chunk(finish="MALFORMED_FUNCTION_CALL"))
    assert outcome.of(StopReason) == [StopReason(reason="tool_use")]


def test_a_blocked_prompt_is_a_content_filter_and_no_empty_answer() -> None:
    outcome = read({"promptFeedback": {"blockReason": "SAFETY"}, **SEVERAL})
    assert isinstance(outcome.error, ContentFilterError)
    assert outcome.artifacts == (Usage(prompt_tokens=1, total_tokens=2),)
    assert answer({**chunk("a"), "promptFeedback": {"safetyRatings": []}}) == (Text(content="a"),)


@pytest.mark.parametrize(
    "finishes", [("STOP", "STOP", "STOP"), ("STOP", None, "STOP"), ("STOP", None, None), (None, "STOP", "MAX_TOKENS")]
)
def test_text_behind_a_finish_reason_belongs_to_the_answer_and_the_last_reason_holds(
    finishes: tuple[str | None, ...],
) -> None:
    """As Gemini sent it, and as servers do that translate."""
    words = ("", "Hel", "lo.")
    outcome = read(*(chunk(word, finish=said) for word, said in zip(words, finishes, strict=True)))
    assert outcome.of(Text) == [Text(content="Hello.")]
    reason = "length" if finishes[-1] == "MAX_TOKENS" else "stop"
    assert [one.reason for one in outcome.of(StopReason)] == [reason]


def test_the_last_usage_counts_and_has_one_meaning() -> None:
    first = {"promptTokenCount": 5, "candidatesTokenCount": 1, "totalTokenCount": 6}
    last = {
        **{"promptTokenCount": 10, "cachedContentTokenCount": 4, "toolUsePromptTokenCount": 2},
        **{"candidatesTokenCount": 3, "thoughtsTokenCount": 7, "totalTokenCount": 22},
    }
    empty = {"usageMetadata": {"trafficType": "ON_DEMAND"}}
    outcome = read(
        *(chunk("a", usageMetadata=first), chunk("b", usageMetadata=first)),
        *(chunk(finish="STOP", usageMetadata=last), empty),
    )
    assert outcome.of(Usage) == [
        Usage(prompt_tokens=12, completion_tokens=10, total_tokens=22, cache_read_tokens=4, reasoning_tokens=7)
    ]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 503, "status": "UNAVAILABLE", "message": "overloaded"}, OverloadedError),
        ({"code": 429, "status": "RESOURCE_EXHAUSTED"}, RateLimitError),
        ("odd", OverloadedError),
    ],
)
def test_an_error_inside_of_a_stream_is_one_and_what_came_before_it_stands(
    error: Any, kind: type[ProviderError]
) -> None:
    outcome = read(chunk("a", **SEVERAL), {"error": error})
    assert type(outcome.error) is kind
    assert outcome.artifacts == (Text(content="a"), Usage(prompt_tokens=1, total_tokens=2))


@pytest.mark.parametrize(
    "body", [b"", b"data: nonsense\n\n", b": hello\n\n", b"data: [1]\n\n", b"data: {}\n\n", b"{", b"[{"]
)
def test_a_body_that_is_no_answer_breaks_the_protocol(body: bytes) -> None:
    outcome = decode(GeminiDecoder(provider="vendor", model="model"), [body])
    assert isinstance(outcome.error, ProtocolError)
    assert outcome.error.provider == "vendor"


def test_an_answer_that_is_one_value_is_read_as_well() -> None:
    chunks = [chunk("a"), chunk("b", finish="STOP")]
    for body in (json.dumps(chunks, indent=1), "\ufeff" + json.dumps(chunk("ab", finish="STOP"))):
        raw = body.encode()
        for blocks in ([raw], [raw[:1], raw[1:30], raw[30:]]):
            outcome = decode(GeminiDecoder(provider="vendor", model="model"), blocks)
            assert (outcome.error, outcome.of(Text)) == (None, [Text(content="ab")])
    outcome = decode(GeminiDecoder(provider="vendor", model="model"), [b'[{"error": {"code": 429}}]'])
    assert isinstance(outcome.error, RateLimitError)


# ── Batches ──────────────────────────────────────────────────────────────────


def test_the_first_words_of_a_long_block_are_seen_before_its_last_are_read() -> None:
    decoder = GeminiDecoder(provider="vendor", model="model")
    body = b"".join(event(chunk("x")) for _ in range(129)) + b"data: nonsense\n\n"
    batches = decoder.feed(body)
    assert [len(next(batches)) for _ in range(2)] == [BATCH_LIMIT, BATCH_LIMIT]
    with pytest.raises(ProtocolError):
        assert len(next(batches)) == 1
        next(batches)


@given(st.lists(st.integers(1, 150), max_size=4))
def test_batches_hold_at_most_64_artifacts_and_never_none(counts: list[int]) -> None:
    body = b"".join(event(chunk(*["x", CALL] * count)) for count in counts) + event(chunk(finish="STOP"))
    outcome = decode(GeminiDecoder(provider="vendor", model="model"), [body])
    assert all(0 < size <= BATCH_LIMIT for size in outcome.sizes)
    assert len(outcome.of(ToolCall)) == sum(counts)


@given(st.lists(st.sampled_from(["a", "é", "👋", ""]), max_size=6), st.data())
def test_text_is_the_same_wherever_the_bytes_are_cut(words: list[str], data: st.DataObject) -> None:
    body = b"".join(map(event, [*map(chunk, words), chunk(finish="STOP")]))
    places = [0, *sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=6))), len(body)]
    outcome = decode(
        GeminiDecoder(provider="vendor", model="model"), [body[one:other] for one, other in pairwise(places)]
    )
    assert "".join(text.content for text in outcome.of(Text)) == "".join(words)


def test_every_call_in_pieces_ends_its_block() -> None:
    outcome = read(chunk(BEGIN, piece("$.a", 1, last=True)), chunk(finish="STOP"))
    assert outcome.stream[-2] == BlockEnd()
