"""`Head`: how a body begins that may be no stream, and `events_of`: one that is a single object, as events."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import to_json
from ore.errors import ProtocolError
from ore.ext.wires.anthropic.structs import Counts, Delta, Event, Message
from ore.ext.wires.sse import EVENT_LIMIT_BYTES, FIRST

__all__ = ["Head", "events_of"]

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"
_ADVICE: Final = "check the base URL"


class Head:
    """Tells a stream from a web page and from a single object, by its first character.

    Args:
        provider: Who answers, for errors.
    """

    __slots__ = ("_blocks", "_is_object", "_provider", "_size_bytes", "is_read", "is_strange")

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._blocks: list[bytes] = []
        self._size_bytes = 0
        self._is_object = False
        self.is_read = False
        """Whether it is a stream, as nearly always."""
        self.is_strange = False
        """Whether it begins as no stream of events does."""

    def take(self, block: bytes) -> bytes:
        """What of the body is a stream.

        Raises:
            ProtocolError: It is a web page, or an object without an end.
        """
        self._blocks.append(block)
        self._size_bytes += len(block)
        if self._is_object:
            if self._size_bytes > EVENT_LIMIT_BYTES:
                raise ProtocolError("expected an answer, got an object without an end", provider=self._provider)
            return b""
        head = b"".join(self._blocks)
        first = head.lstrip(_BLANK)[:1]
        if first == b"<":
            raise ProtocolError(f"expected the events of an answer, got a web page; {_ADVICE}", provider=self._provider)
        self._is_object = first in (b"{", b"[")
        if self._is_object or not first:
            return b""
        self.is_read, self._blocks, self.is_strange = True, [], first not in FIRST
        return head

    def events(self) -> Sequence[Event]:
        """The events that a single object amounts to, at the end of the body; none where it was a stream.

        Raises:
            ProtocolError: There was nothing, or an object that is neither an answer nor an error.
        """
        if self.is_read:
            return ()
        body = b"".join(self._blocks).strip(_BLANK)
        if not body:
            raise ProtocolError(
                f"expected an answer, got an empty one; try again, and {_ADVICE}", provider=self._provider
            )
        return events_of(body, self._provider)


def events_of(body: bytes, provider: str) -> Sequence[Event]:
    """An answer that was not streamed, or an error, as the events that would have said the same.

    Raises:
        ProtocolError: It is neither.
    """
    found: Any = None
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise ProtocolError(
            f"expected the events of an answer, got one object that is not whole; {_ADVICE}", provider=provider
        ) from None
    if isinstance(found, Mapping):
        if found.get("error"):
            return (Event(type="error", error=found["error"]),)
        if isinstance(found.get("content"), list):
            return _message(found)
    raise ProtocolError(
        f"expected the events of an answer, got one object that is neither an answer nor an error; {_ADVICE}",
        provider=provider,
    )


def _message(found: Mapping[str, Any]) -> Sequence[Event]:
    reason = found.get("stop_reason")
    usage = _counts(found.get("usage"))
    events = [Event(type="message_start", message=Message(usage=usage))]
    for index, block in enumerate(found["content"]):
        raw = msgspec.Raw(to_json(block))
        events.append(Event(type="content_block_start", index=index, content_block=raw))
        events.append(Event(type="content_block_stop", index=index))
    if isinstance(reason, str):  # else nobody says that it is whole
        events.append(Event(type="message_delta", delta=Delta(stop_reason=reason)))
        events.append(Event(type="message_stop"))
    return events


def _counts(found: Any) -> Counts | None:
    try:
        return msgspec.convert(found, Counts)
    except msgspec.ValidationError:
        return None
