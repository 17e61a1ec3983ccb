"""The recording of the README is a picture of what a terminal showed."""

from xml.etree import ElementTree

import pytest

import recording
from recording import Line

pytestmark = pytest.mark.slow  # a terminal and its shell


def test_what_was_printed_is_shown_in_order_and_as_it_was() -> None:
    lines = list(recording.recorded(["echo '<hello> & you'; printf 'waiting\\r\\033[Kdone\\n'"]))
    assert [(line.text, line.look) for line in lines] == [
        ("$ echo '<hello> & you'; printf 'waiting\\r\\033[Kdone\\n'", "typed"),
        ("<hello> & you", ""),
        ("done", ""),
        ("", ""),
    ]
    assert [line.at_s for line in lines] == sorted(line.at_s for line in lines)


def test_control_c_is_sent_once_a_word_was_seen() -> None:
    lines = list(recording.recorded(["trap 'echo stopped; exit' INT; echo begun; sleep 5 ^C begun"]))
    assert "stopped" in " ".join(line.text for line in lines)


def test_the_picture_is_xml_with_every_line_at_its_time() -> None:
    picture = ElementTree.fromstring(recording.drawn([Line(0.0, "$ a", "typed"), Line(1.5, "<b> & c"), Line(2.0, "")]))
    groups = picture.findall("{http://www.w3.org/2000/svg}g")
    assert [group.attrib["style"] for group in groups] == ["animation-delay:0.00s", "animation-delay:1.50s"]
    assert ["".join(group.itertext()) for group in groups] == ["$ a", "<b> & c"]


def test_a_line_is_cut_where_the_screen_ends() -> None:
    lines = list(recording.recorded([f"echo {'x' * (recording.COLUMNS + 3)}"]))
    assert [len(line.text) for line in lines if not line.look and line.text] == [recording.COLUMNS, 3]
    assert max(len(line.text) for line in lines) == recording.COLUMNS
