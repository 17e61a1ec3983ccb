"""`OllamaDecoder`: the bytes of one answer, as batches of artifacts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from ore.artifact import Artifact, ReasoningDelta, TextDelta
from ore.ext.wires.json_lines import LineReader
from ore.ext.wires.ollama.answer import Answer
from ore.ext.wires.ollama.structs import Line, decode_line, lenient_line
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

    @property
    def told(self) -> Any:
        """What the server itself says of a failure inside the answer; see `told`."""
        return self._answer.told

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
        """Plain fragments are wrapped right here: there are thousands of such lines."""
        answer = self._answer
        batch: list[Artifact] = []
        room = BATCH_LIMIT
        for data in lines:
            try:
                line = decode_line(data)
            except (msgspec.DecodeError, RecursionError):
                line = self._odd(data, at_end=at_end)
            fragment = _going_on(line, answer.open) if answer.open else None
            if fragment is not None:
                batch.append(fragment)
                room -= 1
            else:
                batch += answer.take(line, data)
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

    def _odd(self, data: bytes, *, at_end: bool) -> Line:
        """A line that is none, but for halves of characters in it.

        The last one may have been cut, which the end of the answer tells.
        """
        self._answer.open = ""
        line = lenient_line(data)
        if line is None and not at_end and not self._answer.ended:
            self._answer.break_off("one that cannot be read")
        return line or Line()


def _going_on(line: Line, open: str) -> Artifact | None:
    """The fragment of a line that goes on what is open and holds nothing else."""
    message = line.message
    if message is None or line.done or line.error is not None:
        return None
    if message.tool_calls is not None or message.images is not None:
        return None
    if open == "text":
        return TextDelta(content=message.content) if message.content and not message.thinking else None
    return ReasoningDelta(content=message.thinking) if message.thinking and not message.content else None


def _batches(artifacts: Sequence[Artifact]) -> Iterator[Batch]:
    for start in range(0, len(artifacts), BATCH_LIMIT):
        yield artifacts[start : start + BATCH_LIMIT]
