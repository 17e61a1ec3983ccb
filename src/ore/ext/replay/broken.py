"""`Broken`: what goes wrong with one request, where a cassette is played."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from ore.errors import InputError

__all__ = ["Broken"]

_KINDS: Final = ("cut", "bad_json", "status")

_NO_JSON: Final[Mapping[str, bytes]] = {"sse": b'\n\ndata: {"\n\n', "ndjson": b'\n{"\n'}
"""What is no JSON, framed as the rest of the answer is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """What goes wrong with one request, on the level of HTTP.

    Attributes:
        kind: `cut` ends the body early, `bad_json` has what is no JSON in its
            middle, `status` answers with a status and nothing else.
        after_bytes: Of the body that still come before it.
        status: HTTP status, such as 429 or 503.
        headers: Of an answer with a status, such as `retry-after`.

    Raises:
        InputError: There is no such kind, or the status is no failure.
    """

    kind: Literal["cut", "bad_json", "status"]
    after_bytes: int = 0
    status: int = 429
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise InputError(f"broken: expected one of {', '.join(_KINDS)}, got {self.kind!r}")
        if not 400 <= self.status < 600:
            raise InputError(f"broken: expected a status from 400 to 599, got {self.status}")

    def body(self, body: bytes, framing: str) -> bytes:
        """What comes of a body.

        Args:
            body: As it was recorded.
            framing: `sse` or `ndjson`.
        """
        if self.kind == "status":
            return b"{}"
        begun, rest = body[: self.after_bytes], body[self.after_bytes :]
        return begun if self.kind == "cut" else begun + _NO_JSON[framing] + rest
