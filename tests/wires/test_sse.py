"""Server-sent events give the same, wherever the bytes are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.errors import ProtocolError
from ore.ext.wires.sse import Event, SseReader

ODD = (
    b"\xef\xbb\xbf: hello\r\n"
    b"data: one\r\n\r\n"
    b"retry: 5\n\n"
    b"event: second\rdata: a\rdata:b\r\r"
    b"id: 7\n\n"
    b"data\n\n"
    b"data:  two blanks\n\n\n\n"
    b'event: named\n: between\ndata: {"x": "\xc3\xa9"}\n\n'
)
EVENTS = [(b"", b"one"), (b"second", b"a\nb"), (b"", b" two blanks"), (b"named", '{"x": "é"}'.encode())]


def read(blocks: list[bytes]) -> list[Event]:
    reader = SseReader()
    return [event for block in blocks for event in reader.feed(block)] + list(reader.close())


def test_all_that_the_format_allows_is_read() -> None:
    assert read([ODD]) == EVENTS


@given(st.lists(st.integers(0, len(ODD)), max_size=12))
def test_however_the_bytes_are_cut_the_events_are_the_same(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(ODD)]
    assert read([ODD[one:other] for one, other in pairwise(places)]) == EVENTS


def test_one_byte_at_a_time_is_no_exception() -> None:
    assert read([ODD[place : place + 1] for place in range(len(ODD))]) == EVENTS


LINES = st.lists(st.binary(max_size=8).map(lambda line: line.translate(None, b"\r\n")), max_size=4)


@given(st.lists(LINES, max_size=5), st.sampled_from([b"\n", b"\r", b"\r\n"]), st.data())
def test_any_data_comes_back_whatever_ends_its_lines(
    wanted: list[list[bytes]], end: bytes, data: st.DataObject
) -> None:
    body = b"".join(b"".join(b"data: " + line + end for line in lines) + end for lines in wanted)
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=6))), len(body)]
    found = read([body[one:other] for one, other in pairwise(cuts)])
    assert [value for _, value in found] == [joined for lines in wanted if (joined := b"\n".join(lines))]


def test_what_has_no_blank_line_behind_it_is_said_at_the_end() -> None:
    assert read([b"data: one\n\ndata: [DONE]"]) == [(b"", b"one"), (b"", b"[DONE]")]


@pytest.mark.parametrize("block", [b"x" * 100, b"data: x\n" * 13])
def test_an_event_without_an_end_is_an_error_and_not_kept(block: bytes) -> None:
    reader = SseReader("someone", limit_bytes=999)
    with pytest.raises(ProtocolError, match="at most 999 bytes") as caught:
        for _ in range(100):
            reader.feed(block)
    assert caught.value.provider == "someone"


def test_an_event_as_long_as_the_limit_is_read() -> None:
    reader = SseReader(limit_bytes=1000)
    assert reader.feed(b"data: " + b"x" * 994) == ()
    assert reader.feed(b"\n\n") == [(b"", b"x" * 994)]
