"""Answers of OpenAI's Responses, written for tests, and what the wire makes of them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ore.errors import ProtocolError, ProviderError
from ore.ext.wires.openai_responses import OPENAI, Dialect, OpenAIResponses
from ore.ext.wires.wire import Decoder
from ore.provider import BATCH_LIMIT
from wires.corpus import Outcome, an_ask, decode

PROVIDER: Final = "openai-responses"
MODEL: Final = "gpt-5.2"
ISSUER: Final = {"provider": PROVIDER, "model": MODEL}
USAGE: Final = {
    "input_tokens": 20,
    "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 4},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 3},
    "total_tokens": 27,
}

Event = dict[str, Any]


def sse(*events: Mapping[str, Any]) -> bytes:
    """A body with these events, framed as the vendor does it."""
    return b"".join(
        b"event: %s\ndata: %s\n\n" % (str(event["type"]).encode(), json.dumps(event).encode()) for event in events
    )


def created(id: str = "resp_1") -> Event:
    """`response.created`."""
    return {"type": "response.created", "response": {"id": id, "status": "in_progress", "output": []}}


def added(index: int | None, item: Mapping[str, Any]) -> Event:
    """An item begins."""
    return _placed({"type": "response.output_item.added", "item": dict(item)}, index)


def done(index: int | None, item: Mapping[str, Any]) -> Event:
    """An item is whole."""
    return _placed({"type": "response.output_item.done", "item": dict(item)}, index)


def delta(index: int | None, kind: str, words: str, **more: Any) -> Event:
    """A fragment, such as of `output_text`."""
    return _placed({"type": f"response.{kind}.delta", "delta": words, **more}, index)


def completed(**response: Any) -> Event:
    """`response.completed`."""
    return {"type": "response.completed", "response": {"id": "resp_1", "status": "completed", **response}}


def incomplete(reason: str) -> Event:
    """`response.incomplete`."""
    response = {"id": "resp_1", "status": "incomplete", "incomplete_details": {"reason": reason}, "usage": USAGE}
    return {"type": "response.incomplete", "response": response}


def message(id: str, *texts: str, **more: Any) -> dict[str, Any]:
    """A message of the model."""
    content = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []} for text in texts]
    return {"type": "message", "id": id, "status": "completed", "role": "assistant", "content": content, **more}


def thinking(id: str, *summaries: str, encrypted: str | None = "gAAA", **more: Any) -> dict[str, Any]:
    """A reasoning item."""
    summary = [{"type": "summary_text", "text": text} for text in summaries]
    return {"type": "reasoning", "id": id, "summary": summary, "encrypted_content": encrypted, **more}


def function_call(id: str, call_id: str, name: str, arguments: str, **more: Any) -> dict[str, Any]:
    """A call of a function."""
    base = {"type": "function_call", "id": id, "call_id": call_id, "name": name, "arguments": arguments}
    return {**base, "status": "completed", **more}


def said(index: int, item: Mapping[str, Any], *words: str) -> list[Event]:
    """A message, streamed."""
    return [
        added(index, {**item, "content": [], "status": "in_progress"}),
        {**delta(index, "content_part", ""), "type": "response.content_part.added", "content_index": 0},
        *(delta(index, "output_text", word, content_index=0, item_id=item["id"]) for word in words),
        done(index, item),
    ]


def called(index: int, item: Mapping[str, Any], *words: str) -> list[Event]:
    """A call of a function, streamed."""
    return [
        added(index, {**item, "arguments": "", "status": "in_progress"}),
        *(delta(index, "function_call_arguments", word, item_id=item["id"]) for word in words),
        done(index, item),
    ]


def thought(index: int, item: Mapping[str, Any], *parts: Sequence[str]) -> list[Event]:
    """Reasoning with the fragments of its summaries, streamed."""
    return [
        added(index, {**item, "summary": [], "encrypted_content": "gAAA-not-all-of-it"}),
        *(
            delta(index, "reasoning_summary_text", word, summary_index=place)
            for place, words in enumerate(parts)
            for word in words
        ),
        done(index, item),
    ]


def streamed(*items: Mapping[str, Any]) -> bytes:
    """A whole answer with these items, nothing of them in fragments."""
    events = [event for index, item in enumerate(items) for event in (added(index, item), done(index, item))]
    return sse(created(), *events, completed(usage=USAGE))


def decoder(dialect: Dialect = OPENAI, model: str = MODEL, **ask: Any) -> Decoder:
    """Reads an answer of the model."""
    return OpenAIResponses(dialect).decoder(an_ask(provider=PROVIDER, model=model, **ask))


def outcome(*blocks: bytes, dialect: Dialect = OPENAI) -> Outcome:
    """What the decoder makes of a body."""
    return of_blocks(blocks, dialect)


def of_blocks(blocks: Iterable[bytes], dialect: Dialect = OPENAI) -> Outcome:
    """What the decoder makes of a body in pieces; no batch is too large."""
    found = decode(decoder(dialect), blocks)
    assert all(0 < size <= BATCH_LIMIT for size in found.sizes)
    return found


def artifacts(*events: Mapping[str, Any], dialect: Dialect = OPENAI) -> Sequence[Any]:
    """The complete artifacts of an answer that ends as it should, without its end."""
    found = outcome(sse(created(), *events, completed()), dialect=dialect)
    assert found.error is None
    return found.artifacts[:-1]


def broken(found: Outcome) -> bool:
    """Whether an answer broke the protocol."""
    return isinstance(found.error, ProtocolError)


def failed(*events: Mapping[str, Any]) -> ProviderError:
    """The error that an answer holds."""
    found = outcome(sse(created(), *events))
    assert found.error is not None
    return found.error


def replay(item: Mapping[str, Any], *held: str, **more: Any) -> dict[str, Any]:
    """What is kept of an item, apart from what its artifact holds."""
    kept = {name: value for name, value in item.items() if value is not None and name not in held}
    return {**ISSUER, "item": kept, **more}


def _placed(event: Event, index: int | None) -> Event:
    return event if index is None else {**event, "output_index": index}
