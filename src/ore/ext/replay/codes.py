"""Errors from their codes."""

from collections.abc import Mapping
from typing import Any, Final

from ore import errors
from ore.errors import ProviderError, UnsupportedError

__all__ = ["error_of", "provider_errors"]


def provider_errors() -> Mapping[str, type[ProviderError]]:
    """The errors of model calls, by code."""
    return _BY_CODE


def error_of(failure: Mapping[str, Any] | None) -> ProviderError:
    """The error that an error object tells of."""
    facts = failure or {}
    kind = _BY_CODE.get(str(facts.get("code")), ProviderError)
    return kind(
        str(facts.get("message", "the request failed")),
        provider=facts.get("provider"),
        retry_after_s=facts.get("retry_after_s"),
    )


_BY_CODE: Final[Mapping[str, type[ProviderError]]] = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ProviderError) and kind not in (ProviderError, UnsupportedError)
}
