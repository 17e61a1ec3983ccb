"""Turns as messages that the vendor takes."""

from base64 import b64encode
from typing import Any

import pytest

from ore.artifact import (
    Artifact,
    Audio,
    File,
    Image,
    Reasoning,
    ServerTool,
    Text,
    ToolCall,
    Unknown,
    Usage,
)
from ore.errors import BadRequestError, UnsupportedError
from ore.ext.wires.anthropic import GATEWAY
from ore.ledger import TurnStatus
from ore.models import Spec, ThinkingLevel
from wires.anthropic_answer import ISSUER, signed_data
from wires.anthropic_request import asked, body, call, messages, plain, request, result, turn, turns

OTHER = {"provider": "anthropic", "model": "claude-opus-4-5"}
PNG = b"\x89PNG\r\n\x1a\n....."
JPEG = b"\xff\xd8\xff....."


def thinking(text: str, signature: str = "S") -> Reasoning:
    return Reasoning(content=text, provider_data=signed_data(text, signature))


def use(id: str, input: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "get", "input": input or {}}


def answer(id: str, content: Any = "done", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


# ── Who speaks ───────────────────────────────────────────────────────────────


def test_adjacent_turns_of_one_side_are_one_message() -> None:
    assert messages(("u", "a"), ("u", "b"), ("a", "c"), ("a", "d", "e"), ("u", "f")) == [
        ("user", ["a", "b"]),
        ("assistant", ["c", "d", "e"]),
        ("user", ["f"]),
    ]


def test_a_turn_that_says_nothing_does_not_part_its_neighbours() -> None:
    quiet = ("a", Reasoning(content="hm"), "", " \n")
    assert messages(("u", "a"), quiet, ("u", "b"), quiet, ("a", "c"), ("u", ""), ("a", "d"), ("u", "e")) == [
        ("user", ["a", "b"]),
        ("assistant", ["c", "d"]),
        ("user", ["e"]),
    ]


def test_system_turns_in_front_stand_at_the_top_in_order() -> None:
    found = plain(body(asked(turns(("s", "one", "two"), ("s", "three"), ("u", "a")))))
    assert found["system"] == [{"type": "text", "text": text} for text in ("one", "two", "three")]
    assert found["messages"] == [{"role": "user", "content": [{"type": "text", "text": "a"}]}]


def test_later_system_turns_keep_their_place_as_marked_text() -> None:
    assert messages(("u", "a"), ("s", "one"), ("a", "b"), ("s", "two", "three"), ("u", "c")) == [
        ("user", ["a", "<system>\none\n</system>"]),
        ("assistant", ["b"]),
        ("user", ["<system>\ntwo\n</system>", "<system>\nthree\n</system>", "c"]),
    ]


def test_a_model_that_takes_system_messages_gets_them_where_they_may_stand() -> None:
    assert messages(
        *(("u", "a"), ("s", "one"), ("a", "b"), ("s", "two"), ("u", "c"), ("a", "d"), ("s", "three"), ("a", "e")),
        *(("u", "f"), ("s", "four")),
        model="claude-opus-4-8",
    ) == [
        ("user", ["a"]),
        ("system", ["one"]),
        ("assistant", ["b"]),
        ("user", ["<system>\ntwo\n</system>", "c"]),
        ("assistant", ["d"]),
        ("user", ["<system>\nthree\n</system>"]),
        ("assistant", ["e"]),
        ("user", ["f"]),
        ("system", ["four"]),
    ]


def test_a_system_message_behind_which_no_answer_comes_is_marked_text_after_all() -> None:
    silent = ("a", Reasoning(content="hm"))
    found = messages(("u", "a"), ("s", "one"), silent, ("u", "b"), model="claude-opus-4-8")
    assert found == [("user", ["a", "<system>\none\n</system>", "b"])]


def test_a_conversation_that_begins_with_an_answer_gets_a_line_before_it() -> None:
    found = messages(("s", "x"), ("a", "b"), ("u", "c"))
    assert found == [("user", ["(The conversation begins with an answer.)"]), ("assistant", ["b"]), ("user", ["c"])]


@pytest.mark.parametrize(
    "given", [[("s", "x")], [("u", "")], [("s", "x"), ("u", " "), ("a", Reasoning(content="hm"))], [("s", "")]]
)
def test_a_conversation_without_a_message_is_refused(given: list[Any]) -> None:
    with pytest.raises(BadRequestError) as caught:
        request(asked(turns(*given)))
    assert caught.value.provider == "anthropic"


# ── Endings ──────────────────────────────────────────────────────────────────


def test_an_older_model_goes_on_with_an_answer_at_the_end_without_white_space_there() -> None:
    assert messages(("u", "a"), ("a", "Once upon \n", " ")) == [("user", ["a"]), ("assistant", ["Once upon"])]


def test_a_newer_model_is_asked_to_go_on() -> None:
    assert messages(("u", "a"), ("a", "Once upon "), model="claude-opus-4-6") == [
        ("user", ["a"]),
        ("assistant", ["Once upon"]),
        ("user", ["Go on where you stopped."]),
    ]


def test_beside_thinking_an_older_model_is_asked_to_go_on_too() -> None:
    thinks = Spec(name=ISSUER["model"], thinking_level=ThinkingLevel.LOW)
    found = body(asked(turns(("u", "a"), ("a", "Once upon ")), spec=thinks))
    assert found["messages"][-1]["content"][0]["text"] == "Go on where you stopped."


def test_what_the_vendor_paused_in_goes_back_as_it_is() -> None:
    block = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
    paused = ("a", "Let me look.", ServerTool(name="web_search", provider_data={**ISSUER, "block": block}))
    assert messages(("u", "a"), paused) == [("user", ["a"]), ("assistant", ["Let me look.", block])]


def test_thinking_at_the_end_of_an_answer_is_left_out() -> None:
    """The vendor takes none there, and an interruption may leave it."""
    assert messages(("u", "a"), ("a", thinking("hm")), ("u", "b")) == [("user", ["a", "b"])]
    assert messages(("u", "a"), ("a", "x", thinking("hm")), ("u", "b"))[1] == ("assistant", ["x"])


# ── Calls and results ────────────────────────────────────────────────────────


@pytest.mark.requirement("B15")
def test_the_results_of_all_calls_stand_first_in_the_very_next_message() -> None:
    found = messages(
        ("u", "a"),
        ("a", "b", call("x", arguments='{"x": 1}'), call("y")),
        ("t", result("x", "one")),
        ("u", "wait"),
        ("t", result("y", "no", is_error=True)),
    )
    first, second = "call_0000000000000001_0", "call_0000000000000001_1"
    assert found[1:] == [
        ("assistant", ["b", use(first, {"x": 1}), use(second)]),
        ("user", [answer(first, "one"), answer(second, "no", is_error=True), "wait"]),
    ]


def test_the_vendors_own_ids_stay_where_thinking_is_bound_to_them() -> None:
    own = "toolu_0123456789abcdef"
    said = turns(("u", "a"), ("a", call(own), call("short")), ("t", result(own), result("short")))
    found = plain(body(asked(said, model="claude-opus-5-5"), GATEWAY))["messages"]
    assert found[1:] == [
        {"role": "assistant", "content": [use(own), use("call_0000000000000001_1")]},
        {"role": "user", "content": [answer(own), answer("call_0000000000000001_1")]},
    ]


def test_ids_that_repeat_pair_by_place_and_become_different() -> None:
    """Some gateways begin to count anew in every turn."""
    found = messages(
        ("u", "a"),
        ("a", call("0"), call("0")),
        ("t", result("0", "one"), result("0", "two")),
        ("a", call("0")),
        ("t", result("0", "three")),
    )
    first, second, third = (f"call_{turn:016x}_{index}" for turn, index in ((1, 0), (1, 1), (3, 0)))
    assert found[1:] == [
        ("assistant", [use(first), use(second)]),
        ("user", [answer(first, "one"), answer(second, "two")]),
        ("assistant", [use(third)]),
        ("user", [answer(third, "three")]),
    ]


@pytest.mark.parametrize("id", ["", "functions.get:0", "ключ", "x" * 300])
def test_ids_that_the_vendor_would_not_take_become_others(id: str) -> None:
    found = messages(("u", "a"), ("a", call(id)), ("t", result(id)))
    assert found[1:] == [
        ("assistant", [use("call_0000000000000001_0")]),
        ("user", [answer("call_0000000000000001_0")]),
    ]


def test_a_turn_whose_id_is_not_legal_has_calls_with_legal_ids() -> None:
    said = [turn("u", "a"), turn("a", call("x"), id="imported.turn 1"), turn("t", result("x"))]
    assert body(asked(said))["messages"][1]["content"][0]["id"].startswith("call_imported_turn_1_")


@pytest.mark.requirement("B07")
@pytest.mark.parametrize("arguments", ["", "null", "[1]", '"x"', "{", '{"a": 1} x', "[" * 100_000])
def test_arguments_that_are_no_object_are_an_empty_one(arguments: str) -> None:
    found = messages(("u", "a"), ("a", call(arguments=arguments)), ("t", result()))
    assert found[1] == ("assistant", [use("call_0000000000000001_0")])


def test_arguments_go_back_byte_for_byte_even_where_python_would_write_them_otherwise() -> None:
    said = turns(("u", "a"), ("a", call(arguments='{"b":1.0, "a":"\\u00e9"}')), ("t", result()))
    assert b'"input":{"b":1.0, "a":"\\u00e9"}' in request(asked(said)).body


@pytest.mark.parametrize("name", ["", "no such tool", "ключ", "x" * 200])
def test_a_call_of_a_tool_that_cannot_be_called_so_gets_a_legal_name(name: str) -> None:
    block = body(asked(turns(("u", "a"), ("a", call(name=name)), ("t", result()))))["messages"][1]["content"][0]
    assert block["type"] == "tool_use"


def test_a_call_without_a_result_gets_one_that_says_so_and_all_stand_in_the_order_of_the_calls() -> None:
    found = messages(("u", "a"), ("a", call("x"), call("y")), ("t", result("y")))
    missing = answer("call_0000000000000001_0", "there is no result of this call", is_error=True)
    assert found[2] == ("user", [missing, answer("call_0000000000000001_1")])
    assert messages(("u", "a"), ("a", call("x")))[2] == ("user", [missing])
    assert messages(("u", "a"), ("a", call("x")), ("u", "b"))[2] == ("user", [missing, "b"])


def test_a_result_without_its_call_is_text() -> None:
    found = messages(("u", "a"), ("t", result("x", "late")), ("a", "b"), ("u", "c"))
    assert found[0] == ("user", ["A result without its call: late", "a"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (result(content=""), {"type": "tool_result", "tool_use_id": "call_0000000000000001_0"}),
        (result(content=" \n"), {"type": "tool_result", "tool_use_id": "call_0000000000000001_0"}),
        (
            result(content="", is_error=True),
            answer("call_0000000000000001_0", [{"type": "text", "text": "error"}], is_error=True),
        ),
    ],
)
def test_results_without_text_have_no_empty_block(given: Artifact, expected: dict[str, Any]) -> None:
    assert messages(("u", "a"), ("a", call()), ("t", given))[2] == ("user", [expected])


def test_images_of_a_result_are_part_of_it() -> None:
    plot = result("x", "a plot", media=(Image(data=PNG),))
    bare = result("y", "", media=(Image(data=JPEG), Image(url="https://h/i.png"), Audio(data=b"x", name="a.mp3")))
    found = messages(("u", "a"), ("a", call("x"), call("y")), ("t", plot, bare))
    linked = {"type": "image", "source": {"type": "url", "url": "https://h/i.png"}}
    unsent = {"type": "text", "text": "[a.mp3] was left out: this protocol takes no sound"}
    assert found[2] == (
        "user",
        [
            answer("call_0000000000000001_0", [{"type": "text", "text": "a plot"}, image(PNG, "image/png")]),
            answer("call_0000000000000001_1", [image(JPEG, "image/jpeg"), linked, unsent]),
        ],
    )


def test_an_error_holds_text_alone() -> None:
    failed = result("x", "no", is_error=True, media=(Image(data=PNG),))
    found = messages(("u", "a"), ("a", call("x")), ("t", failed))
    assert found[2] == ("user", [answer("call_0000000000000001_0", "no", is_error=True)])


def test_what_else_stands_beside_results_comes_behind_them() -> None:
    found = messages(("u", "a"), ("a", call("x")), ("t", "note", Image(data=PNG), result("x")), ("u", "b"))
    assert found[2] == ("user", [answer("call_0000000000000001_0"), "note", image(PNG, "image/png"), "b"])


# ── What vendors want back ───────────────────────────────────────────────────


@pytest.mark.requirement("B25")
def test_signed_thinking_goes_back_as_it_came_in_order_with_its_calls() -> None:
    redacted = Reasoning(content="", provider_data={**ISSUER, "redacted": "R"})
    found = messages(
        ("u", "a"),
        ("a", thinking("abc", "S1"), call("x"), thinking("", "S2"), redacted, call("y")),
        ("t", result("x"), result("y")),
    )
    assert found[1] == (
        "assistant",
        [
            {"type": "thinking", "thinking": "abc", "signature": "S1"},
            use("call_0000000000000001_0"),
            {"type": "thinking", "thinking": "", "signature": "S2"},
            {"type": "redacted_thinking", "data": "R"},
            use("call_0000000000000001_1"),
        ],
    )


@pytest.mark.requirement("B25")
@pytest.mark.parametrize("edited", ["", "ab", "abc ", "ABC", "abc\ud800"])
def test_thinking_that_was_edited_is_left_out_with_its_signature(edited: str) -> None:
    changed = Reasoning(content=edited, provider_data=signed_data("abc", "S"))
    assert messages(("u", "a"), ("a", changed, "b"), ("u", "c"))[1] == ("assistant", ["b"])


@pytest.mark.parametrize(
    "foreign",
    [
        Reasoning(content="abc"),
        Reasoning(content="abc", provider_data={**OTHER, "signature": "S"}),
        Reasoning(content="abc", provider_data={"provider": "openrouter", "model": ISSUER["model"], "signature": "S"}),
        Reasoning(content="", provider_data={**OTHER, "redacted": "R"}),
        ServerTool(name="web_search", provider_data={**OTHER, "block": {"type": "x"}}),
        ServerTool(name="web_search"),
        Unknown(name="news", raw=b"{}"),
        Usage(prompt_tokens=1),
    ],
)
def test_what_others_issued_is_left_out(foreign: Artifact) -> None:
    assert messages(("u", "a"), ("a", foreign, "b"), ("u", "c"))[1] == ("assistant", ["b"])


@pytest.mark.requirement("B27")
def test_vendor_data_comes_back_when_its_model_does() -> None:
    said = turns(("u", "a"), ("a", thinking("abc"), "b"), ("u", "c"))
    there, elsewhere, back = (
        body(asked(said, model=model)) for model in (ISSUER["model"], "claude-x", ISSUER["model"])
    )
    assert there == back
    assert "thinking" in str(there)
    assert "thinking" not in str(elsewhere["messages"])


def test_citations_and_who_called_go_back_with_what_they_belong_to() -> None:
    citation = {"type": "char_location", "cited_text": "x", "document_index": 0}
    caller = {"caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}}
    cited = Text(content="x", provider_data={**ISSUER, "citations": [citation]})
    made = call("x", provider_data={**ISSUER, "fields": caller})
    found = messages(("u", "a"), ("a", cited, made), ("t", result("x")))
    assert found[1] == (
        "assistant",
        [{"type": "text", "text": "x", "citations": [citation]}, {**use("call_0000000000000001_0"), **caller}],
    )
    elsewhere = messages(("u", "a"), ("a", cited, made), ("t", result("x")), model="claude-opus-4-5")
    assert elsewhere[1] == ("assistant", ["x", use("call_0000000000000001_0")])


def server(block: dict[str, Any]) -> ServerTool:
    return ServerTool(name="web_search", provider_data={**ISSUER, "block": block})


SEARCH: dict[str, Any] = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
FOUND: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"b": 1, "a": 1.0}]}


