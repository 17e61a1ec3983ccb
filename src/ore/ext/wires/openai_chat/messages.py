"""The messages of a conversation, unit by unit.

A unit is what `goes_on` leaves together: a user's turns, or an answer with the
results of its calls. Within it, adjacent turns of one role are one message;
results follow their calls at once, one for each, whatever stood between; a
system's turn keeps its place.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ore.artifact import Artifact, Media, Reasoning, Text, ToolCall, ToolResult, clean, to_json
from ore.ext.wires.answered import answered, arguments_object
from ore.ext.wires.openai_chat.content import Part, media_part, placeholder, text_part, texts_of
from ore.ext.wires.openai_chat.dialect import Dialect
from ore.ledger import Role, Turn
from ore.tool.names import wire_name

__all__ = ["Form", "encode_unit", "goes_on", "has_words"]

_ID_CHARACTERS = 40
"""Longer ids of calls are refused by OpenAI."""

_MARK = {"type": "ephemeral"}

Mark = Literal["system", "words"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What messages depend on beside the turns.

    Attributes:
        dialect: The server's.
        provider: Who is asked.
        model: What the vendor calls the model; only data that both issued goes back.
    """

    dialect: Dialect
    provider: str
    model: str


def goes_on(before: Turn, turn: Turn) -> bool:
    """Whether two neighbours are in one unit."""
    if turn.role is Role.ASSISTANT:
        return before.role is Role.ASSISTANT
    if turn.role is Role.USER and before.role is Role.TOOL:
        return any(type(item) is not ToolResult or item.media for item in before.artifacts)
    return turn.role is not Role.USER or before.role is not Role.ASSISTANT


def has_words(turn: Turn) -> bool:
    """Whether a user or an assistant says something that can be marked."""
    return turn.role in (Role.USER, Role.ASSISTANT) and any(map(texts_of, turn.artifacts))


def encode_unit(unit: Sequence[Turn], form: Form, *, first: bool = False, mark: Mark | None = None) -> bytes:
    """The messages of a unit, joined by commas; empty when nothing can be sent of it.

    Args:
        unit: Its turns.
        form: How they are written.
        first: Whether the conversation begins here.
        mark: What is marked for a prompt cache: the first message of the
            system, or the last words of a user or an assistant.
    """
    words = _plain_words(unit) if mark is None else ""
    if words:
        return to_json({"role": "user", "content": words})
    messages = _Unit(form, first=first).read(unit)
    if mark == "system":
        _mark(next((message for message in messages if message["role"] == "system"), None))
    elif mark == "words":
        spoken = (message for message in reversed(messages) if message["role"] in ("user", "assistant"))
        _mark(next((message for message in spoken if message.get("content")), None))
    return to_json(messages)[1:-1]


def _plain_words(unit: Sequence[Turn]) -> str:
    """What a user says where that is one text and nothing else stands beside it; empty elsewhere."""
    turn = unit[0] if len(unit) == 1 else None
    if turn is None or turn.role is not Role.USER or len(turn.artifacts) != 1:
        return ""
    artifact = turn.artifacts[0]
    return artifact.content if type(artifact) is Text else ""


