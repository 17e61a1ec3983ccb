"""Recorded answers of Ollama come out right, however their bytes are cut."""

import random
from dataclasses import replace

import pytest

from ore.artifact import StopReason
from ore.errors import ProtocolError
from ore.ext.wires.ollama.decoder import OllamaDecoder
from wires.corpus import Outcome, Transcript, bytewise, check, cut, decode, recordings

RECORDINGS = recordings("ollama")


def decoder() -> OllamaDecoder:
    return OllamaDecoder(provider="vendor", model="model")


def confirm(transcript: Transcript, outcome: Outcome) -> None:
    """`check`, with the counts in the words that it knows."""
    usage = transcript.expected["usage"]
    prompt, completion = usage["prompt_eval_count"], usage["eval_count"]
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    expected = {**transcript.expected, "usage": counts, "error": transcript.expected.get("error")}
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
def test_a_beginning_without_the_last_line_is_an_error(transcript: Transcript) -> None:
    """At every end of a line and at random places."""
    chance = random.Random(transcript.name)
    body = transcript.body
    ends = [place + 1 for place, byte in enumerate(body) if byte == ord("\n") and place + 1 < len(body)]
    for place in [*ends, *(chance.randrange(len(body) - 2) for _ in range(100))]:
        outcome = decode(decoder(), [body[:place]])
        assert isinstance(outcome.error, ProtocolError)
        assert outcome.of(StopReason) == []