@pytest.mark.requirement("D-server-tool")
def test_what_the_vendor_ran_goes_back_exactly() -> None:
    found = messages(("u", "a"), ("a", "b", server(SEARCH), server(FOUND), "c"), ("u", "d"))
    assert found[1] == ("assistant", ["b", SEARCH, FOUND, "c"])


@pytest.mark.parametrize("half", [SEARCH, FOUND])
def test_half_of_what_the_vendor_ran_is_left_out(half: dict[str, Any]) -> None:
    assert messages(("u", "a"), ("a", "b", server(half), "c"), ("u", "d"))[1] == ("assistant", ["b", "c"])
    assert messages(("u", "a"), ("a", server(half)), ("u", "d")) == [("user", ["a", "d"])]


def test_what_the_vendor_still_runs_waits_beside_a_call() -> None:
    found = messages(("u", "a"), ("a", server(SEARCH), call("x")), ("t", result("x")))
    assert found[1] == ("assistant", [SEARCH, use("call_0000000000000001_0")])


def test_an_answer_that_was_cut_keeps_no_half_of_what_the_vendor_ran() -> None:
    cut = turn("a", "b", server(SEARCH), id="x", status=TurnStatus.INTERRUPTED)
    assert [m["role"] for m in body(asked([turn("u", "a"), cut]))["messages"]] == ["user", "assistant"]
    assert "srvtoolu" not in str(body(asked([turn("u", "a"), cut])))


