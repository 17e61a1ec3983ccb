"""`Blocks`: artifacts of a turn as content blocks of a message."""

import re
from collections.abc import Mapping
from typing import Any, Final

from ore.artifact import Artifact, Media, ProviderData, Reasoning, ServerTool, Text, ToolCall, ToolResult, clean
from ore.ext.wires.answered import arguments_object
from ore.ext.wires.anthropic.digest import digest
from ore.ext.wires.anthropic.media import media_block
from ore.ledger import Turn
from ore.tool import wire_name

__all__ = ["Block", "Blocks", "call_id"]

Block = Mapping[str, Any]
"""One content block."""

_VENDORS_OWN: Final = re.compile(r"toolu_[a-zA-Z0-9_]{16,}")
"""Ids that the vendor makes; it uses none of them twice."""

_LEGAL: Final = re.compile(r"[a-zA-Z0-9_-]+")


class Blocks:
    """Makes blocks for one provider and model: what others issued stays out.

    Args:
        provider: Who is asked.
        model: Which model.
    """

    def __init__(self, provider: str, model: str) -> None:
        self._provider = provider
        self._model = model

    def content(self, artifact: Artifact) -> Block | None:
        """The block of something that is said, shown or attached; `None` when there is nothing to send.

        Media that the protocol does not take is a line of text in its place.
        """
        if isinstance(artifact, Media):
            found = media_block(artifact)
            return text_block(f"{artifact.for_human()} was left out: {found}") if isinstance(found, str) else found
        block = text_block(artifact.for_model())
        if block is not None and type(artifact) is Text:
            citations = self._issued(artifact.provider_data).get("citations")
            return {**block, "citations": citations} if citations else block
        return block

    def answer(self, artifact: Artifact) -> Block | None:
        """The block of something in an answer other than a call; see `content`."""
        if isinstance(artifact, Reasoning):
            return self._thinking(artifact)
        if isinstance(artifact, ServerTool):
            block = self._issued(artifact.provider_data).get("block")
            return block if isinstance(block, Mapping) and isinstance(block.get("type"), str) else None
        if isinstance(artifact, Media):  # an answer may hold no such block
            return text_block(artifact.for_human())
        return self.content(artifact)

    def call(self, call: ToolCall, id: str) -> Block:
        """The block of a call; arguments that are no JSON object are an empty one."""
        further = self._issued(call.provider_data).get("fields")
        fields = further if isinstance(further, Mapping) else {}
        name = wire_name(call.name or "unknown")
        return {"type": "tool_use", "id": id, "name": name, "input": arguments_object(call), **fields}

    def result(self, result: ToolResult, id: str) -> Block:
        """The block of a result, with its media."""
        said = text_block(result.for_model())
        content: list[Block] = [] if said is None else [said]
        if not result.is_error:  # errors hold text alone
            content += [piece for media in result.media or () if (piece := self.content(media)) is not None]
        elif said is None:
            content = [{"type": "text", "text": "error"}]
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": id}
        if content:
            block["content"] = content if len(content) > 1 or said is None else said["text"]
        return block | ({"is_error": True} if result.is_error else {})

    def _thinking(self, reasoning: Reasoning) -> Block | None:
        """A signed block as it came, or nothing: never edited text under an old signature."""
        issued = self._issued(reasoning.provider_data)
        if redacted := issued.get("redacted"):
            return {"type": "redacted_thinking", "data": redacted}
        signature, signs = issued.get("signature"), issued.get("digest")
        if not signature or (signs is not None and signs != digest(reasoning.content)):
            return None
        if clean(reasoning.content) != reasoning.content:
            return None
        return {"type": "thinking", "thinking": reasoning.content, "signature": signature}

    def _issued(self, data: ProviderData | None) -> Mapping[str, Any]:
        """A vendor's data, when it is of the very one that is asked."""
        if data is None or data.get("provider") != self._provider or data.get("model") != self._model:
            return {}
        return data


def text_block(text: str) -> Block | None:
    """A block of text; the vendor takes none that is blank."""
    return {"type": "text", "text": text} if text.strip() else None


def call_id(call: ToolCall, turn: Turn, index: int, *, own: bool) -> str:
    """The id under which a call is sent: unlike all others of a conversation, and legal.

    Ids repeat, with some servers in every turn, so it is one of the call's
    place; except that the vendor's own stays where thinking is bound to it.

    Args:
        index: The call's place in its turn.
        own: Whether thinking is.
    """
    if own and _VENDORS_OWN.fullmatch(call.id):
        return call.id
    place = turn.id if _LEGAL.fullmatch(turn.id) else wire_name(turn.id or "turn")
    return f"call_{place}_{index}"
