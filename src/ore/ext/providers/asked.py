"""`Asked`: how something was asked, so that it can be asked again."""

from typing import NamedTuple

from aiohttp.client_reqrep import ConnectionKey

__all__ = ["Asked"]


class Asked(NamedTuple):
    """How something was asked.

    Attributes:
        key: What aiohttp knows its connections by.
        head: What was sent before the length of the body; it may hold a secret.
    """

    key: ConnectionKey
    head: bytes

    def __repr__(self) -> str:
        return "Asked()"
