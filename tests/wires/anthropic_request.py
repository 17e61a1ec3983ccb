"""Requests of Anthropic's protocol, built and judged as the vendor would."""

import json
from collections.abc import Sequence
from typing import Any

from ore.artifact import Artifact, Text, ToolCall, ToolResult
from ore.ext.wires.anthropic import ANTHROPIC, AnthropicMessages, Dialect
from ore.ext.wires.wire import Ask, WireRequest
from ore.ledger import Role, Turn, TurnStatus
from ore.models import Spec
from ore.testing.shapes import check_anthropic
from wires.anthropic_answer import MODEL, PROVIDER

_ROLES = {"s": Role.SYSTEM, "u": Role.USER, "a": Role.ASSISTANT, "t": Role.TOOL}


def turn(role: str, *content: str | Artifact, id: str = "", status: TurnStatus = TurnStatus.COMPLETE) -> Turn:
    """A turn of `s`ystem, `u`ser, `a`ssistant or `t`ool; strings are text."""
    artifacts = tuple(Text(content=item) if isinstance(item, str) else item for item in content)
    return Turn(id=id or f"{role}1", role=_ROLES[role], artifacts=artifacts, status=status)


def turns(*given: tuple[str, *tuple[str | Artifact, ...]]) -> list[Turn]:
    """Turns with ids of their place."""
    return [turn(role, *content, id=f"{place:016x}") for place, (role, *content) in enumerate(given)]


def call(id: str = "c1", name: str = "get", arguments: str = "{}", **more: Any) -> ToolCall:
    """A call."""
    return ToolCall(id=id, name=name, arguments=arguments, **more)


def result(id: str = "c1", content: str = "done", **more: Any) -> ToolResult:
    """A result."""
    return ToolResult(tool_call_id=id, content=content, **more)


def asked(
    said: Sequence[Turn] = (),
    *options: Any,
    provider: str = PROVIDER,
    spec: Spec | None = None,
    model: str = MODEL,
    **more: Any,
) -> Ask:
    """An ask; without turns the user says hello."""
    return Ask(
        turns=list(said) or [turn("u", "Hello.")],
        spec=spec or Spec(name=model),
        options=options,
        provider=provider,
        **more,
    )


def request(ask: Ask, dialect: Dialect = ANTHROPIC, *, strict: bool = True) -> WireRequest:
    """The request, which the vendor takes.

    Args:
        strict: Whether it is judged; not where the judge does not know something that the vendor takes.
    """
    found = AnthropicMessages(dialect).request(ask)
    if strict:
        check_anthropic(found.body)
    return found


def body(ask: Ask, dialect: Dialect = ANTHROPIC, *, strict: bool = True) -> dict[str, Any]:
    """The body of the request."""
    found: dict[str, Any] = json.loads(request(ask, dialect, strict=strict).body)
    return found


def plain(value: Any) -> Any:
    """A body, or a part of it, without marks for the cache."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key != "cache_control"}
    return [plain(item) for item in value] if isinstance(value, list) else value


def messages(*given: tuple[str, *tuple[str | Artifact, ...]], **more: Any) -> list[Any]:
    """Role and blocks of each message of a conversation; blocks of text as strings."""
    found = plain(body(asked(turns(*given), **more))["messages"])
    return [(message["role"], [_short(block) for block in message["content"]]) for message in found]


def _short(block: dict[str, Any]) -> Any:
    return block["text"] if set(block) == {"type", "text"} else block
