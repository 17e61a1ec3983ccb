"""Whatever stands in a ledger is sent as chat completions want it, and the same bytes each time."""

import cProfile
import pstats
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.artifact import (
    Artifact,
    Audio,
    File,
    Image,
    Reasoning,
    ResultStatus,
    ServerTool,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from ore.errors import BadRequestError, UnsupportedError
from ore.ext.wires.openai_chat import COMPATIBLE, LLAMA_CPP, MINIMAX, OPENAI, OPENROUTER, VERCEL, Dialect, OpenAIChat
from ore.ledger import Role, Turn, TurnStatus
from ore.provider import PromptCacheOption
from ore.testing import check_openai_chat
from strategies import strings, turns
from wires.corpus import an_ask

DIALECTS = [OPENAI, COMPATIBLE, LLAMA_CPP, OPENROUTER, VERCEL, MINIMAX]
EXTRA = (
    *("reasoning_content", "reasoning", "reasoning_details", "cache_control", "top_k", "thinking"),
    *("reasoning_split", "providerOptions"),
)
PNG = b"\x89PNG\r\n\x1a\n...."
COUNT = iter(range(1_000_000))


def turn(role: Role, *artifacts: Artifact | str, **fields: Any) -> Turn:
    content = tuple(Text(content=one) if isinstance(one, str) else one for one in artifacts)
    return Turn(id=fields.pop("id", f"t{next(COUNT)}"), role=role, artifacts=content, **fields)


def system(*artifacts: Artifact | str) -> Turn:
    return turn(Role.SYSTEM, *artifacts)


def user(*artifacts: Artifact | str) -> Turn:
    return turn(Role.USER, *artifacts)


def assistant(*artifacts: Artifact | str, **fields: Any) -> Turn:
    return turn(Role.ASSISTANT, *artifacts, **fields)


def tool(*artifacts: Artifact) -> Turn:
    return turn(Role.TOOL, *artifacts)


def call(id: str, name: str = "f", arguments: str = "{}") -> ToolCall:
    return ToolCall(id=id, name=name, arguments=arguments)


def result(id: str, content: str = "ok", **fields: Any) -> ToolResult:
    return ToolResult(tool_call_id=id, content=content, **fields)


def sent(*said: Turn, dialect: Dialect = OPENAI, check: bool = True, **ask: Any) -> list[dict[str, Any]]:
    """The messages of a request, which the strict shape of the vendor accepts."""
    body = OpenAIChat(dialect).request(an_ask(*said, **ask)).body
    if check:
        check_openai_chat(body, extra=EXTRA)
    messages: list[dict[str, Any]] = msgspec.json.decode(body)["messages"]
    return messages


def roles(messages: Sequence[dict[str, Any]]) -> list[str]:
    return [message["role"] for message in messages]


# ── Roles and texts ──────────────────────────────────────────────────────────


def test_each_turn_is_a_message_in_its_place() -> None:
    assert sent(system("Be brief."), user("Hi", "there"), assistant("Yes?"), system("Now loud."), user("Go.")) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi\nthere"},
        {"role": "assistant", "content": "Yes?"},
        {"role": "system", "content": "Now loud."},
        {"role": "user", "content": "Go."},
    ]


def test_adjacent_turns_of_one_role_are_one_message() -> None:
    said = (system("a"), system("b"), user("c"), user("d"), assistant("e"), assistant("f"), user("g"))
    assert [message["content"] for message in sent(*said)] == ["a\n\nb", "c\n\nd", "e\n\nf", "g"]


def test_later_turns_of_the_system_are_folded_in_where_they_must_come_first() -> None:
    said = (system("a"), system("b"), user("c"), assistant("d"), system("e"), user("f"))
    assert sent(*said, dialect=LLAMA_CPP) == [
        {"role": "system", "content": "a\n\nb"},
        {"role": "user", "content": "c"},
        {"role": "assistant", "content": "d"},
        {"role": "user", "content": "<system>\ne\n</system>\n\nf"},
    ]


