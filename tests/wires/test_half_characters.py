"""Halves of characters in answers of Gemini and Ollama: joined where the other half follows, U+FFFD elsewhere."""

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.artifact import Reasoning, Text, ToolCall
from ore.ext.wires.gemini import Gemini
from ore.ext.wires.ollama import Ollama
from ore.ext.wires.wire import Wire
from wires.corpus import Outcome, an_ask, bytewise, decode

Say = Callable[[Sequence[tuple[str, str]]], bytes]
"""An answer of fragments, each a kind, `text` or `thinking`, and its words."""


def gemini(fragments: Sequence[tuple[str, str]], *parts: Any) -> bytes:
    said: list[Any] = [{"text": words, "thought": kind == "thinking"} for kind, words in fragments]
    chunks: list[Any] = [{"candidates": [{"content": {"parts": [part], "role": "model"}}]} for part in (*said, *parts)]
    chunks.append({"candidates": [{"finishReason": "STOP"}], "modelVersion": "m\ud83d"})
    return b"".join(b"data: %b\r\n\r\n" % json.dumps(chunk).encode() for chunk in chunks)


def ollama(fragments: Sequence[tuple[str, str]], *messages: Any) -> bytes:
    said = [{"content" if kind == "text" else "thinking": words} for kind, words in fragments]
    lines: list[Any] = [{"message": message, "done": False} for message in (*said, *messages)]
    lines.append({"model": "m\ud83d", "message": {"content": ""}, "done": True})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


WIRES: dict[str, tuple[Wire, Say]] = {"gemini": (Gemini(), gemini), "ollama": (Ollama(), ollama)}
BOTH = pytest.mark.parametrize("name", WIRES)


def read(wire: Wire, body: bytes) -> Outcome:
    """What becomes of a body; byte by byte it is the same, and every fragment is sound."""
    outcome = decode(wire.decoder(an_ask()), [body])
    assert decode(wire.decoder(an_ask()), bytewise(body)).artifacts == outcome.artifacts
    for artifact in outcome.stream:
        artifact.for_model().encode()
    return outcome


def said(outcome: Outcome) -> list[tuple[str, str]]:
    assert outcome.error is None
    kinds = {Text: "text", Reasoning: "thinking"}
    return [(kinds[type(one)], one.content) for one in outcome.artifacts if isinstance(one, Text | Reasoning)]


CASES: list[tuple[list[tuple[str, str]], list[tuple[str, str]]]] = [
    ([("text", "Hi "), ("text", "\ud83d"), ("text", "\udc4b ok")], [("text", "Hi 👋 ok")]),
    ([("text", "Hi \ud83d"), ("text", "\udc4b"), ("text", " ok")], [("text", "Hi 👋 ok")]),
    ([("text", "Hi"), ("text", " \ud83d ok")], [("text", "Hi \ufffd ok")]),
    ([("text", "Hi \ud83d")], [("text", "Hi \ufffd")]),
    ([("thinking", "h\ud83d"), ("thinking", "\udc4bm"), ("text", "yes")], [("thinking", "h👋m"), ("text", "yes")]),
    ([("thinking", "h\ud83d"), ("text", "\udc4b")], [("thinking", "h\ufffd"), ("text", "\ufffd")]),
    ([("text", "h\ud83d"), ("thinking", "m"), ("text", "x")], [("text", "h\ufffd"), ("thinking", "m"), ("text", "x")]),
]


@BOTH
@pytest.mark.parametrize(("fragments", "expected"), CASES)
def test_a_character_that_was_cut_in_two_is_whole_again(
    name: str, fragments: list[tuple[str, str]], expected: list[tuple[str, str]]
) -> None:
    """As over the main wires."""
    wire, body = WIRES[name]
    assert said(read(wire, body(fragments))) == expected


@BOTH
def test_bytes_that_are_no_character_cost_one_character(name: str) -> None:
    wire, body = WIRES[name]
    assert said(read(wire, body([("text", "Hi "), ("text", "@!")]).replace(b"@", b"\xff"))) == [("text", "Hi \ufffd!")]


@pytest.mark.parametrize("as_list", [False, True])
def test_an_answer_of_gemini_in_one_piece_may_hold_halves_too(as_list: bool) -> None:
    chunk = {"candidates": [{"content": {"parts": [{"text": "Hi \ud83d!"}]}, "finishReason": "STOP"}]}
    body = json.dumps([chunk] if as_list else chunk).encode()
    assert said(read(Gemini(), body)) == [("text", "Hi \ufffd!")]


def test_a_half_before_a_call_or_within_one_is_replaced() -> None:
    arguments = {"x": "\ud83d"}
    call = {"functionCall": {"id": "c", "name": "get", "args": arguments}}
    ours = gemini([("text", "a\ud83d")], call)
    theirs = ollama(
        [("text", "a\ud83d")], {"tool_calls": [{"id": "c", "function": {"name": "get", "arguments": {"x": "\ud83d"}}}]}
    )
    for wire, body in ((Gemini(), ours), (Ollama(), theirs)):
        outcome = read(wire, body)
        assert said(outcome) == [("text", "a\ufffd")]
        [made] = outcome.of(ToolCall)
        assert (made.id, json.loads(made.arguments)) == ("c", {"x": "\ufffd"})


@given(st.text("aé👋🌊", max_size=6), st.data())
def test_wherever_a_text_is_cut_between_its_code_units_it_is_the_same(text: str, data: st.DataObject) -> None:
    units = text.encode("utf-16-le")
    places = data.draw(st.lists(st.integers(0, len(units) // 2), max_size=5).map(sorted))
    borders = [0, *(place * 2 for place in places), len(units)]
    pieces = [units[one:other].decode("utf-16-le", "surrogatepass") for one, other in pairwise(borders)]
    for wire, body in WIRES.values():
        assert "".join(words for _, words in said(read(wire, body([("text", piece) for piece in pieces])))) == text
