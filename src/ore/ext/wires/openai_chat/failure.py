"""Errors of chat completions, from a status and a body, or from inside a stream.

Codes and statuses by OpenAI's "Error codes", DeepSeek's, Groq's, Mistral's and
OpenRouter's pages of errors (read 2026-11), and llama.cpp's server. A vendor's
sentence may hold the prompt or a part of the key, so it is shown only where
all of its words are those of errors.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

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
from ore.ext.wires.blame import blames_request, refused_media
from ore.ext.wires.openai_chat.waiting import seconds_to_wait

__all__ = ["RejectedGenerationError", "http_error", "stream_error"]


class RejectedGenerationError(BadRequestError):
    """The vendor did not accept what the model itself wrote, such as a call that does not fit its schema.

    Attributes:
        generation: What the model wrote. Not in the message: it is an answer.
    """

    def __init__(self, message: str, *, generation: str, provider: str, status: int | None) -> None:
        super().__init__(message, provider=provider, status=status)
        self.generation = generation


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    """What an error object says.

    Attributes:
        names: Its code and type, in small letters.
        message: The vendor's sentence; looked at, and shown only when it is plain.
        param: The part of the request that it is about.
        status: A status that stands inside.
        fields: Everything else.
    """

    names: tuple[str, ...] = ()
    message: str = ""
    param: str = ""
    status: int | None = None
    fields: Mapping[str, Any]


def http_error(provider: str, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The error of an answer whose status is not 200.

    Args:
        provider: Who answered.
        status: HTTP status.
        headers: With names in lower case.
        body: As much of it as was read.
    """
    error = _error(provider, status, _fault(_decoded(body)))
    error.request_id = next((headers[name] for name in _REQUEST_IDS if name in headers), None)
    error.retry_after_s = seconds_to_wait(headers)
    return error


def stream_error(provider: str, found: Any) -> ProviderError:
    """The error inside of a stream, or of a body that is one error object."""
    fault = _fault(found)
    return _error(provider, fault.status, fault)


_REQUEST_IDS: Final = ("x-request-id", "request-id", "x-generation-id", "x-amzn-requestid", "apim-request-id")


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _fault(found: Any) -> _Fault:
    """Read the shapes there are: OpenAI's, a bare text, FastAPI's `detail`, everything at the top, a list of one."""
    if isinstance(found, list) and found:
        found = found[0]
    if isinstance(found, dict):
        inner = next((found[key] for key in ("error", "detail") if found.get(key)), found)
        found = inner if isinstance(inner, dict) else {"message": inner}
    elif isinstance(found, str):
        found = {"message": found}
    else:
        found = {}
    codes = (found.get("code"), found.get("type"))
    numbers = (found.get("status_code"), found.get("code"), found.get("status"))
    message = found.get("message")
    return _Fault(
        names=tuple(str(code).lower() for code in codes if isinstance(code, str) and _CODE.fullmatch(code)),
        message=message if isinstance(message, str) else "",
        param=str(found.get("param") or ""),
        status=next((number for number in map(_status, numbers) if number), None),
        fields=found,
    )


def _status(value: Any) -> int | None:
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    return number if isinstance(number, int) and 400 <= number < 600 else None


_CODE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_PARAM: Final = re.compile(r"[a-z][a-z0-9_]{0,31}([.\[][a-z0-9_\]]{1,31}){0,8}")

_OVERFLOW: Final = re.compile(
    r"context.?(length|window|size)|maximum (prompt|input|context)|too many (input )?tokens"
    r"|(prompt|input|request|message) (is )?too (long|large)|exceeds? the (model|available|max)|reduce the length",
    re.IGNORECASE,
)

_NAMED: Final[Mapping[str, type[ProviderError]]] = {
    **dict.fromkeys(
        ("context_length_exceeded", "exceed_context_size_error", "context_window_exceeded", "context_overflow"),
        ContextOverflowError,
    ),
    **dict.fromkeys(
        ("content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed"),
        ContentFilterError,
    ),
    **dict.fromkeys(("invalid_api_key", "authentication_error", "invalid_authentication_error"), AuthenticationError),
    **dict.fromkeys(
        ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance"),
        PermissionDeniedError,
    ),
    **dict.fromkeys(("exceeded_current_quota_error", "permission_error", "permission_denied"), PermissionDeniedError),
    **dict.fromkeys(("model_not_found", "model_not_available", "deploymentnotfound"), ModelNotFoundError),
    **dict.fromkeys(("rate_limit_exceeded", "rate_limit_error", "too_many_requests"), RateLimitError),
    **dict.fromkeys(
        ("overloaded_error", "engine_overloaded_error", "server_overloaded", "service_unavailable"), OverloadedError
    ),
    **dict.fromkeys(("timeout", "timeout_error", "request_timeout", "upstream_timeout"), ProviderTimeoutError),
    **dict.fromkeys(("unsupported_parameter", "unsupported_value"), UnsupportedError),
}
"""Codes that say more than the status."""

