"""JSON of requests, and the values of their queries: read, or refused with what was expected."""

from typing import TypeVar

import msgspec
from starlette.requests import Request

from ore.errors import InputError
from ore.ext.conduits.http.problem import Problem

__all__ = ["decoded", "number_in", "read_body"]

T = TypeVar("T")


async def read_body(request: Request, kind: type[T], *, empty: T | None = None) -> T:
    """The body of a request.

    Args:
        request: The request.
        kind: What it has to be.
        empty: What stands for no body at all.

    Raises:
        Problem: It is no JSON (400), or of another type (415).
        InputError: It is not what was expected.
    """
    raw = await request.body()
    if not raw and empty is not None:
        return empty
    _check_media_type(request.headers.get("content-type"))
    return decoded(raw, kind)


def decoded(raw: bytes | msgspec.Raw, kind: type[T]) -> T:
    """JSON as a value of that type.

    Raises:
        Problem: It is no JSON.
        InputError: It is not what was expected.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        _check_json(raw)  # what is wrong at its beginning may be no JSON further on
        raise InputError(f"body: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        _check_json(raw)
        raise


def number_in(request: Request, name: str) -> int | None:
    """A whole number of the query; `None` when it is not there.

    Raises:
        InputError: It is something else.
    """
    text = request.query_params.get(name)
    if text is None:
        return None
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(text) < 400):
        raise InputError(f"{name}: expected a whole number, got {text[:40]!r}")
    return int(text)


def _check_json(raw: bytes | msgspec.Raw) -> None:
    try:
        msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Problem(400, InputError.code, f"body: expected JSON: {error}") from None
    except RecursionError:
        raise Problem(400, InputError.code, "body: expected JSON that is not nested that deep") from None


def _check_media_type(given: str | None) -> None:
    """Refuse what a page elsewhere may send without being asked, such as text/plain."""
    media_type = (given or "application/json").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise Problem(415, InputError.code, f"Content-Type: expected application/json, got {media_type[:80]!r}")
