"""What a server prints becomes messages, however it is cut; noise is passed over."""

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.ext.tools.mcp.lines import Lines, MessageTooLongError

LIMIT = 4 * 2**20


def parse(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise ValueError("no message")
    return value


def lines(*awaited: int, limit: int = LIMIT) -> Lines[dict[str, Any]]:
    """A reader that waits for the answers of these ids."""
    return Lines(parse, lambda message: "result" in message and message["id"] in awaited, limit)


def message(id: int, text: str = "") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": {"text": text}}


def fed(reader: Lines[dict[str, Any]], data: bytes, cuts: list[int]) -> list[dict[str, Any]]:
    places = sorted(cut % (len(data) + 1) for cut in cuts)
    pieces = [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]
    return [found for piece in pieces for found in reader.feed(piece)]


noise = st.text(st.characters(exclude_characters="{\n", exclude_categories=["Cs"]), max_size=30)
kinds = st.lists(st.tuples(st.booleans(), noise), max_size=12)


@given(kinds, st.lists(st.integers(0, 10_000), max_size=8))
def test_messages_come_out_whole_and_in_order_however_they_are_cut(
    parts: list[tuple[bool, str]], cuts: list[int]
) -> None:
    sent = [message(place, text) for place, (is_message, text) in enumerate(parts) if is_message]
    text = "".join(
        (json.dumps(message(place, text), ensure_ascii=False) if is_message else text) + "\n"
        for place, (is_message, text) in enumerate(parts)
    )
    reader = lines()
    assert fed(reader, text.encode(), cuts) == sent
    assert (reader.noise is None) == all(is_message or not text.strip() for is_message, text in parts)


@given(noise, noise, st.lists(st.integers(0, 200), max_size=4))
def test_an_answer_that_is_glued_to_noise_is_taken_out(before: str, behind: str, cuts: list[int]) -> None:
    text = f"{before}{json.dumps(message(3))}{behind}\n"
    assert fed(lines(3), text.encode(), cuts) == [message(3)]


@pytest.mark.parametrize(
    "line",
    [
        f"DEBUG sent {json.dumps(message(3))}",
        f"received {json.dumps({'jsonrpc': '2.0', 'id': 7, 'method': 'tools/call'})}",
        json.dumps({"level": "info", "said": message(7)}),
        "[50] log text",
        "{" * 10_000,
        "[" * 10_000 + "{",
        '{"jsonrpc": "2.0", "id": 7, "result": {}',
        "\x00\x1b[31mred\x1b[0m",
    ],
)
def test_what_a_log_quotes_is_no_message(line: str) -> None:
    reader = lines(7)
    assert reader.feed(line.encode() + b"\n" + json.dumps(message(1)).encode() + b"\n") == [message(1)]
    assert reader.noise is not None
    assert line.startswith(reader.noise[:79])
    assert len(reader.noise) <= 80


def test_a_byte_that_is_no_utf_8_does_not_spoil_a_message() -> None:
    data = json.dumps(message(1, "caf?")).encode().replace(b"?", b"\xe9")
    reader = lines()
    assert reader.feed(data + b"\n") == [message(1, "caf\ufffd")]
    assert reader.noise is None
    assert reader.feed(b"caf\xe9\n") == []
    assert reader.noise == "caf\ufffd"


def test_noise_of_any_length_takes_next_to_no_memory() -> None:
    """60 MB without a line end."""
    reader, piece = lines(1), b"x" * 65_536
    tracemalloc.start()
    try:
        for _ in range(1000):
            assert reader.feed(piece) == []
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert reader.feed(b"\n" + json.dumps(message(1)).encode() + b"\n") == [message(1)]


def test_a_message_may_be_as_long_as_the_limit_and_no_longer() -> None:
    data = json.dumps(message(1, "x" * 100)).encode()
    assert lines(limit=len(data)).feed(data + b"\n") == [message(1, "x" * 100)]
    with pytest.raises(MessageTooLongError, match="a message of more than"):
        lines(limit=len(data) - 1).feed(data)
