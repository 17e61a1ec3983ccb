"""What a list of a script says, for whoever writes it in a vendor's words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ore.artifact import (
    Artifact,
    BlockEnd,
    Blocks,
    Reason,
    Reasoning,
    ReasoningDelta,
    ServerTool,
    StopReason,
    Text,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from ore.errors import InputError
from ore.ext.mock.asked import Asked
from ore.ext.providers.script import Failure, Hang, Item, Pause, Script

__all__ = ["Break", "Step", "artifacts_of", "check_script", "folded", "reason_of", "usage_of"]


@dataclass(frozen=True, slots=True)
class Break:
    """The answer fails here.

    Attributes:
        failure: What the script says.
        event: What a stream that has begun says of it; nothing where it is just cut.
    """

    failure: Failure
    event: bytes


Step = bytes | Pause | Hang | Break
"""Bytes that are written at once, or what else happens."""

_SAID = (Text, TextDelta, Reasoning, ReasoningDelta, ToolCall, ToolCallDelta, ServerTool, BlockEnd, StopReason, Usage)
"""What a model says; the rest of the kinds comes from elsewhere."""


def check_script(script: Script) -> None:
    """Refuse a script that holds what no model says.

    Raises:
        InputError: The message names the place, such as `calls[0][2]`.
    """
    for number, call in enumerate(script.calls):
        for place, item in enumerate(call):
            for artifact in item if isinstance(item, Sequence) else ():
                if not isinstance(artifact, _SAID):
                    where = f"scripted file {script.path!r}: calls[{number}][{place}]"
                    raise InputError(f"{where}: expected what a model says, got {artifact.kind}")


def artifacts_of(items: Sequence[Item]) -> Iterator[Artifact]:
    """The artifacts of a list, in order."""
    for item in items:
        if isinstance(item, Sequence):
            yield from item


def folded(items: Sequence[Item]) -> Sequence[Artifact]:
    """The complete artifacts that a list comes to."""
    blocks = Blocks("mock", lambda artifact, block: None)
    for artifact in artifacts_of(items):
        blocks.add(artifact)
    return blocks.close()


def reason_of(items: Sequence[Item]) -> Reason:
    """The last stop reason; without one `tool_use` after calls, else `stop`."""
    reason: Reason = "stop"
    for artifact in artifacts_of(items):
        if isinstance(artifact, StopReason):
            reason = artifact.reason
        elif isinstance(artifact, ToolCall | ToolCallDelta) and reason == "stop":
            reason = "tool_use"
    return reason


def usage_of(items: Sequence[Item], asked: Asked) -> Usage:
    """The last usage, with every figure that vendors always give; those that the script leaves out are estimated."""
    said, count = Usage(), 0
    for artifact in artifacts_of(items):
        if isinstance(artifact, Usage):
            said = artifact
        elif not isinstance(artifact, StopReason | BlockEnd):
            count += 1
    prompt = asked.prompt_tokens if said.prompt_tokens is None else said.prompt_tokens
    completion = count if said.completion_tokens is None else said.completion_tokens
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=prompt + completion if said.total_tokens is None else said.total_tokens,
        cache_read_tokens=said.cache_read_tokens or 0,
        cache_write_tokens=said.cache_write_tokens or 0,
        reasoning_tokens=said.reasoning_tokens or 0,
    )
