"""`ContextManifest`: what a model was sent for one answer."""

from typing import ClassVar, Final, Literal

import msgspec

from ore.artifact import Artifact, Unknown
from ore.ledger import Turn

__all__ = ["Change", "ContextManifest", "Difference", "Part", "manifest_of"]

_KIND: Final = "context"


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of what was sent.

    Attributes:
        name: `tools`; `user`, `assistant`, `tool` and `system` for the
            ledger's turns; else the transform that put it there.
        count: How many tools or turns.
        tokens: About so many.
    """

    name: str
    count: int
    tokens: int


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What a transform did to the conversation; those that did nothing are not named.

    Attributes:
        transform: Its name.
        added: Turns that it put in.
        removed: Turns that it took out.
        changed: Turns that it put others in the place of.
    """

    transform: str
    added: int = 0
    removed: int = 0
    changed: int = 0


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Where a request leaves the one before it; up to there a vendor's prompt cache can hold.

    Attributes:
        byte: The first byte that differs, from 0.
        where: Its place in the JSON, such as `messages[4].content`.
        cause: `turn` for what was said since, `compaction`, `tools`,
            `settings` for the spec and options, `history` where the ledger's
            path is another, or the transform whose turn differs.
    """

    byte: int
    where: str
    cause: str


class ContextManifest(Artifact, frozen=True, kw_only=True, tag=_KIND):
    """What was sent for an answer, at the end of the answer's turn.

    Attributes:
        model: Who was asked.
        bytes: Length of the request's body.
        body: `request` when that is what was sent; `rendering` when the
            provider did not show it, and a plain rendering was looked at instead.
        tokens: About so many, all parts together.
        parts: What it consisted of.
        transforms: Those that changed the conversation, in order.
        compared: Whether the request before it was known: not after a restart.
        difference: Where it leaves that one; `None` when they are the same.
    """

    sendable: ClassVar[bool] = False

    model: str
    bytes: int
    body: Literal["request", "rendering"]
    tokens: int
    parts: tuple[Part, ...] = ()
    transforms: tuple[Change, ...] = ()
    compared: bool = False
    difference: Difference | None = None

    def for_human(self) -> str:
        """How much was sent."""
        return f"[sent: about {self.tokens:,} tokens, {self.bytes:,} bytes]"


def manifest_of(turn: Turn) -> ContextManifest | None:
    """The manifest in a turn; one that cannot be read is none."""
    for artifact in turn.artifacts:
        if isinstance(artifact, ContextManifest):
            return artifact
        if isinstance(artifact, Unknown) and artifact.name == _KIND:  # as stores give it back
            try:
                return _decode(artifact.raw)
            except (ValueError, RecursionError):
                return None
    return None


_decode = msgspec.json.Decoder(ContextManifest).decode
