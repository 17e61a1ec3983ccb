"""Conversations in short, and what Gemini is sent for them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ore.artifact import Artifact, Text, ToolCall, ToolResult
from ore.ext.wires.gemini import Gemini
from ore.ext.wires.wire import Ask
from ore.ledger import Role, Turn
from ore.models import Spec
from ore.provider import Option
from ore.testing import check_gemini
from ore.tool import Tool, tool

__all__ = ["asked", "body", "call", "contents", "lookup", "named", "own", "result", "taken", "turns"]

MODEL = "gemini-2.5-flash"
_ROLES = {"s": Role.SYSTEM, "u": Role.USER, "a": Role.ASSISTANT, "t": Role.TOOL}


def turns(*said: tuple[Any, ...]) -> Sequence[Turn]:
    """One turn for each: the letter of a role, then its artifacts; a text stands for itself."""
    return [
        Turn(id=f"t{place}", role=_ROLES[role], artifacts=tuple(map(_artifact, artifacts)))
        for place, (role, *artifacts) in enumerate(said)
    ]


def asked(said: Sequence[Turn], *options: Option, model: str | None = MODEL, **more: Any) -> Ask:
    """An ask; what is no part of one is of its spec."""
    fields = {name: more.pop(name) for name in ("lenient", "encoded") if name in more}
    provider = more.pop("provider", "google")
    return Ask(turns=said, spec=Spec(name=model, **more), options=options, provider=provider, **fields)


def body(ask: Ask) -> Mapping[str, Any]:
    """What is posted, checked."""
    return taken(Gemini().request(ask).body, wants_signatures="gemini-3" in (ask.spec.name or ""))


def taken(posted: bytes, *, wants_signatures: bool = False) -> Mapping[str, Any]:
    """A request that the vendor takes."""
    check_gemini(posted, wants_signatures=wants_signatures)
    request: Mapping[str, Any] = json.loads(posted)
    return request


def contents(*said: tuple[Any, ...], model: str = MODEL) -> list[Any]:
    """The contents for turns: role and parts, a part of nothing but text as that text."""
    found = body(asked(turns(*said), model=model))
    return [
        (content["role"], [part["text"] if part.keys() == {"text"} else part for part in content["parts"]])
        for content in found["contents"]
    ]


def own(model: str = MODEL, **data: Any) -> dict[str, Any]:
    """Data that the model itself issued."""
    return {"provider": "google", "model": model, **data}


def call(id: str, name: str = "get", arguments: Any = None, **more: Any) -> ToolCall:
    """A call."""
    return ToolCall(id=id, name=name, arguments=json.dumps(arguments or {}), **more)


def result(id: str, content: str = "done", **more: Any) -> ToolResult:
    """A result."""
    return ToolResult(tool_call_id=id, content=content, **more)


@tool
def lookup(city: str, days: int = 1) -> str:
    """Weather of a city."""
    return f"{city} {days}"


def named(name: str) -> Tool:
    """A tool of any name."""
    return Tool(name=name, description="A tool.", body=lookup.body)


def _artifact(given: Artifact | str) -> Artifact:
    return Text(content=given) if isinstance(given, str) else given
