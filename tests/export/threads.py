"""Threads to export."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from ore.artifact import (
    Artifact,
    Audio,
    File,
    Image,
    Reasoning,
    ResultStatus,
    ServerTool,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    Truncation,
    TruncationStyle,
    Unknown,
    Usage,
)
from ore.ledger import Control, Role, StoredThread, Turn, TurnStatus

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cfc00000030101"
    "00c9fe92ef0000000049454e44ae426082"
)
"""One pixel."""


def turn(id: str, parent: str | None, role: Role, *artifacts: Artifact, **fields: Any) -> Turn:
    return Turn(id=id, parent_id=parent, role=role, artifacts=artifacts, **fields)


def thread(turns: Sequence[Turn], tip: str | None, **metadata: str) -> StoredThread:
    return StoredThread(id="t1", metadata=metadata, turns=turns, tip=tip)


def chain(*artifacts: Sequence[Artifact]) -> StoredThread:
    """Assistant turns, one behind the other."""
    turns = [turn(f"a{n}", f"a{n - 1}" if n else None, Role.ASSISTANT, *one) for n, one in enumerate(artifacts)]
    return thread(turns, turns[-1].id if turns else None)


def call(id: str, name: str = "find", arguments: str = "{}") -> ToolCall:
    return ToolCall(id=id, name=name, arguments=arguments)


def result(id: str, content: str, **fields: Any) -> ToolResult:
    return ToolResult(tool_call_id=id, content=content, **fields)


def rich() -> StoredThread:
    """One of everything: parallel calls with one id, a branch, a hidden turn, a cut one, media, an unknown kind."""
    at = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
    cut = Truncation(shown_bytes=5, shown_lines=1, original_bytes=90, original_lines=9, style=TruncationStyle.HEAD)
    return thread(
        [
            turn("u1", None, Role.USER, Text(content="How *far* is it?"), timestamp=at),
            turn(
                "a1",
                "u1",
                Role.ASSISTANT,
                Reasoning(content="*thinking*"),
                Text(content="Let me look."),
                call("c", "find", '{"q": 1}'),
                call("c", "read", '{"p": 2}'),
                StopReason(reason="tool_use"),
                Usage(prompt_tokens=9, completion_tokens=1, total_tokens=10, cost_usd=Decimal("0.5")),
                timestamp=at,
                model="p:m",
            ),
            turn(
                "t1",
                "a1",
                Role.TOOL,
                result("c", "found"),
                result("c", "no", is_error=True, status=ResultStatus.DENIED, truncation=cut, media=(Image(data=PNG),)),
            ),
            turn("a2", "t1", Role.ASSISTANT, Text(content="Far."), StopReason(reason="length")),
            turn("u2", "a2", Role.USER, Text(content="And then?")),
            turn("a3", "u2", Role.ASSISTANT, Text(content="Not any more."), control=Control.SKIP),
            turn("u3", "a2", Role.USER, Image(url="https://example.com/a.png"), File(name="a.pdf", blob="b")),
            turn(
                "a4",
                "u3",
                Role.ASSISTANT,
                Audio(data=b"sound", media_type="audio/wav"),
                ServerTool(name="search", summary="searched"),
                Unknown(name="weather", raw=b'{"kind":"weather"}'),
                result("lost", "alone"),
                status=TurnStatus.INTERRUPTED,
                control=Control.STOP,
            ),
        ],
        "a4",
        title="Trip",
        **{"ore.title": "To the moon"},
    )
