"""A user's message, checked and cleaned, as the inbox keeps it."""

import os

import msgspec

from ore.artifact import Artifact, Text, clean
from ore.errors import InputError, LimitError
from ore.event import CURRENT, UserMessage, content_of
from ore.ledger import Message, check_id
from ore.session.limits import SessionLimits

__all__ = ["new_message"]

MODES = ("queue", "steer", "interrupt")


def new_message(event: UserMessage, limits: SessionLimits, *, waiting: int) -> Message:
    """The message of an event, with where it came from.

    Args:
        event: What was submitted.
        limits: On what comes in.
        waiting: How many messages wait already.

    Raises:
        InputError: The content or the id cannot be used.
        LimitError: It is too large, or too many wait.
    """
    if event.mode not in MODES:
        raise InputError(f"mode: expected one of {', '.join(MODES)}, got {event.mode!r}")
    artifacts = tuple([_cleaned(artifact) for artifact in content_of(event.content)])
    size = 0
    for artifact in artifacts:
        size += len(artifact.content) if type(artifact) is Text else _size(artifact)
    if size > limits.message_bytes:
        raise LimitError(f"message: expected at most {limits.message_bytes} bytes, got {size}")
    if waiting >= limits.queue:
        full = LimitError(f"queue: expected at most {limits.queue} waiting messages; wait for some to end")
        full.retryable = True
        raise full
    here = CURRENT.get()
    return Message(
        id=check_id(event.id, "message") if event.id is not None else os.urandom(8).hex(),
        artifacts=artifacts,
        mode=event.mode,
        provenance=here.provenance,
        traceparent=here.traceparent,
    )


def _cleaned(artifact: Artifact) -> Artifact:
    """Text without lone surrogates, which no provider and no store accepts."""
    if isinstance(artifact, Text) and not artifact.content.isascii():
        return msgspec.structs.replace(artifact, content=clean(artifact.content))
    return artifact


def _size(artifact: Artifact) -> int:
    data = getattr(artifact, "data", None)
    return len(artifact.for_human()) + (len(data) if isinstance(data, bytes) else 0)
