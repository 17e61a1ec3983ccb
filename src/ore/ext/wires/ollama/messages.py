"""`Messages`: turns as the messages of a request.

Rules beyond what the protocol says itself:

- System turns keep their place.
- Adjacent turns of one side are one message, with a blank line between them.
  The results of calls follow the answer that asked, in the order of the calls.
- A call without a result gets one that says so. A result without its call is
  text of the user.
- Thinking goes back to the model that thought it, beside what it said then.
- An image goes as its bytes; the server fetches none. A file of text is text.
  What cannot be sent is a line of text in its place, so that a conversation
  that holds it goes on.
"""

import base64
from collections.abc import Sequence
from typing import Any, Final

from ore.artifact import Artifact, Image, Media, Reasoning, ToolCall, ToolResult, to_json
from ore.ext.wires.answered import answered, arguments_object
from ore.ext.wires.media import content_of, text_of
from ore.ledger import Role, Turn
from ore.tool import wire_name

__all__ = ["Messages", "why_not"]

Message = dict[str, Any]

_IMAGES: Final = ("image/png", "image/jpeg", "image/webp")
"""By "Vision" of Ollama's documentation (read 2026-11)."""


class Messages:
    """Encodes turns for one provider and model, a unit at a time.

    Args:
        provider: Who is asked.
        model: Which model.
    """

    def __init__(self, provider: str, model: str) -> None:
        self._provider = provider
        self._model = model

    def goes_on(self, before: Turn, turn: Turn) -> bool:
        """Whether a turn belongs to the unit of the one before it: a unit is answers and what is said to them."""
        return turn.role is not Role.ASSISTANT or before.role is Role.ASSISTANT or not (_says(before) and _says(turn))

    def encode(self, turns: Sequence[Turn]) -> bytes:
        """The messages of a unit, joined by commas."""
        messages: list[Message] = []
        calls: list[ToolCall] = []
        place = 0
        while place < len(turns):
            is_answer = turns[place].role is Role.ASSISTANT
            end = place
            while end < len(turns) and (turns[end].role is Role.ASSISTANT) is is_answer:
                end += 1
            if is_answer:
                calls += [call for turn in turns[place:end] for call in turn.calls]
                for turn in turns[place:end]:
                    _add(messages, self._answer(turn))
            else:
                messages += _results(turns[place:end], calls)
                for turn in turns[place:end]:
                    _add(messages, _asked(turn))
                calls = []
            place = end
        messages += _results((), calls)
        return b",".join(map(to_json, messages))

    def _answer(self, turn: Turn) -> Message:
        message: Message = {"role": "assistant", "content": ""}
        thoughts: list[str] = []
        for artifact in turn.artifacts:
            if isinstance(artifact, Reasoning):
                thoughts += [artifact.content] if self._is_own(artifact) else []
            elif isinstance(artifact, ToolCall):
                function = {"name": wire_name(artifact.name or "unknown"), "arguments": arguments_object(artifact)}
                message.setdefault("tool_calls", []).append({"id": artifact.id, "function": function})
            elif isinstance(artifact, Media):  # an answer may hold none
                message["content"] += artifact.for_human()
            else:
                message["content"] += artifact.for_model()
        if thoughts:
            message["thinking"] = "".join(thoughts)
        return message

    def _is_own(self, reasoning: Reasoning) -> bool:
        data = reasoning.provider_data or {}
        return data.get("provider") == self._provider and data.get("model") == self._model


def _results(turns: Sequence[Turn], calls: Sequence[ToolCall]) -> list[Message]:
    """What the tools say, in the order in which they were asked."""
    results = [artifact for turn in turns for artifact in turn.artifacts if isinstance(artifact, ToolResult)]
    found = answered(calls, results)
    messages = [
        {"role": "tool", "tool_name": wire_name(call.name or "unknown"), "tool_call_id": call.id, **_result(result)}
        for call, result in zip(calls, found.results, strict=True)
    ]
    return messages + [{"role": "user", "content": f"A tool said: {result.content}"} for result in found.others]


def _result(result: ToolResult) -> Message:
    texts, images = _shown(result.media or ())
    content = "\n".join((result.content, *texts)) if texts else result.content
    return {"content": content, "images": images} if images else {"content": content}


def _asked(turn: Turn) -> Message:
    """What the user or the system says; results stand elsewhere."""
    texts, images = _shown([artifact for artifact in turn.artifacts if not isinstance(artifact, ToolResult)])
    message: Message = {"role": "system" if turn.role is Role.SYSTEM else "user", "content": "\n".join(texts)}
    return {**message, "images": images} if images else message


def _shown(artifacts: Sequence[Artifact]) -> tuple[list[str], list[str]]:
    """Texts, and images in base64."""
    texts: list[str] = []
    images: list[str] = []
    for artifact in artifacts:
        if not isinstance(artifact, Media):
            texts += [text] if (text := artifact.for_model()).strip() else []
        elif (found := _media(artifact, images)) is not None:
            texts.append(found)
    return texts, images


def _media(media: Media, images: list[str]) -> str | None:
    """Add an image, or give the text that stands for what is none."""
    why = why_not(media)
    content = content_of(media)
    if why is not None or content is None:
        return f"{media.for_human()} was left out: {why}"
    text = text_of(content)
    if text is None:
        images.append(base64.b64encode(content.data).decode())
        return None
    return f"{media.name}:\n{text}" if media.name else text


def why_not(media: Media) -> str | None:
    """Why something cannot be sent; `None` when it can."""
    content = content_of(media)
    if content is None:
        return "its bytes are not here, and the server fetches none"
    if not content.data:
        return "it is empty"
    if content.media_type in _IMAGES or text_of(content) is not None:
        return None
    return "it is no PNG, JPEG or WebP" if isinstance(media, Image) else "only images and text are taken"


def _says(turn: Turn) -> bool:
    """Whether something of a turn is sent, whoever gets it."""
    always = (Media, ToolCall) if turn.role is Role.ASSISTANT else (Media, ToolResult)
    return any(isinstance(artifact, always) or artifact.for_model().strip() for artifact in turn.artifacts)


def _add(messages: list[Message], message: Message) -> None:
    """Add a message, to the last one when it is of the same side; one that says nothing is none."""
    if not (message["content"].strip() or message.get("tool_calls") or message.get("images")):
        return
    last = messages[-1] if messages else None
    if last is None or last["role"] != message["role"]:
        messages.append(message)
        return
    last["content"] = "\n\n".join(text for text in (last["content"], message["content"]) if text)
    for name in ("images", "tool_calls"):
        if message.get(name):
            last[name] = [*last.get(name, ()), *message[name]]
    if message.get("thinking"):
        last["thinking"] = last.get("thinking", "") + message["thinking"]
