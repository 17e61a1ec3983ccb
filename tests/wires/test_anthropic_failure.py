"""Answers whose status is not 200, as ore's errors."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.errors import (
    AuthenticationError,
    BadRequestError,
    ContextOverflowError,
    ModelNotFoundError,
    OverloadedError,
    PermissionDeniedError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
)
from ore.ext.wires.anthropic import AnthropicMessages

CANARY = "canary sk-ant-api03-SECRET what the user asked"


def failure(status: int, body: Any = b"", **headers: str) -> ProviderError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return AnthropicMessages().failure("anthropic", status, names, raw)


def said(kind: str, message: str = CANARY, **more: Any) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, **more}


@pytest.mark.parametrize(
    ("status", "kind", "error", "retryable"),
    [
        (400, "invalid_request_error", BadRequestError, False),
        (401, "authentication_error", AuthenticationError, False),
        (402, "billing_error", PermissionDeniedError, False),
        (403, "permission_error", PermissionDeniedError, False),
        (404, "not_found_error", ModelNotFoundError, False),
        (413, "request_too_large", ContextOverflowError, False),
        (429, "rate_limit_error", RateLimitError, True),
        (500, "api_error", OverloadedError, True),
        (504, "timeout_error", ProviderTimeoutError, True),
        (529, "overloaded_error", OverloadedError, True),
    ],
)
def test_each_type_of_error_has_its_class_which_the_status_alone_tells_as_well(
    status: int, kind: str, error: type[ProviderError], retryable: bool
) -> None:
    """Types and statuses of "Claude API errors"."""
    found, bare = failure(status, said(kind)), failure(status)
    assert (type(found), found.status, found.provider, found.retryable) == (error, status, "anthropic", retryable)
    assert kind in str(found)
    assert (type(bare), bare.retryable) == (error, retryable)
    assert str(status) in str(bare)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (408, ProviderTimeoutError),
        (409, BadRequestError),
        (418, BadRequestError),
        (422, BadRequestError),
        (502, OverloadedError),
        (503, OverloadedError),
    ],
)
def test_other_statuses_have_classes_too(status: int, error: type[ProviderError]) -> None:
    assert type(failure(status, said("something_new"))) is error


@pytest.mark.parametrize(
    "message",
    [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length",
        "the request exceeds the available context size, try increasing it",
    ],
)
def test_a_prompt_that_does_not_fit_is_told_apart(message: str) -> None:
    assert type(failure(400, said("invalid_request_error", message))) is ContextOverflowError


def test_what_llama_cpp_says_of_it_is_understood() -> None:
    found = {"error": {"code": 400, "message": "x", "type": "exceed_context_size_error", "n_prompt_tokens": 9}}
    assert type(failure(400, found)) is ContextOverflowError


def test_the_numbers_of_a_prompt_that_does_not_fit_are_shown() -> None:
    message = "prompt is too long: 210000 tokens > 200000 maximum"
    assert "210000 tokens of 200000" in str(failure(400, said("invalid_request_error", message)))


@pytest.mark.parametrize(
    "message", ["Your credit balance is too low to use it.", "You have reached your usage limits."]
)
def test_an_account_that_cannot_pay_is_not_a_bad_request(message: str) -> None:
    found = failure(400, said("invalid_request_error", message))
    assert (type(found), "credit" in str(found)) == (PermissionDeniedError, True)


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("messages.3.content.0: " + CANARY, "messages.3.content.0"),
        ("tools.0.name: " + CANARY, "tools.0.name"),
        ("max_tokens: " + CANARY, "max_tokens"),
        (CANARY, ""),
        ("messages.0." + "x" * 500 + ": y", ""),
    ],
)
def test_a_bad_request_says_which_part_of_it_and_not_what_stands_there(message: str, place: str) -> None:
    found = str(failure(400, said("invalid_request_error", message)))
    assert place in found
    assert ("about" in found) == bool(place)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500, 529])
@pytest.mark.parametrize(
    "body",
    [
        said("invalid_request_error"),
        said(CANARY),
        {"error": CANARY},
        {"error": {"message": [CANARY], "type": {"x": CANARY}}},
        [CANARY],
        CANARY,
        CANARY.encode(),
        f"<html>{CANARY}</html>".encode(),
    ],
)
def test_neither_a_key_nor_a_prompt_is_repeated(status: int, body: Any) -> None:
    """Servers like to repeat both."""
    found = failure(status, body)
    assert not any(word in str(found) for word in ("canary", "SECRET", "asked"))
    assert len(str(found)) < 300


@pytest.mark.parametrize(
    ("headers", "body", "id"),
    [
        ({"request_id": "req_1"}, said("api_error", request_id="req_2"), "req_1"),
        ({"x_request_id": "req_3"}, b"", "req_3"),
        ({}, said("api_error", request_id="req_2"), "req_2"),
        ({}, said("api_error", request_id=None), None),
        ({}, b"", None),
    ],
)
def test_the_id_of_the_request_is_kept_for_the_vendors_support(
    headers: dict[str, str], body: Any, id: str | None
) -> None:
    assert failure(500, body, **headers).request_id == id


@pytest.mark.requirement("B39")
@pytest.mark.parametrize(
    ("text", "seconds"), [("2", 2.0), ("0", 0.0), ("1.5", 1.5), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None)]
)
def test_seconds_to_wait_are_kept_and_dates_left_to_who_has_a_clock(text: str, seconds: float | None) -> None:
    assert failure(429, said("rate_limit_error"), retry_after=text).retry_after_s == seconds


def test_without_a_header_nobody_says_how_long_to_wait() -> None:
    assert failure(429, said("rate_limit_error")).retry_after_s is None


@given(
    st.integers(400, 599),
    st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["type", "error", "message", "x"]), inner),
    ),
)
def test_any_body_is_an_error_with_advice(status: int, body: Any) -> None:
    found = failure(status, body)
    assert (found.status, found.provider, bool(str(found))) == (status, "anthropic", True)


@pytest.mark.parametrize(("status", "code"), [(401, "authentication"), (404, "not_found"), (429, "rate_limit")])
def test_a_status_that_says_more_than_an_invalid_request_counts(status: int, code: str) -> None:
    """Servers that speak like OpenAI have that type for most of what they refuse."""
    body = b'{"error": {"type": "invalid_request_error", "message": "no"}}'
    assert AnthropicMessages().failure("anthropic", status, {}, body).code == code
