"""Lines of JSON give the same, wherever the bytes are cut."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.errors import ProtocolError
from ore.ext.wires.json_lines import LineReader
from strategies import json_values
from wires.corpus import bytewise, cut

ODD = b'{"a": 1}\n\n  \t\r\n{"b": "\xc3\xa9"}\r\n{"c": 3} \n{"d": 4}'
VALUES = [{"a": 1}, {"b": "é"}, {"c": 3}, {"d": 4}]


def read(blocks: Iterable[bytes]) -> list[Any]:
    reader = LineReader()
    lines = [line for block in blocks for line in reader.feed(block)]
    return [json.loads(line) for line in [*lines, *reader.close()]]


def test_all_that_the_format_allows_is_read() -> None:
    assert read([ODD]) == VALUES


def test_one_byte_at_a_time_is_no_exception() -> None:
    assert read(bytewise(ODD)) == VALUES


@given(st.lists(st.integers(0, len(ODD)), max_size=12))
def test_however_the_bytes_are_cut_the_lines_are_the_same(places: list[int]) -> None:
    assert read(cut(ODD, places)) == VALUES


@given(st.lists(json_values(), max_size=6), st.sampled_from([b"\n", b"\r\n", b"\n\n"]), st.booleans(), st.data())
def test_any_values_come_back_whatever_ends_their_lines(
    values: list[Any], end: bytes, is_ended: bool, data: st.DataObject
) -> None:
    body = end.join(json.dumps(value, ensure_ascii=False).encode() for value in values) + (end if is_ended else b"")
    places = data.draw(st.lists(st.integers(0, len(body)), max_size=8))
    assert read(cut(body, places)) == values


def test_a_line_is_given_as_soon_as_it_has_ended() -> None:
    reader = LineReader()
    assert reader.feed(b'{"a": ') == ()
    assert reader.feed(b"1}\n{") == [b'{"a": 1}']


def test_what_was_read_is_not_read_again_at_the_end() -> None:
    reader = LineReader()
    reader.feed(b"1\n2")
    assert reader.close() == (b"2",)
    assert reader.close() == ()


@pytest.mark.parametrize("blocks", [[b"x" * 100] * 20, [b"x\n" + b"y" * 1001]])
def test_a_line_without_an_end_is_an_error_and_not_kept(blocks: list[bytes]) -> None:
    reader = LineReader("someone", limit_bytes=1000)
    with pytest.raises(ProtocolError, match="at most 1000 bytes") as caught:
        for block in blocks:
            reader.feed(block)
    assert caught.value.provider == "someone"


def test_a_line_as_long_as_the_limit_is_read() -> None:
    reader = LineReader(limit_bytes=1000)
    assert reader.feed(b"x" * 1000) == ()
    assert reader.feed(b"\n") == [b"x" * 1000]
