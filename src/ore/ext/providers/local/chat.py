"""A ledger's turns as the messages of a chat template that knows no tools."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ore.artifact import Artifact, ToolCall, ToolResult, clean
from ore.ext.providers.local.choice import answer_text, call_text
from ore.ledger import Role, Turn

__all__ = ["messages", "repeats"]

Message = dict[str, str]


def messages(turns: Sequence[Turn], *, told: str = "") -> list[Message]:
    """What the template gets: one system message first, then user and assistant in turns.

    Adjacent turns of one role are one message. Calls and results are text.
    What a model cannot read, such as media and unknown kinds, is left out, and
    so is a turn of which nothing remains.

    Args:
        turns: The active path.
        told: Instructions to answer in JSON, which stand in the system message;
            then earlier answers are shown in that form too.
    """
    names: dict[str, str] = {}
    spoken: list[tuple[str, list[str]]] = []
    system: list[str] = []
    for turn in turns:
        texts = [clean(text) for text in _texts(turn, names, quoted=bool(told)) if text]
        if turn.role is Role.SYSTEM:
            system += texts
        elif texts:
            role = "assistant" if turn.role is Role.ASSISTANT else "user"
            if spoken and spoken[-1][0] == role:
                spoken[-1][1].extend(texts)
            else:
                spoken.append((role, texts))
    if told:
        system.append(told)
    head = [("system", system)] if system else []
    return [{"role": role, "content": "\n\n".join(texts)} for role, texts in (*head, *spoken)]


def repeats(turns: Sequence[Turn]) -> bool:
    """Whether the model made the same call twice since a person last spoke: a small one then never stops."""
    seen: set[tuple[str, str]] = set()
    for turn in reversed(turns):
        if turn.role is Role.USER:
            return False
        for call in turn.calls:
            if (call.name, call.arguments) in seen:
                return True
            seen.add((call.name, call.arguments))
    return False


def _texts(turn: Turn, names: dict[str, str], *, quoted: bool) -> Iterator[str]:
    for artifact in turn.artifacts:
        if isinstance(artifact, ToolCall):
            names[artifact.id] = artifact.name
            yield call_text(artifact.name, _arguments(artifact))
        elif isinstance(artifact, ToolResult):
            yield _result(artifact, names.get(artifact.tool_call_id, "the tool"))
        else:
            yield _said(artifact, quoted=quoted and turn.role is Role.ASSISTANT)


def _said(artifact: Artifact, *, quoted: bool) -> str:
    text = artifact.for_model()
    return answer_text(text) if quoted and text else text


def _result(result: ToolResult, name: str) -> str:
    what = "Error of" if result.is_error else "Result of"
    return f"{what} {name}: {result.content}"


def _arguments(call: ToolCall) -> str:
    try:
        value: Any = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return "{}"
    return call.arguments if isinstance(value, dict) else "{}"
