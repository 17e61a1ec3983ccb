"""Turns as items of OpenAI's Responses: who speaks, what calls came to, images and files, and what is kept encoded."""

import base64
from typing import Any

import pytest

from ore.artifact import Artifact, Audio, File, Image, Media, ResultStatus, Text, ToolCall, ToolResult
from ore.errors import BadRequestError, UnsupportedError
from ore.ext.wires.openai_responses import COMPATIBLE, OpenAIResponses
from ore.ledger import Role, Turn
from ore.testing.shapes import check_openai_responses
from wires.responses_request import asked, body, call, items, output, request, result, said_by, turn, turns

PNG = b"\x89PNG\r\n\x1a\n and so on"
PDF = b"%PDF-1.7 and so on"


def url(media_type: str, data: bytes) -> str:
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


PICTURE = {"type": "input_image", "image_url": url("image/png", PNG)}


# ── Who speaks ───────────────────────────────────────────────────────────────


def test_system_turns_in_front_are_instructions_and_later_ones_keep_their_place() -> None:
    said = turns(("s", "Be brief.", "Be kind."), ("s", "Be right."), ("u", "Hi"), ("s", "Now rhyme."), ("a", "Hello"))
    found = body(asked(said))
    assert found["instructions"] == "Be brief.\n\nBe kind.\n\nBe right."
    assert found["input"] == [said_by("user", "Hi"), said_by("developer", "Now rhyme."), said_by("assistant", "Hello")]
    assert items(*said, dialect=COMPATIBLE)[1] == said_by("system", "Now rhyme.")
    assert "instructions" not in body(asked(turns(("u", "Hi"))))


def test_a_system_turn_in_front_with_more_than_text_stays_a_message() -> None:
    found = body(asked(turns(("s", "Look:", Image(data=PNG)), ("u", "Hi"))))
    assert "instructions" not in found
    assert found["input"][0]["content"] == [{"type": "input_text", "text": "Look:"}, PICTURE]


def test_turns_of_the_user_in_a_row_are_one_message_and_texts_of_an_answer_too() -> None:
    assert items(*turns(("u", "a", "b"), ("u", "c"), ("a", "d", "e"), ("a", "f"))) == [
        said_by("user", "a", "b", "c"),
        said_by("assistant", "d", "e"),
        said_by("assistant", "f"),
    ]


def test_what_says_nothing_is_not_sent() -> None:
    assert items(*turns(("u", "a"), ("u", ""), ("a", ""), ("a",), ("s", ""), ("u", "b"))) == [
        said_by("user", "a"),
        said_by("user", "b"),
    ]


@pytest.mark.parametrize("said", [[], turns(("s", "Be brief.")), turns(("u", ""))])
def test_a_conversation_without_a_message_is_refused(said: list[Turn]) -> None:
    ask = asked(said)
    with pytest.raises(BadRequestError):
        OpenAIResponses().request(type(ask)(turns=said, spec=ask.spec, provider=ask.provider))


def test_half_a_character_does_no_harm() -> None:
    said = turns(
        ("s", "\ud800"), ("u", "\ud800"), ("a", call(name="\ud800", arguments='{"a": "\ud800"}')), ("t", result())
    )
    request(asked(said))


# ── Calls and what they came to ──────────────────────────────────────────────


def function(id: str, name: str = "get", arguments: str = "{}") -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": name, "arguments": arguments}


def test_outputs_stand_behind_the_answer_in_the_order_of_its_calls() -> None:
    """Whatever their own order, in one turn or in several, and whoever spoke in between."""
    said = turns(
        ("a", call("c1"), "Both.", call("c2")),
        ("s", "Hurry."),
        ("t", result("c2", "two")),
        ("t", result("c1", "one", is_error=True, status=ResultStatus.ERROR)),
        ("u", "And?"),
    )
    assert items(*said) == [
        function("c1"),
        said_by("assistant", "Both."),
        function("c2"),
        output("c1", "one"),
        output("c2", "two"),
        said_by("developer", "Hurry."),
        said_by("user", "And?"),
    ]


