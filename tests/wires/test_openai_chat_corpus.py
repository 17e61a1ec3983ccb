"""Recorded chat completions come out right, however their bytes are cut."""

import random

import pytest

from ore.artifact import StopReason
from ore.ext.wires.openai_chat.decoder import ChatDecoder
from wires.corpus import Transcript, bytewise, check, cut, decode, frame_ends, recordings

RECORDINGS = recordings("openai-chat")


def decoder() -> ChatDecoder:
    return ChatDecoder("vendor", "model")


@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_recording_in_one_piece_is_what_the_corpus_says(transcript: Transcript) -> None:
    check(transcript, decode(decoder(), [transcript.body]))


@pytest.mark.requirement("B37")
@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_recording_byte_by_byte_is_no_other(transcript: Transcript) -> None:
    check(transcript, decode(decoder(), bytewise(transcript.body)))


@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_recording_in_200_random_cuts_is_no_other(transcript: Transcript) -> None:
    chance = random.Random(transcript.name)
    for _ in range(200):
        places = [chance.randrange(len(transcript.body)) for _ in range(chance.randrange(1, 12))]
        check(transcript, decode(decoder(), cut(transcript.body, places)))


@pytest.mark.requirement("B33")
@pytest.mark.parametrize("transcript", RECORDINGS)
def test_a_beginning_that_never_says_why_it_stopped_is_an_error(transcript: Transcript) -> None:
    """At every end of an event and at random places; reason, [DONE] and a usage on its own are endings."""
    chance = random.Random(transcript.name)
    body = transcript.body
    places = [*frame_ends(body), *(chance.randrange(len(body)) for _ in range(100))]
    for place in places:
        beginning = body[:place]
        outcome = decode(decoder(), [beginning])
        ended = b'"finish_reason":"' in beginning or b"[DONE]" in beginning or _usage_alone(beginning)
        assert ended or outcome.error is not None
        assert outcome.error is not None or outcome.of(StopReason)


def _usage_alone(body: bytes) -> bool:
    """Whether an event has a usage and no words."""
    events = body.split(b"\n\n")
    return any(b'"usage":{' in event and b'"content":""' in event for event in events)
