"""`AnthropicMessages`, played: messages, whole and as a stream.

Objects by "Create a Message", events by "Streaming messages" of the vendor's
platform documentation (read 2026-11).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from ore.artifact import Artifact, Reason, Reasoning, ServerTool, Text, ToolCall, Usage
from ore.ext.mock.anthropic_errors import error_body
from ore.ext.mock.anthropic_events import Events
from ore.ext.mock.arguments import parsed
from ore.ext.mock.asked import Asked
from ore.ext.mock.named_event import named_event
from ore.ext.mock.playing import Break, Step, folded, reason_of, usage_of
from ore.ext.mock.sequence import one_after_another
from ore.ext.providers.script import Failure, Item
from ore.testing.shapes import check_anthropic

__all__ = ["AnthropicMessages"]

_REASONS: Final[Mapping[Reason, str]] = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_use": "tool_use",
    "refusal": "refusal",
    "other": "stop_sequence",
}


class AnthropicMessages:
    """`POST /v1/messages`. Thinking that comes back has to be what was issued.

    Args:
        extra_fields: Fields that are taken beside the vendor's.
        issued: Signatures that were issued elsewhere, each with what it signs.
    """

    paths = ("/v1/messages",)

    def __init__(self, extra_fields: Collection[str] = (), issued: Mapping[str, str] | None = None) -> None:
        self._extra_fields = extra_fields
        self._issued = dict(issued or {})

    def check(self, body: bytes) -> None:
        """Refuse what the vendor would."""
        check_anthropic(body, issued=self._issued, extra=self._extra_fields)

    def stream(self, items: Sequence[Item], asked: Asked) -> Sequence[Step]:
        """Named events, one block after the other; nothing of them behind a failure."""
        usage = _usage(usage_of(items, asked))
        events = Events(asked, self._head(asked, usage), self._issued)
        steps: list[Step] = []
        for item in one_after_another(items):
            if isinstance(item, Failure):
                return [*steps, Break(item, named_event(**error_body(item)))]
            steps.append(b"".join(events.of(item)) if isinstance(item, Sequence) else item)
        steps.append(b"".join(events.end(_REASONS[reason_of(items)], usage)))
        return steps

    def whole(self, items: Sequence[Item], asked: Asked) -> Mapping[str, Any]:
        """A message."""
        usage = _usage(usage_of(items, asked))
        blocks = [self._block(artifact, place, asked) for place, artifact in enumerate(folded(items))]
        return {
            **self._head(asked, usage),
            "content": [block for block in blocks if block],
            "stop_reason": _REASONS[reason_of(items)],
        }

    def _head(self, asked: Asked, usage: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "id": asked.id("msg_"),
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }

    def _block(self, artifact: Artifact, place: int, asked: Asked) -> dict[str, Any]:
        match artifact:
            case Text(content=content):
                citations = (artifact.provider_data or {}).get("citations")
                return {"type": "text", "text": content, **({"citations": citations} if citations else {})}
            case Reasoning():
                return self._thinking(artifact, asked.id("sig", place))
            case ToolCall(name=name, arguments=arguments):
                id = artifact.id or asked.id("toolu_", place)
                return {"type": "tool_use", "id": id, "name": name, "input": parsed(arguments)}
            case ServerTool(provider_data=data):
                return dict((data or {}).get("block") or {})
            case _:
                return {}

    def _thinking(self, artifact: Reasoning, signature: str) -> dict[str, Any]:
        data = artifact.provider_data or {}
        if "redacted" in data:
            self._issued[data["redacted"]] = ""
            return {"type": "redacted_thinking", "data": data["redacted"]}
        signature = data.get("signature") or signature
        self._issued[signature] = artifact.content
        return {"type": "thinking", "thinking": artifact.content, "signature": signature}


def _usage(usage: Usage) -> dict[str, Any]:
    """With one meaning turned back into the vendor's, whose input is what no cache had."""
    read, written = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    return {
        "input_tokens": max((usage.prompt_tokens or 0) - read - written, 0),
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
        "output_tokens": usage.completion_tokens,
        "service_tier": "standard",
    }
