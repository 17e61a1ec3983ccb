"""`AnthropicDecoder`: the bytes of one answer, as batches of artifacts."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from ore.artifact import Artifact
from ore.errors import ProviderError
from ore.ext.wires.anthropic.answer import Answer
from ore.ext.wires.anthropic.mending import Mender
from ore.ext.wires.anthropic.structs import Event, decode_event
from ore.ext.wires.anthropic.whole import Head
from ore.ext.wires.bursts import Run, batches, cut
from ore.ext.wires.sse import SseReader
from ore.provider import Batch

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

    @property
    def fault(self) -> ProviderError | None:
        """What went wrong; see `Source`."""
        return self._answer.fault

    @property
    def told(self) -> Any:
        """What the server itself says of a failure inside the answer; see `told`."""
        return self._answer.told

    @property
    def over(self) -> bool:
        """Whether it broke; what comes behind the end of an answer says nothing."""
        return self._answer.fault is not None

    def feed(self, block: bytes) -> Iterator[Batch]:
        """What these bytes say; see `Decoder`."""
        if not self._head.is_read:
            block = self._head.take(block)
            self._answer.is_strange = self._head.is_strange
        return batches(self._reader.text(block), self)

    def run(self) -> Run | None:
        """How events look that go on what is open; see `Source`."""
        return self._answer.run

    def take(self, name: bytes, data: bytes, *, at_end: bool = False) -> Sequence[Artifact]:
        """What an event says; the last one may have been cut, which the end of the answer tells."""
        try:
            event = decode_event(data)
        except (msgspec.DecodeError, RecursionError):
            found = self._mender.mended(data)
            if found is None:
                if not at_end and data != _OPENAI_END:
                    self._answer.break_off("events in JSON", "one that cannot be read")
                found, name = (Event(), data), b""  # what cannot be read says nothing, whatever its frame is called
            event, data = found
        return self._answer.take(event, name, data)

    def close(self) -> Iterator[Batch]:
        """What is due at the end; see `Decoder`."""
        for event in self._head.events():
            yield from cut(self._answer.take(event, b"", b""))
        for name, data in self._reader.close():
            yield from cut(self.take(name, data, at_end=True))
        if self._answer.fault is None:
            yield from cut(self._answer.close())
        if self._answer.fault is not None:
            raise self._answer.fault
