"""`Contents`: turns as the contents of a request.

Rules beyond what the vendor's protocol says itself:

- System turns in front are the request's `systemInstruction`. Later ones keep
  their place, as text of the user between `<system>` and `</system>`; so do
  all of them where a model takes no instruction.
- Adjacent turns of one side are one content; the results of calls stand first,
  in the order of the calls.
- A call without a result gets one that says so. A result without its call is
  text of the user.
- A signature goes back with its part, to the model that gave it, and never
  with another part. What others signed goes without. A model that refuses
  calls without a signature gets the vendor's own word for there being none:
  "Thought signatures" of its documentation (read 2026-11).
- An id that we made up, since the vendor gave none, is not sent to it: there
  calls and results are known by their places.
- A conversation that begins with an answer gets a line of the user before it,
  and one that ends with an answer one behind it, since newer models refuse both.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import Artifact, Media, ProviderData, Reasoning, ServerTool, Text, ToolCall, ToolResult, to_json
from ore.ext.wires.answered import answered, arguments_object
from ore.ext.wires.gemini.media import media_part
from ore.ext.wires.gemini.tools import function_name
from ore.ledger import Role, Turn

__all__ = ["GO_ON", "OPENING", "Contents", "system_parts"]

Part = dict[str, Any] | msgspec.Raw
Content = dict[str, Any]

OPENING: Final = to_json({"role": "user", "parts": [{"text": "(The conversation begins with an answer.)"}]})
"""In front of a conversation that begins with an answer."""

GO_ON: Final = to_json({"role": "user", "parts": [{"text": "Go on where you stopped."}]})
"""Behind one that ends with one."""

_UNSIGNED: Final = "skip_thought_signature_validator"

_MADE_UP: Final = re.compile(r"call_[0-9a-f]{16}")


def system_parts(turns: Sequence[Turn]) -> list[Part]:
    """The parts of what the system says."""
    texts = (artifact.for_model() for turn in turns for artifact in turn.artifacts)
    return [{"text": text} for text in texts if text.strip()]


class Contents:
    """Encodes turns for one provider and model, a unit at a time.

    Args:
        provider: Who is asked.
        model: Which model; both have to have issued what goes back.
        wants_signatures: Whether the model refuses calls that nobody signed.
    """

    def __init__(self, provider: str, model: str, *, wants_signatures: bool) -> None:
        self._provider = provider
        self._model = model
        self._wants_signatures = wants_signatures

    def goes_on(self, before: Turn, turn: Turn) -> bool:
        """Whether a turn belongs to the unit of the one before it: a unit is answers and what the user says to them.

        A turn of which nothing may be left never begins one, so that what
        stands around it is merged.
        """
        return turn.role is not Role.ASSISTANT or before.role is Role.ASSISTANT or not (_says(before) and _says(turn))

    def encode(self, turns: Sequence[Turn]) -> bytes:
        """The contents of a unit, joined by commas."""
        contents: list[Content] = []
        calls: list[ToolCall] = []
        place = 0
        while place < len(turns):
            is_answer = turns[place].role is Role.ASSISTANT
            end = place
            while end < len(turns) and (turns[end].role is Role.ASSISTANT) is is_answer:
                end += 1
            if is_answer:
                calls += [call for turn in turns[place:end] for call in turn.calls]
                _add(contents, "model", self._answer(turns[place:end]))
            else:
                _add(contents, "user", self._asked(turns[place:end], calls))
                calls = []
            place = end
        if calls:
            _add(contents, "user", self._asked((), calls))
        return b",".join(map(to_json, contents))

    def _answer(self, turns: Sequence[Turn]) -> list[Part]:
        parts: list[Part] = []
        for turn in turns:
            for artifact in turn.artifacts:
                data = self._issued(getattr(artifact, "provider_data", None))
                signs = data.get("signs")
                last = parts[-1] if parts else None
                if signs is not None:
                    if isinstance(last, dict) and "inlineData" in last:
                        last |= _signature(data)
                elif (part := _part(artifact, data)) is not None:
                    parts.append(part)
        if self._wants_signatures:
            first = next((part for part in parts if isinstance(part, dict) and "functionCall" in part), None)
            if first is not None:
                first.setdefault("thoughtSignature", _UNSIGNED)
        return parts

    def _asked(self, turns: Sequence[Turn], calls: Sequence[ToolCall]) -> list[Part]:
        """What the tools, the user and the system say between two answers."""
        results: list[ToolResult] = []
        said: list[Part] = []
        for turn in turns:
            for artifact in turn.artifacts:
                if type(artifact) is ToolResult:
                    results.append(artifact)
                elif (part := _said(artifact, turn.role)) is not None:
                    said.append(part)
        found = answered(calls, results)
        parts: list[Part] = [_response(call, result) for call, result in zip(calls, found.results, strict=True)]
        parts += [{"text": f"A tool said: {result.content}"} for result in found.others]
        parts += [media_part(media) for result in results for media in result.media or ()]
        return parts + said

    def _issued(self, data: ProviderData | None) -> Mapping[str, Any]:
        """A vendor's data, when it is of the very one that is asked."""
        if data is None or data.get("provider") != self._provider or data.get("model") != self._model:
            return {}
        return data


