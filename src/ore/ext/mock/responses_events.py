"""`ResponsesEvents`: an answer as the events of OpenAI's Responses."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ore.artifact import Artifact, Delta, ReasoningDelta, TextDelta, ToolCallDelta
from ore.ext.mock.named_event import named_event
from ore.ext.mock.responses_items import begun

__all__ = ["ResponsesEvents"]


class ResponsesEvents:
    """Writes one answer: which item is open, and what came of it, is remembered.

    Args:
        response: The response as it ends; it begins without output and usage.
        items: Its items, in order; those that are streamed are opened by their first fragment.
    """

    def __init__(self, response: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> None:
        self._response = response
        self._items = items
        self._number = 0
        self._place = 0
        self._open: tuple[type[Artifact], int] | None = None
        self._said: list[str] = []

    def of(self, batch: Sequence[Artifact]) -> list[bytes]:
        """The events of what arrives together; the first ones begin the response."""
        events = self._begin()
        for artifact in batch:
            events += self._of(artifact)
        return events

    def end(self) -> list[bytes]:
        """What is open is done, then the response is."""
        events = [*self._begin(), *self._done()]
        kind = "response.incomplete" if self._response["status"] == "incomplete" else "response.completed"
        return [*events, self._event(kind, response=self._response)]

    def broken(self, error: Mapping[str, Any]) -> list[bytes]:
        """An error, and the response that failed with it."""
        response = {
            **self._response,
            "status": "failed",
            "error": {"code": error["code"] or "server_error", "message": error["message"]},
            "output": [],
            "usage": None,
        }
        return [self._event("error", error=error), self._event("response.failed", response=response)]

    def _begin(self) -> list[bytes]:
        if self._number:
            return []
        response = {**self._response, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
        kinds = ("response.created", "response.in_progress")
        return [self._event(kind, response=response) for kind in kinds]

    def _of(self, artifact: Artifact) -> list[bytes]:
        if not isinstance(artifact, Delta):
            return [*self._done(), *self._whole(artifact)]
        if isinstance(artifact, TextDelta | ReasoningDelta) and not artifact.content:
            return []  # which makes no item
        key = (type(artifact), artifact.index if isinstance(artifact, ToolCallDelta) else 0)
        events: list[bytes] = []
        if self._open != key:
            events = [*self._done(), *self._start()]
            self._open = key
        return [*events, *self._fragment(artifact)]

    def _whole(self, artifact: Artifact) -> Iterator[bytes]:
        """An item that comes at once, where the artifact makes one."""
        if artifact.kind not in ("text", "reasoning", "tool_call", "server_tool"):
            return
        yield from self._start()
        yield from self._text_done()
        yield self._event("response.output_item.done", output_index=self._place, item=self._items[self._place])
        self._place += 1

    def _start(self) -> list[bytes]:
        item = self._items[self._place]
        events = [self._event("response.output_item.added", output_index=self._place, item=begun(item))]
        if item["type"] == "message":
            part = {**item["content"][0], "text": ""}
            events.append(self._event("response.content_part.added", **self._inside(content_index=0), part=part))
        if item["type"] == "reasoning" and item["summary"]:
            part = {"type": "summary_text", "text": ""}
            inside = self._inside(summary_index=0)
            events.append(self._event("response.reasoning_summary_part.added", **inside, part=part))
        return events

    def _fragment(self, delta: Delta) -> list[bytes]:
        match delta:
            case TextDelta(content=content):
                fields = {**self._inside(content_index=0), "delta": content, "logprobs": []}
                return [self._event("response.output_text.delta", **fields)]
            case ReasoningDelta(content=content):
                fields = {**self._inside(summary_index=0), "delta": content}
                return [self._event("response.reasoning_summary_text.delta", **fields)]
            case ToolCallDelta(arguments=arguments) if arguments:
                return [self._event("response.function_call_arguments.delta", **self._inside(), delta=arguments)]
            case _:
                return []

    def _done(self) -> list[bytes]:
        """What is open is whole."""
        if self._open is None:
            return []
        self._open = None
        item = self._items[self._place]
        events = [
            *self._text_done(),
            self._event("response.output_item.done", output_index=self._place, item=item),
        ]
        self._place += 1
        return events

    def _text_done(self) -> list[bytes]:
        item = self._items[self._place]
        if item["type"] == "message":
            inside, part = self._inside(content_index=0), item["content"][0]
            return [
                self._event("response.output_text.done", **inside, text=part.get("text", ""), logprobs=[]),
                self._event("response.content_part.done", **inside, part=part),
            ]
        if item["type"] == "reasoning" and item["summary"]:
            inside, part = self._inside(summary_index=0), item["summary"][0]
            return [
                self._event("response.reasoning_summary_text.done", **inside, text=part["text"]),
                self._event("response.reasoning_summary_part.done", **inside, part=part),
            ]
        if item["type"] == "function_call":
            arguments = {"name": item["name"], "arguments": item["arguments"]}
            return [self._event("response.function_call_arguments.done", **self._inside(), **arguments)]
        return []

    def _inside(self, **place: int) -> dict[str, Any]:
        return {"item_id": self._items[self._place].get("id"), "output_index": self._place, **place}

    def _event(self, kind: str, **fields: Any) -> bytes:
        self._number += 1
        return named_event(kind, sequence_number=self._number - 1, **fields)
