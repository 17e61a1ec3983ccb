"""Reading many events at once gives what reading each by itself gives, whatever stands between them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import Artifact, Text, ToolCall, ToolCallDelta
from ore.ext.wires.anthropic import AnthropicMessages
from ore.ext.wires.bursts import ONE_BYTES, WINDOW_BYTES, Run, batches
from ore.ext.wires.gemini import Gemini
from ore.ext.wires.openai_chat import OpenAIChat
from ore.ext.wires.openai_responses import OpenAIResponses
from ore.ext.wires.wire import Decoder, Wire
from wires.corpus import Outcome, Transcript, an_ask, decode, recordings

WIRES: Mapping[str, Wire] = {
    "openai-chat": OpenAIChat(),
    "openai-responses": OpenAIResponses(),
    "anthropic-messages": AnthropicMessages(),
    "gemini-generate-content": Gemini(),
}


class OneByOne:
    """A decoder's source that says of no event that it only goes on."""

    def __init__(self, decoder: Any) -> None:
        self.inner = decoder

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def run(self) -> None:
        return None


def one_by_one(decoder: Any, body: bytes, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """What a decoder makes of a body when it looks at each event."""
    module = f"{type(decoder).__module__}.batches"
    with monkeypatch.context() as patch:
        patch.setattr(module, lambda text, source: batches(text, OneByOne(source)))
        return decode(decoder, [body])


def without_ids(artifacts: Sequence[Artifact]) -> list[Artifact]:
    """A call that came without an id got one that differs each time."""
    return [
        msgspec.structs.replace(one, id="") if isinstance(one, ToolCall | ToolCallDelta) else one for one in artifacts
    ]


def same(one: Outcome, other: Outcome) -> None:
    assert without_ids(one.artifacts) == without_ids(other.artifacts)
    assert without_ids(one.stream) == without_ids(other.stream)
    assert str(one.error) == str(other.error)


@pytest.mark.parametrize(
    "transcript", [one for protocol in WIRES for one in recordings(protocol) if one.values[0] is not None] or [None]
)
def test_a_recording_read_at_once_is_the_same_as_event_by_event(
    transcript: Transcript | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if transcript is None:
        pytest.skip("the corpus is not there")
    wire = WIRES[transcript.protocol]
    alone = one_by_one(wire.decoder(an_ask()), transcript.body, monkeypatch)
    same(decode(wire.decoder(an_ask()), [transcript.body]), alone)


def event(kind: str, **fields: Any) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), json.dumps({"type": kind, **fields}).encode())


def chat(**delta: Any) -> bytes:
    return b"data: %b\n\n" % json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode()


def candidate(text: str, **more: Any) -> Mapping[str, Any]:
    return {"candidates": [{"content": {"parts": [{"text": text, **more}], "role": "model"}, "index": 0}]}


def gemini(text: str, tokens: int, **more: Any) -> bytes:
    counts = {"promptTokenCount": 1, "candidatesTokenCount": tokens, "totalTokenCount": tokens + 1}
    return b"data: %b\n\n" % json.dumps({**candidate(text, **more), "usageMetadata": counts}).encode()


def said(text: str, item: int = 0, part: int = 0) -> bytes:
    return event("response.output_text.delta", output_index=item, content_index=part, delta=text)


def block(index: int, **delta: Any) -> bytes:
    return event("content_block_delta", index=index, delta=delta)


ODD: Sequence[bytes] = [b": still here\n\n", b"event: ping\ndata: {}\n\n", b"\n\n", b"id: 7\n\n", b"data: {}\n\n"]

