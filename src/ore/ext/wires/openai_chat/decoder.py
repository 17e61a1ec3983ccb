"""`ChatDecoder`: the bytes of a streamed chat completion become artifacts."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from ore.artifact import Artifact, Reason, StopReason, Usage
from ore.errors import OverloadedError, ProtocolError, ProviderError
from ore.ext.wires.bursts import Run, batches, cut
from ore.ext.wires.openai_chat.answer import Answer
from ore.ext.wires.openai_chat.failure import stream_error
from ore.ext.wires.openai_chat.fragments import RUNS
from ore.ext.wires.openai_chat.structs import Choice, Chunk, decode_chunk, lenient_chunk
from ore.ext.wires.openai_chat.usage import usage_of
from ore.ext.wires.sse import EVENT_LIMIT_BYTES, FIRST, SseReader
from ore.ext.wires.unread import Unread
from ore.provider import Batch

__all__ = ["ChatDecoder"]

_DONE: Final = b"[DONE]"

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"

_REASONS: Final[Mapping[str, Reason]] = {
    **{"stop": "stop", "eos": "stop", "end_turn": "stop", "stop_sequence": "stop"},
    **{"length": "length", "max_tokens": "length", "model_length": "length"},
    **{"tool_calls": "tool_use", "function_call": "tool_use", "tool_use": "tool_use"},
    **{"content_filter": "refusal", "refusal": "refusal"},
}
"""OpenAI's reasons, and those of servers that use others' words."""

_FAILED: Final = ("error", "insufficient_system_resource")
"""Reasons that are failures: OpenRouter's, and DeepSeek's when it runs out of capacity."""


class ChatDecoder:
    """Reads one answer, cut anywhere; see `ore.ext.wires.wire.Decoder`.

    An answer has ended when it said why it stopped. For vendors that never do,
    `[DONE]` counts too, and a usage on its own, unless there was one in every
    event. An answer in one piece is read as well, whoever asked for a stream.

    Args:
        provider: Who answers.
        model: What the vendor calls the model.
        output: The tool whose call is an answer in disguise.
    """

    __slots__ = (
        "_answer",
        "_begun",
        "_ended",
        "_finish",
        "_has_spoken",
        "_head",
        "_is_counted",
        "_is_strange",
        "_provider",
        "_reader",
        "_shape",
        "_unread",
        "_usage",
        "fault",
        "told",
    )

    def __init__(self, provider: str, model: str | None, output: str | None = None) -> None:
        self._provider = provider
        self._reader = SseReader(provider)
        self._answer = Answer(provider, model, output)
        self._unread = Unread(provider)
        self._shape = ""
        self._head: list[bytes] = []
        self._begun = False
        self._has_spoken = False
        self._ended = False
        self._is_strange = False
        self._finish = ""
        self._usage: Usage | None = None
        self._is_counted: bool | None = None
        self.fault: ProviderError | None = None
        """What went wrong, once what came before it was yielded."""
        self.told: Any = None
        """What the server itself says of a failure inside the answer; see `told`."""

    @property
    def over(self) -> bool:
        """Whether it ended, or broke."""
        return self._ended or self.fault is not None

    def feed(self, block: bytes) -> Iterator[Batch]:
        """What these bytes say."""
        if self._shape != "stream":
            block = self._begin(block)
        return batches(self._reader.text(block), self)

    def run(self) -> Run | None:
        """How events look that go on what is open; see `Source`."""
        return RUNS.get(self._answer.open)

    def take(self, name: bytes, data: bytes) -> Sequence[Artifact]:
        """What an event says."""
        try:
            chunk = decode_chunk(data)
        except (msgspec.DecodeError, RecursionError):  # the end, half a character, or what nobody expected
            return self._take_odd(name, data)
        if name == b"error" or (chunk.choices is None and chunk.usage is None):
            return self._take_odd(name, data)
        return self._take(chunk, data)

    def close(self) -> Iterator[Batch]:
        """What is still due."""
        if self._ended:
            return
        out: list[Artifact] = []
        if self._shape == "object":
            self._read_whole(out)
        for name, data in self._reader.close():
            if data.strip() == _DONE or lenient_chunk(data) is not None:  # else it was cut
                out += self._take_odd(name, data)
        if self.fault is None and not self._ended:
            self._finished(out)
        yield from cut(out)
        if self.fault is not None:
            raise self.fault

    def _take_odd(self, name: bytes, data: bytes) -> Sequence[Artifact]:
        if data.strip() == _DONE:
            out: list[Artifact] = []
            self._finished(out, is_said=self._begun)
            return out
        chunk = lenient_chunk(data, is_error=name == b"error")
        if chunk is None:
            rest: list[Artifact] = []
            said = "expected JSON in each event of the answer, got something else; is this the address of a chat "
            self._fail(ProtocolError(f"{said}completions API?", provider=self._provider), rest)
            return rest
        return self._take(chunk, data)

    def _take(self, chunk: Chunk, data: bytes) -> Sequence[Artifact]:
        out: list[Artifact] = []
        choice = _first(chunk.choices)
        self._begun = self._begun or choice is not None
        self._is_strange = self._is_strange or not (chunk.choices or chunk.usage or chunk.error)
        if chunk.citations:
            self._answer.citations = chunk.citations
        if choice is not None:
            if choice.delta is not None:
                self._answer.take(choice.delta, out)
            self._finish = choice.finish_reason or self._finish
        if chunk.usage is not None:
            self._usage = usage_of(chunk.usage) or self._usage
            # A usage beside words, or before any, is one of many: it ends nothing.
            self._is_counted = self._has_spoken and not out and self._is_counted is not False
        if not self._has_spoken:
            self._unread.add(data)
            self._has_spoken = bool(out)
        if chunk.error:
            self.told = chunk.error
            self._fail(stream_error(self._provider, chunk.error), out)
        elif choice is not None and choice.finish_reason in _FAILED:
            self._finish = ""
            said = f"{self._provider}: the vendor ended the answer with an error and no reason; try again later"
            self._fail(OverloadedError(said, provider=self._provider), out)
        return out

    def _fail(self, error: ProviderError, out: list[Artifact]) -> None:
        """The answer ends with an error; what it cost is said first, and why it stopped where that was said."""
        self.fault = error
        if self._finish:
            out.append(StopReason(reason=self._reason()))
        if self._usage is not None:
            out.append(self._usage)

    def _finished(self, out: list[Artifact], *, is_said: bool = False) -> None:
        """No more comes; where that is no answer, what it cost is said before the error."""
        error = None if is_said else self._unfinished()
        if error is None:
            self._answer.end(out, cut=self._reason() == "length")
            error = None if out or self._has_spoken else self._unread.fault()
        if error is not None:
            self._fail(error, out)
            return
        self._ended = True
        out.append(StopReason(reason=self._reason()))
        if self._usage is not None:
            out.append(self._usage)

    def _reason(self) -> Reason:
        reason = _REASONS.get(self._finish, "other") if self._finish else "stop"
        if reason == "tool_use" and not self._answer.has_calls:
            reason = "stop"  # the call was an answer in disguise
        if reason == "stop" and self._answer.has_calls:
            return "tool_use"
        return "refusal" if reason == "stop" and self._answer.is_refusal else reason

    def _unfinished(self) -> ProviderError | None:
        if not self._begun:
            got = "something else; does the base URL name a server that speaks another protocol?"
            said = f"expected the events of a chat completion, got {got if self._is_strange else 'none; try again'}"
            return ProtocolError(said, provider=self._provider)
        if self._finish or self._is_counted:
            return None
        return ProtocolError(
            "the answer broke off: it never said why it stopped; what came of it is kept", provider=self._provider
        )

    def _begin(self, block: bytes) -> bytes:
        """Look at how the body begins; gives what is a stream.

        Raises:
            ProtocolError: It is a web page, or an object without an end.
        """
        self._head.append(block)
        if self._shape == "object":
            if sum(map(len, self._head)) > EVENT_LIMIT_BYTES:
                raise ProtocolError("expected an answer, got an object without an end", provider=self._provider)
            return b""
        head = b"".join(self._head)
        first = head.lstrip(_BLANK)[:1]
        if first == b"<":
            raise ProtocolError(
                "expected the events of an answer, got a web page; check the base URL", provider=self._provider
            )
        if first in (b"{", b"["):
            self._shape = "object"
            return b""
        if not first:
            return b""
        self._shape, self._head, self._is_strange = "stream", [], first not in FIRST
        return head

    def _read_whole(self, out: list[Artifact]) -> None:
        """An answer, or an error, that is one object."""
        body = b"".join(self._head).strip(_BLANK)
        chunk = lenient_chunk(body, whole=True)
        if chunk is not None and (chunk.choices or chunk.error):
            out += self._take(chunk, body)
            return
        found: Any = None
        with suppress(msgspec.DecodeError, RecursionError):
            found = msgspec.json.decode(body)
        if _says_why(found[0] if isinstance(found, list) and found else found):
            self.told = found
            self.fault = stream_error(self._provider, found)
        else:
            self.fault = ProtocolError(
                "expected an answer, got one object that is neither that nor an error; check the base URL",
                provider=self._provider,
            )


def _says_why(found: Any) -> bool:
    """Whether an object may be an error: those have words or a code."""
    return isinstance(found, dict) and not found.keys().isdisjoint(("error", "detail", "message", "code"))


def _first(choices: Sequence[Choice] | None) -> Choice | None:
    """The answer with index 0; servers that leave the index out have only one."""
    for choice in choices or ():
        if not choice.index:
            return choice
    return None
