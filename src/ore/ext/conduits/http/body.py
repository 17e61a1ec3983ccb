"""What the bodies of requests have to be."""

from typing import Any, Literal

import msgspec

__all__ = [
    "AnswerBody",
    "ForkBody",
    "InterruptBody",
    "MessageBody",
    "MetadataBody",
    "SessionBody",
    "TipBody",
]


class SessionBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A session to make, or a stored thread to make active; with `create` one that is not stored is made."""

    thread_id: str | None = None
    create: bool = False
    metadata: dict[str, str] | None = None
    agent: str | None = None


class MessageBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message; `content` is text or a list of artifacts."""

    content: msgspec.Raw
    kinds: list[str] | None = None
    id: str | None = None
    mode: Literal["queue", "steer", "interrupt"] = "queue"


class InterruptBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an interrupt touches beside the running message."""

    clear: bool = True


class AnswerBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision, or an answer to a question that was put to the user."""

    decision: Literal["approve", "deny"] | None = None
    answer: Any = msgspec.UNSET
    reason: str | None = None
    arguments: str | None = None


class ForkBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a new thread leaves another; without `at` behind all its turns, with null before them."""

    at: str | msgspec.UnsetType | None = msgspec.UNSET
    content: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class TipBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The turn behind which the conversation goes on; null is before the first one."""

    turn: str | None


MetadataBody = dict[str, str | None]
"""Facts to set; null deletes."""
