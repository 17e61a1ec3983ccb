"""`Address`: where a provider answers."""

import re
from base64 import b64encode
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from ore.errors import InputError

__all__ = ["OPEN_PARAMETERS", "Address", "is_loopback"]

OPEN_PARAMETERS: Final = frozenset({"alt", "api-version"})
"""Parameters of an address that may be shown; others hold keys at some vendors."""

_VERSION: Final = re.compile(r"/v\d[a-z0-9.]*(/|$)")
_EXAMPLE: Final = "https://host/v1"


class Address:
    """A base URL, as people write them.

    It may end in `/v1` or not: without any version in its path, such as `/v1`,
    `/v4` or `/v1beta`, the vendor's folder is added. A whole address of the
    vendor's own path, such as one that ends in `/chat/completions`, is taken as
    it stands, and so is a path with a query. A name and a password in it are
    sent as basic authentication, and shown nowhere.

    Args:
        text: The base URL.
        path: What the wire posts to, such as `chat/completions`.
        folder: Where the vendor's interface stands, as a rule in a version of
            its own. Empty where the wire's path names it already; then it may
            stand at the end of `text`, and so may the `/v1` that vendor has for
            those who speak like another.

    Raises:
        InputError: It is none; the message says what was expected.
    """

    __slots__ = ("_base", "_query", "basic", "host", "is_loopback", "origin", "secrets")

    def __init__(self, text: str, *, path: str, folder: str = "v1") -> None:
        parts = _parts(text)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        port = f":{parts.port}" if parts.port is not None else ""
        self.origin = f"{parts.scheme}://{host}{port}"
        """Scheme, host and port: what may be shown."""
        self.basic = _basic(parts)
        """Value of the `authorization` header; `None` without a name in the URL."""
        self.secrets = _secrets(parts)
        """Name, password and parameters: what must not be shown."""
        self.host = parts.hostname or ""
        self.is_loopback = is_loopback(self.host)
        """Whether this machine answers itself."""
        self._base = f"{self.origin}{_folder(parts, path, folder)}"
        self._query = f"?{parts.query}" if parts.query else ""

    def __repr__(self) -> str:
        return f"Address({self._base!r})"

    def is_under(self, domain: str) -> bool:
        """Whether the host is `domain` or below it."""
        return self.host == domain or self.host.endswith(f".{domain}")

    def url(self, path: str) -> str:
        """The address of `path` there, which may have a query of its own."""
        query = self._query.replace("?", "&", 1) if "?" in path else self._query
        return f"{self._base}/{path}{query}"


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine, by its name or its number alone."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _parts(text: str) -> SplitResult:
    """The pieces of a URL; a message about one that is wrong quotes nothing of it, since it may hold a password."""
    try:
        parts = urlsplit(text)
        fault = _fault(parts, text)
    except ValueError:  # brackets that do not close, a port that is no number
        fault = "one whose host or port cannot be read"
    if fault:
        raise InputError(f"base URL: expected an address such as {_EXAMPLE}, got {fault}")
    return parts


def _fault(parts: SplitResult, text: str) -> str | None:
    if not text.isprintable() or " " in text:
        return "one with blanks or control characters"
    if parts.scheme not in ("http", "https"):
        return "one without http:// or https://"
    if not parts.hostname:
        return "one without a host"
    return "one with port 0" if parts.port == 0 else None


def _folder(parts: SplitResult, path: str, folder: str) -> str:
    found = parts.path.rstrip("/")
    if found.endswith(f"/{path}"):
        return found.removesuffix(f"/{path}")
    if not folder:
        return found.removesuffix("/v1").removesuffix(f"/{path.partition('/')[0]}")
    if _VERSION.search(found) or (parts.query and found):
        return found
    outer, _, inner = folder.rpartition("/")
    return f"{found}/{inner if outer and found.endswith(f'/{outer}') else folder}"


def _secrets(parts: SplitResult) -> tuple[str, ...]:
    words = [unquote(word) for word in (parts.username, parts.password) if word]
    return (*words, *(value for name, value in parse_qsl(parts.query) if name not in OPEN_PARAMETERS))


def _basic(parts: SplitResult) -> str | None:
    if parts.username is None and parts.password is None:
        return None
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return f"Basic {b64encode(pair.encode()).decode()}"
