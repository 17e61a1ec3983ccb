"""`GeminiDecoder`: the bytes of one answer, as batches of artifacts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from ore.artifact import Artifact, ReasoningDelta, TextDelta
from ore.errors import ProtocolError
from ore.ext.wires.gemini.answer import Answer
from ore.ext.wires.gemini.structs import NOTHING, Chunk, Part, chunks_of, decode_chunk, lenient_chunk
from ore.ext.wires.sse import EVENT_LIMIT_BYTES, Event, SseReader
from ore.provider import BATCH_LIMIT, Batch

__all__ = ["GeminiDecoder"]

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"


class GeminiDecoder:
    """Reads one answer of Gemini's protocol; see `Answer` for what its chunks mean.

    An answer in one piece, an object or a list of chunks, is read as well:
    servers send it that know nothing of `alt=sse`.

    Args:
        provider: Who answers, for errors and for opaque data.
        model: Which model; opaque data is tagged with it.
        answer_tool: The tool whose call is the answer's text; `None` without one.
        names: The names of tools by what the vendor calls them, where that differs.
    """

    __slots__ = ("_answer", "_head", "_provider", "_reader", "_size_bytes", "_whole")

    def __init__(
        self, *, provider: str, model: str, answer_tool: str | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        self._provider = provider
        self._reader = SseReader(provider)
        self._answer = Answer(provider, model, answer_tool, names or {})
        self._head: list[bytes] | None = []
        self._size_bytes = 0
        self._whole = False

    def feed(self, block: bytes) -> Iterator[Batch]:
        """What these bytes say; see `Decoder`."""
        if self._head is not None:
            block = self._begin(block)
        return self._read(self._reader.feed(block))

    def close(self) -> Iterator[Batch]:
        """What is due at the end; see `Decoder`."""
        events = self._pieces() if self._whole else self._reader.close()
        yield from self._read(events, at_end=True)
        yield from _batches(self._answer.close())
        if self._answer.fault is not None:
            raise self._answer.fault

    def _read(self, events: Iterable[Event], *, at_end: bool = False) -> Iterator[Batch]:
        """Plain fragments are wrapped right here: there are thousands of such chunks."""
        answer = self._answer
        batch: list[Artifact] = []
        room = BATCH_LIMIT
        for _, data in events:
            try:
                chunk = decode_chunk(data)
            except (msgspec.DecodeError, RecursionError):
                chunk, data = self._odd(data, at_end=at_end)
            part = _plain(chunk) if answer.open else None
            if part is not None and (answer.open == "reasoning") is bool(part.thought):
                batch.append((ReasoningDelta if part.thought else TextDelta)(content=part.text or ""))
                room -= 1
                counts = chunk.usage_metadata
                if counts is not None and counts.prompt_token_count is not None:
                    answer.counts = counts
            else:
                batch += answer.take(chunk, data)
                room = BATCH_LIMIT - len(batch)
                if answer.fault is not None:
                    yield from _batches(batch)
                    raise answer.fault
            while room <= 0:
                yield batch[:BATCH_LIMIT]
                batch = batch[BATCH_LIMIT:]
                room = BATCH_LIMIT - len(batch)
        if batch:
            yield batch

    def _odd(self, data: bytes, *, at_end: bool) -> tuple[Chunk, bytes]:
        """A chunk that is none, but for halves of characters in it, with its bytes.

        The last one may have been cut, which the end of the answer tells.
        """
        self._answer.open = ""
        found = lenient_chunk(data)
        if found is None and not at_end:
            self._answer.break_off("one that cannot be read")
        return found or (Chunk(), b"{}")

    def _begin(self, block: bytes) -> bytes:
        """Look at how the body begins; gives what is a stream.

        Raises:
            ProtocolError: It is one value without an end.
        """
        head = self._head
        if head is None:
            return block
        head.append(block)
        self._size_bytes += len(block)
        if self._size_bytes > EVENT_LIMIT_BYTES:
            raise ProtocolError(
                f"expected an answer of at most {EVENT_LIMIT_BYTES} bytes where it is no stream, got a longer one",
                provider=self._provider,
            )
        if self._whole:
            return b""
        begun = b"".join(head)
        first = begun.lstrip(_BLANK)[:1]
        self._whole = first in (b"{", b"[")
        if self._whole or not first:
            return b""
        self._head = None
        return begun

    def _pieces(self) -> Iterator[Event]:
        """The chunks of a body that is no stream."""
        body = b"".join(self._head or ()).strip(_BLANK)
        if body.startswith(b"{"):
            yield b"", body
            return
        for chunk in chunks_of(body):
            yield b"", bytes(chunk)


def _plain(chunk: Chunk) -> Part | None:
    """The text, or the thought, of a chunk that holds nothing else."""
    candidates = chunk.candidates
    if not candidates or chunk.prompt_feedback is not None or chunk.error is not None:
        return None
    candidate = candidates[0]
    content = candidate.content
    if candidate is not candidates[-1] or candidate.index or candidate.finish_reason is not None or content is None:
        return None
    if (
        candidate.grounding_metadata is not NOTHING
        or candidate.citation_metadata is not NOTHING
        or candidate.url_context_metadata is not NOTHING
    ):
        return None
    parts = content.parts
    if not parts:
        return None
    part = parts[0]
    if part is not parts[-1] or not part.text or part.thought_signature is not None:
        return None
    return part


def _batches(artifacts: Sequence[Artifact]) -> Iterator[Batch]:
    for start in range(0, len(artifacts), BATCH_LIMIT):
        yield artifacts[start : start + BATCH_LIMIT]
