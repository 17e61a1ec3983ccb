"""`Answer`: what the events of one response amount to, one after the other."""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from ore.artifact import Artifact, Image, ProviderData, Reason, Restart, ServerTool, StopReason, Usage
from ore.errors import ProtocolError, ProviderError
from ore.ext.wires.bursts import Run
from ore.ext.wires.media import sniffed
from ore.ext.wires.openai_responses.calls import ALL, Calls
from ore.ext.wires.openai_responses.ending import reason_of, usage_of
from ore.ext.wires.openai_responses.failure import stream_failure
from ore.ext.wires.openai_responses.fragments import ARGUMENTS, INPUT, SUMMARY, TEXT, THINKING, run_of
from ore.ext.wires.openai_responses.items import CALLS, Fragment, Item, Part, parts_of, summary_of
from ore.ext.wires.openai_responses.outlet import Outlet
from ore.ext.wires.openai_responses.prose import Prose
from ore.ext.wires.openai_responses.structs import Event, read
from ore.ext.wires.unread import Unread

__all__ = ["Answer", "Key", "key_of"]

Key = int | str | None
"""What an item is known by within its answer."""


def key_of(event: Event) -> Key:
    """Its `output_index`; an id only where there is none, since some servers give an item another in each event."""
    return event.item_id if event.output_index is None else event.output_index


