"""What Gemini refuses is told in ore's words, with its facts and without its sentences."""

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
    UnsupportedError,
)
from ore.ext.wires.gemini import Gemini
from strategies import json_values

SECRET = "the-users-own-words"


def failure(status: int, body: Any, **headers: str) -> ProviderError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Gemini().failure("google", status, headers, raw)


def said(status: str, message: str = SECRET, code: int = 400, *details: Any) -> dict[str, Any]:
    return {"error": {"code": code, "status": status, "message": message, "details": list(details)}}


KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
TOKENS = "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576)."


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (
            400,
            said("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", 400, KEY),
            AuthenticationError,
        ),
        (400, said("INVALID_ARGUMENT", "API key expired. Please renew the API key."), AuthenticationError),
        (401, said("UNAUTHENTICATED"), AuthenticationError),
        (403, said("PERMISSION_DENIED", "Method doesn't allow unregistered callers"), AuthenticationError),
        (403, said("PERMISSION_DENIED", "Your API key was reported as leaked."), AuthenticationError),
        (403, said("PERMISSION_DENIED"), PermissionDeniedError),
        (400, said("FAILED_PRECONDITION", "User location is not supported"), PermissionDeniedError),
        (422, said("FAILED_PRECONDITION", "Unprocessable entity."), BadRequestError),
        (404, said("NOT_FOUND"), ModelNotFoundError),
        (429, said("RESOURCE_EXHAUSTED"), RateLimitError),
        (500, said("INTERNAL"), OverloadedError),
        (503, said("UNAVAILABLE"), OverloadedError),
        (504, said("DEADLINE_EXCEEDED"), ProviderTimeoutError),
        (400, said("INVALID_ARGUMENT", TOKENS), ContextOverflowError),
        (400, [said("INVALID_ARGUMENT", TOKENS)], ContextOverflowError),
        (
            400,
            said("INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
            ContextOverflowError,
        ),
        (413, b"", ContextOverflowError),
        (400, said("INVALID_ARGUMENT"), BadRequestError),
        (401, b"<nonsense", AuthenticationError),
        (404, b"", ModelNotFoundError),
        (502, b"[]", OverloadedError),
        (418, b"null", BadRequestError),
    ],
)
def test_each_refusal_has_its_own_error(status: int, body: Any, error: type[ProviderError]) -> None:
    found = failure(status, body)
    assert type(found) is error
    assert (found.provider, found.status) == ("google", status)
    assert SECRET not in str(found)


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("Penalty is not enabled for models/gemini-2.5-flash", "frequency_penalty"),
        ("Thinking level is not supported for this model.", "thinking_level"),
        ("Unable to submit request because thinking is not supported by this model.", "thinking_level"),
        ("Function calling is not enabled for models/gemma-3", "tools"),
        ("Function calling with a response mime type: 'application/json' is unsupported", "output"),
        ("Developer instruction is not enabled for models/gemma-3", "system"),
        ("Unsupported MIME type: image/gif", "media"),
    ],
)
def test_what_a_model_does_not_take_is_named(message: str, field: str) -> None:
    found = failure(400, said("INVALID_ARGUMENT", message))
    assert isinstance(found, UnsupportedError)
    assert (found.field, found.status) == (field, 400)


def test_the_numbers_of_tokens_and_the_places_in_the_request_are_told() -> None:
    assert "1200293 tokens of 1048576" in str(failure(400, said("INVALID_ARGUMENT", TOKENS)))
    violation: dict[str, Any] = {"fieldViolations": [{"field": "contents[0].parts[1]", "description": SECRET}]}
    found = failure(400, said("INVALID_ARGUMENT", SECRET, 400, violation))
    assert "contents[0].parts[1]" in str(found)
    assert SECRET not in str(found)
    violation = {"fieldViolations": [{"field": f"{SECRET} and more"}, "odd"]}
    assert SECRET not in str(failure(400, said("INVALID_ARGUMENT", SECRET, 400, violation, "odd")))


@pytest.mark.parametrize(
    ("details", "headers", "wait_s"),
    [
        ([{"retryDelay": "34.07s"}], {}, 34.07),
        ([{"reason": "x"}, {"retryDelay": "3s"}], {"retry-after": "9"}, 3.0),
        ([], {"retry-after": "9"}, 9.0),
        ([{"retryDelay": "soon"}], {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ([], {}, None),
    ],
)
def test_how_long_to_wait_is_told(details: list[Any], headers: dict[str, str], wait_s: float | None) -> None:
    found = Gemini().failure(
        "google", 429, headers, json.dumps(said("RESOURCE_EXHAUSTED", "x", 429, *details)).encode()
    )
    assert found.retry_after_s == wait_s
    assert found.retryable


@given(st.integers(400, 599), json_values() | st.dictionaries(st.sampled_from(["error"]), json_values(), min_size=1))
def test_whatever_the_body_is_there_is_an_error_with_advice(status: int, body: Any) -> None:
    found = failure(status, body)
    assert isinstance(found, ProviderError)
    assert str(status) in str(found)


@given(st.integers(400, 599), st.binary(max_size=40))
def test_bytes_that_are_no_json_are_no_other_error(status: int, body: bytes) -> None:
    assert type(failure(status, body)) is type(failure(status, b"")) or body.strip()[:1] in b"{["
