"""`TraceContent`: what was said, on the spans of inferences, for those who ask for it."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from opentelemetry import trace

from ore.artifact import Artifact, Media, Reasoning, StopReason, Text, ToolCall, ToolResult, Usage, to_json
from ore.event import Emitter
from ore.ext.observe.otel.names import STOP_REASONS
from ore.ledger import Role, State, Turn

__all__ = ["TraceContent"]


class TraceContent:
    """Puts prompts and answers on the span of each inference, as the conventions have them.

    Give the same object to an agent as its last transform and as a handler:
    that is asking for content. It stands in `gen_ai.system_instructions`,
    `gen_ai.input.messages` and `gen_ai.output.messages`, calls and their
    results included; of pictures and files only what they are.
    """

    def __call__(self, state: State) -> State:
        """Change nothing; note what is sent."""
        span = trace.get_current_span()
        if span.is_recording():
            system = [turn for turn in state.turns if turn.role is Role.SYSTEM]
            said = [_message(turn) for turn in state.turns if turn.role is not Role.SYSTEM]
            if system:
                span.set_attribute("gen_ai.system_instructions", _json(_parts(_artifacts(system))))
            span.set_attribute("gen_ai.input.messages", _json(said))
        return state

    async def handle(self, artifact: Artifact, emitter: Emitter) -> None:
        """Nothing: an answer is noted as a whole."""

    async def finish(self, turn: Turn, emitter: Emitter) -> None:
        """Note what came of it."""
        span = trace.get_current_span()
        if turn.role is Role.ASSISTANT and span.is_recording():
            reasons = [artifact.reason for artifact in turn.artifacts if isinstance(artifact, StopReason)]
            reason = STOP_REASONS.get(reasons[-1], reasons[-1]) if reasons else "error"
            span.set_attribute("gen_ai.output.messages", _json([_message(turn) | {"finish_reason": reason}]))


def _artifacts(turns: Iterable[Turn]) -> list[Artifact]:
    return [artifact for turn in turns for artifact in turn.artifacts]


def _message(turn: Turn) -> dict[str, Any]:
    return {"role": turn.role.value, "parts": _parts(turn.artifacts)}


def _parts(artifacts: Sequence[Artifact]) -> list[dict[str, Any]]:
    return [_part(artifact) for artifact in artifacts if not isinstance(artifact, StopReason | Usage)]


def _part(artifact: Artifact) -> dict[str, Any]:
    if isinstance(artifact, Text):
        return {"type": "text", "content": artifact.content}
    if isinstance(artifact, Reasoning):
        return {"type": "reasoning", "content": artifact.content}
    if isinstance(artifact, ToolCall):
        return {"type": "tool_call", "id": artifact.id, "name": artifact.name, "arguments": _read(artifact.arguments)}
    if isinstance(artifact, ToolResult):
        return {"type": "tool_call_response", "id": artifact.tool_call_id, "result": artifact.content}
    if isinstance(artifact, Media):
        return {"type": "uri", "modality": artifact.kind, "mime_type": artifact.media_type, "uri": artifact.url}
    return {"type": artifact.kind, "content": artifact.for_model()}


def _read(arguments: str) -> Any:
    try:
        return msgspec.json.decode(arguments.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return arguments


def _json(value: object) -> str:
    return to_json(value).decode()
