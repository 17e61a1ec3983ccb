"""Conversations and how they shall be answered, as Ollama takes them."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from ore.artifact import Audio, File, Image, Reasoning, ServerTool, Text, ToolCall, Usage
from ore.errors import BadRequestError, UnsupportedError
from ore.ext.wires.ollama import Ollama
from ore.ext.wires.wire import Ask
from ore.ledger import Role, Turn
from ore.models import Spec, ThinkingLevel
from ore.provider import MaxTokensOption, Option, OutputOption, WithTools
from ore.testing import check_ollama
from wires.gemini_request import call, lookup, named, result, turns

PNG = b"\x89PNG\r\n\x1a\n....."
IMAGE = b64encode(PNG).decode()
HELLO = turns(("u", "hello"))
OUTPUT = OutputOption("city", {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})


def asked(said: Sequence[Turn], *options: Option, model: str | None = "qwen3", **more: Any) -> Ask:
    """An ask; what is no part of one is of its spec."""
    fields = {name: more.pop(name) for name in ("lenient", "encoded") if name in more}
    return Ask(turns=said, spec=Spec(name=model, **more), options=options, provider="ollama", **fields)


def body(ask: Ask) -> Mapping[str, Any]:
    """What is posted, checked."""
    posted = Ollama().request(ask).body
    check_ollama(posted)
    request: Mapping[str, Any] = json.loads(posted)
    return request


def messages(*said: tuple[Any, ...]) -> list[Any]:
    """The messages for turns; one of nothing but words as its role and them."""
    found = body(asked(turns(*said)))["messages"]
    return [
        (message["role"], message["content"]) if message.keys() == {"role", "content"} else message for message in found
    ]


def answered(*calls: dict[str, Any], content: str = "", **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **more}


def use(id: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"id": id, "function": {"name": "get", "arguments": arguments or {}}}


def told(id: str, content: str = "done", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_name": "get", "tool_call_id": id, "content": content, **more}


# ── Who speaks ───────────────────────────────────────────────────────────────


def test_adjacent_turns_of_one_side_are_one_message_and_the_system_keeps_its_place() -> None:
    said = (("s", "be", "brief"), ("u", "a"), ("u", "b"), ("s", "now"), ("a", "c", "d"), ("a", "e"), ("u", "f"))
    assert messages(*said) == [
        ("system", "be\nbrief"),
        ("user", "a\n\nb"),
        ("system", "now"),
        ("assistant", "cd\n\ne"),
        ("user", "f"),
    ]


def test_what_says_nothing_is_no_message() -> None:
    quiet = ("a", Reasoning(content="hm"), ServerTool(name="x"), Usage(prompt_tokens=1))
    assert messages(("u", "a"), quiet, ("u", "", "b"), ("s", " ")) == [("user", "a\n\nb")]


@pytest.mark.parametrize("said", [[], [("u", "")], [("a", Reasoning(content="hm"))]])
def test_a_conversation_without_a_message_is_refused(said: list[tuple[Any, ...]]) -> None:
    with pytest.raises(BadRequestError, match="expected a message"):
        Ollama().request(asked(turns(*said)))


@pytest.mark.parametrize("model", [None, ""])
def test_no_model_is_refused(model: str | None) -> None:
    with pytest.raises(BadRequestError, match="name of a model"):
        Ollama().request(asked(HELLO, model=model))


# ── Calls, results, thinking ─────────────────────────────────────────────────


def test_results_follow_their_calls_in_the_order_of_the_calls() -> None:
    assert messages(
        *(("u", "a"), ("a", "let me see", call("x", arguments={"q": 1}), call("y"))),
        *(("t", result("y", "2", is_error=True), result("x", "1")), ("u", "and?")),
    ) == [
        ("user", "a"),
        answered(use("x", {"q": 1}), use("y"), content="let me see"),
        told("x", "1"),
        told("y", "2"),
        ("user", "and?"),
    ]


def test_what_the_system_says_between_a_call_and_its_result_stands_behind_the_result() -> None:
    found = messages(("u", "a"), ("a", call("x")), ("s", "hurry"), ("t", result("x")))
    assert found[2:] == [told("x"), ("system", "hurry")]


def test_a_call_without_a_result_gets_one_and_a_result_without_a_call_is_text() -> None:
    found = messages(("u", "a"), ("a", call("x")), ("u", "b"), ("t", result("z", "late")), ("a", call("y")))
    missing = "there is no result of this call"
    assert found[2:] == [
        told("x", missing),
        ("user", "A tool said: late\n\nb"),
        answered(use("y")),
        told("y", missing),
    ]


@pytest.mark.parametrize("arguments", ['{"a": 1', "[]", ""])
def test_arguments_that_are_no_object_are_an_empty_one(arguments: str) -> None:
    broken = ToolCall(id="x", name="get", arguments=arguments)
    assert messages(("u", "a"), ("a", broken), ("t", result("x")))[1] == answered(use("x"))


def test_thinking_goes_back_to_the_model_that_thought_it_alone() -> None:
    mine = Reasoning(content="hm", provider_data={"provider": "ollama", "model": "qwen3"})
    others = Reasoning(content="no", provider_data={"provider": "ollama", "model": "gpt-oss"})
    found = messages(("u", "a"), ("a", Reasoning(content="cut"), others, mine, call("x")), ("t", result("x")))
    assert found[1] == answered(use("x"), thinking="hm")


# ── Media ────────────────────────────────────────────────────────────────────


def test_an_image_is_sent_as_its_bytes_and_a_file_of_text_as_text() -> None:
    text = File(data=b"a,b", media_type="text/csv", name="t.csv")
    assert messages(("u", "see", Image(data=PNG), text)) == [
        {"role": "user", "content": "see\nt.csv:\na,b", "images": [IMAGE]}
    ]
    shown = result("x", "see", media=(Image(data=PNG), Audio(data=b"?", name="hum")))
    found = messages(("u", "a"), ("a", call("x")), ("t", shown))
    assert found[2]["images"] == [IMAGE]
    assert found[2]["content"].startswith("see\n[hum] was left out")


@pytest.mark.parametrize(
    "media",
    [
        *(Image(data=b""), Image(blob="key"), Image(data=b"GIF89a..."), Image(url="https://a/b.png")),
        *(Audio(data=b"?"), File(data=b"%PDF-1.7")),
    ],
)
def test_media_that_cannot_be_sent_are_refused_at_once_and_never_block_what_follows(media: Any) -> None:
    with pytest.raises(UnsupportedError) as caught:
        Ollama().request(asked(turns(("u", "see", media))))
    assert (caught.value.field, caught.value.provider) == (media.kind, "ollama")
    lenient = Ollama().request(asked(turns(("u", "see", media)), lenient=True))
    assert [notice.severity for notice in lenient.notices] == ["warn"]
    assert "was left out" in messages(("u", "see", media), ("a", "no"), ("u", "well"))[0][1]


# ── Options ──────────────────────────────────────────────────────────────────


def test_a_conversation_is_never_cut_in_silence() -> None:
    found = body(asked(HELLO))
    assert (found["truncate"], found["shift"]) == (False, False)
    assert set(found) == {"messages", "model", "stream", "truncate", "shift"}


def test_every_field_of_a_spec_is_said() -> None:
    found = body(
        asked(
            HELLO,
            temperature=0.0,
            top_p=0.5,
            top_k=3,
            seed=0,
            max_output_tokens=100,
            stop_sequences=("a", "", "b"),
            frequency_penalty=0.1,
            presence_penalty=-0.1,
            window=8_192,
        )
    )
    assert found["options"] == {
        **{"temperature": 0.0, "top_p": 0.5, "top_k": 3, "seed": 0, "num_predict": 100, "num_ctx": 8_192},
        **{"stop": ["a", "b"], "frequency_penalty": 0.1, "presence_penalty": -0.1},
    }


@pytest.mark.parametrize(("tokens", "expected"), [(7, 7), (0, 100), (-1, 100)])
def test_a_limit_of_the_inference_counts_more_than_the_spec(tokens: int, expected: int) -> None:
    found = body(asked(HELLO, MaxTokensOption(tokens), max_output_tokens=100))
    assert found["options"] == {"num_predict": expected}


@pytest.mark.parametrize(
    ("model", "level", "expected"),
    [
        ("qwen3", "off", False),
        ("qwen3", "minimal", True),
        ("qwen3", "max", True),
        ("gpt-oss:20b", "off", False),
        ("gpt-oss:20b", "minimal", "low"),
        ("registry/GPT-OSS", "medium", "medium"),
        ("gpt-oss:20b", "max", "high"),
    ],
)
def test_a_level_is_yes_or_no_or_a_word_as_the_model_takes_it(model: str, level: str, expected: bool | str) -> None:
    assert body(asked(HELLO, model=model, thinking_level=ThinkingLevel(level)))["think"] == expected


def test_an_output_is_the_format_and_beside_tools_a_tool_that_answers() -> None:
    assert body(asked(HELLO, OUTPUT))["format"] == OUTPUT.schema
    found = body(asked(HELLO, OUTPUT, WithTools([lookup, named("city")])))
    assert "format" not in found
    assert [tool["function"]["name"] for tool in found["tools"]] == ["lookup", "city", "city_0"]
    assert found["tools"][0] == {
        "type": "function",
        "function": {"name": "lookup", "description": "Weather of a city.", "parameters": dict(lookup.schema)},
    }


def test_options_that_nobody_knows_are_passed_over() -> None:
    assert Ollama().request(asked(HELLO, object())) == Ollama().request(asked(HELLO))
    assert Ollama().request(asked(HELLO)).path == "api/chat"


# ── Any conversation ─────────────────────────────────────────────────────────


@settings(max_examples=60)
@given(st.lists(strategies.turns(st.integers(0, 50).map(str)), max_size=8))
def test_any_conversation_is_one_that_the_server_takes(said: list[Turn]) -> None:
    try:
        request = Ollama().request(asked(said, lenient=True))
    except BadRequestError:
        assert not any(artifact.for_model().strip() for turn in said for artifact in turn.artifacts)
        return
    check_ollama(request.body)


@settings(max_examples=50)
@given(st.lists(strategies.turns(), max_size=12), st.data())
def test_the_bytes_are_the_same_whatever_was_encoded_before(said: list[Turn], data: st.DataObject) -> None:
    kept: dict[Any, Any] = {}
    for length in (data.draw(st.integers(0, len(said))), len(said)):
        shown = [*said[:length], Turn(id="last", role=Role.USER, artifacts=(Text(content="?"),))]
        with_kept = Ollama().request(asked(shown, lenient=True, encoded=kept))
        assert with_kept == Ollama().request(asked(shown, lenient=True))
