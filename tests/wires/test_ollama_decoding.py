"""What Ollama says, line by line, and what it refuses."""

import base64
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import BlockEnd, Image, Reasoning, ReasoningDelta, StopReason, Text, TextDelta, ToolCall, Usage
from ore.errors import (
    AuthenticationError,
    BadRequestError,
    ContextOverflowError,
    ModelNotFoundError,
    OverloadedError,
    PermissionDeniedError,
    ProtocolError,
    ProviderError,
    RateLimitError,
    UnsupportedError,
)
from ore.ext.wires.ollama import Ollama
from ore.ext.wires.ollama.decoder import OllamaDecoder
from ore.provider import BATCH_LIMIT, OutputOption, WithTools
from strategies import json_values
from wires.corpus import Outcome, an_ask, bytewise, cut, decode
from wires.gemini_request import lookup

ISSUER = {"provider": "vendor", "model": "model"}
SECRET = "the-users-own-words"


def line(content: str = "", **message: Any) -> dict[str, Any]:
    return {"model": "m", "created_at": "now", "message": {"role": "assistant", "content": content, **message}}


def last(reason: Any = "stop", **more: Any) -> dict[str, Any]:
    ended = {"done": True, **({} if reason is None else {"done_reason": reason})}
    return {**line(), **ended, **more}


def encoded(*lines: Any) -> bytes:
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in lines)


def read(*lines: Any, answer_tool: str | None = None) -> Outcome:
    """What becomes of lines; byte by byte it is the same."""

    def decoder() -> OllamaDecoder:
        return OllamaDecoder(provider="vendor", model="model", answer_tool=answer_tool)

    body = encoded(*lines)
    outcome = decode(decoder(), [body])
    again = decode(decoder(), bytewise(body))
    assert list(map(type, again.stream)) == list(map(type, outcome.stream))
    assert type(again.error) is type(outcome.error)
    return outcome


def answer(*lines: Any, **more: Any) -> Sequence[Any]:
    """The complete artifacts of an answer that ended well, but for its reason."""
    outcome = read(*lines, last(), **more)
    assert outcome.error is None
    return outcome.artifacts[:-1]


def use(name: str = "get", arguments: Any = None, **more: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}, **more}


# ── Text, thinking, calls ────────────────────────────────────────────────────


def test_thinking_ends_where_the_text_begins_and_says_who_thought_it() -> None:
    outcome = read(line(thinking="h"), line(thinking="m"), line("a"), line("b"), last())
    assert outcome.stream[:5] == [
        ReasoningDelta(content="h"),
        ReasoningDelta(content="m"),
        BlockEnd(provider_data=ISSUER),
        TextDelta(content="a"),
        TextDelta(content="b"),
    ]
    assert outcome.artifacts[:2] == (Reasoning(content="hm", provider_data=ISSUER), Text(content="ab"))


def test_thinking_and_text_in_one_line_are_two_blocks() -> None:
    assert answer(line("a", thinking="hm")) == (Reasoning(content="hm", provider_data=ISSUER), Text(content="a"))
    assert answer(line(thinking="hm")) == (Reasoning(content="hm", provider_data=ISSUER),)


def test_thinking_that_the_output_limit_cut_is_nobodys_own() -> None:
    outcome = read(line(thinking="hm"), last("length"))
    assert outcome.artifacts == (Reasoning(content="hm"), StopReason(reason="length"))


def test_calls_come_whole_and_make_the_turn_one_of_calls() -> None:
    outcome = read(line("a", tool_calls=[use(arguments={"q": 1}, id="x")]), line(tool_calls=[use(id="y")]), last())
    assert outcome.artifacts == (
        Text(content="a"),
        ToolCall(id="x", name="get", arguments='{"q": 1}'),
        ToolCall(id="y", name="get", arguments="{}"),
        StopReason(reason="tool_use"),
    )


@pytest.mark.requirement("B02")
def test_calls_without_ids_get_ids_that_differ_in_a_turn_and_between_turns() -> None:
    """Nothing of the arguments appears as text."""
    bare = line(tool_calls=[use(arguments={"p": "x"}), use(arguments={"p": "x"})])
    found = [*answer(bare), *answer(bare)]
    assert [type(one) for one in found] == [ToolCall] * 4
    assert len({one.id for one in found} - {""}) == 4


