"""Where a server is and what it may cost: values, checked when they are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from ore.errors import InputError

__all__ = ["Http", "McpOptions", "Stdio", "Where"]

MAX_MESSAGE_BYTES: Final = 64 * 2**20
"""64 MiB: a message with a few pictures in base64 passes, a server gone mad does not."""

MAX_MEDIA_BYTES: Final = 10 * 2**20
"""10 MiB of pictures and sounds in one result: what a vendor takes in one request, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stdio:
    """A server that is started as a child process and speaks on its standard input and output.

    The child's environment holds what a program needs to run, such as `PATH`
    and `HOME`, and what is named here: no key of yours reaches it by accident.

    Attributes:
        command: The program; looked up on the path.
        args: Its arguments.
        env: Further variables with their values.
        inherit: Names of variables that the child gets as they are here.
        cwd: Its working directory.

    Raises:
        InputError: There is no command.
    """

    command: str
    args: Sequence[str] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    inherit: Sequence[str] = ()
    cwd: str | Path | None = None

    def __post_init__(self) -> None:
        if not self.command:
            raise InputError("mcp: expected a command to start, got an empty one")
        if isinstance(self.args, str):
            raise InputError("mcp: expected args as a list of texts, got one text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Http:
    """A server on the network.

    Attributes:
        url: Its endpoint.
        headers: Sent with every request.
        token: Sent as a bearer token, instead of an `Authorization` among the headers.
        auth: An `httpx2.Auth`, such as the SDK's OAuth providers.
        protocol: `sse` for servers older than streamable HTTP (March 2025).

    Raises:
        InputError: It is no http or https address.
    """

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    token: str | None = field(default=None, repr=False)
    auth: Any = field(default=None, repr=False)
    protocol: Literal["streamable", "sse"] = "streamable"

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            sound = False
        if not sound:
            raise InputError("mcp: expected an address that begins with http:// or https:// and names a host")

    @property
    def shown(self) -> str:
        """The address without what may be secret in it: no user, no password, no query."""
        parts = urlsplit(self.url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"


Where = Stdio | Http
"""How a server is reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions:
    """How a server is treated.

    Attributes:
        connect_s: Seconds until it has shaken hands and listed its tools.
        close_s: Seconds it gets to take its leave; a child process gets as long
            once more, and is killed then.
        call_s: Seconds a call may take; `None` is the agent's own limit.
        attempts: How often one call tries to reach a server that is gone, with
            0.1, 0.2, 0.4… seconds between, at most 5.
        message_bytes: The longest message that is taken from it.
        media_bytes: How much of pictures, documents and sounds one result may bring.
        trusted: Whether its word counts that a tool only reads, or may be repeated.
        approve: Which of its tools a person has to approve; `writes` is those
            that do not say that they only read.
        resources: Whether the model gets tools to list and read its resources.
        required: In a group: whether the group fails when it cannot be reached.
        handshake: `legacy` for servers that cannot bear the question which came
            with the protocol of 2026-07-28.
    """

    connect_s: float = 30.0
    close_s: float = 5.0
    call_s: float | None = None
    attempts: int = 4
    message_bytes: int = MAX_MESSAGE_BYTES
    media_bytes: int = MAX_MEDIA_BYTES
    trusted: bool = True
    approve: Literal["never", "writes", "always"] = "never"
    resources: bool = False
    required: bool = True
    handshake: Literal["auto", "legacy"] = "auto"

    def __post_init__(self) -> None:
        for name, value in (("connect_s", self.connect_s), ("close_s", self.close_s), ("call_s", self.call_s)):
            if value is not None and not value > 0:
                raise InputError(f"mcp: {name}: expected more than 0 seconds, got {value!r}")
        if self.attempts < 1:
            raise InputError(f"mcp: attempts: expected at least 1, got {self.attempts!r}")
