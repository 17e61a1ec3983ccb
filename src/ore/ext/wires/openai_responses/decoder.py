"""`ResponsesDecoder`: the bytes of one answer, as batches of artifacts."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import Artifact
from ore.errors import ProtocolError, ProviderError
from ore.ext.wires.bursts import Run, batches, cut
from ore.ext.wires.openai_responses.answer import Answer
from ore.ext.wires.openai_responses.structs import Event, decode_event, lenient_event
from ore.ext.wires.sse import EVENT_LIMIT_BYTES, SseReader
from ore.provider import Batch

__all__ = ["ResponsesDecoder"]

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"

_CHAT_END: Final = b"[DONE]"
"""Some gateways end every stream with it."""


class ResponsesDecoder:
    """Reads one answer, cut anywhere; see `ore.ext.wires.wire.Decoder` and, for what events mean, `Answer`.

    An answer has ended when an event said so; what comes later is passed over.
    One that came in one piece is read as well, whoever asked for a stream.

    Args:
        provider: Who answers.
        model: What the vendor calls the model; both tag what goes back.
        limit: Tokens of an answer that a server has cut, though it never says so.
    """

    def __init__(self, provider: str, model: str | None, limit: int | None = None) -> None:
        self._provider = provider
        self._reader = SseReader(provider)
        self._answer = Answer({"provider": provider, "model": model}, limit)
        self._head: list[bytes] = []
        self._size_bytes = 0
        self._is_stream: bool | None = None

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
        """Whether it ended, or broke."""
        return self._answer.ended or self._answer.fault is not None

    def feed(self, block: bytes) -> Iterator[Batch]:
        """What these bytes say; see `Decoder`."""
        if not self._is_stream:
            block = self._begin(block)
        return batches(self._reader.text(block), self)

    def run(self) -> Run | None:
        """How events look that go on what is open; see `Source`."""
        return self._answer.run

    def take(self, name: bytes, data: bytes, *, at_end: bool = False) -> Sequence[Artifact]:
        """What an event says; the last one may have been cut, which the end of the answer tells."""
        event: Event | None
        try:
            event = decode_event(data)
        except (msgspec.DecodeError, RecursionError):
            event = lenient_event(data)
            if event is None and not at_end and data.strip() != _CHAT_END:
                self._answer.break_off("events in JSON", "one that cannot be read; is the base URL right?")
        return () if event is None else self._answer.take(event, name, data)

    def close(self) -> Iterator[Batch]:
        """What is due at the end; see `Decoder`."""
        answer = self._answer
        rest: list[Artifact] = []
        for name, data in self._reader.close():
            if not self.over:
                rest += self.take(name, data, at_end=True)
        yield from cut(rest)
        if answer.fault is not None:
            raise answer.fault
        yield from cut([*(self._whole() if self._is_stream is False else ()), *answer.close()])
        if answer.fault is not None:
            raise answer.fault

    def _begin(self, block: bytes) -> bytes:
        """Look at how the body begins; gives what is a stream.

        Raises:
            ProtocolError: It is a web page, or an object without an end.
        """
        self._head.append(block)
        self._size_bytes += len(block)
        if self._size_bytes > EVENT_LIMIT_BYTES:
            raise ProtocolError("expected an answer, got one thing without an end", provider=self._provider)
        if self._is_stream is False:
            return b""
        head = b"".join(self._head)
        first = head.lstrip(_BLANK)[:1]
        if first == b"<":
            raise ProtocolError(
                "expected the events of an answer, got a web page; check the base URL", provider=self._provider
            )
        if first in (b"{", b"["):
            self._is_stream = False
        if not first or self._is_stream is False:
            return b""
        self._is_stream, self._head = True, []
        return head

    def _whole(self) -> Sequence[Artifact]:
        """An answer, or an error, that is one object."""
        body = b"".join(self._head).strip(_BLANK)
        try:
            found: Any = msgspec.json.decode(body)
        except (msgspec.DecodeError, RecursionError):
            return ()
        if isinstance(found, dict) and (found.get("object") == "response" or isinstance(found.get("output"), list)):
            return self._answer.take_whole(found, body)
        self._answer.fail(found)
        return ()
