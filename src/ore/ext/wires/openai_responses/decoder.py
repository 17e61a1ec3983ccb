"""`ResponsesDecoder`: the bytes of one answer, as batches of artifacts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import Artifact, ReasoningDelta, TextDelta, ToolCallDelta
from ore.errors import ProtocolError
from ore.ext.wires.openai_responses.answer import SUMMARY, TEXT, Answer
from ore.ext.wires.openai_responses.failure import stream_failure
from ore.ext.wires.openai_responses.structs import Event, decode_event, lenient_event
from ore.ext.wires.sse import EVENT_LIMIT_BYTES, SseReader
from ore.ext.wires.sse import Event as Frame
from ore.provider import BATCH_LIMIT, Batch

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

    def feed(self, block: bytes) -> Iterator[Batch]:
        """What these bytes say; see `Decoder`."""
        if not self._is_stream:
            block = self._begin(block)
        return self._read(self._reader.feed(block))

    def close(self) -> Iterator[Batch]:
        """What is due at the end; see `Decoder`."""
        answer = self._answer
        yield from self._read(self._reader.close(), at_end=True)
        rest = [*(self._whole() if self._is_stream is False else ()), *answer.close()]
        for start in range(0, len(rest), BATCH_LIMIT):
            yield rest[start : start + BATCH_LIMIT]
        if answer.fault is not None:
            raise answer.fault

    def _read(self, frames: Iterable[Frame], *, at_end: bool = False) -> Iterator[Batch]:
        """Plain fragments are wrapped right here: there are thousands of them."""
        answer = self._answer
        batch: list[Artifact] = []
        for name, data in frames:
            if answer.ended or answer.fault is not None:
                break
            event: Event | None
            try:
                event = decode_event(data)
                fragment = _going_on(event, answer) if event.type == answer.kind else None
            except (msgspec.DecodeError, RecursionError):
                event, fragment = self._odd(data, at_end=at_end), None
            if fragment is not None:
                batch.append(fragment)
            elif event is not None:
                batch += answer.take(event, name, data)
            while len(batch) >= BATCH_LIMIT:
                yield batch[:BATCH_LIMIT]
                batch = batch[BATCH_LIMIT:]
        if batch:
            yield batch
        if answer.fault is not None:
            raise answer.fault

    def _odd(self, data: bytes, *, at_end: bool) -> Event | None:
        """An event that does not fit; the last one may have been cut, which the end of the answer tells."""
        event = lenient_event(data)
        if event is None and not at_end and data.strip() != _CHAT_END:
            self._answer.break_off("events in JSON", "one that cannot be read; is the base URL right?")
        return event

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
        try:
            found: Any = msgspec.json.decode(b"".join(self._head).strip(_BLANK))
        except (msgspec.DecodeError, RecursionError):
            return ()
        if isinstance(found, dict) and (found.get("object") == "response" or isinstance(found.get("output"), list)):
            return self._answer.take_whole(found)
        self._answer.fault = stream_failure(self._provider, found)
        return ()


def _going_on(event: Event, answer: Answer) -> Artifact | None:
    """The fragment of an event that goes on what is open; `None` when it has to be looked at."""
    delta = event.delta
    if not delta or answer.key != (event.item_id if event.output_index is None else event.output_index):
        return None
    if answer.number >= 0:
        return ToolCallDelta(index=answer.number, arguments=delta)
    if event.type == TEXT:
        return TextDelta(content=delta) if event.content_index == answer.part else None
    part = event.summary_index if event.type == SUMMARY else event.content_index
    return ReasoningDelta(content=delta) if part == answer.part else None
