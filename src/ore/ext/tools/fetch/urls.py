"""`checked`: an address of the web that may be asked for."""

import re
from ipaddress import ip_address
from typing import Final

from yarl import URL

from ore.errors import ToolError

__all__ = ["LONGEST", "checked", "is_address"]

LONGEST: Final = 8_192
"""Characters of an address."""

_HOST: Final = re.compile(r"[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?", re.ASCII)
_LIKE_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
"""Where the last part of a host is one, all of it is an address, in decimal, octal or hexadecimal ("URL", 3.5)."""

_NUMBER: Final = re.compile(r"[0-9a-f:.]+", re.ASCII)


def checked(text: str, base: URL | None = None) -> URL:
    """The address, without its fragment.

    Args:
        text: What was asked for, or where an answer says that it is.
        base: Where the answer was, if it is one.

    Raises:
        ToolError: It is none of http or https, or holds a name or a password.
    """
    what = "url" if base is None else "the answer leads elsewhere; its address"
    if len(text) > LONGEST or not text.isprintable() or " " in text or "\\" in text:
        raise ToolError(f"{what}: expected an address of at most {LONGEST} characters without blanks")
    try:
        url = URL(text) if base is None else base.join(URL(text))
        authority, host, port = url.raw_authority, url.raw_host or "", url.port
    except (ValueError, UnicodeError):
        raise ToolError(f"{what}: expected one such as https://example.com/page, got {text!r}") from None
    if url.scheme not in ("http", "https"):
        raise ToolError(f"{what}: expected one of http or https, got {text!r}")
    if "@" in authority:  # not shown: it holds a secret
        raise ToolError(f"{what}: expected one without a name or a password in it")
    if not (_HOST.fullmatch(host) or (":" in host and _NUMBER.fullmatch(host))) or not port:
        raise ToolError(f"{what}: expected one with a host, such as https://example.com/page, got {text!r}")
    if _LIKE_NUMBER.fullmatch(host.rpartition(".")[2]) and not is_address(host):
        raise ToolError(f"{what}: expected a host by its name, or an address in its usual form, got {host!r}")
    return url.with_fragment(None)


def is_address(host: str) -> bool:
    """Whether a host is an address itself, for which no name is looked up."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
