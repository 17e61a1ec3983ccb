"""`Transport`: the one seam between providers and the network."""

from collections.abc import AsyncIterator, Awaitable, Mapping
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Limits", "Reply", "Transport", "has_ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long an answer may take; the defaults are the command line's.

    Attributes:
        connect_s: Seconds until there is a connection, with its name looked up and TLS agreed on.
        silence_s: Seconds without a byte, before the answer as well as inside it.
        total_s: Seconds from the request to the end of the answer.
        answer_bytes: Bytes of an answer, 128 MiB: three times what the longest
            answers have that vendors give, 128,000 tokens in events of their own.
    """

    connect_s: float = 10.0
    silence_s: float = 300.0
    total_s: float = 1800.0
    answer_bytes: int = 128 << 20


class Reply(Protocol):
    """An answer: its status and headers are there, its body comes.

    Iterating gives the blocks of the body as they arrived, none of them empty,
    with transfer and content encodings undone. It raises what `post` raises,
    and `ProtocolError` where there are more of them than the limit allows.
    """

    @property
    def status(self) -> int:
        """HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """With names in lower case."""
        ...

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    def __anext__(self) -> Awaitable[bytes]: ...

    def close(self) -> None:
        """Give the connection up, unless the whole body was read.

        Whoever got the reply calls it, once or more often, at any point; it
        does not wait.
        """
        ...


class Transport(Protocol):
    """Posts requests. One object serves any number of event loops and threads."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limits: Limits) -> Reply:
        """Send JSON and wait for the head of the answer, whatever its status; redirects are not followed.

        Cancelling it gives the connection up.

        Args:
            url: Without a name or password in it.
            body: JSON.
            headers: Those of this request; names and values are shown nowhere.
            limits: How long it may take.

        Raises:
            ConnectionFailedError: There is no connection, or it broke.
            ProviderTimeoutError: A limit was reached; the message says which.
            ProtocolError: What answered does not speak HTTP.
        """
        ...


def has_ended(reply: Reply) -> bool:
    """Whether a body is known to have ended, with nothing of it unread: a reply may have an attribute of that name."""
    return getattr(reply, "has_ended", False)
