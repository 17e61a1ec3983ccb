"""`refusal`: what a server says instead of an answer."""

import asyncio
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from ore.errors import (
    BadRequestError,
    ModelNotFoundError,
    OverloadedError,
    PermissionDeniedError,
    ProtocolError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    UnsupportedError,
)
from ore.ext.providers.endpoint import Endpoint
from ore.ext.providers.retry_after import retry_after_s
from ore.ext.providers.transport import Reply
from ore.ext.providers.vendor_words import vendor_words
from ore.ext.wires.wire import Wire

__all__ = ["explain", "refusal", "unreadable"]

BODY_BYTES: Final = 64 << 10
"""What is read of an error at most; vendors' own have a few hundred."""

BODY_S: Final = 5.0
"""Seconds for reading it; the status alone says enough."""

_EVENT: Final = (b"data:", b"event:", b":")
"""How events begin; those that do are not looked at any closer."""

_PACKED: Final = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""How bodies begin that are packed, by RFC 1952 and RFC 8878."""

_ADVICE: Final = "is the base URL right? it is the part of the address before what is asked for, as a rule with /v1"


_EXPLAINED: Final = (
    *(BadRequestError, UnsupportedError, ModelNotFoundError, PermissionDeniedError),
    *(RateLimitError, OverloadedError, ProviderTimeoutError),
)
"""Errors of which the vendor's own sentence says what to change, or to await; not those with what the model wrote."""


async def refusal(provider: str, wire: Wire, reply: Reply, endpoint: Endpoint, sent: bytes) -> ProviderError:
    """The error of an answer whose status is not 200.

    Where it says what has to change, the vendor's own words are in it, but
    none that were sent.

    Args:
        sent: The body of the request.
    """
    if 300 <= reply.status < 400:
        return _redirect(reply)
    if reply.status < 300:
        return ProtocolError(f"expected status 200 of an answer, got {reply.status}; {_ADVICE}", status=reply.status)
    body = await _body(reply)
    if _is_page(reply.headers, body):
        if reply.status in (404, 405):
            said = f"expected an API, got a web page with status {reply.status}; {_ADVICE}"
            return ProtocolError(said, status=reply.status)
        body = b""  # of something on the way; its status is what can be gone by
    error = wire.failure(provider, reply.status, reply.headers, body)
    if error.retry_after_s is None:
        error.retry_after_s = retry_after_s(reply.headers, endpoint.clock())
    if error.retry_after_s:
        error.args = (f"{error}; it asks to wait {error.retry_after_s:.6g} s",)
    explain(error, body, endpoint, sent)
    return error


def explain(error: ProviderError, body: bytes, endpoint: Endpoint, sent: bytes) -> None:
    """Add the vendor's own sentence to an error, without any word that was sent.

    Args:
        body: The error object, or what holds it.
        sent: The body of the request.
    """
    if type(error) in _EXPLAINED:
        words = vendor_words(body, sent, *endpoint.credentials.headers.values())
        if words and words not in str(error):
            error.args = (f"{error}; the vendor says: {words!r}",)


def unreadable(reply: Reply, block: bytes) -> ProviderError | None:
    """The error of an answer that is none, by its first bytes; `None` when it may be one."""
    packed = next((name for begin, name in _PACKED.items() if block.startswith(begin)), None)
    if packed is not None:
        said = f"expected a stream of events, got bytes packed with {packed}, and no header content-encoding says so; "
        return ProtocolError(f"{said}does something on the way change what is sent?", status=200)
    if not block.startswith(_EVENT) and _is_page(reply.headers, block):
        return ProtocolError(f"expected a stream of events, got a web page; {_ADVICE}", status=200)
    return None


def _redirect(reply: Reply) -> ProviderError:
    try:
        parts = urlsplit(reply.headers.get("location", ""))
        place = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"
        shown = f"to {place}" if parts.scheme and parts.hostname else "elsewhere on the same server"
    except ValueError:
        shown = "to an address that cannot be read"
    return ProtocolError(
        f"the server redirects {shown} (status {reply.status}), where a key is not sent by itself; if that is right, "
        "give its address as the base URL",
        status=reply.status,
    )


async def _body(reply: Reply) -> bytes:
    """As much of the body as comes soon."""
    blocks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_S):
            async for block in reply:
                blocks.append(block)
                size += len(block)
                if size >= BODY_BYTES:
                    break
    except (ProviderError, TimeoutError):
        pass
    return b"".join(blocks)[:BODY_BYTES]


def _is_page(headers: Mapping[str, str], body: bytes) -> bool:
    kind = headers.get("content-type", "").lower()
    begin = body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return kind.startswith(("text/html", "application/xhtml")) or begin.startswith((b"<!doctype", b"<html"))
