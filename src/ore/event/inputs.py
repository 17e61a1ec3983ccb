"""Input events: what people and programs send into a session."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from ore.artifact import Artifact, StopReason, Text, ToolCall, ToolResult, Usage, check_artifact
from ore.errors import InputError

__all__ = ["Content", "InputEvent", "InterruptEvent", "Mode", "UserMessage", "content_of"]

Mode = Literal["queue", "steer", "interrupt"]
"""`queue`: after all before it. `steer`: enters the running loop before its next
inference. `interrupt`: cancels what runs and comes next."""

Content = str | Artifact | Sequence[Artifact]
"""What a person sends: text, or artifacts."""


class InputEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Something sent into a session."""

    @property
    def kind(self) -> str:
        """The wire tag."""
        return str(self.__struct_config__.tag)


class UserMessage(InputEvent, frozen=True, kw_only=True, tag="user_message"):
    """A message to the agent.

    Attributes:
        content: Text or artifacts.
        id: The sender's own id, so that sending twice is one message; made up when `None`.
        mode: When it takes its turn.
    """

    content: str | tuple[Artifact, ...]
    id: str | None = None
    mode: Mode = "queue"


class InterruptEvent(InputEvent, frozen=True, kw_only=True, tag="interrupt"):
    """Stop what runs.

    Attributes:
        clear: Whether what waits is taken out of the queue as well.
    """

    clear: bool = True


_NOT_A_PERSONS = (StopReason, ToolCall, ToolResult, Usage)
"""What only models and tools say."""


def content_of(content: Content) -> tuple[Artifact, ...]:
    """Content as artifacts.

    Raises:
        InputError: It is neither text nor complete artifacts.
    """
    if isinstance(content, str):
        if not content:
            raise InputError("content: expected something to send, got empty text")
        return (Text(content=content),)
    artifacts = content if type(content) is tuple else _sequence(content)
    if not artifacts:
        raise InputError("content: expected something to send, got no artifacts")
    for artifact in artifacts:
        _check(artifact)
    return artifacts


def _check(artifact: object) -> None:
    if isinstance(artifact, Artifact) and artifact.persistent and not isinstance(artifact, _NOT_A_PERSONS):
        check_artifact(artifact)
        return
    shown = artifact.kind if isinstance(artifact, Artifact) else type(artifact).__name__
    raise InputError(f"content: expected text or complete artifacts, got {shown!r}")


def _sequence(content: object) -> tuple[Artifact, ...]:
    if isinstance(content, Artifact):
        return (content,)
    if not isinstance(content, Sequence):
        raise InputError(f"content: expected text or artifacts, got {type(content).__name__}")
    return tuple(content)