class Answer:
    """The state of one response.

    Whoever feeds it may read fragments by `run` instead of giving them to `take`.

    An image that the vendor made is a `ServerTool` without its bytes, and an
    `Image` that holds them right behind it. A second `response.created` begins the
    answer anew; a `Restart` says so. So does one before the end where an item as a
    whole is another than its fragments; what only was missing at its end is one more fragment.

    Args:
        issuer: Provider and model, which tag what goes back.
        limit: Tokens of an answer that a server has cut, though it never says so.
    """

    run: Run | None
    """How fragments look that go on what is open; `None` when each has to be taken."""

    def __init__(self, issuer: ProviderData, limit: int | None = None) -> None:
        self._issuer: Final = issuer
        self._limit: Final = limit
        self._attempt = 1
        self._heard: list[Fragment] | None = None
        self._run: Run | None = None
        self._has_spoken = False
        self._unread = Unread(issuer["provider"])
        self.ended = False
        """Whether all of it was there."""
        self.told: Any = None
        """What the server itself says of a failure inside the answer; see `told`."""
        self.fault: ProviderError | None = None
        """What went wrong, once what came before it was yielded."""
        self._reset()

    def take(self, event: Event, name: bytes, data: bytes) -> Sequence[Artifact]:
        """What an event says; kinds that nobody knows say nothing.

        Args:
            event: What was read of it.
            name: How its frame calls it, where the event itself does not say.
            data: Its bytes, for errors, which the struct does not hold.
        """
        if not self._has_spoken:
            self._unread.add(data)
        event.type = event.type or name.decode("ascii", "replace")
        if event.type == "error":
            self.fail(read(data))
        elif (taker := _TAKERS.get(event.type)) is not None:
            taker(self, event)
        said = self._outlet.taken()
        self._has_spoken = self._has_spoken or bool(said)
        return said

    def take_whole(self, response: Mapping[str, Any], data: bytes) -> Sequence[Artifact]:
        """A response that came in one piece.

        Args:
            data: Its bytes, for errors.
        """
        self._unread.add(data)
        self._end(response, "completed")
        return self._outlet.taken()

    def break_off(self, expected: str, got: str) -> None:
        """The answer breaks the protocol; nothing more is read of it."""
        said = f"expected {expected} in an answer of OpenAI's Responses, got {got}"
        self.fault = ProtocolError(said, provider=self._issuer["provider"])

    def fail(self, error: Any) -> None:
        """The vendor says that it failed, in an `error` event or in a body that is one error object."""
        self.told = error
        self.fault = stream_failure(self._issuer["provider"], error)

    def close(self) -> Sequence[Artifact]:
        """What is due when no event comes any more; `fault` tells that the answer had not ended."""
        if self.ended or self.fault is not None:
            return ()
        self.break_off("an event that ends it", "an end in the middle" if self._last else "none at all")
        return self._outlet.taken()

    def _reset(self) -> None:
        self._items: dict[Key, Item] = {}
        self._last: Item | None = None
        self._outlet: Outlet = Outlet()
        self._is_torn = False
        self._prose = Prose(self._issuer, self._outlet)
        self._calls = Calls(self._issuer, self._outlet)
        self._rest()

    def _rest(self) -> None:
        """Every fragment goes through `take`."""
        self.run = None

    def _go_on(self, event: Event, item: Item, part: Part, index: int | None = None, *, plain: bool = True) -> None:
        """Fragments like this one need not be looked at any more."""
        place, heard = event.output_index, item.streamed[part]
        if not plain or place is None:
            self.run = None
            return
        if self._heard is not heard:
            self._heard, self._run = heard, run_of(event.type, place, index, item.number, heard)
        self.run = self._run

    def _create(self, event: Event) -> None:
        if self._last is not None:
            self._attempt += 1
            self._reset()
            self._outlet.put(Restart(attempt=self._attempt))

    def _add(self, event: Event) -> None:
        self._begin(event, read(event.item))

    def _begin(self, event: Event, found: dict[str, Any], kind: str = "") -> Item:
        """An item begins; what was open of messages and reasoning ends."""
        self._rest()
        self._prose.leave()
        lead = self._last if self._last is not None and self._last.kind == "reasoning" else None
        item = self._last = Item(kind or str(found.get("type", "")), found, lead)
        self._items[_known(event, found)] = item
        if item.kind == "reasoning":
            self._prose.begin_thinking(item)
        elif item.kind in CALLS:
            self._calls.begin(item)
        return item

    def _item(self, event: Event, kind: str) -> Item:
        """The item that an event is about; one that nobody announced begins here."""
        item = self._items.get(key_of(event))
        if item is None and event.output_index is None:
            item = self._last
        return item if item is not None and item.kind == kind else self._begin(event, {}, kind)

    def _finish(self, event: Event) -> None:
        found = read(event.item)
        item = self._items.get(_known(event, found))
        if item is not None and item.is_done and item.found.get("id") == found.get("id"):
            return  # said twice
        if item is None or item.is_done or item.kind != found.get("type"):
            item = self._begin(event, found)
        self._rest()
        item.found, item.is_done = found, True
        match item.kind:
            case "message":
                self._prose.end_message(item)
            case "reasoning":
                self._prose.end_thinking(item)
            case "function_call" | "custom_tool_call":
                self._calls.finish(item)
            case _:
                self._run_by_vendor(item)
        self._is_torn = self._is_torn or item.is_torn

    def _say(self, event: Event) -> None:
        is_refusal = ".refusal." in event.type
        item, index = self._item(event, "message"), event.content_index or 0
        if event.delta:
            self._prose.say(item, index, event.delta, is_refusal=is_refusal)
            is_plain = not self._outlet.is_held and self._prose.is_sound and not is_refusal
            self._go_on(event, item, ("content", index), event.content_index, plain=is_plain)
        elif event.type.endswith(".done"):
            self._prose.end_part(item, index, {"type": "refusal" if is_refusal else "", **_words(event)})

    def _end_part(self, event: Event) -> None:
        item = self._items.get(key_of(event)) or self._last
        if item is not None and item.kind == "message":
            self._prose.end_part(item, event.content_index or 0, read(event.part))

    def _annotate(self, event: Event) -> None:
        self._prose.annotate(read(event.annotation))

    def _think(self, event: Event) -> None:
        is_summary = "summary" in event.type
        index = event.summary_index if is_summary else event.content_index
        item, part = self._item(event, "reasoning"), ("summary" if is_summary else "content", index or 0)
        if event.delta:
            self._prose.think(item, part, event.delta)
            self._go_on(event, item, part, index, plain=not self._outlet.is_held and self._prose.is_sound)
        elif event.text:
            self._prose.think_rest(item, part, event.text)

    def _argue(self, event: Event) -> None:
        item = self._item(event, "custom_tool_call" if "custom" in event.type else "function_call")
        if event.delta:
            self._calls.argue(item, event.delta)
            self._go_on(event, item, ALL, plain=self._calls.is_sound)
        else:
            self._calls.argue_rest(item, event.arguments or event.input or "")

    def _run_by_vendor(self, item: Item) -> None:
        picture = _picture(item)
        held, more = (("result",), {"image": True}) if picture is not None else ((), {})
        data = item.replay(self._issuer, without=held, **more)
        self._outlet.put(ServerTool(name=item.kind, summary=summary_of(item), provider_data=data))
        if picture is not None:
            self._outlet.put(picture)

    def _close(self, event: Event) -> None:
        said = event.type.removeprefix("response.")
        self._end(read(event.response), "completed" if said == "done" else said)

    def _end(self, response: Mapping[str, Any], said: str) -> None:
        status = response.get("status")
        status = status if status in ("completed", "incomplete", "failed", "cancelled") else said
        if self._last is None:
            for (_, index), found in parts_of(response, "output"):
                self._finish(_whole(index, found))
        elif status == "completed":
            self._complete(response)
        usage = usage_of(response)
        if status in ("failed", "cancelled"):
            self.fail(response.get("error") or {"code": "server_error"})
            self._outlet = Outlet()  # what waited for calls to end does so no more
        else:
            self._prose.leave(is_whole=status == "completed")
            self._calls.end(is_whole=status == "completed")
            self.fault = None if self._has_spoken or self._outlet.has_any else self._unread.fault()
            self._outlet.put(StopReason(reason=self._reason(response, status, usage)))
            self.ended = self.fault is None
        if usage is not None:
            self._outlet.put(usage)

    def _complete(self, response: Mapping[str, Any]) -> None:
        """What the vendor says the whole is counts; where it does not go on what was said, all of it is said again."""
        for (_, index), found in parts_of(response, "output"):
            item = self._items.get(index)
            if item is not None and not item.is_done and item.kind == found.get("type"):
                self._finish(_whole(index, found))
        items = [*self._items.values()]
        if self._is_torn and all(item.is_done for item in items):
            self._attempt += 1
            self._reset()
            self._outlet.put(Restart(attempt=self._attempt))
            for index, item in enumerate(items):
                self._finish(_whole(index, item.found))

    def _reason(self, response: Mapping[str, Any], status: str, usage: Usage | None) -> Reason:
        completion = usage.completion_tokens if usage is not None else None
        if self._limit is not None and completion is not None and completion >= self._limit:
            return "length"
        return reason_of(response, status, has_calls=self._calls.count > 0, is_refused=self._prose.is_refused)


