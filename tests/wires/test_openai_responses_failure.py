"""Each failure of OpenAI's Responses is its own error, and says nothing of what was sent or answered."""

import json
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
from ore.ext.wires.openai_responses import OpenAIResponses
from wires.responses_answer import created, failed, outcome, sse


def failure(status: int, body: Any, headers: dict[str, str] | None = None) -> ProviderError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return OpenAIResponses().failure("vendor", status, headers or {}, raw)


CASES: list[tuple[int, dict[str, Any], type[ProviderError]]] = [
    (401, {"code": "invalid_api_key", "type": "invalid_request_error"}, AuthenticationError),
    (403, {"code": "unsupported_country_region_territory"}, PermissionDeniedError),
    (404, {"code": "model_not_found"}, ModelNotFoundError),
    (404, {"code": "DeploymentNotFound"}, ModelNotFoundError),
    (429, {"code": "rate_limit_exceeded", "type": "tokens"}, RateLimitError),
    (429, {"code": "insufficient_quota", "type": "insufficient_quota"}, PermissionDeniedError),
    (400, {"code": "context_length_exceeded", "param": "input"}, ContextOverflowError),
    (400, {"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 5}, ContextOverflowError),
    (400, {"code": "invalid_prompt"}, ContentFilterError),
    (400, {"code": "cyber_policy"}, ContentFilterError),
    (400, {"code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}}, ContentFilterError),
    (400, {"code": "invalid_encrypted_content", "type": "invalid_request_error"}, BadRequestError),
    (400, {"code": "unsupported_parameter", "param": "temperature"}, UnsupportedError),
    (500, {"code": "server_error"}, OverloadedError),
    (503, {"code": "server_is_overloaded", "type": "service_unavailable_error"}, OverloadedError),
    (504, {}, ProviderTimeoutError),
]


@pytest.mark.parametrize(("status", "error", "kind"), CASES)
def test_a_failure_is_an_error_of_its_kind_with_its_status(status: int, error: dict[str, Any], kind: type) -> None:
    found = failure(status, {"error": {"message": "secret words of the prompt", **error}})
    assert (type(found), found.status, found.provider) == (kind, status, "vendor")
    assert "secret" not in str(found)


def test_a_code_of_responses_alone_is_named_in_the_message() -> None:
    assert "invalid_prompt" in str(failure(400, {"error": {"code": "invalid_prompt"}}))
    assert "vector_store_timeout" in str(failed({"type": "error", "error": {"code": "vector_store_timeout"}}))


def test_headers_say_whose_request_it_was_and_when_to_ask_again() -> None:
    found = failure(429, {"error": {"code": "rate_limit_exceeded"}}, {"x-request-id": "req_1", "retry-after": "7"})
    assert (found.request_id, found.retry_after_s) == ("req_1", 7.0)


@pytest.mark.parametrize("code", ["invalid_image", "image_too_large", "failed_to_download_image", "empty_image_file"])
def test_what_blames_the_request_inside_of_a_stream_is_not_tried_again(code: str) -> None:
    found = failed({"type": "response.failed", "response": {"status": "failed", "error": {"code": code}}})
    assert type(found) is BadRequestError
    assert not found.retryable


def test_an_error_and_the_failure_that_repeats_it_are_one() -> None:
    error = {"code": "server_error", "message": "secret words"}
    found = outcome(
        sse(
            created(),
            {"type": "error", "error": error, "sequence_number": 2},
            {"type": "response.failed", "response": {"status": "failed", "error": error}},
        )
    )
    assert (found.artifacts, type(found.error)) == ((), OverloadedError)
    assert "secret" not in str(found.error)


ERRORS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["error", "code", "type", "message", "param", "status"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(ERRORS | st.binary(max_size=30), st.sampled_from([400, 404, 418, 429, 500, 599]))
def test_any_body_is_an_error_of_ours(body: Any, status: int) -> None:
    assert failure(status, body).status == status
    if not isinstance(body, bytes):
        outcome(sse({"type": "error", "error": body}))
        outcome(sse({"type": "response.failed", "response": {"status": "failed", "error": body}}))