# ── Images, documents, text ──────────────────────────────────────────────────


def image(data: bytes, media_type: str) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": b64encode(data).decode()}}


def document(source: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"type": "document", "source": source, **more}


PDF = {"type": "base64", "media_type": "application/pdf", "data": b64encode(b"%PDF-1.7").decode()}
TEXT = {"type": "text", "media_type": "text/plain", "data": "a,b"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Image(data=PNG, media_type="image/png"), image(PNG, "image/png")),
        (Image(data=PNG, media_type="image/jpeg"), image(PNG, "image/png")),
        (Image(data=b"GIF89a..", media_type=None), image(b"GIF89a..", "image/gif")),
        (Image(data=b"RIFF....WEBPVP8 "), image(b"RIFF....WEBPVP8 ", "image/webp")),
        (File(data=JPEG, name="photo"), image(JPEG, "image/jpeg")),
        (Image(url="https://h/i"), {"type": "image", "source": {"type": "url", "url": "https://h/i"}}),
        (Image(url=f"data:image/png;base64,{b64encode(PNG).decode()}"), image(PNG, "image/png")),
        (File(data=b"%PDF-1.7", name="a.pdf"), document(PDF, title="a.pdf")),
        (File(data=b"%PDF-1.7", name=" "), document(PDF)),
        (File(url="https://h/a.PDF?x=1"), document({"type": "url", "url": "https://h/a.PDF?x=1"})),
        (
            File(url="https://h/a", media_type="application/pdf"),
            document({"type": "url", "url": "https://h/a"}),
        ),
        (File(data=b"a,b", media_type="text/csv", name="t.csv"), document(TEXT, title="t.csv")),
        (File(url="data:text/csv;base64,YSxi"), document(TEXT)),
    ],
)
def test_images_pdfs_and_text_are_attached(given: Artifact, expected: dict[str, Any]) -> None:
    assert messages(("u", given, "Look."))[0] == ("user", [expected, "Look."])


