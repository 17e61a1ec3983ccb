"""Recorded answers of OpenAI's Responses are what the corpus says, however they are cut."""

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ore.artifact import Artifact, Reason, Reasoning, ServerTool, StopReason, Text, ToolCall, ToolResult, Usage
from ore.errors import ProtocolError, ProviderError
from ore.ext.wires.openai_responses import OpenAIResponses
from ore.ext.wires.wire import Ask
from ore.ledger import Role, Turn
from ore.models import Spec
from ore.testing.shapes import check_openai_responses
from wires.corpus import Outcome, Transcript, an_ask, bytewise, cut, frame_ends, recording, recordings
from wires.responses_answer import MODEL, PROVIDER, of_blocks

RECORDINGS = recordings("openai-responses")


@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_recorded_answer_is_what_the_corpus_says(transcript: Transcript) -> None:
    check(transcript, of_blocks([transcript.body]))


@pytest.mark.requirement("B37")
@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_recorded_answer_is_the_same_one_byte_at_a_time(transcript: Transcript) -> None:
    whole, single = of_blocks([transcript.body]), of_blocks(bytewise(transcript.body))
    assert single.stream == whole.stream
    check(transcript, single)


@pytest.mark.requirement("B37")
@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_recorded_answer_is_the_same_in_200_random_cuts(transcript: Transcript) -> None:
    whole, dice = of_blocks([transcript.body]), random.Random(transcript.name)
    for _ in range(200):
        places = [dice.randrange(len(transcript.body)) for _ in range(dice.randrange(1, 40))]
        assert of_blocks(cut(transcript.body, places)).stream == whole.stream


@pytest.mark.requirement("B33")
@pytest.mark.parametrize("transcript", RECORDINGS)
def test_no_beginning_of_a_recorded_answer_is_taken_for_the_whole(transcript: Transcript) -> None:
    """Whatever is cut: only an answer whose last event came as a whole has ended."""
    body, dice = transcript.body, random.Random(transcript.name)
    end = body.rindex(b"}\n\n") + 1
    for place in (*frame_ends(body)[:-1], *range(len(body) - 600, end), *(dice.randrange(end) for _ in range(200))):
        found = of_blocks([body[:place]])
        assert found.error is not None
        assert found.of(StopReason) == found.of(Usage) == []


@pytest.mark.requirement("B23", "D-provider-data")
@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_recorded_answer_goes_back_as_it_came_or_without_what_would_be_refused(transcript: Transcript) -> None:
    """An id that is none of OpenAI's is left out, and reasoning that was not encrypted."""
    ask = an_ask(provider=PROVIDER, model=MODEL)
    answer = Turn(id="a", role=Role.ASSISTANT, artifacts=tuple(of_blocks([transcript.body]).artifacts))
    results = Turn(id="t", role=Role.TOOL, artifacts=tuple(map(result_of, answer.calls)))
    request = OpenAIResponses().request(
        Ask(turns=[*ask.turns, answer, results], spec=Spec(name=MODEL), provider=PROVIDER)
    )
    check_openai_responses(request.body)
    came = [sent_back(item) for item in items_of(transcript)]
    sent = json.loads(request.body)["input"]
    assert [item for item in sent if item.get("role") != "user" and not item["type"].endswith("_output")] == [
        item for item in came if item is not None
    ]


def test_what_is_encrypted_is_taken_from_the_item_that_is_whole() -> None:
    """Its beginning has another text, which the vendor says may not be all of it."""
    transcript = recording("openai-responses/002-reasoning-text-tool")
    [reasoning] = of_blocks([transcript.body]).of(Reasoning)
    [item] = [item for item in items_of(transcript) if item["type"] == "reasoning"]
    assert reasoning.provider_data["item"] == item
    assert len(item["encrypted_content"]) == transcript.expected["parts"][0]["encrypted_content_len"]


def check(transcript: Transcript, outcome: Outcome) -> None:
    """Assert that an outcome is what the corpus says: parts, ending, usage, error."""
    content = [artifact for artifact in outcome.artifacts if not isinstance(artifact, StopReason | Usage)]
    for artifact, part in zip(content, transcript.parts, strict=True):
        check_part(artifact, part)
    endings = list(outcome.artifacts[len(content) :])
    if transcript.expected["error"] is not None:
        assert isinstance(outcome.error, ProviderError)
        assert not isinstance(outcome.error, ProtocolError)
        assert endings == []
        return
    assert outcome.error is None
    kinds = {part["kind"] for part in transcript.parts}
    reason: Reason = "tool_use" if kinds & {"tool_call", "custom_tool_call"} else "stop"
    assert endings == [StopReason(reason=reason), usage_of(transcript.expected["usage"])]


def check_part(artifact: Artifact, part: Mapping[str, Any]) -> None:
    data = getattr(artifact, "provider_data", None) or {"item": {}}
    match part["kind"]:
        case "text":
            assert isinstance(artifact, Text)
            assert artifact.content == part["text"]
            assert data["item"].get("phase") == part.get("phase")
            assert [annotation["type"] for annotation in data.get("annotations", ())] == part.get("annotations", [])
        case "reasoning":
            assert isinstance(artifact, Reasoning)
            assert (artifact.content, data["item"]["id"]) == (part["text"], part["id"])
            assert len(data["item"]["summary"]) == part["summary_parts"]
        case "tool_call":
            assert isinstance(artifact, ToolCall)
            assert (artifact.id, artifact.name, artifact.arguments) == (
                part["id"],
                part["name"],
                part["arguments_text"],
            )
            assert data["item"]["id"] == part["item_id"]
        case "custom_tool_call":
            assert isinstance(artifact, ToolCall)
            assert (artifact.id, artifact.name, artifact.arguments) == (part["id"], part["name"], part["input"])
        case "opaque":
            assert isinstance(artifact, ServerTool)
            assert (artifact.name, data["item"]["status"]) == (part["type"], part["status"])
        case kind:
            raise AssertionError(f"a part that nothing here compares: {kind!r}")


def usage_of(counts: Mapping[str, Any]) -> Usage:
    inputs, outputs = counts["input_tokens_details"], counts["output_tokens_details"]
    return Usage(
        prompt_tokens=counts["input_tokens"],
        completion_tokens=counts["output_tokens"],
        total_tokens=counts["total_tokens"],
        cache_read_tokens=inputs["cached_tokens"],
        cache_write_tokens=inputs.get("cache_write_tokens"),
        reasoning_tokens=outputs["reasoning_tokens"],
    )


def items_of(transcript: Transcript) -> Sequence[dict[str, Any]]:
    """The items that were there as a whole, as the vendor sent them."""
    events = [json.loads(line[6:]) for line in transcript.body.splitlines() if line.startswith(b"data: ")]
    return [event["item"] for event in events if event["type"] == "response.output_item.done"]


def sent_back(item: dict[str, Any]) -> dict[str, Any] | None:
    """How an item comes back to OpenAI."""
    prefixes = {"message": "msg", "reasoning": "rs", "custom_tool_call": "ctc"}
    is_known = item["id"].startswith(prefixes.get(item["type"], ""))
    if item["type"] == "reasoning" and not (is_known and item["encrypted_content"]):
        return None
    if item["type"] == "message":
        kept = ("type", "text", "annotations")
        parts = [{name: part[name] for name in kept} for part in item["content"]]
        item = {**item, "content": parts}
    if is_known:
        return item
    lost = ("id", "status") if item["type"] == "message" else ("id",)
    return {name: value for name, value in item.items() if name not in lost}


def result_of(call: ToolCall) -> Artifact:
    return ToolResult(tool_call_id=call.id, content="done")
