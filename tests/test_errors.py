"""One tree of errors, and what each looks like as data."""

import re

import pytest

from ore import errors
from ore.errors import (
    ErrorInfo,
    InputError,
    OreError,
    ProviderError,
    RateLimitError,
    UnsupportedError,
    describe,
)

CODES = {
    "AuthenticationError": "authentication",
    "PermissionDeniedError": "permission",
    "ModelNotFoundError": "not_found",
    "RateLimitError": "rate_limit",
    "OverloadedError": "overloaded",
    "ProviderTimeoutError": "timeout",
    "ConnectionFailedError": "connection",
    "ContextOverflowError": "context_overflow",
    "ContentFilterError": "content_filter",
    "OutputLimitError": "output_limit",
    "BadRequestError": "bad_request",
    "UnsupportedError": "unsupported",
    "ProtocolError": "protocol",
    "NotFoundError": "not_found",
    "ConflictError": "conflict",
    "CorruptError": "corrupt",
    "FencedError": "fenced",
    "SessionClosedError": "session_closed",
    "SessionOwnedError": "session_owned",
    "LimitError": "limit",
    "ToolError": "tool",
    "InputError": "bad_request",
}

CLASSES = {name: kind for name in errors.__all__ if isinstance(kind := getattr(errors, name), type)}


@pytest.mark.requirement("D-error-codes")
def test_every_failure_has_its_code() -> None:
    roots = {"OreError", "ProviderError", "StoreError"}
    assert {
        name: kind.code for name, kind in CLASSES.items() if issubclass(kind, OreError) and name not in roots
    } == CODES


@pytest.mark.requirement("D-error-codes")
def test_the_tree_at_the_top_of_the_file_names_every_class_with_its_code() -> None:
    drawn = dict(re.findall(r"── (\w+Error) +([a-z_]+)", errors.__doc__ or ""))
    assert {name: drawn.get(name) for name in CODES} == CODES


def test_only_what_may_pass_by_itself_is_retryable() -> None:
    assert {name for name, kind in CLASSES.items() if issubclass(kind, OreError) and kind.retryable} == {
        "RateLimitError",
        "OverloadedError",
        "ProviderTimeoutError",
        "ConnectionFailedError",
    }


def test_a_providers_failure_as_data() -> None:
    failure = RateLimitError("slow down", provider="anthropic", status=429, request_id="r1", retry_after_s=2.0)
    assert (failure.status, failure.request_id) == (429, "r1")
    assert describe(failure) == ErrorInfo(
        code="rate_limit", message="slow down", retryable=True, retry_after_s=2.0, provider="anthropic"
    )


def test_somebody_elses_failure_as_data() -> None:
    assert describe(KeyError()) == ErrorInfo(code="error", message="KeyError", retryable=False)


def test_what_a_target_cannot_take_is_named() -> None:
    failure = UnsupportedError("no top_k", field="top_k", provider="openai")
    assert isinstance(failure, ProviderError)
    assert (failure.field, failure.provider, describe(failure).code) == ("top_k", "openai", "unsupported")


def test_bad_input_is_a_value_error_too() -> None:
    with pytest.raises(ValueError, match="expected"):
        raise InputError("expected something else")