@pytest.mark.parametrize(
    ("arguments", "text"), [({"a": [1.50]}, '{"a": [1.5]}'), ('{"a":1}', '{"a":1}'), ("", "{}"), ("{", "{")]
)
def test_arguments_are_kept_as_they_came_whether_as_a_value_or_as_its_text(arguments: Any, text: str) -> None:
    assert answer(line(tool_calls=[use(arguments=arguments, id="x")])) == (
        ToolCall(id="x", name="get", arguments=text),
    )


def test_a_call_of_nothing_is_none() -> None:
    assert answer(line("a", tool_calls=[{"function": {"name": ""}}, {}])) == (Text(content="a"),)


def test_a_call_of_the_tool_that_answers_is_text() -> None:
    outcome = read(line(tool_calls=[use("city", {"name": "Rome"})]), last(), answer_tool="city")
    assert outcome.artifacts == (Text(content='{"name": "Rome"}'), StopReason(reason="stop"))


def test_a_picture_comes_as_its_bytes() -> None:
    data = b"\x89PNG\r\n\x1a\n"
    found = answer(line("see", images=[base64.b64encode(data).decode()]))
    assert found == (Text(content="see"), Image(media_type="image/png", data=data, size_bytes=8))
    broken = read({**last(), **line(images=["*"])})
    assert isinstance(broken.error, ProtocolError)
    assert broken.artifacts == ()


# ── How it ends ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("reason", "meaning"),
    [("stop", "stop"), ("length", "length"), (None, "stop"), ("", "stop"), ("load", "other"), ("unload", "other")],
)
def test_reasons_have_one_meaning(reason: str | None, meaning: str) -> None:
    assert read(line("a"), last(reason)).of(StopReason) == [StopReason(reason=meaning)]  # type: ignore[arg-type]  # one of the literals


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"prompt_eval_count": 2, "eval_count": 3}, Usage(prompt_tokens=2, completion_tokens=3, total_tokens=5)),
        ({"eval_count": 3}, Usage(completion_tokens=3)),
        ({"prompt_eval_count": 0}, Usage(prompt_tokens=0)),
    ],
)
def test_the_counters_of_the_last_line_are_the_usage(counts: dict[str, int], usage: Usage) -> None:
    outcome = read({**line("a"), "eval_count": 9}, last(**counts))
    assert outcome.artifacts[-2:] == (StopReason(reason="stop"), usage)


def test_the_last_line_may_hold_words_and_nothing_counts_behind_it() -> None:
    outcome = read(line("a"), {**last(), **line("b"), "done": True}, line("c"), {"error": "late"})
    assert (outcome.error, outcome.artifacts) == (None, (Text(content="ab"), StopReason(reason="stop")))
    outcome = decode(OllamaDecoder(provider="vendor", model="model"), [encoded(line("a"), last()) + b"nonsense\n"])
    assert (outcome.error, outcome.artifacts) == (None, (Text(content="a"), StopReason(reason="stop")))


@pytest.mark.requirement("B33")
@pytest.mark.parametrize("lines", [[], [line("a")], [line(tool_calls=[use()])], [{**line("a"), "done": False}]])
def test_an_answer_without_a_last_line_broke_off_and_what_came_stands(lines: list[Any]) -> None:
    outcome = read(*lines)
    assert isinstance(outcome.error, ProtocolError)
    assert outcome.error.provider == "vendor"
    assert len(outcome.artifacts) == len(lines)


@pytest.mark.parametrize(
    "body", [b"nonsense\n", b"[1]\n", b'{"message": 1}\n', b"<html>\n", b"x" * 100, b"[" * 100_000]
)
def test_a_body_that_is_no_answer_breaks_the_protocol(body: bytes) -> None:
    outcome = decode(OllamaDecoder(provider="vendor", model="model"), [body])
    assert isinstance(outcome.error, ProtocolError)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("an error was encountered while running the model", OverloadedError),
        ("the input length exceeds the context length", ContextOverflowError),
        ({"message": "odd"}, OverloadedError),
        (7, OverloadedError),
    ],
)
def test_an_error_inside_of_a_stream_is_one_and_what_came_before_it_stands(
    error: Any, kind: type[ProviderError]
) -> None:
    outcome = read(line("a"), {"error": error}, line("b"), last())
    assert type(outcome.error) is kind
    assert outcome.artifacts == (Text(content="a"),)


