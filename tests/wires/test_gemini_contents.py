"""Turns as contents that Gemini takes."""

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from ore.artifact import Audio, File, Image, Reasoning, ServerTool, Text, ToolCall, Usage
from ore.errors import BadRequestError, UnsupportedError
from ore.ext.wires.gemini import Gemini
from ore.ledger import Role, Turn, decode_turn, encode_turn
from ore.testing import check_gemini
from wires.gemini_request import asked, body, call, contents, own, result, taken, turns

PNG = b"\x89PNG\r\n\x1a\n....."
INLINE = {"inlineData": {"mimeType": "image/png", "data": b64encode(PNG).decode()}}
NEWEST = "gemini-3-pro-preview"


def use(id: str | None, arguments: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    inside = {} if id is None else {"id": id}
    return {"functionCall": {**inside, "name": "get", "args": arguments or {}}, **more}


def answer(id: str | None, content: str = "done", key: str = "output") -> dict[str, Any]:
    inside = {} if id is None else {"id": id}
    return {"functionResponse": {**inside, "name": "get", "response": {key: content}}}


# ── Who speaks ───────────────────────────────────────────────────────────────


def test_adjacent_turns_of_one_side_are_one_content() -> None:
    assert contents(("u", "a"), ("u", "b"), ("a", "c"), ("a", "d", "e"), ("u", "f")) == [
        ("user", ["a", "b"]),
        ("model", ["c", "d", "e"]),
        ("user", ["f"]),
    ]


def test_a_turn_that_says_nothing_does_not_part_its_neighbours() -> None:
    quiet = ("a", Reasoning(content="hm"), "", Usage(prompt_tokens=1))
    assert contents(("u", "a"), quiet, ("u", "b"), quiet, ("a", "c"), ("u", ""), ("a", "d"), ("u", "e")) == [
        ("user", ["a", "b"]),
        ("model", ["c", "d"]),
        ("user", ["e"]),
    ]


def test_system_turns_in_front_are_the_instruction_and_later_ones_keep_their_place() -> None:
    said = turns(("s", "one", "two"), ("s", "three"), ("u", "a"), ("a", "b"), ("s", "four"), ("u", "c"))
    found = body(asked(said))
    assert found["systemInstruction"] == {"parts": [{"text": text} for text in ("one", "two", "three")]}
    assert found["contents"][2]["parts"] == [{"text": "<system>\nfour\n</system>"}, {"text": "c"}]


def test_a_model_without_instructions_is_told_by_the_user() -> None:
    found = body(asked(turns(("s", "be brief"), ("u", "a")), model="gemma-3-27b-it"))
    assert "systemInstruction" not in found
    assert found["contents"][0]["parts"] == [{"text": "<system>\nbe brief\n</system>"}, {"text": "a"}]


def test_a_conversation_that_begins_or_ends_with_an_answer_has_the_user_around_it() -> None:
    found = contents(("a", "hello"), ("u", "a"), ("a", "b"))
    assert [role for role, _ in found] == ["user", "model", "user", "model", "user"]


@pytest.mark.parametrize("said", [[], [("s", "be brief")], [("u", "")], [("a", Reasoning(content="hm"))]])
def test_a_conversation_without_a_message_is_refused(said: list[tuple[Any, ...]]) -> None:
    with pytest.raises(BadRequestError, match="expected a message"):
        Gemini().request(asked(turns(*said)))


# ── Calls and results ────────────────────────────────────────────────────────


def test_results_stand_behind_their_calls_in_the_order_of_the_calls() -> None:
    assert contents(
        *(("u", "a"), ("a", "let me see", call("x", arguments={"q": 1}), call("y"))),
        *(("t", result("y", "2", is_error=True), result("x", "1")), ("u", "and?")),
    ) == [
        ("user", ["a"]),
        ("model", ["let me see", use("x", {"q": 1}), use("y")]),
        ("user", [answer("x", "1"), answer("y", "2", "error"), "and?"]),
    ]


@pytest.mark.requirement("B10")
def test_ids_that_repeat_in_another_round_pair_with_their_own_results() -> None:
    found = contents(
        *(("u", "a"), ("a", call("x", arguments={"q": 1})), ("t", result("x", "1"))),
        *(("a", call("x", arguments={"q": 2})), ("t", result("x", "2"))),
    )
    assert found[1:] == [
        ("model", [use("x", {"q": 1})]),
        ("user", [answer("x", "1")]),
        ("model", [use("x", {"q": 2})]),
        ("user", [answer("x", "2")]),
    ]


def test_what_the_system_says_between_a_call_and_its_result_stands_behind_the_result() -> None:
    found = contents(("u", "a"), ("a", call("x")), ("s", "hurry"), ("t", result("x")))
    assert found[2] == ("user", [answer("x"), "<system>\nhurry\n</system>"])


def test_a_call_without_a_result_gets_one_and_a_result_without_a_call_is_text() -> None:
    found = contents(("u", "a"), ("a", call("x")), ("u", "b"), ("t", result("z", "late")), ("a", call("y")))
    assert found[2][1] == [answer("x", "there is no result of this call", "error"), "A tool said: late", "b"]
    assert found[4][1] == [answer("y", "there is no result of this call", "error")]


def test_an_id_that_was_made_up_is_not_sent() -> None:
    made_up = "call_0123456789abcdef"
    found = contents(("u", "a"), ("a", call(made_up)), ("t", result(made_up)))
    assert found[1:] == [("model", [use(None)]), ("user", [answer(None)])]


@pytest.mark.parametrize("arguments", ['{"a": 1', "[]", ""])
def test_arguments_that_are_no_object_are_an_empty_one_and_nobody_signed_it(arguments: str) -> None:
    broken = ToolCall(id="x", name="get", arguments=arguments, provider_data=own(signature="S"))
    assert contents(("u", "a"), ("a", broken), ("t", result("x")))[1] == ("model", [use("x")])


def test_names_are_as_the_vendor_takes_them() -> None:
    found = contents(("u", "a"), ("a", call("x", "7 zip/ü")), ("t", result("x")))
    name = found[1][1][0]["functionCall"]["name"]
    assert name.startswith("_7_zip")
    assert found[2][1][0]["functionResponse"]["name"] == name


def test_what_a_tool_shows_goes_beside_its_result() -> None:
    shown = result("x", "see", media=(Image(data=PNG, media_type="image/png"),))
    found = contents(("u", "a"), ("a", call("x")), ("t", shown))
    assert found[2] == ("user", [answer("x", "see"), INLINE])


# ── Signatures ───────────────────────────────────────────────────────────────


@pytest.mark.requirement("B27")
def test_a_signature_goes_back_to_the_model_that_gave_it_and_to_no_other() -> None:
    """The session goes to another model and back; in between it was stored."""
    signed = call("x", provider_data=own(signature="X"))
    said = turns(("u", "a"), ("a", Text(content="hm", provider_data=own(signature="T")), signed), ("t", result("x")))
    stored = [decode_turn(encode_turn(turn)) for turn in said]
    kept: dict[Any, Any] = {}
    same, other, back = (
        Gemini().request(asked(stored, model=model, provider=provider, encoded=kept)).body
        for model, provider in (
            ("gemini-2.5-flash", "google"),
            ("gemini-2.5-pro", "google"),
            ("gemini-2.5-flash", "google"),
        )
    )
    assert taken(same)["contents"][1]["parts"] == [
        {"text": "hm", "thoughtSignature": "T"},
        use("x", thoughtSignature="X"),
    ]
    assert back == same
    assert taken(other)["contents"][1]["parts"] == [{"text": "hm"}, use("x")]
    elsewhere = Gemini().request(asked(stored, provider="gateway")).body
    assert taken(elsewhere)["contents"][1]["parts"] == [{"text": "hm"}, use("x")]


def test_thinking_goes_back_only_where_it_is_signed() -> None:
    signed = Reasoning(content="deep", provider_data=own(signature="R"))
    found = contents(("u", "a"), ("a", Reasoning(content="hm"), signed, "b"), ("u", "c"))
    assert found[1][1] == [{"text": "deep", "thought": True, "thoughtSignature": "R"}, "b"]


def test_a_part_that_is_nothing_but_signed_goes_back_in_its_place() -> None:
    signed = Text(content="", provider_data=own(signature="S"))
    found = contents(("u", "a"), ("a", "b", signed, call("x")), ("t", result("x")))
    assert found[1][1] == ["b", {"text": "", "thoughtSignature": "S"}, use("x")]


def test_a_model_that_wants_signatures_gets_the_vendors_word_for_none_at_the_first_call_of_a_step() -> None:
    foreign = call("x", provider_data={"provider": "anthropic", "model": "claude", "signature": "C"})
    mine = call("z", provider_data=own(NEWEST, signature="Z"))
    found = contents(
        *(("u", "a"), ("a", foreign, call("y")), ("t", result("x"), result("y"))),
        *(("a", mine, call("w")), ("t", result("z"), result("w"))),
        model=NEWEST,
    )
    assert found[1][1] == [use("x", thoughtSignature="skip_thought_signature_validator"), use("y")]
    assert found[3][1] == [use("z", thoughtSignature="Z"), use("w")]


def test_what_the_vendor_ran_goes_back_byte_for_byte_to_the_same_model_alone() -> None:
    raw = '{"executableCode": {"language":"PYTHON","code":"1.50"},  "thoughtSignature": "S"}'
    ran = ServerTool(name="code_execution", provider_data=own(part=raw))
    said = turns(("u", "a"), ("a", ran, "b"), ("u", "c"))
    assert raw.encode() in Gemini().request(asked(said)).body
    assert b"executableCode" not in Gemini().request(asked(said, model="gemini-2.5-pro")).body


def test_the_signature_of_an_image_goes_back_with_the_image() -> None:
    signed = ServerTool(name="image_signature", provider_data=own(signature="S", signs="image"))
    found = contents(("u", "draw"), ("a", Image(data=PNG), signed), ("u", "again"))
    assert found[1][1] == [{**INLINE, "thoughtSignature": "S"}]


# ── Media ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("media", "part"),
    [
        (Image(data=PNG), INLINE),
        (Image(url="data:image/png;base64," + b64encode(PNG).decode()), INLINE),
        (Audio(data=b"RIFF....WAVE."), {"inlineData": {"mimeType": "audio/wav", "data": "UklGRi4uLi5XQVZFLg=="}}),
        (File(data=b"%PDF-1"), {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0x"}}),
        (File(data=b"a,b", media_type="text/csv", name="t.csv"), {"text": "t.csv:\na,b"}),
        (Image(url="https://a/b.png"), {"fileData": {"fileUri": "https://a/b.png"}}),
        (
            File(url="https://a/b", media_type="application/pdf"),
            {"fileData": {"mimeType": "application/pdf", "fileUri": "https://a/b"}},
        ),
    ],
)
def test_media_go_as_their_bytes_as_text_or_by_their_address(media: Any, part: dict[str, Any]) -> None:
    found = body(asked(turns(("u", "see", media))))
    assert found["contents"][0]["parts"] == [{"text": "see"}, part]


@pytest.mark.parametrize(
    "media",
    [
        *(Image(data=b""), Image(blob="key"), Image(data=b"GIF89a..."), Image(url="ftp://a/b")),
        *(Audio(data=b"?"), File(data=b"?"), File(data=b" ", media_type="text/plain")),
    ],
)
def test_media_that_cannot_be_sent_are_refused_at_once_and_never_block_what_follows(media: Any) -> None:
    with pytest.raises(UnsupportedError) as caught:
        Gemini().request(asked(turns(("u", "see", media))))
    assert caught.value.field == media.kind
    lenient = Gemini().request(asked(turns(("u", "see", media)), lenient=True))
    assert [notice.severity for notice in lenient.notices] == ["warn"]
    later = contents(("u", "see", media), ("a", "no"), ("u", "well"))
    assert "was left out" in later[0][1][1]
    made = contents(("u", "draw"), ("a", media))
    assert "was left out" in made[1][1][0]


# ── Any conversation ─────────────────────────────────────────────────────────


@settings(max_examples=60)
@given(
    st.lists(strategies.turns(st.integers(0, 50).map(str)), max_size=8), st.sampled_from(["gemini-2.5-flash", NEWEST])
)
def test_any_conversation_is_one_that_the_vendor_takes(said: list[Turn], model: str) -> None:
    ask = asked(said, model=model, lenient=True)
    try:
        request = Gemini().request(ask)
    except BadRequestError:
        assert all(turn.role is Role.SYSTEM or not any(map(spoken, turn.artifacts)) for turn in said)
        return
    check_gemini(request.body, wants_signatures=model == NEWEST)


def spoken(artifact: Any) -> str:
    return "" if isinstance(artifact, Reasoning | ServerTool) else str(artifact.for_model()).strip()


@settings(max_examples=50)
@given(st.lists(strategies.turns(), max_size=12), st.data())
def test_the_bytes_are_the_same_whatever_was_encoded_before(said: list[Turn], data: st.DataObject) -> None:
    kept: dict[Any, Any] = {}
    for length in (data.draw(st.integers(0, len(said))), len(said)):
        shown = [*said[:length], Turn(id="last", role=Role.USER, artifacts=(Text(content="?"),))]
        with_kept = Gemini().request(asked(shown, lenient=True, encoded=kept))
        assert with_kept == Gemini().request(asked(shown, lenient=True))
