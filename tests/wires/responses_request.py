"""Requests of OpenAI's Responses, built and judged as the vendor would."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ore.artifact import Artifact, Text, ToolCall, ToolResult
from ore.ext.wires.openai_responses import OPENAI, Dialect, OpenAIResponses
from ore.ext.wires.wire import Ask, WireRequest
from ore.ledger import Role, Turn, TurnStatus
from ore.models import Spec
from ore.testing.shapes import check_openai_responses
from wires.responses_answer import MODEL, PROVIDER, outcome, streamed

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


def answered(*items: Mapping[str, Any], id: str = "a1") -> Turn:
    """The turn of an answer with these items."""
    return turn("a", *outcome(streamed(*items)).artifacts, id=id)


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


def request(ask: Ask, dialect: Dialect = OPENAI) -> WireRequest:
    """The request; OpenAI's own is judged."""
    found = OpenAIResponses(dialect).request(ask)
    if dialect is OPENAI:
        check_openai_responses(found.body)
    return found


def body(ask: Ask, dialect: Dialect = OPENAI) -> dict[str, Any]:
    """The body of the request."""
    found: dict[str, Any] = json.loads(request(ask, dialect).body)
    return found


def items(*said: Turn, dialect: Dialect = OPENAI, **ask: Any) -> list[dict[str, Any]]:
    """The items of the request."""
    found: list[dict[str, Any]] = body(asked(said, **ask), dialect)["input"]
    return found


def said_by(role: str, *texts: str) -> dict[str, Any]:
    """A message of somebody."""
    kind = "output_text" if role == "assistant" else "input_text"
    more: dict[str, Any] = {"annotations": []} if role == "assistant" else {}
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text, **more} for text in texts]}


def output(call_id: str, content: Any = "done", kind: str = "function_call_output") -> dict[str, Any]:
    """The output of a call."""
    return {"type": kind, "call_id": call_id, "output": content}
