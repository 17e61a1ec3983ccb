"""`Answer`: what the events of one answer amount to, one after the other."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import Artifact, BlockEnd, Reason, Restart, StopReason
from ore.errors import ProtocolError, ProviderError
from ore.ext.wires.anthropic.counting import Tally
from ore.ext.wires.anthropic.failure import stream_failure
from ore.ext.wires.anthropic.fragments import argued, said, thought
from ore.ext.wires.anthropic.open_block import (
    AnswerBlock,
    CallBlock,
    OpaqueBlock,
    OpenBlock,
    RedactedBlock,
    TextBlock,
    ThinkingBlock,
)
from ore.ext.wires.anthropic.structs import Block, Delta, Event, decode_block
from ore.ext.wires.bursts import Run
from ore.ext.wires.unread import Unread

__all__ = ["Answer"]

_REASONS: Final[Mapping[str, Reason]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_use",
    "refusal": "refusal",
}
"""By "Stop reasons" of the vendor's documentation (read 2026-11). Any other is
`other`, such as `pause_turn`, which wants the conversation back as it stands."""

_PING: Final = "ping"
_NOTHING: Final[Sequence[Artifact]] = ()


class Answer:
    """The state of one answer.

    A second `message_start` begins it anew; a `Restart` says so when something
    of it had begun. It has ended with `message_stop`, or, when the body ends
    without one, with a stop reason. What comes later is passed over.

    Args:
        provider: Who answers.
        model: Which model; opaque data is tagged with both.
        answer_tool: The tool whose call is the answer's text; `None` without one.
    """

    def __init__(self, provider: str, model: str, answer_tool: str | None) -> None:
        self._issuer: Final = {"provider": provider, "model": model}
        self._answer_tool = answer_tool
        self._attempt = 1
        self._has_spoken = False
        self._unread = Unread(provider)
        self.is_strange = False
        """Whether something came that is none of its events."""
        self.ended = False
        """Whether all of it was there."""
        self.told: Any = None
        """What the server itself says of a failure inside the answer; see `told`."""
        self.fault: ProviderError | None = None
        """What the vendor says went wrong, once what came before it was yielded."""
        self._reset()

    def take(self, event: Event, name: bytes, data: bytes) -> Sequence[Artifact]:
        """What an event says; kinds that nobody knows, and pings, say nothing.

        Args:
            name: How its frame calls it, where the event itself does not say.
            data: Its bytes, for what the struct does not hold.
        """
        if not self._has_spoken:
            self._unread.add(data)
        taker = _TAKERS.get(event.type or name.decode("ascii", "replace"))
        if taker is None or self.ended:
            self.is_strange = self.is_strange or event.type != _PING
            return _NOTHING
        try:
            said = taker(self, event, data)
            self._has_spoken = self._has_spoken or bool(said)
            return said
        except (msgspec.DecodeError, RecursionError):
            self.break_off("blocks as the protocol has them", "one that cannot be read")
            return _NOTHING

    def break_off(self, expected: str, got: str) -> None:
        """The answer breaks the protocol, unless it had ended; nothing more is read of it."""
        if self.ended:
            return
        self.fault = ProtocolError(
            f"expected {expected} in an answer of Anthropic's protocol, got {got}", provider=self._issuer["provider"]
        )

    def close(self) -> Sequence[Artifact]:
        """What is due when no event comes any more; `fault` tells when the answer had not ended."""
        if self.ended or self.fault is not None:
            return _NOTHING
        if self._reason is not None:
            return self._finish()
        if not self._begun and self.is_strange:
            self.break_off("events", "something else; does the base URL name a server that speaks another protocol?")
        else:
            self.break_off("message_stop at the end", "an end in the middle" if self._begun else "nothing; try again")
        return [*self._close_block(), *self._usage()]

    def _reset(self) -> None:
        self._block: OpenBlock | None = None
        self._index: int | None = None
        self._family = ""
        self._reason: str | None = None
        self._tally = Tally()
        self._begun = False
        self.calls = 0
        """How many calls have begun."""
        self.run: Run | None = None
        """How fragments look that need not go through `take`; `None` when each has to."""

    def _start(self, event: Event, data: bytes) -> Sequence[Artifact]:
        rest: Sequence[Artifact] = _NOTHING
        if self._begun:
            self._attempt += 1
            rest = [Restart(attempt=self._attempt)]
        self._reset()
        if event.message is not None:
            self._tally.take(event.message.usage)
        return rest

    def _begin(self, event: Event, data: bytes) -> Sequence[Artifact]:
        raw = bytes(event.content_block) or b"{}"
        block = decode_block(raw)
        if not block.type:
            self.break_off("blocks that say what they are", "one that does not")
            return _NOTHING
        return self._open(block, raw, event.index)

    def _open(self, block: Block, raw: bytes, index: int | None) -> Sequence[Artifact]:
        rest = [*self._close_block()]
        opened = self._opened(block, raw)
        if opened.family and opened.family == self._family:
            rest.append(BlockEnd())
        self._block, self._index, self._family, self._begun = opened, index, opened.family, True
        rest += opened.begin(block)
        self._stream()
        return rest

    def _opened(self, block: Block, raw: bytes) -> OpenBlock:
        match block.type:
            case "text":
                return TextBlock(self._issuer)
            case "thinking":
                return ThinkingBlock(self._issuer)
            case "redacted_thinking":
                return RedactedBlock(self._issuer)
            case "tool_use" if self._answer_tool is not None and block.name == self._answer_tool:
                return AnswerBlock()
            case "tool_use":
                self.calls += 1
                return CallBlock(self._issuer, raw, self.calls - 1)
            case _:
                return OpaqueBlock(self._issuer, raw)

    def _grow(self, event: Event, data: bytes) -> Sequence[Artifact]:
        delta = event.delta
        if delta is None:
            return _NOTHING
        rest: list[Artifact] = []
        if self._block is None or event.index not in (None, self._index):
            kind = _kind(delta)
            if kind is None:
                return _NOTHING
            rest += self._open(Block(type=kind), b"{}", event.index)
        if self._block is not None:
            rest += self._block.take(delta, data)
            self._stream()
        return rest

    def _end(self, event: Event, data: bytes) -> Sequence[Artifact]:
        return self._close_block()

    def _change(self, event: Event, data: bytes) -> Sequence[Artifact]:
        if event.delta is not None and event.delta.stop_reason:
            self._reason = event.delta.stop_reason
        self._tally.take(event.usage)
        return _NOTHING

    def _stop(self, event: Event, data: bytes) -> Sequence[Artifact]:
        return self._finish()

    def _fail(self, event: Event, data: bytes) -> Sequence[Artifact]:
        self.told = event.error
        self.fault = stream_failure(self._issuer["provider"], event.error)
        reason = [] if self._reason is None else [StopReason(reason=self._stop_reason())]
        return [*self._close_block(), *reason, *self._usage()]

    def _finish(self) -> Sequence[Artifact]:
        rest = self._close_block()
        self.fault = None if rest or self._has_spoken else self._unread.fault()
        self.ended = self.fault is None
        return [*rest, StopReason(reason=self._stop_reason()), *self._usage()]

    def _stop_reason(self) -> Reason:
        """The reason, by the calls there are: a structured answer is none, and some gateways call every end a stop."""
        reason = _REASONS.get(self._reason or "end_turn", "other")
        if reason in ("stop", "tool_use"):
            return "tool_use" if self.calls else "stop"
        return reason

    def _usage(self) -> Sequence[Artifact]:
        usage = self._tally.usage()
        return _NOTHING if usage is None else [usage]

    def _close_block(self) -> Sequence[Artifact]:
        block, self._block, self.run = self._block, None, None
        return _NOTHING if block is None else block.end()

    def _stream(self) -> None:
        """Say which fragments need not come here."""
        block, index = self._block, self._index
        if block is None or not block.streaming or index is None:
            self.run = None
        elif self.run is None:
            self.run = self._run(block, index)

    def _run(self, block: OpenBlock, index: int) -> Run | None:
        match block:
            case TextBlock():
                return said(index)
            case ThinkingBlock():
                return thought(index, block.parts)
            case CallBlock():
                return argued(index, self.calls - 1)
            case _:
                return None


_TAKERS: Final[Mapping[str, Callable[[Answer, Event, bytes], Sequence[Artifact]]]] = {
    "message_start": Answer._start,
    "content_block_start": Answer._begin,
    "content_block_delta": Answer._grow,
    "content_block_stop": Answer._end,
    "message_delta": Answer._change,
    "message_stop": Answer._stop,
    "error": Answer._fail,
}


def _kind(delta: Delta) -> str | None:
    """The kind of block that a fragment is of whose start never came; `None` when only the start can say."""
    if delta.text is not None:
        return "text"
    return None if delta.thinking is None and delta.signature is None else "thinking"