@pytest.mark.requirement("B07")
@pytest.mark.parametrize("arguments", ["", " ", "[1]", "null", '{"a": ', "SELECT 1", '{"a": 1}'])
def test_arguments_go_as_they_are_or_as_an_empty_object(arguments: str) -> None:
    expected = arguments if arguments == '{"a": 1}' else "{}"
    assert items(*turns(("a", call(arguments=arguments)), ("t", result())))[0] == function("c1", arguments=expected)


@pytest.mark.requirement("B10")
def test_ids_that_come_again_are_told_apart_with_their_results() -> None:
    """The vendor refuses an id that comes twice, wherever it stands; the first keeps its own."""
    said = turns(
        ("a", call("search:1", arguments='{"q": "a"}')),
        ("t", result("search:1", "A")),
        ("a", call("search:1", arguments='{"q": "b"}'), call("search:1", arguments='{"q": "c"}'), call("")),
        ("t", result("search:1", "B"), result("search:1", "C"), result("", "D")),
        ("a", call("x" * 65)),
        ("t", result("x" * 65, "E")),
    )
    found = items(*said)
    calls = [item["call_id"] for item in found if item["type"] == "function_call"]
    assert calls[0] == "search:1"
    assert len(set(calls)) == 5
    assert [(item["call_id"], item["output"]) for item in found if "output" in item] == list(
        zip(calls, "ABCDE", strict=True)
    )
    assert found == items(*said)


def test_ids_are_told_apart_the_same_way_while_a_conversation_grows_and_when_it_is_cut() -> None:
    said = turns(
        *[
            ("a", call("c"), call("c")) if place % 2 == 0 else ("t", result("c", "1"), result("c", "2"))
            for place in range(20)
        ]
    )
    kept: dict[Any, Any] = {}
    for shown in (*(said[:length] for length in range(2, 21, 2)), said[4:], said[4:10], said):
        assert request(asked(shown, encoded=kept)).body == request(asked(shown)).body


def test_calls_and_results_that_lost_each_other_are_sent_all_the_same() -> None:
    lost = items(*turns(("t", result("c9", "nine")), ("u", "Hi"), ("a", call("c1")), ("u", "And?")))
    assert lost == [
        said_by("user", "A result without its call: nine"),
        said_by("user", "Hi"),
        function("c1"),
        output("c1", "there is no result of this call"),
        said_by("user", "And?"),
    ]


def test_a_result_is_its_text_and_beside_it_what_else_was_returned() -> None:
    pictures = result("c1", "[cat] (image/png)", media=(Image(data=PNG), Audio(data=b"RIFF....WAVE", name="purr")))
    found = items(
        *turns(
            ("a", call("c1"), call("c2"), call("c3")),
            ("t", pictures, result("c2", ""), result("c3", "", media=(Image(data=PNG),))),
        )
    )
    assert found[3:] == [
        output(
            "c1",
            [
                {"type": "input_text", "text": "[cat] (image/png)"},
                PICTURE,
                {"type": "input_text", "text": "[audio left out: purr]"},
            ],
        ),
        output("c2", ""),
        output("c3", [PICTURE]),
    ]


# ── Images, files, sounds ────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("media", "part"),
    [
        (Image(data=PNG, media_type="image/jpeg"), PICTURE),
        (Image(url=url("image/png", PNG)), PICTURE),
        (Image(url="https://example.org/cat.png"), {"type": "input_image", "image_url": "https://example.org/cat.png"}),
        (
            File(data=PDF, name="a.pdf"),
            {"type": "input_file", "filename": "a.pdf", "file_data": url("application/pdf", PDF)},
        ),
        (File(data=PDF), {"type": "input_file", "filename": "file.pdf", "file_data": url("application/pdf", PDF)}),
        (
            File(data=b"a,b", name="a.csv", media_type="text/csv"),
            {"type": "input_file", "filename": "a.csv", "file_data": url("text/csv", b"a,b")},
        ),
        (File(url="https://example.org/a.pdf"), {"type": "input_file", "file_url": "https://example.org/a.pdf"}),
    ],
)
def test_images_and_files_are_parts_of_a_message(media: Media, part: dict[str, Any]) -> None:
    assert items(turn("u", "See:", media))[0]["content"] == [{"type": "input_text", "text": "See:"}, part]