# ── What it refuses ──────────────────────────────────────────────────────────


def failure(status: int, body: Any, **headers: str) -> ProviderError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Ollama().failure("ollama", status, headers, raw)


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (404, f"model '{SECRET}' not found", ModelNotFoundError),
        (404, "404 page not found", ModelNotFoundError),
        (400, "prompt too long; exceeded max context length by 512 tokens", ContextOverflowError),
        (500, "the input length exceeds the context length", ContextOverflowError),
        (400, SECRET, BadRequestError),
        (401, "unauthorized", AuthenticationError),
        (403, "no", PermissionDeniedError),
        (429, "no", RateLimitError),
        (500, SECRET, OverloadedError),
        (500, "model requires more system memory (9 GiB) than is available", OverloadedError),
        (503, "server busy, please try again.", OverloadedError),
        (502, "no", OverloadedError),
    ],
)
def test_each_refusal_has_its_own_error(status: int, message: str, error: type[ProviderError]) -> None:
    for body in ({"error": message}, {"error": {"message": message}}):
        found = failure(status, body)
        assert type(found) is error
        assert (found.provider, found.status) == ("ollama", status)
        assert SECRET not in str(found)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ('"llama3" does not support thinking', "thinking_level"),
        ('think value "medium" is not supported for this model', "thinking_level"),
        ("registry.ollama.ai/library/x does not support tools", "tools"),
        ("this model is missing data required for image input", "image"),
    ],
)
def test_what_a_model_does_not_take_is_named(message: str, field: str) -> None:
    found = failure(400, {"error": message})
    assert isinstance(found, UnsupportedError)
    assert (found.field, found.status) == (field, 400)


def test_how_much_too_long_and_how_long_to_wait_are_told() -> None:
    overflow = failure(400, {"error": "prompt too long; exceeded max context length by 512 tokens"})
    assert "512 tokens too many" in str(overflow)
    assert failure(503, b"", **{"retry-after": "3"}).retry_after_s == 3.0
    assert failure(503, b"", **{"retry-after": "soon"}).retry_after_s is None


@given(st.integers(400, 599), json_values() | st.dictionaries(st.just("error"), json_values(), min_size=1))
def test_whatever_the_body_is_there_is_an_error_with_advice(status: int, body: Any) -> None:
    assert str(status) in str(failure(status, body))


# ── Batches ──────────────────────────────────────────────────────────────────


def test_the_first_words_of_a_long_block_are_seen_before_its_last_are_read() -> None:
    decoder = OllamaDecoder(provider="vendor", model="model")
    batches = decoder.feed(encoded(*[line("x")] * 129) + b"nonsense\n")
    assert [len(next(batches)) for _ in range(2)] == [BATCH_LIMIT, BATCH_LIMIT]
    with pytest.raises(ProtocolError):
        assert len(next(batches)) == 1
        next(batches)


@given(st.lists(st.integers(1, 150), max_size=4))
def test_batches_hold_at_most_64_artifacts_and_never_none(counts: list[int]) -> None:
    body = encoded(*[line("x", tool_calls=[use()] * count) for count in counts], last())
    outcome = decode(OllamaDecoder(provider="vendor", model="model"), [body])
    assert all(0 < size <= BATCH_LIMIT for size in outcome.sizes)
    assert len(outcome.of(ToolCall)) == sum(counts)


@given(st.lists(st.sampled_from(["a", "é", "👋", ""]), max_size=6), st.data())
def test_text_is_the_same_wherever_the_bytes_are_cut(words: list[str], data: st.DataObject) -> None:
    body = encoded(*map(line, words), last())
    places = data.draw(st.lists(st.integers(0, len(body)), max_size=6))
    outcome = decode(OllamaDecoder(provider="vendor", model="model"), cut(body, places))
    assert "".join(text.content for text in outcome.of(Text)) == "".join(words)


def test_the_wire_reads_them_as_well() -> None:
    wire = Ollama()
    output = OutputOption("city", {"type": "object"})
    body = encoded(line(tool_calls=[use("city", {"name": "Rome"})]), last())
    outcome = decode(wire.decoder(an_ask(options=(output, WithTools([lookup])))), [body])
    assert (wire.protocol, outcome.artifacts[0]) == ("ollama", Text(content='{"name": "Rome"}'))