REFUSED: list[tuple[Artifact, str]] = [
    (Audio(data=b"x", name="a.mp3"), "audio"),
    (Image(data=b""), "image"),
    (Image(data=b"BM......", media_type="image/bmp"), "image"),
    (Image(blob="key"), "image"),
    (Image(url="file:///etc/passwd"), "image"),
    (Image(url="data:image/png,raw"), "image"),
    (Image(url="data:image/png;base64,%%%"), "image"),
    (File(data=b"\xff\x00", name="a.docx"), "file"),
    (File(data=b" "), "file"),
    (File(url="https://h/a.docx"), "file"),
]


@pytest.mark.requirement("B29")
@pytest.mark.parametrize(("given", "field"), REFUSED)
def test_what_cannot_be_attached_is_refused_by_name_and_the_session_stays_usable(given: Artifact, field: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        request(asked(turns(("u", "a"), ("a", "b"), ("u", given, "Look."))))
    assert (caught.value.field, caught.value.provider) == (field, "anthropic")
    (role, said), *rest = messages(("u", given, "Look."), ("u", "Never mind."))
    assert (role, said[1:], rest) == ("user", ["Look.", "Never mind."], [])
    assert "was left out: " in said[0]


@pytest.mark.parametrize(("given", "field"), REFUSED)
def test_leniently_it_is_left_out_with_a_notice(given: Artifact, field: str) -> None:
    found = request(asked([turn("u", given, "Look.")], lenient=True))
    assert [field in notice.content for notice in found.notices] == [True]


def test_an_answer_of_another_model_may_have_held_an_image() -> None:
    drawn = Image(data=PNG, name="cat.png")
    assert messages(("u", "Draw."), ("a", drawn, "There."), ("u", "Thanks."))[1] == (
        "assistant",
        ["[cat.png]", "There."],
    )


def test_kinds_that_only_an_extension_knows_are_what_they_say_to_models() -> None:
    class Place(Artifact, frozen=True, kw_only=True, tag="place"):
        name: str

        def for_model(self) -> str:
            return f"at {self.name}"

    assert messages(("u", Place(name="home")), ("a", Place(name="work")), ("u", "b")) == [
        ("user", ["at home"]),
        ("assistant", ["at work"]),
        ("user", ["b"]),
    ]


def test_half_characters_are_replaced_everywhere() -> None:
    said = turns(
        ("s", "s\ud800"),
        ("u", "u\udfff"),
        ("a", "a\ud83d", ToolCall(id="i\ud800", name="n\ud800", arguments='{"k": "v\\ud83d"}')),
        ("t", result("i\ud800", "r\ud800")),
        ("a", "b", ToolCall(id="j", name="get", arguments='{"k": "\ud83d"}')),
        ("t", result("j")),
    )
    found = body(asked(said))
    assert "\ufffd" in found["system"][0]["text"]
    assert found["messages"][1]["content"][1]["input"] == {"k": "v\ufffd"}
    assert found["messages"][3]["content"][1]["input"] == {"k": "\ufffd"}