FRAGMENTS: Mapping[str, Sequence[bytes]] = {
    "openai-chat": [
        chat(content="a"),
        chat(content="é", role="assistant", refusal=None, tool_calls=[], reasoning=""),
        chat(content=""),
        chat(content="\ud83d"),
        chat(content="\udc4b"),
        chat(reasoning_content="r"),
        chat(reasoning="s", content=""),
        chat(reasoning="t", reasoning_details=[{"type": "reasoning.text", "text": "t"}]),
        chat(refusal="no"),
        chat(content="b", annotations=[{"type": "url_citation"}]),
        chat(tool_calls=[{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}]),
        b'data: {"choices": [{"delta": {"content": "d"}}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}\n\n',
        b'data: {"choices": [{"index": 0, "delta": {"content": "e"}}],\ndata:  "citations": ["u"]}\n\n',
        b'data: {"choices": [{"index": 1, "delta": {"content": "other"}}]}\n\n',
        b'id: 1\ndata: {"choices": [{"delta": {"content": "f"}}]}\n\n',
    ],
    "openai-responses": [
        said("a"),
        said("é"),
        said(""),
        said("\ud83d"),
        said("\udc4b"),
        said("b", part=1),
        said("c", item=1),
        b'data: {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "d"}\n\n',
        event("response.output_text.delta", item_id="x", delta="e"),
        event("response.refusal.delta", output_index=0, content_index=0, delta="no"),
        event("response.reasoning_summary_text.delta", output_index=2, summary_index=0, delta="r"),
        event("response.reasoning_text.delta", output_index=2, content_index=0, delta="s"),
        event(
            "response.output_item.added", output_index=3, item={"type": "function_call", "call_id": "c", "name": "f"}
        ),
        event("response.function_call_arguments.delta", output_index=3, delta="{}"),
        event("response.output_item.done", output_index=0, item={"type": "message", "content": []}),
    ],
    "anthropic-messages": [
        event("message_start", message={"usage": {"input_tokens": 1}}),
        event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        event("content_block_start", index=1, content_block={"type": "thinking", "thinking": ""}),
        event("content_block_start", index=2, content_block={"type": "tool_use", "id": "c", "name": "f", "input": {}}),
        block(0, type="text_delta", text="a"),
        block(0, type="text_delta", text=""),
        block(0, type="text_delta", text="\ud83d"),
        block(0, type="citations_delta", citation={"title": "t"}),
        block(1, type="thinking_delta", thinking="r"),
        block(1, type="thinking_delta", thinking="s", signature="x"),
        block(1, type="signature_delta", signature="x"),
        block(2, type="input_json_delta", partial_json="{}"),
        b'data: {"type": "content_block_delta", "index": 0, "delta": {"text": "b"}}\n\n',
        event("content_block_stop", index=0),
    ],
    "gemini-generate-content": [
        gemini("a", 1),
        gemini("é", 2, thought=False),
        gemini("", 3),
        gemini("\ud83d", 4),
        gemini("\udc4b", 5),
        gemini("r", 6, thought=True),
        gemini("s", 7, thought=True, thoughtSignature="eA=="),
        b'data: {"candidates": [{"content": {"parts": [{"text": "b"}, {"text": "c"}]}}]}\n\n',
        b'data: {"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {}}}]}}]}\n\n',
        b'data: {"candidates": [{"content": {"parts": [{"text": "d"}]}, "citationMetadata": {"x": 1}}]}\n\n',
        b'data: {"candidates": [{"content": {"parts": [{"text": "e"}]}}],"usageMetadata":{"totalTokenCount":"x"}}\n\n',
    ],
}


@pytest.mark.parametrize("name", FRAGMENTS)
@given(st.data())
def test_any_events_in_any_order_are_the_same_at_once_and_one_by_one(name: str, data: st.DataObject) -> None:
    """Runs of one event, so that there is something to be read at once, and whatever may come between."""
    runs = st.tuples(st.sampled_from([*FRAGMENTS[name], *ODD]), st.integers(1, 70))
    chosen = data.draw(st.lists(runs, max_size=8))
    body = b"".join(one * count for one, count in chosen)
    wire = WIRES[name]
    with pytest.MonkeyPatch.context() as monkeypatch:
        alone = one_by_one(wire.decoder(an_ask()), body, monkeypatch)
    same(decode(wire.decoder(an_ask()), [body]), alone)


class Letters:
    """A source of text whose plain events are one letter, and whose others end the run."""

    fault = None
    over = False

    def __init__(self) -> None:
        self.looked: list[bytes] = []

    def run(self) -> Run:
        return RUN

    def take(self, name: bytes, data: bytes) -> Sequence[Text]:
        self.looked.append(data)
        return [Text(content=data.decode())]


def _read(pieces: Sequence[bytes]) -> Sequence[Text]:
    return [Text(content=json.loads(piece)) for piece in pieces]


RUN = Run(b"data: ", _read)


@pytest.mark.parametrize("size", [1, ONE_BYTES, WINDOW_BYTES, 3 * WINDOW_BYTES])
def test_events_of_any_length_are_read_at_once(size: int) -> None:
    source = Letters()
    words = ["x" * size, "y", "z" * size, *"abc" * 50]
    text = b"\n\n".join(b'data: "%b"' % word.encode() for word in words)
    assert [one for batch in batches(text, source) for one in batch] == [Text(content=word) for word in words]
    assert source.looked == []


def test_half_a_character_stands_where_it_was_cut_also_when_its_other_half_never_comes() -> None:
    """It does not wait for the end of the text."""
    body = said("a") + said("\ud83d") + said("b") + said("c")
    decoder: Decoder = OpenAIResponses().decoder(an_ask())
    found = decode(decoder, [body])
    assert [one.content for one in found.of(Text)] == ["a\ufffdbc"]


@pytest.mark.parametrize("at_once", [True, False])
def test_nothing_is_read_behind_the_end(at_once: bool) -> None:
    end = event("response.completed", response={"status": "completed", "output": []})
    blocks = [said("a"), said("b"), end, said("c")]
    found = decode(OpenAIResponses().decoder(an_ask()), [b"".join(blocks)] if at_once else blocks)
    assert [one.content for one in found.of(Text)] == ["ab"]
