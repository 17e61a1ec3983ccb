"""Recorded answers of Gemini come out right, however their bytes are cut."""

import json
import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from ore.artifact import StopReason, Text, ToolCall
from ore.errors import ContentFilterError, ProtocolError
from ore.ext.wires.gemini import Gemini
from ore.ext.wires.gemini.decoder import GeminiDecoder
from wires.corpus import Outcome, Transcript, an_ask, bytewise, check, cut, decode, frame_ends, recordings

RECORDINGS = recordings("gemini")


def decoder() -> GeminiDecoder:
    return GeminiDecoder(provider="vendor", model="model")


def judged(transcript: Transcript) -> Transcript:
    """The recording with what is expected in the words that `check` knows."""
    expected = dict(transcript.expected)
    calls = any(part["kind"] == "tool_call" for part in expected["parts"])
    expected["finish_reason"] = {"STOP": "tool_calls" if calls else "stop", None: None}[expected["finish_reason"]]
    expected["usage"] = counts(expected["usage"])
    if (expected["prompt_feedback"] or {}).get("blockReason"):
        expected["error"] = "blocked"
    return replace(transcript, expected=expected)


def counts(usage: Mapping[str, Any]) -> Mapping[str, Any]:
    written = [usage[name] for name in ("candidatesTokenCount", "thoughtsTokenCount") if name in usage]
    return {
        "prompt_tokens": usage["promptTokenCount"],
        "completion_tokens": sum(written) if written else None,
        "total_tokens": usage["totalTokenCount"],
        "cache_read_input_tokens": usage.get("cachedContentTokenCount"),
        "completion_tokens_details": {"reasoning_tokens": usage.get("thoughtsTokenCount")},
    }


def confirm(transcript: Transcript, outcome: Outcome) -> None:
    """`check`, and what this vendor signs: calls and texts as well."""
    parts = [dict(part) for part in transcript.parts]
    signed = [artifact for artifact in outcome.artifacts if not isinstance(artifact, StopReason)]
    for part, artifact in zip(parts, signed, strict=False):
        data = getattr(artifact, "provider_data", None) or {}
        assert data.get("signature") == part.get("signature")
        if part["kind"] == "tool_call":
            assert isinstance(artifact, ToolCall)
            assert json.loads(artifact.arguments) == part["arguments"]
            part["arguments_text"] = artifact.arguments
    expected = {**judged(transcript).expected, "parts": parts}
    check(replace(transcript, expected=expected), outcome)


@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_recording_in_one_piece_is_what_the_corpus_says(transcript: Transcript) -> None:
    confirm(transcript, decode(decoder(), [transcript.body]))


@pytest.mark.requirement("B37")
@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_recording_byte_by_byte_is_no_other(transcript: Transcript) -> None:
    confirm(transcript, decode(decoder(), bytewise(transcript.body)))


@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_recording_in_200_random_cuts_is_no_other(transcript: Transcript) -> None:
    chance = random.Random(transcript.name)
    for _ in range(200):
        places = [chance.randrange(len(transcript.body)) for _ in range(chance.randrange(1, 12))]
        confirm(transcript, decode(decoder(), cut(transcript.body, places)))


@pytest.mark.requirement("B33")
@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_beginning_that_never_says_why_it_stopped_is_an_error(transcript: Transcript) -> None:
    """At every end of a chunk and at random places."""
    chance = random.Random(transcript.name)
    body = transcript.body
    for place in [*frame_ends(body), *(chance.randrange(len(body)) for _ in range(100))]:
        beginning = body[:place]
        outcome = decode(decoder(), [beginning])
        if b'"finishReason"' in beginning:
            assert outcome.error is None or isinstance(outcome.error, ProtocolError)
        else:
            assert isinstance(outcome.error, ContentFilterError | ProtocolError)
            assert outcome.of(StopReason) == []
        assert outcome.error is not None or outcome.of(StopReason)


def test_the_wire_reads_them_as_well() -> None:
    body = b'data: {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}\n\n'
    outcome = decode(Gemini().decoder(an_ask()), [body])
    assert outcome.artifacts == (Text(content="Hi"), StopReason(reason="stop"))