_TAKERS: Final[Mapping[str, Callable[[Answer, Event], None]]] = {
    "response.created": Answer._create,
    "response.output_item.added": Answer._add,
    "response.output_item.done": Answer._finish,
    "response.content_part.done": Answer._end_part,
    "response.output_text.annotation.added": Answer._annotate,
    **dict.fromkeys((TEXT, "response.output_text.done"), Answer._say),
    **dict.fromkeys(("response.refusal.delta", "response.refusal.done"), Answer._say),
    **dict.fromkeys((SUMMARY, "response.reasoning_summary_text.done"), Answer._think),
    **dict.fromkeys((THINKING, "response.reasoning_text.done"), Answer._think),
    **dict.fromkeys((ARGUMENTS, "response.function_call_arguments.done"), Answer._argue),
    **dict.fromkeys((INPUT, "response.custom_tool_call_input.done"), Answer._argue),
    **dict.fromkeys(("response.completed", "response.done"), Answer._close),
    **dict.fromkeys(("response.incomplete", "response.failed"), Answer._close),
}


def _words(event: Event) -> dict[str, str]:
    return {name: words for name, words in (("text", event.text), ("refusal", event.refusal)) if words}


def _whole(index: int, found: Mapping[str, Any]) -> Event:
    return Event(output_index=index, item=msgspec.Raw(msgspec.json.encode(found)))


def _known(event: Event, found: Mapping[str, Any]) -> Key:
    """What an event about a whole item knows it by."""
    id = found.get("id")
    return key_of(event) if event.output_index is not None else id if isinstance(id, str) else event.item_id


def _picture(item: Item) -> Image | None:
    """The image in a result, where it can be put back exactly."""
    result = item.text("result")
    if item.kind != "image_generation_call" or not result:
        return None
    try:
        data = b64decode(result, validate=True)
    except (binascii.Error, ValueError):
        return None
    if b64encode(data).decode() != result:
        return None
    return Image(media_type=sniffed(data) or f"image/{item.text('output_format') or 'png'}", data=data)