def test_what_cannot_be_sent_leaves_no_message_behind() -> None:
    nothing = (Text(content=""), Usage(prompt_tokens=1), StopReason(reason="stop"), ServerTool(name="search"))
    said = (system(""), user("a"), assistant(*nothing, Reasoning(content="Hm")), user(""), user("b"))
    assert [message["content"] for message in sent(*said)] == ["a", "b"]


@pytest.mark.parametrize("said", [(), (system(""),), (user(),), (assistant(Reasoning(content="Hm")),)])
def test_a_conversation_without_a_message_is_refused(said: tuple[Turn, ...]) -> None:
    with pytest.raises(BadRequestError):
        OpenAIChat().request(replace(an_ask(), turns=said))


def test_a_cut_answer_is_sent_on_without_its_unfinished_thinking() -> None:
    cut = assistant("Half an ans", Reasoning(content="Hm"), status=TurnStatus.INTERRUPTED)
    assert sent(user("a"), cut, user("b"), dialect=COMPATIBLE)[1] == {"role": "assistant", "content": "Half an ans"}


# ── Calls and results ────────────────────────────────────────────────────────


def test_results_follow_their_calls_in_the_order_of_the_calls() -> None:
    said = (user("a"), assistant("Let me see.", call("1"), call("2", "g", '{"x": 1}')), tool(result("2"), result("1")))
    assert sent(*said)[1:] == [
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                {"id": "2", "type": "function", "function": {"name": "g", "arguments": '{"x": 1}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
        {"role": "tool", "tool_call_id": "2", "content": "ok"},
    ]


def test_an_answer_that_only_calls_has_no_content() -> None:
    assert "content" not in sent(user("a"), assistant(call("1")), tool(result("1")))[1]


def test_nothing_comes_between_calls_and_results() -> None:
    said = (user("a"), assistant(call("1"), call("2")), system("s"), tool(result("1")), tool(result("2")), user("b"))
    assert roles(sent(*said)) == ["user", "assistant", "tool", "tool", "system", "user"]


def test_a_call_without_a_result_gets_one_and_a_result_without_a_call_is_left_out() -> None:
    said = (tool(result("0")), user("a"), assistant(call("1")), tool(result("9")), user("b"))
    messages = sent(*said)
    assert roles(messages) == ["user", "assistant", "tool", "user"]
    assert messages[2]["content"] == "there is no result of this call"


@pytest.mark.requirement("B10")
def test_an_id_that_comes_again_in_a_later_round_is_fine() -> None:
    said = (
        *(user("a"), assistant(call("search:1", "s", '{"q":"a"}')), tool(result("search:1", "A"))),
        *(assistant(call("search:1", "s", '{"q":"b"}')), tool(result("search:1", "B"))),
    )
    assert [message["content"] for message in sent(*said) if message["role"] == "tool"] == ["A", "B"]


@pytest.mark.parametrize("ids", [("x", "x"), ("", ""), ("x", ""), ("x" * 41, "x" * 41), ("\ud800", "\ud801")])
def test_ids_are_distinct_short_and_not_empty_and_the_same_each_time(ids: tuple[str, str]) -> None:
    first, second = ids
    said = (user("a"), assistant(call(first), call(second, "g")), tool(result(first, "1"), result(second, "2")))
    messages = sent(*said)
    assert [message["content"] for message in messages[2:]] == ["1", "2"]
    assert [one["id"] for one in messages[1]["tool_calls"]] == [one["tool_call_id"] for one in messages[2:]]
    assert messages == sent(*said)


@pytest.mark.requirement("B07")
@pytest.mark.parametrize("arguments", ["", "null", "[1]", "nonsense", '{"a":', "{'a': 1}"])
def test_arguments_that_are_no_object_are_an_empty_one(arguments: str) -> None:
    [_, answer, _] = sent(user("a"), assistant(call("1", "ping", arguments)), tool(result("1")))
    assert answer["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize(("name", "written"), [("", "unknown"), ("get weather", "get_weather_"), ("ping", "ping")])
def test_names_are_ones_that_vendors_take(name: str, written: str) -> None:
    [_, answer, _] = sent(user("a"), assistant(call("1", name)), tool(result("1")))
    assert answer["tool_calls"][0]["function"]["name"].startswith(written)


def test_lone_surrogates_become_replacement_characters() -> None:
    said = (
        *(user("a\ud800"), assistant("b\udc00", call("1", "f", '{"x": "\ud83d"}'))),
        tool(result("1", "c\ud800", is_error=True, status=ResultStatus.ERROR)),
    )
    messages = sent(*said)
    assert [messages[place]["content"] for place in (0, 1, 2)] == ["a\ufffd", "b\ufffd", "c\ufffd"]
    assert msgspec.json.decode(messages[1]["tool_calls"][0]["function"]["arguments"]) == {"x": "\ufffd"}


# ── Thinking ─────────────────────────────────────────────────────────────────


TAG = {"provider": "vendor", "model": "model"}
DETAILS = [
    {"type": "reasoning.text", "text": "Hm.", "signature": "S==", "index": 0, "format": "anthropic-claude-v1"},
    {"type": "reasoning.encrypted", "data": "gA==", "id": "r1", "index": 1, "new": {"x": [1, None]}},
]


def thought(words: str, **kept: Any) -> Reasoning:
    return Reasoning(content=words, provider_data={**TAG, **kept})


def test_thinking_goes_back_in_the_form_in_which_it_came() -> None:
    said = (
        user("a"),
        assistant(
            thought("Hm.", signature="S==", reasoning_details=DETAILS[:1]),
            "Yes.",
            thought("", reasoning_details=DETAILS[1:]),
        ),
        user("b"),
        assistant(thought("So.", field="reasoning_content"), thought("And.", field="reasoning_content"), "No."),
    )
    messages = sent(*said, dialect=OPENROUTER)
    assert messages[1] == {"role": "assistant", "content": "Yes.", "reasoning_details": DETAILS}
    assert messages[3] == {"role": "assistant", "content": "No.", "reasoning_content": "So.\nAnd."}


@pytest.mark.requirement("B27")
@pytest.mark.parametrize(
    ("dialect", "ask"),
    [(OPENROUTER, {"provider": "other"}), (OPENROUTER, {"model": "other"}), (OPENAI, {})],
)
def test_thinking_goes_to_nobody_else(dialect: Dialect, ask: dict[str, Any]) -> None:
    said = (user("a"), assistant(thought("Hm.", reasoning_details=DETAILS), thought("So.", field="reasoning"), "Yes."))
    assert sent(*said, dialect=dialect, **ask)[1] == {"role": "assistant", "content": "Yes."}


def test_thinking_that_a_model_issued_comes_back_after_another_was_asked() -> None:
    said = (user("a"), assistant(thought("Hm.", reasoning_details=DETAILS), "Yes."), user("b"))
    kept: dict[Any, Any] = {}
    first = sent(*said, dialect=OPENROUTER, encoded=kept)
    other = sent(*said, dialect=OPENROUTER, encoded=kept, provider="other")
    assert first == sent(*said, dialect=OPENROUTER, encoded=kept)
    assert "reasoning_details" in first[1]
    assert "reasoning_details" not in other[1]


# ── Images, files, sounds ────────────────────────────────────────────────────


def test_media_are_parts_of_a_users_message() -> None:
    said = user(
        "Look:",
        Image(data=PNG, media_type="image/jpeg"),
        Image(url="https://example.test/a.png"),
        File(data=b"%PDF-1.7", name="a.pdf", media_type="application/pdf"),
        File(data=b"a,b\n1,2", name="a.csv", media_type="text/csv"),
        Audio(data=b"RIFF1234WAVE", media_type="audio/wav"),
    )
    assert sent(said)[0]["content"] == [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgouLi4u"}},
        {"type": "image_url", "image_url": {"url": "https://example.test/a.png"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjc="}},
        {"type": "text", "text": "a.csv:\na,b\n1,2"},
        {"type": "input_audio", "input_audio": {"data": "UklGRjEyMzRXQVZF", "format": "wav"}},
    ]


NOT_TAKEN: list[tuple[Artifact, Dialect]] = [
    (Image(data=b"", media_type="image/png"), OPENAI),
    (Image(data=b"II*\0", media_type="image/tiff"), OPENAI),
    (Image(blob="key"), OPENAI),
    (Image(url="file:///etc/passwd"), OPENAI),
    (Image(data=PNG), MINIMAX),
    (File(url="https://example.test/a.pdf"), OPENAI),
    (File(data=b"%PDF-1.7"), LLAMA_CPP),
    (Audio(data=b"OggS", media_type="audio/ogg"), OPENAI),
    (Audio(data=b"RIFF1234WAVE"), VERCEL),
]


@pytest.mark.parametrize(("media", "dialect"), NOT_TAKEN)
def test_media_that_cannot_be_taken_are_refused_by_kind_when_they_come_and_never_again(
    media: Artifact, dialect: Dialect
) -> None:
    """So that the next message goes through, whatever stands in the history."""
    with pytest.raises(UnsupportedError) as caught:
        sent(user("Look:", media), dialect=dialect)
    assert caught.value.field == media.kind
    later = sent(user("Look:", media), user("Never mind."), dialect=dialect)
    assert later == [{"role": "user", "content": f"Look:\n\n[{media.kind} left out: {_name(media)}]\n\nNever mind."}]


def _name(media: Any) -> str:
    return media.name or media.media_type or "without a name"


def test_media_that_are_left_out_on_demand_are_told() -> None:
    ask = an_ask(user("Look:", Image(data=PNG)), lenient=True)
    request = OpenAIChat(MINIMAX).request(ask)
    assert ["image" in notice.content for notice in request.notices] == [True]


def test_images_of_results_follow_in_a_users_message() -> None:
    shot = result("1", "[image]", media=(Image(data=PNG),))
    said = (user("a"), assistant(call("1", "shoot"), call("2")), tool(shot, result("2")), user("b"))
    messages = sent(*said)
    assert roles(messages) == ["user", "assistant", "tool", "tool", "user"]
    assert [part["type"] for part in messages[4]["content"]] == ["text", "image_url", "text"]
    without = sent(*said, dialect=MINIMAX)
    assert without[4]["content"] == "[returned by the tool shoot]\n\n[image left out: without a name]\n\nb"


def test_images_of_results_stay_there_where_they_may() -> None:
    taking = Dialect(images_in_results=True)
    shot = result("1", "here", media=(Image(data=PNG),))
    messages = sent(user("a"), assistant(call("1")), tool(shot), dialect=taking, check=False)
    assert [part["type"] for part in messages[2]["content"]] == ["text", "image_url"]


# ── Marks ────────────────────────────────────────────────────────────────────

MARK = {"cache_control": {"type": "ephemeral"}}
CLAUDE = "anthropic/claude-sonnet-4.5"


def test_the_first_system_message_and_the_last_words_are_marked() -> None:
    said = (system("s"), user("a"), assistant("b", call("1")), tool(result("1")))
    messages = sent(*said, dialect=OPENROUTER, model=CLAUDE)
    assert messages[0]["content"] == [{"type": "text", "text": "s", **MARK}]
    assert messages[1]["content"] == "a"
    assert messages[2]["content"] == [{"type": "text", "text": "b", **MARK}]
    assert messages[3]["content"] == "ok"


@pytest.mark.parametrize(
    ("dialect", "model", "options"),
    [(OPENROUTER, "openai/gpt-5", ()), (OPENAI, "gpt-4o", ()), (OPENROUTER, CLAUDE, (PromptCacheOption(marks=False),))],
)
def test_nothing_is_marked_where_that_is_no_use(dialect: Dialect, model: str, options: tuple[Any, ...]) -> None:
    assert [one["content"] for one in sent(system("s"), user("a"), dialect=dialect, model=model, options=options)] == [
        *("s", "a")
    ]


# ── Anything ─────────────────────────────────────────────────────────────────


def conversations() -> st.SearchStrategy[list[Turn]]:
    """Any turns in any order; the last says something, so that something can be sent."""
    calls = st.builds(ToolCall, id=st.sampled_from(["", "a", "b"]) | strings(), name=strings(), arguments=strings())
    results = st.builds(ToolResult, tool_call_id=st.sampled_from(["", "a", "b"]) | strings(), content=strings())
    kept = {
        "provider": st.just("vendor"),
        "model": st.just("model"),
        "reasoning_details": st.lists(st.fixed_dictionaries({"type": st.just("reasoning.encrypted")}), max_size=2),
        "field": st.sampled_from(["reasoning_content", "content"]),
    }
    thinking = st.builds(
        Reasoning, content=strings(), provider_data=st.none() | st.fixed_dictionaries({}, optional=kept)
    )
    items = st.one_of(calls, results, thinking, st.builds(Text, content=strings()))
    answers = st.builds(
        lambda role, artifacts: turn(role, *artifacts), st.sampled_from(Role), st.lists(items, max_size=5)
    )
    last = st.text("abc", min_size=1).map(user)
    return st.builds(lambda said, end: [*said, end], st.lists(answers | turns(), max_size=12), last)


@settings(max_examples=40)
@given(conversations(), st.sampled_from(DIALECTS), st.booleans())
def test_whatever_stands_in_a_ledger_is_what_the_vendor_accepts(
    said: list[Turn], dialect: Dialect, lenient: bool
) -> None:
    messages = sent(*said, dialect=dialect, lenient=lenient)
    assert messages[-1]["role"] == "user"


@settings(max_examples=25)
@given(conversations(), conversations(), st.sampled_from(DIALECTS), st.lists(st.integers(0, 30), max_size=8))
def test_the_bytes_are_the_same_whatever_was_encoded_before(
    said: list[Turn], others: list[Turn], dialect: Dialect, lengths: list[int]
) -> None:
    """Conversations that grow, that are shown in part, with other turns before them, of two models."""
    wire, kept = OpenAIChat(dialect), dict[Any, Any]()
    for number, length in enumerate(lengths):
        shown = [*(others[:number] if number % 3 == 0 else []), *said[:length], said[-1]]
        model = "anthropic/claude" if number % 2 else "model"
        fresh = wire.request(an_ask(*shown, model=model))
        assert wire.request(an_ask(*shown, model=model, encoded=kept)) == fresh


def test_a_conversation_of_10000_turns_is_written_once() -> None:
    """What is kept makes the calls of Python for the next request few; counted, not timed."""
    said = [turn((Role.USER, Role.ASSISTANT)[place % 2], f"word {place}") for place in range(10_000)]
    wire, kept = OpenAIChat(), dict[Any, Any]()

    def calls_of(*shown: Turn) -> int:
        ask = an_ask(*shown, encoded=kept)
        profile = cProfile.Profile()
        profile.enable()
        wire.request(ask)
        profile.disable()
        counts = pstats.Stats(profile).stats.values()  # type: ignore[attr-defined]  # typeshed does not know it
        return sum(calls for _, calls, *_ in counts)

    anew = calls_of(*said, user("a"))
    assert calls_of(*said, user("a"), assistant("b"), user("c")) <= anew * 0.2