def test_a_server_that_takes_no_files_gets_their_text() -> None:
    said = turn("u", File(data=b"hello", name="a.txt", media_type="text/plain"))
    assert items(said, dialect=COMPATIBLE) == [said_by("user", "a.txt:\nhello")]


@pytest.mark.requirement("B29")
@pytest.mark.parametrize(
    "media",
    [
        Image(data=b"", media_type="image/png"),
        Image(data=b"<svg/>", media_type="image/svg+xml"),
        Image(url="file:///etc/passwd"),
        Image(blob="b1"),
        File(data=b"", name="empty.pdf"),
        File(url="gs://bucket/a.pdf"),
        Audio(data=b"RIFF....WAVE", media_type="audio/wav"),
    ],
)
def test_what_cannot_be_taken_is_refused_once_and_named_from_then_on(media: Media) -> None:
    """So the next plain message goes through."""
    with pytest.raises(UnsupportedError) as caught:
        request(asked([turn("u", "See:", media)]))
    assert (caught.value.field, caught.value.provider) == (media.kind, "openai-responses")
    lenient = request(asked([turn("u", "See:", media)], lenient=True))
    assert len(lenient.notices) == 1
    later = items(*turns(("u", "See:", media), ("a", "?"), ("u", "Go on.")))
    assert later[0]["content"][1]["text"].startswith(f"[{media.kind} left out: ")


# ── What is kept encoded ─────────────────────────────────────────────────────


def long_conversation(rounds: int) -> list[Turn]:
    said = []
    for number in range(rounds):
        said += [
            turn("u", f"Question {number}", id=f"u{number}"),
            turn("a", "Let me see.", call(f"c{number}"), id=f"a{number}"),
            turn("t", result(f"c{number}", "done"), id=f"t{number}"),
            turn("a", f"Answer {number}", id=f"b{number}"),
        ]
    return said


def test_the_bytes_are_the_same_whatever_was_asked_before() -> None:
    said, kept = long_conversation(50), dict[Any, Any]()
    for length in (4, 8, 200, 100, 200):
        assert request(asked(said[:length], encoded=kept)).body == request(asked(said[:length])).body


def test_another_object_under_the_id_of_a_turn_is_encoded_again() -> None:
    kept: dict[Any, Any] = {}
    said = long_conversation(3)
    request(asked(said, encoded=kept))
    said[0] = turn("u", "Another question", id="u0")
    assert request(asked(said, encoded=kept)).body == request(asked(said)).body


class Odd(Artifact, frozen=True, kw_only=True, tag="x_odd"):
    """A kind of somebody else's."""

    content: str

    def for_model(self) -> str:
        return f"odd: {self.content}"


def test_kinds_of_others_are_sent_as_what_a_model_reads_of_them() -> None:
    assert items(*turns(("u", Odd(content="a")), ("a", Odd(content="b")))) == [
        said_by("user", "odd: a"),
        said_by("assistant", "odd: b"),
    ]


def test_what_stands_in_the_wrong_turn_does_no_harm() -> None:
    said = [
        Turn(
            id=str(role),
            role=role,
            artifacts=(
                Text(content="a"),
                ToolCall(id="c", name="n", arguments="{}"),
                ToolResult(tool_call_id="c", content="r"),
                Image(data=PNG),
            ),
        )
        for role in Role
    ]
    for order in (said, said[::-1]):
        check_openai_responses(OpenAIResponses().request(asked(order)).body)