class _Unit:
    """The messages of one unit in the making."""

    def __init__(self, form: Form, *, first: bool) -> None:
        self._form = form
        self._is_head = first
        self._messages: list[dict[str, Any]] = []

    def read(self, unit: Sequence[Turn]) -> list[dict[str, Any]]:
        place = 0
        while place < len(unit):
            turn = unit[place]
            end = place + 1
            if turn.role is Role.ASSISTANT:
                while end < len(unit) and unit[end].role in (Role.TOOL, Role.SYSTEM):
                    end += 1
                self._answer(turn, unit[place + 1 : end])
            else:
                self._say(turn)
            place = end
        return [_rendered(message) for message in self._messages]

    def _say(self, turn: Turn) -> None:
        """A turn of the system, of a user, or what tools give beside results."""
        if turn.role is not Role.SYSTEM:
            self._is_head = False
            self._add("user", list(self._parts(turn.artifacts)))
            return
        text = _joined(turn)
        if not text:
            return
        if self._is_head or not self._form.dialect.system_first:
            self._add("system", [text_part(text)])
        else:
            self._add("user", [text_part(f"<system>\n{text}\n</system>")])

    def _answer(self, turn: Turn, following: Sequence[Turn]) -> None:
        """An assistant's turn, the results of its calls, then whatever else stood there."""
        self._is_head = False
        text, calls = _joined(turn), turn.calls
        if not text and not calls:
            for other in following:
                self._say(other)
            return
        message = self._assistant()
        if text:
            message["content"].append(text_part(text))
        self._add_reasoning(message, turn)
        results = [item for other in following for item in other.artifacts if isinstance(item, ToolResult)]
        beside: list[Part] = []
        names = [(call, _id(call, turn.id, index)) for index, call in enumerate(calls)]
        ids = _distinct([id for _, id in names], turn.id)
        for call, id, result in zip(calls, ids, answered(calls, results).results, strict=True):
            message.setdefault("tool_calls", []).append(_written(call, id))
            self._messages.append({"role": "tool", "tool_call_id": id, "content": self._result(result, call, beside)})
        if beside:
            self._add("user", beside)
        for other in following:
            self._say(other)

    def _assistant(self) -> dict[str, Any]:
        """The message before, where it is an assistant's without calls, else a new one."""
        last = self._messages[-1] if self._messages else None
        if last is None or last["role"] != "assistant":
            last = {"role": "assistant", "content": []}
            self._messages.append(last)
        return last

    def _result(self, result: ToolResult, call: ToolCall, beside: list[Part]) -> Any:
        """The content of a result; what cannot stand there goes beside."""
        found = [self._part(media) for media in result.media or ()]
        if not found:
            return result.content
        if self._form.dialect.images_in_results:
            return [*([text_part(result.content)] if result.content else []), *found]
        beside.append(text_part(f"[returned by the tool {call.name}]"))
        beside += found
        return result.content

    def _add(self, role: str, parts: list[Part]) -> None:
        if not parts:
            return
        last = self._messages[-1] if self._messages else None
        if last is not None and last["role"] == role:
            last["content"] += parts
        else:
            self._messages.append({"role": role, "content": parts})

    def _parts(self, artifacts: Sequence[Artifact]) -> Iterator[Part]:
        texts: list[str] = []
        for artifact in artifacts:
            if isinstance(artifact, Media):
                yield from _as_part(texts)
                texts = []
                yield self._part(artifact)
            elif text := texts_of(artifact):
                texts.append(text)
        yield from _as_part(texts)

    def _part(self, media: Media) -> Part:
        return media_part(media, self._form.dialect) or text_part(placeholder(media))

    def _add_reasoning(self, message: dict[str, Any], turn: Turn) -> None:
        if not self._form.dialect.returns_reasoning:
            return
        for artifact in turn.artifacts:
            if not isinstance(artifact, Reasoning):
                continue
            kept = artifact.provider_data or {}
            if (kept.get("provider"), kept.get("model")) != (self._form.provider, self._form.model):
                continue
            if details := kept.get("reasoning_details"):
                message.setdefault("reasoning_details", []).extend(details)
            elif kept.get("field") in ("reasoning_content", "reasoning"):
                message.setdefault(kept["field"], []).append(artifact.content)


def _as_part(texts: Sequence[str]) -> Sequence[Part]:
    return [text_part("\n".join(texts))] if texts else []


def _joined(turn: Turn) -> str:
    return "\n".join(text for artifact in turn.artifacts if (text := texts_of(artifact)))


def _rendered(message: dict[str, Any]) -> dict[str, Any]:
    """As it is sent: a text where there is nothing but text, no content where there is none."""
    parts = message["content"]
    if isinstance(parts, str) or message["role"] == "tool":
        return message
    found = dict(message)
    if not parts:
        del found["content"]
    elif all(part["type"] == "text" for part in parts):
        found["content"] = "\n\n".join(part["text"] for part in parts)
    for field in ("reasoning_content", "reasoning"):
        if field in found:
            found[field] = "\n".join(found[field])
    return found


def _mark(message: dict[str, Any] | None) -> None:
    """Mark the last text of a message."""
    if message is None:
        return
    content = message["content"]
    parts = [text_part(content)] if isinstance(content, str) else [dict(part) for part in content]
    last = next((part for part in reversed(parts) if part["type"] == "text"), None)
    if last is not None:
        last["cache_control"] = _MARK
        message["content"] = parts


def _written(call: ToolCall, id: str) -> dict[str, Any]:
    arguments = bytes(arguments_object(call)).decode()
    return {
        "id": id,
        "type": "function",
        "function": {"name": wire_name(call.name or "unknown"), "arguments": arguments},
    }


def _id(call: ToolCall, turn_id: str, index: int) -> str:
    """The call's own id where vendors take it, else one made of the call's key."""
    id = clean(call.id)
    return id if 0 < len(id) <= _ID_CHARACTERS else _made(turn_id, index)


def _distinct(ids: Sequence[str], turn_id: str) -> list[str]:
    """The ids, with another one for each that was there before."""
    found: list[str] = []
    for index, id in enumerate(ids):
        found.append(_made(turn_id, index) if id in found else id)
    return found


def _made(turn_id: str, index: int) -> str:
    digest = hashlib.sha256(f"{turn_id}:{index}".encode("utf-8", "replace")).hexdigest()
    return f"call_{digest[:24]}"
