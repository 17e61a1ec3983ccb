"""`OpenAIResponses`, played: responses, whole and as a stream.

Objects and events by "The response object" and "Streaming events" of the
vendor's API reference (read 2026-11).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from ore.artifact import Usage
from ore.ext.mock.asked import Asked
from ore.ext.mock.openai_chat import CREATED
from ore.ext.mock.openai_errors import error_body
from ore.ext.mock.playing import Break, Step, folded, reason_of, usage_of
from ore.ext.mock.responses_events import ResponsesEvents
from ore.ext.mock.responses_items import items_of
from ore.ext.mock.sequence import one_after_another
from ore.ext.providers.script import Failure, Item
from ore.testing.shapes import check_openai_responses

__all__ = ["OpenAIResponses"]

_INCOMPLETE: Final = {"length": "max_output_tokens", "refusal": "content_filter"}
_ECHOED: Final[Mapping[str, Any]] = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "store": True,
    "temperature": 1,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1,
    "truncation": "disabled",
}
"""What an answer repeats of its request, and what it says where nothing was."""


class OpenAIResponses:
    """`POST /v1/responses`. Items that come back under their ids have to be what was issued.

    Args:
        extra_fields: Fields that are taken beside the vendor's.
    """

    paths = ("/v1/responses", "/responses")

    def __init__(self, extra_fields: Collection[str] = ()) -> None:
        self._extra_fields = extra_fields
        self._issued: list[list[dict[str, Any]]] = []

    def check(self, body: bytes) -> None:
        """Refuse what the vendor would."""
        check_openai_responses(body, issued=self._issued, extra=self._extra_fields)

    def stream(self, items: Sequence[Item], asked: Asked) -> Sequence[Step]:
        """Numbered events, one item after the other; a failure is an error and a response that failed."""
        response = self.whole(items, asked)
        events = ResponsesEvents(response, response["output"])
        steps: list[Step] = []
        for item in one_after_another(items):
            if isinstance(item, Failure):
                return [*steps, Break(item, b"".join(events.broken(error_body(item)["error"])))]
            steps.append(b"".join(events.of(item)) if isinstance(item, Sequence) else item)
        steps.append(b"".join(events.end()))
        return steps

    def whole(self, items: Sequence[Item], asked: Asked) -> Mapping[str, Any]:
        """A response."""
        output = items_of(folded(one_after_another(items)), asked)
        self._issued.append(output)
        incomplete = _INCOMPLETE.get(reason_of(items))
        return {
            "id": asked.id("resp_"),
            "object": "response",
            "created_at": CREATED,
            "status": "incomplete" if incomplete else "completed",
            "error": None,
            "incomplete_details": {"reason": incomplete} if incomplete else None,
            "model": asked.model,
            "output": output,
            "usage": _usage(usage_of(items, asked)),
            "service_tier": "default",
            **{name: asked.body.get(name, usual) for name, usual in _ECHOED.items()},
        }


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
        "output_tokens": usage.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total_tokens,
    }