def _part(artifact: Artifact, data: Mapping[str, Any]) -> Part | None:
    """A part of an answer; `None` when there is nothing to send."""
    match artifact:
        case ToolCall():
            return _call(artifact, data)
        case Reasoning():
            signature = _signature(data)
            return {"text": artifact.content, "thought": True, **signature} if signature else None
        case Text() if _signature(data):
            return {"text": artifact.content, **_signature(data)}
        case ServerTool():
            return _kept(data.get("part"))
        case _:
            return _said(artifact, Role.ASSISTANT)


def _call(call: ToolCall, data: Mapping[str, Any]) -> Part:
    """A call; arguments that are no JSON object are an empty one, which nobody signed."""
    arguments = arguments_object(call)
    is_whole = bytes(arguments) == call.arguments.encode("utf-8", "replace")
    signature = _signature(data) if is_whole else {}
    return {"functionCall": {**_id(call), "name": function_name(call.name), "args": arguments}, **signature}


def _response(call: ToolCall, result: ToolResult) -> Part:
    said = {"error" if result.is_error else "output": result.content}
    return {"functionResponse": {**_id(call), "name": function_name(call.name), "response": said}}


def _id(call: ToolCall) -> dict[str, str]:
    return {"id": call.id} if call.id and not _MADE_UP.fullmatch(call.id) else {}


def _signature(data: Mapping[str, Any]) -> dict[str, str]:
    found = data.get("signature")
    return {"thoughtSignature": found} if found and isinstance(found, str) else {}


def _kept(raw: object) -> msgspec.Raw | None:
    """A part that only the vendor knows, byte for byte."""
    if not isinstance(raw, str):
        return None
    try:
        found = msgspec.json.decode(raw)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors too
        return None
    return msgspec.Raw(raw.encode()) if isinstance(found, dict) else None


def _said(artifact: Artifact, role: Role) -> Part | None:
    """Something that is said, shown or attached."""
    if isinstance(artifact, Media):
        return media_part(artifact)
    text = artifact.for_model()
    if not text.strip():
        return None
    return {"text": f"<system>\n{text}\n</system>" if role is Role.SYSTEM else text}


def _says(turn: Turn) -> bool:
    """Whether something of a turn is sent, whoever gets it."""
    always = (Media, ToolCall) if turn.role is Role.ASSISTANT else (Media, ToolResult)
    return any(isinstance(artifact, always) or artifact.for_model().strip() for artifact in turn.artifacts)


def _add(contents: list[Content], role: str, parts: Sequence[Part]) -> None:
    """Add parts, to the last content when it is of the same side."""
    if not parts:
        return
    if contents and contents[-1]["role"] == role:
        contents[-1]["parts"] += parts
    else:
        contents.append({"role": role, "parts": list(parts)})
