"""`Summarizer`: has a model sum up turns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from ore.artifact import Artifact, Reasoning, StopReason, Text, ToolCall, ToolResult, Usage, to_json
from ore.errors import ContextOverflowError, OutputLimitError, ProtocolError
from ore.ext.catalog import Target
from ore.ext.transforms.compaction.cutting import safe_cuts
from ore.ext.transforms.compaction.prompt import PROMPT, request_text
from ore.ext.transforms.compaction.showing import in_part
from ore.ext.transforms.compaction.sizes import tokens_of
from ore.ledger import Buffer, Role, Turn, new_turn_id
from ore.loop import aside
from ore.models import Spec
from ore.provider import Option, OutputOption, Provider, RequestOption, ViewOption

__all__ = ["Summarizer", "Summary"]

_PARTS: Final = 32
"""Requests for one summary at most; a conversation that needs more is no longer summed up but left out."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a model made of turns.

    Attributes:
        text: The summary.
        model: Who wrote it.
        usage: What it took, for all requests together.
    """

    text: str
    model: str | None
    usage: Usage | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarizer:
    """Asks for summaries: each request is one inference over a buffer of its own, seen by nobody else.

    Attributes:
        provider: Who is asked.
        spec: How; the length of the answer is `tokens`.
        target: Who that is, for estimates.
        options: Those of the conversation: its tools, so that a vendor takes
            the calls in it, and its prompt cache holds.
        before: What the conversation begins with, such as instructions.
        room: Estimated tokens that the turns of a request may have; `None` when nobody knows.
        tokens: Of the summary at most.
        prompt: What is asked.
        focus: What the user asks to keep in mind.
        session: Id of the session, for those who look at it, such as prompt caches.
    """

    provider: Provider
    spec: Spec
    target: Target
    options: Sequence[Option] = ()
    before: Sequence[Turn] = ()
    room: int | None = None
    tokens: int = 4_096
    prompt: str = PROMPT
    focus: str = ""
    session: str | None = None

    async def sum_up(self, turns: Sequence[Turn]) -> Summary:
        """A summary of turns, as the model would have been shown them.

        What does not fit into one request is summed up in several, each with
        the summary so far, shorter where it has to be. Where the model says that a request does not fit,
        that is done once more with requests of half the length.

        Raises:
            OutputLimitError: The summary was cut by its limit, so it is none.
            ProtocolError: It was empty.
            ProviderError: The model could not answer.
        """
        try:
            return await self._in_parts(turns, self.room)
        except ContextOverflowError:
            size = tokens_of(turns, self.target)
            return await self._in_parts(turns, min(size, self.room or size) // 2)

    async def _in_parts(self, turns: Sequence[Turn], room: int | None) -> Summary:
        summary: Summary | None = None
        parts = list(_parts(turns, room, self.target, self.tokens))
        if len(parts) > _PARTS:
            raise ContextOverflowError(
                f"expected to sum up at most {_PARTS} parts, got {len(parts)}", provider=self.provider.name
            )
        for part in parts:
            so_far = [_said(f"Summary of what came before:\n\n{summary.text}")] if summary else []
            found = await self._ask([*so_far, *part])
            summary = _added(found, summary)
        assert summary is not None
        return summary

    async def _ask(self, turns: Sequence[Turn]) -> Summary:
        asking = _said(request_text(self.prompt, self.tokens, self.focus))
        spec = msgspec.structs.replace(
            self.spec, max_output_tokens=self.tokens, thinking_level=None, stop_sequences=None
        )
        options = [
            option for option in self.options if not isinstance(option, OutputOption | RequestOption | ViewOption)
        ]
        state = Buffer([*self.before, *turns, asking])
        turn = await aside(state, spec, self.provider, *options, purpose="summary", session=self.session)
        return _read(turn, self.provider.name)


def _read(turn: Turn, provider: str) -> Summary:
    """The summary that an answer is.

    Raises:
        OutputLimitError: It was cut.
        ProtocolError: It is empty.
    """
    reasons = [artifact.reason for artifact in turn.artifacts if isinstance(artifact, StopReason)]
    if "length" in reasons:
        raise OutputLimitError("the summary was cut by its limit, so it is not used", provider=provider)
    text = "\n\n".join(artifact.content for artifact in turn.artifacts if isinstance(artifact, Text)).strip()
    if not text or "refusal" in reasons:
        raise ProtocolError("expected a summary, got none", provider=provider)
    usage = next((artifact for artifact in turn.artifacts if isinstance(artifact, Usage)), None)
    return Summary(text=text, model=turn.model, usage=usage)


def _added(found: Summary, before: Summary | None) -> Summary:
    """The newer summary, with the usage of both."""
    if before is None or before.usage is None:
        return found
    usage = before.usage + found.usage if found.usage is not None else before.usage
    return msgspec.structs.replace(found, usage=usage)


def _said(text: str) -> Turn:
    return Turn(id=new_turn_id(), role=Role.USER, artifacts=(Text(content=text),))


def _parts(turns: Sequence[Turn], room: int | None, target: Target, so_far: int) -> Iterator[Sequence[Turn]]:
    """The turns in pieces that fit, several beside a summary so far; none parts a call from its result."""
    if room is None or tokens_of(turns, target) <= room:
        yield turns
        return
    room -= min(so_far, room // 4)
    piece: list[Turn] = []
    size = 0
    cuts = safe_cuts(turns)
    for begin, end in zip(cuts, [*cuts[1:], len(turns)], strict=True):
        unit = _shortened(turns[begin:end], room, target)
        length = tokens_of(unit, target)
        if piece and size + length > room:
            yield piece
            piece, size = [], 0
        piece = [*piece, *unit]
        size += length
    if piece:
        yield piece


def _shortened(turns: Sequence[Turn], room: int, target: Target) -> Sequence[Turn]:
    """Turns that cannot be parted, with their longest pieces cut where they do not fit together."""
    limit = 4 * room
    while tokens_of(turns, target) > room and limit > 64:
        limit //= 2
        turns = [_with(turn, limit) for turn in turns]
    return turns


def _with(turn: Turn, limit: int) -> Turn:
    artifacts = tuple(_piece(artifact, limit) for artifact in turn.artifacts)
    return msgspec.structs.replace(turn, artifacts=artifacts)


def _piece(artifact: Artifact, limit: int) -> Artifact:
    """An artifact of no more than about `limit` bytes; what a vendor signed is not sent once it is changed."""
    if isinstance(artifact, Text | ToolResult) and len(artifact.content.encode("utf-8", "replace")) > limit:
        shorter = msgspec.structs.replace(artifact, content=in_part(artifact.content, limit))
        return msgspec.structs.replace(shorter, provider_data=None) if isinstance(shorter, Text) else shorter
    if isinstance(artifact, ToolCall) and len(artifact.arguments.encode("utf-8", "replace")) > limit:
        arguments = to_json({"shortened": in_part(artifact.arguments, limit)}).decode()
        return msgspec.structs.replace(artifact, arguments=arguments, display=None, provider_data=None)
    if isinstance(artifact, Reasoning) and len(artifact.content.encode("utf-8", "replace")) > limit:
        return Reasoning(content="")
    return artifact
