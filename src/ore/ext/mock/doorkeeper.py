"""Who may ask: only programs of this machine, and no page of another site."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

__all__ = ["is_local"]

_LOCAL: Final = ("127.0.0.1", "localhost", "::1")


def is_local(headers: Mapping[str, str]) -> bool:
    """Whether a request names this machine, and comes from no page elsewhere.

    A browser may be led here under another name; then `Host` is that name.

    Args:
        headers: With names in lower case.
    """
    origin = headers.get("origin")
    return _name(f"//{headers.get('host', '')}") in _LOCAL and (origin is None or _name(origin) in _LOCAL)


def _name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
