"""`HttpOptions`: what the HTTP conduit lets in, and how much of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ore.artifact import CODEC, Codec
from ore.errors import InputError

__all__ = ["STATIC", "HttpLimits", "HttpOptions"]

STATIC = Path(__file__).parent / "static"
"""Where `make web` puts the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """Limits on what comes in; beyond each the answer says which one it was.

    Attributes:
        body_bytes: Of one request; beyond it 413.
        body_s: Seconds for a request's body to arrive; then 408.
        sessions: That are active at once; beyond it 429.
        readers: Streams that are open at once, of all sessions; beyond it 429.
        session_readers: Streams of one session; beyond it 429.
        writes_per_s: Requests that change something, in the long run; beyond it 429.
        burst: How many of those may come at once.
        heartbeat_s: Seconds of silence after which an event stream says that it is there.
        stall_s: Seconds after which a reader that takes nothing is let go of.
        metadata_bytes: Of all keys and values of one change.
    """

    body_bytes: int = 10 << 20
    body_s: float = 60.0
    sessions: int = 10_000
    readers: int = 2_000
    session_readers: int = 500
    writes_per_s: float = 200.0
    burst: int = 2_000
    heartbeat_s: float = 15.0
    stall_s: float = 120.0
    metadata_bytes: int = 64 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpOptions:
    """How the HTTP conduit serves.

    Attributes:
        token: What requests have to show; `None` lets everybody in.
        hosts: Names under which it is reached, beside those of loopback.
        origins: Pages elsewhere that may use it, such as `https://example.org`.
        any_address: Whether a `Host` that is an IP address passes, because it
            is bound to more than loopback; no name can be made to mean one.
        ui: Whether the page is served.
        static: The page's files.
        limits: On what comes in.
        codec: Reads artifacts; with kinds of one's own.
        access_log: Whether each request is logged: method, route, status and
            time, never what it held.
    """

    token: str | None = field(default=None, repr=False)
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    any_address: bool = False
    ui: bool = True
    static: Path = STATIC
    limits: HttpLimits = field(default_factory=HttpLimits)
    codec: Codec = CODEC
    access_log: bool = True

    def __post_init__(self) -> None:
        if self.token is not None and (not self.token.strip() or self.token != self.token.strip()):
            raise InputError("token: expected some characters without blanks around them")
