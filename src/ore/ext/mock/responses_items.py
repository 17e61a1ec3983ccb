"""Items of a response: what a model put out, as OpenAI's Responses write it."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ore.artifact import Artifact, Reasoning, ServerTool, Text, ToolCall
from ore.ext.mock.asked import Asked

__all__ = ["begun", "items_of"]


def items_of(artifacts: Iterable[Artifact], asked: Asked) -> list[dict[str, Any]]:
    """The items of complete artifacts; where a script has an item in its vendor data, that one."""
    found: list[dict[str, Any]] = []
    for artifact in artifacts:
        item = _item(artifact, len(found), asked)
        if item:
            found.append(item)
    return found


_EMPTY: Final[Mapping[str, Mapping[str, Any]]] = {
    "message": {"content": []},
    "function_call": {"arguments": ""},
    "reasoning": {"summary": []},
}


def begun(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item as it begins, without its content."""
    status = {"status": "in_progress"} if "status" in item else {}
    return {**item, **_EMPTY.get(item["type"], {}), **status}


def _item(artifact: Artifact, place: int, asked: Asked) -> dict[str, Any]:
    data = getattr(artifact, "provider_data", None) or {}
    if isinstance(data.get("item"), dict):
        return dict(data["item"])
    match artifact:
        case Text(content=content):
            part = {"type": "output_text", "text": content, "annotations": [], "logprobs": []}
            return {
                "type": "message",
                "id": asked.id("msg_", place),
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        case Reasoning(content=content):
            summary = [{"type": "summary_text", "text": content}] if content else []
            item = {"type": "reasoning", "id": asked.id("rs_", place), "summary": summary}
            return {**item, "encrypted_content": asked.id("enc", place)} if _encrypts(asked) else item
        case ToolCall(name=name, arguments=arguments):
            return {
                "type": "function_call",
                "id": asked.id("fc_", place),
                "call_id": artifact.id or asked.id("call_", place),
                "name": name,
                "arguments": arguments,
                "status": "completed",
            }
        case ServerTool():
            return dict(data.get("block") or {})
        case _:
            return {}


def _encrypts(asked: Asked) -> bool:
    return "reasoning.encrypted_content" in (asked.body.get("include") or ())
