"""`GeminiDecoder`: the bytes of one answer, as batches of artifacts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import Artifact
from ore.errors import ProtocolError, ProviderError
from ore.ext.wires.bursts import Run, batches, cut
from ore.ext.wires.gemini.answer import Answer
from ore.ext.wires.gemini.fragments import runs
from ore.ext.wires.gemini.structs import Chunk, Counts, chunks_of, decode_chunk, lenient_chunk
from ore.ext.wires.sse import EVENT_LIMIT_BYTES, Event, SseReader
from ore.provider import Batch

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

    __slots__ = ("_answer", "_head", "_provider", "_reader", "_runs", "_size_bytes", "_whole")

    def __init__(
        self, *, provider: str, model: str, answer_tool: str | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        self._provider = provider
        self._reader = SseReader(provider)
        self._answer = Answer(provider, model, answer_tool, names or {})
        self._runs = runs(self._count)
        self._head: list[bytes] | None = []
        self._size_bytes = 0
        self._whole = False

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
        """Whether it broke; an answer may go on after it said why it stopped, see `Answer`."""
        return self._answer.fault is not None

    def feed(self, block: bytes) -> Iterator[Batch]:
        """What these bytes say; see `Decoder`."""
        if self._head is not None:
            block = self._begin(block)
        return batches(self._reader.text(block), self)

    def run(self) -> Run | None:
        """How chunks look that go on what is open; see `Source`."""
        return self._runs.get(self._answer.open)

    def take(self, name: bytes, data: bytes, *, at_end: bool = False) -> Sequence[Artifact]:
        """What a chunk says; the last one may have been cut, which the end of the answer tells."""
        try:
            chunk = decode_chunk(data)
        except (msgspec.DecodeError, RecursionError):
            chunk, data = self._odd(data, at_end=at_end)
        return self._answer.take(chunk, data)

    def close(self) -> Iterator[Batch]:
        """What is due at the end; see `Decoder`."""
        for name, data in self._pieces() if self._whole else self._reader.close():
            yield from cut(self.take(name, data, at_end=True))
            if self._answer.fault is not None:
                raise self._answer.fault
        yield from cut(self._answer.close())
        if self._answer.fault is not None:
            raise self._answer.fault

    def _count(self, counts: Counts) -> None:
        self._answer.counts = counts

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
