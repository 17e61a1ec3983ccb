"""`OllamaDecoder`: the bytes of one answer, as batches of artifacts."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ore.artifact import Artifact, TextDelta
from ore.ext.wires.json_lines import LineReader
from ore.ext.wires.ollama.answer import Answer
from ore.ext.wires.ollama.structs import Line, decode_line
from ore.provider import BATCH_LIMIT, Batch

__all__ = ["OllamaDecoder"]


class OllamaDecoder:
    """Reads one answer of Ollama's protocol; see `Answer` for what its lines mean.

    Args:
        provider: Who answers, for errors and for what goes back.
        model: Which model.
        answer_tool: The tool whose call is the answer's text; `None` without one.
    """

    __slots__ = ("_answer", "_reader")

    def __init__(self, *, provider: str, model: str, answer_tool: str | None = None) -> None:
        self._reader = LineReader(provider)
        self._answer = Answer(provider, model, answer_tool)

    def feed(self, block: bytes) -> Iterator[Batch]:
        """What these bytes say; see `Decoder`."""
        return self._read(self._reader.feed(block))

    def close(self) -> Iterator[Batch]:
        """What is due at the end; see `Decoder`."""
        yield from self._read(self._reader.close(), at_end=True)
        self._answer.close()
        if self._answer.fault is not None:
            raise self._answer.fault

    def _read(self, lines: Iterable[bytes], *, at_end: bool = False) -> Iterator[Batch]:
        """Plain text is wrapped right here: there are thousands of such lines."""
        answer = self._answer
        batch: list[Artifact] = []
        room = BATCH_LIMIT
        for data in lines:
            try:
                line = decode_line(data)
            except (msgspec.DecodeError, RecursionError):
                line = self._unreadable(at_end=at_end)
            text = _plain(line) if answer.is_text else None
            if text is not None:
                batch.append(TextDelta(content=text))
                room -= 1
            else:
                batch += answer.take(line)
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

    def _unreadable(self, *, at_end: bool) -> Line:
        """A line that is none; the last one may have been cut, which the end of the answer tells."""
        if not at_end and not self._answer.ended:
            self._answer.break_off("one that cannot be read")
        return Line()


def _plain(line: Line) -> str | None:
    """The text of a line that holds nothing else."""
    message = line.message
    if message is None or line.done or line.error is not None:
        return None
    if message.thinking or message.tool_calls is not None or message.images is not None:
        return None
    return message.content or None


def _batches(artifacts: Sequence[Artifact]) -> Iterator[Batch]:
    for start in range(0, len(artifacts), BATCH_LIMIT):
        yield artifacts[start : start + BATCH_LIMIT]
