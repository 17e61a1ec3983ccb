"""Every error of ore, one tree with codes.

    OreError
    ├── ProviderError            a model call failed
    │   ├── AuthenticationError      authentication
    │   ├── PermissionDeniedError    permission
    │   ├── ModelNotFoundError       not_found
    │   ├── RateLimitError           rate_limit        retryable
    │   ├── OverloadedError          overloaded        retryable
    │   ├── ProviderTimeoutError     timeout           retryable
    │   ├── ConnectionFailedError    connection        retryable
    │   ├── ContextOverflowError     context_overflow
    │   ├── ContentFilterError       content_filter
    │   ├── OutputLimitError         output_limit
    │   ├── BadRequestError          bad_request
    │   ├── UnsupportedError         unsupported
    │   └── ProtocolError            protocol
    ├── StoreError               a thread could not be read or written
    │   ├── NotFoundError            not_found
    │   ├── ConflictError            conflict
    │   ├── CorruptError             corrupt
    │   └── FencedError              fenced
    ├── SessionClosedError       session_closed
    ├── SessionOwnedError        session_owned
    ├── LimitError               limit
    ├── ToolError                tool
    └── InputError               bad_request

`code` is what scripts, event readers and HTTP clients see; it never changes
its meaning. Messages say what was expected and what came, and never contain a
key, a prompt or a model's answer.
"""

from typing import ClassVar

import msgspec

__all__ = [
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "ConnectionFailedError",
    "ContentFilterError",
    "ContextOverflowError",
    "CorruptError",
    "ErrorInfo",
    "FencedError",
    "InputError",
    "LimitError",
    "ModelNotFoundError",
    "NotFoundError",
    "OreError",
    "OutputLimitError",
    "OverloadedError",
    "PermissionDeniedError",
    "ProtocolError",
    "ProviderError",
    "ProviderTimeoutError",
    "RateLimitError",
    "SessionClosedError",
    "SessionOwnedError",
    "StoreError",
    "ToolError",
    "UnsupportedError",
    "describe",
]


class OreError(Exception):
    """Root of everything ore raises on purpose.

    Attributes:
        code: Stable name of the failure, the same in events, JSON and HTTP.
        retryable: Whether the same request may succeed later, unchanged; that of
            its class, unless more is known of this one.
    """

    code: ClassVar[str] = "error"
    retryable: bool = False


class ProviderError(OreError):
    """A model call failed.

    Attributes:
        provider: Registered name, such as `"anthropic"`; `None` when unknown.
        status: HTTP status; `None` when no response arrived.
        request_id: The vendor's id of the request, for their support.
        retry_after_s: Seconds the vendor asks to wait; `None` when it did not.
    """

    code = "provider"

    def __init__(
        self,
        message: str,
        *,
        provider: str | None = None,
        status: int | None = None,
        request_id: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.provider = provider
        self.status = status
        self.request_id = request_id
        self.retry_after_s = retry_after_s


class AuthenticationError(ProviderError):
    """The key is missing, wrong or expired.

    Attributes:
        is_unsent: Whether nobody was asked: there is no key, or none that can be sent.
    """

    code = "authentication"
    is_unsent: bool = False


class PermissionDeniedError(ProviderError):
    """The key is good, but not for this model or action."""

    code = "permission"


class ModelNotFoundError(ProviderError):
    """The provider does not know this model, or ore does not know the provider."""

    code = "not_found"


class RateLimitError(ProviderError):
    """Too many requests or tokens; wait `retry_after_s` where it is known."""

    code = "rate_limit"
    retryable = True


class OverloadedError(ProviderError):
    """The vendor has no capacity right now."""

    code = "overloaded"
    retryable = True


class ProviderTimeoutError(ProviderError):
    """No answer, or no further byte of it, within the limit."""

    code = "timeout"
    retryable = True


class ConnectionFailedError(ProviderError):
    """The connection could not be made, or broke."""

    code = "connection"
    retryable = True


class ContextOverflowError(ProviderError):
    """The request does not fit the model's window."""

    code = "context_overflow"


class ContentFilterError(ProviderError):
    """The vendor refused the content of the request."""

    code = "content_filter"


class OutputLimitError(ProviderError):
    """The answer was cut by the output limit, again and again."""

    code = "output_limit"


class BadRequestError(ProviderError):
    """The vendor did not accept the request as it was built."""

    code = "bad_request"


class UnsupportedError(ProviderError):
    """The target cannot take something that was asked for.

    Attributes:
        field: What it cannot take, such as `"top_k"`.
    """

    code = "unsupported"

    def __init__(self, message: str, *, field: str, provider: str | None = None) -> None:
        super().__init__(message, provider=provider)
        self.field = field


class ProtocolError(ProviderError):
    """The answer broke the vendor's own protocol, such as a stream without an end."""

    code = "protocol"


class StoreError(OreError):
    """A thread could not be read or written; what was durable before still is."""

    code = "store"


class NotFoundError(StoreError):
    """No such thread, turn, message or question."""

    code = "not_found"


class ConflictError(StoreError):
    """It exists already, or it changed in between."""

    code = "conflict"


class CorruptError(StoreError):
    """It is there, but cannot be read; never the same as missing."""

    code = "corrupt"


class FencedError(StoreError):
    """Another owner took the session; nothing of this append was written."""

    code = "fenced"


class SessionClosedError(OreError):
    """The session was closed; attach it again to go on."""

    code = "session_closed"


class SessionOwnedError(OreError):
    """Another live process owns the session; nothing was stored."""

    code = "session_owned"


class LimitError(OreError):
    """A configured limit was reached; the message names it and its value."""

    code = "limit"


class ToolError(OreError):
    """A tool failed in a way its author wants the model to read.

    Raise it inside a tool: the model gets the message as an error result.

    Attributes:
        result: What the tool came to before it failed, for the model as well.
    """

    code = "tool"

    def __init__(self, message: str, *, result: object = None) -> None:
        super().__init__(message)
        self.result = result


class InputError(OreError, ValueError):
    """What the caller passed in cannot be used; nothing was changed."""

    code = "bad_request"


class ErrorInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A failure as data: the same object in events, command output and HTTP answers."""

    code: str
    message: str
    retryable: bool | None = None
    retry_after_s: float | None = None
    provider: str | None = None


def describe(error: BaseException) -> ErrorInfo:
    """The failure as data; errors that are not ore's own have the code `error`."""
    retryable = isinstance(error, OreError) and error.retryable
    provider = error if isinstance(error, ProviderError) else None
    return ErrorInfo(
        code=error.code if isinstance(error, OreError) else OreError.code,
        message=str(error) or type(error).__name__,
        retryable=retryable,
        retry_after_s=provider.retry_after_s if provider else None,
        provider=provider.provider if provider else None,
    )