_BY_STATUS: Final[Mapping[int, type[ProviderError]]] = {
    401: AuthenticationError,
    402: PermissionDeniedError,
    403: PermissionDeniedError,
    404: ModelNotFoundError,
    408: ProviderTimeoutError,
    413: ContextOverflowError,
    429: RateLimitError,
    504: ProviderTimeoutError,
    524: ProviderTimeoutError,
}

_MEANING: Final[Mapping[type[ProviderError], tuple[str, str]]] = {
    AuthenticationError: ("the key was refused", "check that it is this vendor's, whole and not expired"),
    PermissionDeniedError: ("the account may not do this", "check its plan, its credit and its access to the model"),
    ModelNotFoundError: ("nothing of this name is there", "check the model's name and the base URL"),
    RateLimitError: ("too many requests or tokens", "wait, or ask for less at once"),
    OverloadedError: ("the vendor cannot answer right now", "try again later"),
    ProviderTimeoutError: ("the vendor took too long", "try again, or ask for less"),
    ContextOverflowError: ("the conversation does not fit the model's window", "shorten it, or use a larger model"),
    ContentFilterError: ("the vendor's filter refused the content", "say it in another way"),
    BadRequestError: ("the vendor did not accept the request", "`ore run --capture FILE` writes down what was sent"),
    UnsupportedError: ("the model does not take a field", "leave it out, or let it be left out with --lenient"),
}


def _error(provider: str, status: int | None, fault: _Fault) -> ProviderError:
    media = refused_media(fault.message) if status in _WITHOUT_MEDIA else None
    if media is not None:
        said = f"{provider}: the model takes no {media}{_facts(status, fault)}; leave it out, or use another model"
        refused: ProviderError = UnsupportedError(said, field=media, provider=provider)
        refused.status = status
        return refused
    kind = _kind(status, fault)
    meaning, advice = _MEANING[kind]
    message = f"{provider}: {meaning}{_facts(status, fault)}; {advice}"
    if kind is UnsupportedError:
        error: ProviderError = UnsupportedError(message, field=_field(fault.param), provider=provider)
        error.status = status
        return error
    generation = fault.fields.get("failed_generation")
    if isinstance(generation, str):
        return RejectedGenerationError(message, generation=generation, provider=provider, status=status)
    return kind(message, provider=provider, status=status)


_WITHOUT_MEDIA: Final = (None, 400, 404, 415, 422, 500, 501)
"""Statuses with which servers say that the model takes no pictures and the like."""


def _kind(status: int | None, fault: _Fault) -> type[ProviderError]:
    named = next((_NAMED[name] for name in fault.names if name in _NAMED), None)
    if named is UnsupportedError and not _PARAM.fullmatch(fault.param):
        named = BadRequestError
    unclear = status in (None, 400, 422, 500) and named in (None, BadRequestError)
    if status == 413 or (unclear and _OVERFLOW.search(fault.message)):
        return ContextOverflowError
    if named is not None:
        return named
    metadata = fault.fields.get("metadata")
    if status == 403 and isinstance(metadata, dict) and "reasons" in metadata:  # OpenRouter's moderation
        return ContentFilterError
    if blames_request(status, fault.message):
        return BadRequestError
    if status is None:
        return BadRequestError if "invalid_request_error" in fault.names else OverloadedError
    return _BY_STATUS.get(status) or (OverloadedError if status >= 500 else BadRequestError)


def _facts(status: int | None, fault: _Fault) -> str:
    """What can be told: codes, places and counts, and a sentence that holds nobody's words."""
    facts = [f"status {status}"] if status is not None else []
    facts += [f"code {fault.names[0]}"] if fault.names else []
    facts += [f"at {fault.param}"] if _PARAM.fullmatch(fault.param) else []
    counts = [(name, fault.fields.get(name)) for name in ("n_prompt_tokens", "n_ctx")]
    facts += [f"{name} {count}" for name, count in counts if isinstance(count, int)]
    facts += [f"it says {fault.message!r}"] if _is_plain(fault.message) else []
    return f" ({', '.join(facts)})" if facts else ""


_PLAIN: Final = (
    "a again an and any api are at available balance be been busy by capacity cannot check completion connection "
    "content context could credit credits current currently deadline does down due enough error exceeded exist failed "
    "filter filtered for found gateway has have high i in input insufficient internal invalid is it later length limit "
    "limited loaded loading long many max maximum message messages model moment more no not of on or our out output "
    "overloaded plan please policy processing prompt provider quota rate reached request requests response retry "
    "returned server service size soon supported system temporarily temporary the this timed timeout to token tokens "
    "too traffic try unavailable under unexpected unknown unsupported upstream usage wait was were while with you your"
)
_PLAIN_WORDS: Final = frozenset(_PLAIN.split())


def _is_plain(message: str) -> bool:
    words = message.rstrip(".").replace(",", " ").lower().split()
    return 0 < len(message) <= 120 and all(word in _PLAIN_WORDS for word in words)


_FIELDS: Final[Mapping[str, str]] = {
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "stop": "stop_sequences",
    "reasoning_effort": "thinking_level",
    "reasoning": "thinking_level",
}


def _field(param: str) -> str:
    """A field of the request, by the name that it has in a spec."""
    return _FIELDS.get(param, param)
