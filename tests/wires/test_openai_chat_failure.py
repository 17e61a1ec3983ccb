"""Errors of chat completions: which they are, what they say, and what they keep to themselves."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.errors import (
    AuthenticationError,
    BadRequestError,
    ContentFilterError,
    ContextOverflowError,
    ModelNotFoundError,
    OverloadedError,
    PermissionDeniedError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    UnsupportedError,
)
from ore.ext.wires.openai_chat import OpenAIChat
from ore.ext.wires.openai_chat.failure import RejectedGenerationError
from strategies import json_values
from wires.chat_stream import raw, read, text
from wires.corpus import recording

SECRET = "sk-canary-0123456789 and the prompt"


def failure(status: int, body: Any = b"", headers: Mapping[str, str] | None = None) -> ProviderError:
    found = body if isinstance(body, bytes) else json.dumps(body).encode()
    return OpenAIChat().failure("vendor", status, headers or {}, found)


def error(message: str = SECRET, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


FAULTS: list[tuple[int, Any, type[ProviderError]]] = [
    (400, b"", BadRequestError),
    (400, error(type="invalid_request_error"), BadRequestError),
    (400, error(code="context_length_exceeded"), ContextOverflowError),
    (400, error("This model's maximum context length is 8192 tokens."), ContextOverflowError),
    (400, error(code=400, type="exceed_context_size_error", n_prompt_tokens=9000, n_ctx=4096), ContextOverflowError),
    (400, error("the request exceeds the available context size"), ContextOverflowError),
    (400, {"object": "error", "message": "prompt is too long: 9 > 8", "code": 400}, ContextOverflowError),
    (413, b"too big", ContextOverflowError),
    (413, error("Request too large", code="rate_limit_exceeded"), ContextOverflowError),
    (400, error(code="content_filter"), ContentFilterError),
    (400, error(code="unsupported_parameter", param="temperature"), UnsupportedError),
    (400, error(code="unsupported_value"), BadRequestError),
    (401, error(code="invalid_api_key"), AuthenticationError),
    (401, b"<html>", AuthenticationError),
    (400, error(type="authentication_error"), AuthenticationError),
    (402, error(code=402), PermissionDeniedError),
    (403, b"", PermissionDeniedError),
    (403, error(code=403, metadata={"reasons": ["x"], "flagged_input": SECRET}), ContentFilterError),
    (404, error(code="model_not_found"), ModelNotFoundError),
    (404, {"detail": "Not Found"}, ModelNotFoundError),
    (408, b"", ProviderTimeoutError),
    (409, b"", BadRequestError),
    (422, {"detail": [{"loc": ["body"], "msg": SECRET}]}, BadRequestError),
    (429, error(code="rate_limit_exceeded"), RateLimitError),
    (429, b"", RateLimitError),
    (429, error(code="insufficient_quota"), PermissionDeniedError),
    (500, error(type="server_error"), OverloadedError),
    (500, [error()], OverloadedError),
    (502, b"<html>bad gateway</html>", OverloadedError),
    (503, error(code="model_not_available"), ModelNotFoundError),
    (504, b"", ProviderTimeoutError),
    (524, b"", ProviderTimeoutError),
    (529, {"error": SECRET}, OverloadedError),
]


@pytest.mark.parametrize(("status", "body", "kind"), FAULTS)
def test_each_failure_has_its_class_and_says_what_to_do_and_nothing_of_the_body(
    status: int, body: Any, kind: type[ProviderError]
) -> None:
    found = failure(status, body)
    assert type(found) is kind
    assert (found.provider, found.status) == ("vendor", status)
    said = str(found)
    assert said.startswith("vendor: ")
    assert f"status {status}" in said
    assert "canary" not in said
    assert "prompt'" not in said


def test_codes_places_and_counts_are_told() -> None:
    body = error(code="exceed_context_size_error", n_prompt_tokens=9000, n_ctx=4096, param="messages[3].content")
    said = str(failure(400, body))
    for fact in ("exceed_context_size_error", "n_prompt_tokens 9000", "n_ctx 4096", "messages[3].content"):
        assert fact in said


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Token limit reached", True),
        ("Rate limit exceeded, please try again later.", True),
        ("Incorrect API key provided: sk-abc", False),
        ("the request with hello is invalid", False),
        ("token " * 40, False),
        ("", False),
    ],
)
def test_a_sentence_is_told_when_all_its_words_are_those_of_errors(message: str, told: bool) -> None:
    assert ("it says" in str(failure(500, error(message)))) is told


@pytest.mark.parametrize("code", ["x" * 65, "has blanks", "new\nline", "<b>", 7.5, None, ["a"]])
def test_a_code_that_is_none_is_not_told(code: Any) -> None:
    assert "code" not in str(failure(500, error(code=code))).replace("it says", "")


@pytest.mark.parametrize(
    ("param", "field"),
    [
        *[("max_completion_tokens", "max_output_tokens"), ("stop", "stop_sequences")],
        *[("reasoning_effort", "thinking_level"), ("temperature", "temperature")],
    ],
)
def test_a_field_that_a_model_refuses_has_the_name_of_the_spec(param: str, field: str) -> None:
    found = failure(400, error(code="unsupported_parameter", param=param))
    assert isinstance(found, UnsupportedError)
    assert (found.field, found.status) == (field, 400)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "2", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT", "date": "Wed, 21 Oct 2026 07:27:58 GMT"}, 2.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT", "date": "Wed, 21 Oct 2026 08:00:00 GMT"}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf", "date": "x"}, None),
    ],
)
def test_how_long_to_wait_is_on_the_error(headers: dict[str, str], expected: float | None) -> None:
    assert failure(429, b"", headers).retry_after_s == expected


@pytest.mark.parametrize("name", ["x-request-id", "request-id", "x-amzn-requestid"])
def test_the_vendors_id_of_the_request_is_on_the_error(name: str) -> None:
    assert failure(500, b"", {name: "req_1"}).request_id == "req_1"
    assert failure(500).request_id is None


# ── Inside of a stream ───────────────────────────────────────────────────────

INSIDE: list[tuple[Any, type[ProviderError]]] = [
    ({"error": {"message": SECRET, "code": 429}}, RateLimitError),
    ({"error": {"message": SECRET, "code": "502"}}, OverloadedError),
    ({"error": {"message": SECRET, "type": "server_error"}}, OverloadedError),
    ({"error": {"message": SECRET, "type": "invalid_request_error"}}, BadRequestError),
    ({"error": {"message": SECRET, "code": "insufficient_quota"}}, PermissionDeniedError),
    ({"error": {"message": "context length exceeded"}}, ContextOverflowError),
    ({"error": SECRET}, OverloadedError),
    ({"object": "error", "message": SECRET, "code": 401}, AuthenticationError),
    ({"type": "error", "error": {"type": "overloaded_error", "message": SECRET}}, OverloadedError),
    ({"error": {}, "object": "error", "message": SECRET}, OverloadedError),
]


@pytest.mark.parametrize(("inside", "kind"), INSIDE)
def test_an_error_in_a_stream_has_its_class_behind_what_came(inside: Any, kind: type[ProviderError]) -> None:
    outcome = read(text("a"), raw(inside))
    assert [artifact.for_model() for artifact in outcome.artifacts] == ["a"]
    assert type(outcome.error) is kind
    assert "canary" not in str(outcome.error)


@pytest.mark.parametrize("inside", [{"message": SECRET, "code": 429}, {"error": {"code": 429}}])
def test_an_event_that_is_called_an_error_is_one(inside: Any) -> None:
    assert type(read(text("a"), b"event: error\n" + raw(inside)).error) is RateLimitError


@pytest.mark.parametrize(("inside", "kind"), INSIDE)
def test_an_error_with_a_good_status_is_one(inside: Any, kind: type[ProviderError]) -> None:
    outcome = read(json.dumps(inside).encode())
    assert (outcome.stream, type(outcome.error)) == ([], kind)


def test_what_the_model_wrote_and_the_vendor_refused_is_kept_out_of_the_message() -> None:
    outcome = read(recording("groq/001-tool-use-failed").body)
    assert isinstance(outcome.error, RejectedGenerationError)
    assert "invalid_param" in outcome.error.generation
    assert "invalid_param" not in str(outcome.error)
    assert "tool_use_failed" in str(outcome.error)


@given(st.integers(400, 599), json_values() | st.dictionaries(st.sampled_from(["error", "detail"]), json_values()))
def test_whatever_a_body_holds_there_is_an_error(status: int, body: Any) -> None:
    assert isinstance(failure(status, body), ProviderError)
    assert isinstance(failure(status, json.dumps(body).encode()[:-1]), ProviderError)


@given(json_values())
def test_whatever_an_event_holds_nothing_but_provider_errors_is_raised(value: Any) -> None:
    """Also with pieces of real events in odd places."""
    for inside in (value, {"choices": value}, {"choices": [{"delta": value}]}, {"usage": value}, {"error": value}):
        read(text("a"), raw(inside), text("b"))
        read(json.dumps(inside).encode())
