"""`AnthropicDecoder`: the bytes of one answer, as batches of artifacts."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ore.artifact import Artifact, ReasoningDelta, TextDelta, ToolCallDelta
from ore.ext.wires.anthropic.answer import Answer
from ore.ext.wires.anthropic.mending import Mender
from ore.ext.wires.anthropic.structs import Event, decode_event
from ore.ext.wires.anthropic.whole import Head
from ore.ext.wires.sse import Event as Frame
from ore.ext.wires.sse import SseReader
from ore.provider import BATCH_LIMIT, Batch

__all__ = ["AnthropicDecoder"]

_OPENAI_END = b"[DONE]"
"""Some gateways end every stream with it."""


class AnthropicDecoder:
    """Reads one answer of Anthropic's protocol; see `Answer` for what its events mean.

    An answer in one piece is read as well, whoever asked for a stream.

    Args:
        provider: Who answers, for errors and for opaque data.
        model: Which model; opaque data is tagged with it.
        answer_tool: The tool whose call is the answer's text; `None` without one.
    """

    def __init__(self, *, provider: str, model: str, answer_tool: str | None = None) -> None:
        self._provider = provider
        self._reader = SseReader(provider)
        self._answer = Answer(provider, model, answer_tool)
        self._mender = Mender()
        self._head = Head(provider)

    def feed(self, block: bytes) -> Iterator[Batch]:
        """What these bytes say; see `Decoder`."""
        if not self._head.is_read:
            block = self._head.take(block)
            self._answer.is_strange = self._head.is_strange
        return self._read(self._reader.feed(block))

    def close(self) -> Iterator[Batch]:
        """What is due at the end; see `Decoder`."""
        for event in self._head.events():
            yield from _batches(self._answer.take(event, b"", b""))
        yield from self._read(self._reader.close(), at_end=True)
        yield from _batches(self._answer.close())
        if self._answer.fault is not None:
            raise self._answer.fault

    def _read(self, frames: Iterable[Frame], *, at_end: bool = False) -> Iterator[Batch]:
        """Plain fragments are wrapped right here: there are thousands of them."""
        answer = self._answer
        batch: list[Artifact] = []
        for name, data in frames:
            try:
                event = decode_event(data)
            except (msgspec.DecodeError, RecursionError):
                found = self._mender.mended(data)
                event, data = found or self._unreadable(data, at_end=at_end)
                name = name if found else b""  # what cannot be read says nothing, whatever its frame is called
            delta, index = event.delta, event.index
            if delta is None:
                batch += answer.take(event, name, data)
            elif delta.text and index == answer.streaming:
                batch.append(TextDelta(content=delta.text))
            elif delta.partial_json and index == answer.calling:
                batch.append(ToolCallDelta(index=answer.calls - 1, arguments=delta.partial_json))
            elif delta.thinking and index == answer.streaming:
                answer.thought.append(delta.thinking)
                batch.append(ReasoningDelta(content=delta.thinking))
            else:
                batch += answer.take(event, name, data)
            if answer.fault is not None:
                yield from _batches(batch)
                raise answer.fault
            while len(batch) >= BATCH_LIMIT:
                yield batch[:BATCH_LIMIT]
                batch = batch[BATCH_LIMIT:]
        if batch:
            yield batch

    def _unreadable(self, data: bytes, *, at_end: bool) -> tuple[Event, bytes]:
        """An event that is none; the last one may have been cut, which the end of the answer tells."""
        if not at_end and data != _OPENAI_END:
            self._answer.break_off("events in JSON", "one that cannot be read")
        return Event(), data


def _batches(artifacts: Sequence[Artifact]) -> Iterator[Batch]:
    for start in range(0, len(artifacts), BATCH_LIMIT):
        yield artifacts[start : start + BATCH_LIMIT]
