"""`Token`: who may come in, when not everybody may."""

from hmac import compare_digest
from typing import Final
from urllib.parse import quote, unquote

from starlette.datastructures import Headers

__all__ = ["COOKIE", "Token"]

COOKIE: Final = "ore_token"

KEPT_S: Final = 30 * 24 * 3600
"""Seconds that a browser keeps the cookie."""


class Token:
    """Compares what a request shows with the token, in a time that tells nothing of it.

    Args:
        token: The token; `None` lets everybody in.
    """

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else token.encode()

    @property
    def is_needed(self) -> bool:
        """Whether there is one."""
        return self._token is not None

    def fits(self, given: str) -> bool:
        """Whether it is the token."""
        return self._token is not None and compare_digest(given.encode("utf-8", "replace"), self._token)

    def _fits_header(self, given: str) -> bool:
        """As `fits`, for what came as bytes that somebody took for Latin-1."""
        return self.fits(given) or (
            not given.isascii() and self.fits(given.encode("latin-1").decode("utf-8", "replace"))
        )

    def lets(self, headers: Headers) -> bool:
        """Whether a request shows the token, in its `Authorization` or its cookie."""
        if self._token is None:
            return True
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._fits_header(given.strip()):
            return True
        return any(self._fits_header(value) for cookie in headers.getlist("cookie") for value in _values(cookie))

    def cookie(self, token: str, *, path: str, secure: bool) -> str:
        """What a browser shall keep: out of reach of scripts, and sent from nowhere but its own pages."""
        fields = [f"{COOKIE}={quote(token, safe='')}", f"Path={path}", f"Max-Age={KEPT_S}", "HttpOnly"]
        return "; ".join([*fields, "SameSite=Strict", *(["Secure"] if secure else [])])


def _values(cookie: str) -> list[str]:
    """The values of the cookie, as they came and as they were meant; several may stand there."""
    found: list[str] = []
    for part in cookie.split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE:
            found += [value, unquote(value)]
    return found
