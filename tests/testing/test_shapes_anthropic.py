"""What Anthropic's messages refuse, each by the place that is wrong."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.testing import ShapeError, check_anthropic
from testing.shapes import CLOSED, OBJECT, PNG, Json, encoded, places, refused, replaced, taken_or_refused, values

USER = {"role": "user", "content": "Weather in Lisbon?"}
TOOL = {"name": "weather", "description": "Now.", "input_schema": OBJECT}
MARK = {"type": "ephemeral"}
THINKING = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}


def text(content: str, **more: Any) -> Json:
    return {"type": "text", "text": content, **more}


def thought(content: str = "Let me see.", signature: str = "S1") -> Json:
    return {"type": "thinking", "thinking": content, "signature": signature}


def use(id: str = "t1", name: str = "weather", **input: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": name, "input": input}


def result(id: str = "t1", content: Any = "21 °C", **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def answer(*blocks: Json) -> Json:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: Json) -> Json:
    return {"role": "user", "content": list(blocks)}


def image(media_type: str = "image/png", data: str = PNG) -> Json:
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def request(*messages: Json, **more: Any) -> Json:
    return {"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": list(messages or (USER,)), **more}


FULL = request(
    user(
        text("Look.", cache_control=MARK),
        image(),
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PNG}},
    ),
    answer(
        thought(),
        {"type": "redacted_thinking", "data": "R1"},
        text("Let me see."),
        {"type": "server_tool_use", "id": "srv1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv1", "content": []},
        use("t1", city="Lisbon"),
        use("t2"),
    ),
    user(result("t2", is_error=True), result("t1", [text("21 °C"), image()], cache_control=MARK), text("Well?")),
    system=[text("Be brief.", cache_control={"type": "ephemeral", "ttl": "1h"})],
    tools=[
        {**TOOL, "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        {"type": "web_search_20250305", "name": "web"},
    ],
    tool_choice={"type": "auto", "disable_parallel_tool_use": True},
    thinking=THINKING,
    temperature=1,
    stop_sequences=["END"],
    metadata={"user_id": "u"},
    stream=True,
)
ISSUED = {"S1": "Let me see.", "R1": ""}

TAKEN = [
    pytest.param(request(), id="one message"),
    pytest.param(FULL, id="everything at once"),
    pytest.param(request(USER, USER), id="two messages of one role"),
    pytest.param(request(USER, answer(text("The answer is"))), id="an answer that is begun"),
    pytest.param(request(USER, {"role": "assistant", "content": ""}), id="an answer that is not"),
    pytest.param(request(user(text("x")), answer(use()), user(result(content=""))), id="a result of nothing"),
    pytest.param(
        request(user(text("x")), answer(use()), user({"type": "tool_result", "tool_use_id": "t1"})), id="none"
    ),
    pytest.param(request(model="claude-opus-5", thinking=ADAPTIVE, output_config={"effort": "high"}), id="adaptive"),
    pytest.param(request(USER, {"role": "system", "content": "x"}, model="claude-opus-4-8"), id="a system message"),
    pytest.param(request(USER, {"role": "system", "content": "x"}, model="any"), id="a model that nobody knows"),
    pytest.param(request(temperature=0, top_p=1, model="claude-3-7-sonnet-20250219"), id="two samplers, once"),
    pytest.param(request(max_tokens=0), id="a warm cache"),
    pytest.param(request(output_config={"format": {"type": "json_schema", "schema": CLOSED}}), id="a format"),
    pytest.param(
        request(USER, answer(use()), user(result()), thinking=ADAPTIVE, model="claude-opus-4-6"),
        id="calls without thinking",
    ),
]

REFUSED = [
    # What it is
    ("no model", {"max_tokens": 1, "messages": [USER]}, "model"),
    ("no max_tokens", {"model": "m", "messages": [USER]}, "max_tokens"),
    ("no messages", request() | {"messages": []}, "messages"),
    ("an unknown field", request(seed=1), "seed"),
    ("a field of another vendor", request(max_completion_tokens=1), "max_completion_tokens"),
    ("an unknown field of a message", request({**USER, "name": "x"}), "messages[0].name"),
    ("reasoning of a gateway", request(USER, {**answer(text("x")), "reasoning": "x"}, USER), "messages[1].reasoning"),
    ("an unknown field of a block", request(user(text("x", id="1"))), "messages[0].content[0].id"),
    ("an unknown role", request({"role": "tool", "content": "x"}), "messages[0].role"),
    ("an answer first", request(answer(text("x")), USER), "messages[0].role"),
    ("no content", request({"role": "user", "content": []}), "messages[0].content"),
    ("null as content", request({"role": "user", "content": None}), "messages[0].content"),
    # Text
    ("an empty string", request({"role": "user", "content": ""}), "messages[0].content"),
    ("an empty text", request(user(text(""))), "messages[0].content[0].text"),
    ("a blank text", request(user(text(" \n"))), "messages[0].content[0].text"),
    (
        "an empty text of an answer",
        request(USER, answer(text(""), use()), user(result())),
        "messages[1].content[0].text",
    ),
    (
        "an empty text of a result",
        request(USER, answer(use()), user(result(content=[text("")]))),
        "messages[2].content[0].content[0].text",
    ),
    ("an empty text of the system", request(system=[text("")]), "system[0].text"),
    ("white space at the end", request(USER, {"role": "assistant", "content": "It is "}), "messages[1].content"),
    ("white space at the end of a block", request(USER, answer(text("It is\n"))), "messages[1].content[0].text"),
    # Pairs
    ("a call without a result", request(USER, answer(use())), "messages[1].content"),
    ("a call before a text", request(USER, answer(use()), USER), "messages[2].content"),
    ("a result without its call", request(user(result())), "messages[0].content[0].tool_use_id"),
    ("half of the results", request(USER, answer(use(), use("t2")), user(result())), "messages[2].content"),
    (
        "the other half later",
        request(USER, answer(use(), use("t2")), user(result()), user(result("t2"))),
        "messages[2].content",
    ),
    ("two results", request(USER, answer(use()), user(result(), result())), "messages[2].content[1].tool_use_id"),
    ("a result behind a text", request(USER, answer(use()), user(text("x"), result())), "messages[2].content[1]"),
    ("a result in an answer", request(USER, answer(result())), "messages[1].content[0].type"),
    ("a call of the user", request(user(use())), "messages[0].content[0].type"),
    ("one id twice", request(USER, answer(use(), use()), user(result())), "messages[1].content[1].id"),
    (
        "one id in two rounds",
        request(USER, answer(use()), user(result()), answer(use()), user(result())),
        "messages[3].content[0].id",
    ),
    ("an id with a colon", request(USER, answer(use("s:1")), user(result("s:1"))), "messages[1].content[0].id"),
    ("a name with a dot", request(USER, answer(use(name="a.b")), user(result())), "messages[1].content[0].name"),
    (
        "arguments as text",
        request(USER, answer({**use(), "input": "{}"}), user(result())),
        "messages[1].content[0].input",
    ),
    (
        "an error of nothing",
        request(USER, answer(use()), user(result(content="", is_error=True))),
        "messages[2].content[0].content",
    ),
    (
        "an error as a picture",
        request(USER, answer(use()), user(result(content=[image()], is_error=True))),
        "messages[2].content[0].content[0].type",
    ),
    (
        "a server's result alone",
        request(USER, answer({"type": "web_search_tool_result", "tool_use_id": "srv1", "content": []}), USER),
        "messages[1].content[0].tool_use_id",
    ),
    (
        "a server's call of no name",
        request(USER, answer({"type": "server_tool_use", "id": "srv1", "name": "", "input": {}}), USER),
        "messages[1].content[0].name",
    ),
    # Thinking
    ("a small budget", request(thinking={"type": "enabled", "budget_tokens": 1023}), "thinking.budget_tokens"),
    ("a budget of everything", request(thinking={"type": "enabled", "budget_tokens": 4096}), "thinking.budget_tokens"),
    ("no budget", request(thinking={"type": "enabled"}), "thinking.budget_tokens"),
    (
        "a budget where it is off",
        request(thinking={"type": "disabled", "budget_tokens": 2000}),
        "thinking.budget_tokens",
    ),
    ("a temperature beside thinking", request(thinking=THINKING, temperature=0), "temperature"),
    ("top_k beside thinking", request(thinking=THINKING, top_k=5), "top_k"),
    ("a low top_p beside thinking", request(thinking=THINKING, top_p=0.9), "top_p"),
    (
        "a forced tool beside thinking",
        request(thinking=THINKING, tools=[TOOL], tool_choice={"type": "any"}),
        "tool_choice.type",
    ),
    ("a begun answer beside thinking", request(USER, answer(text("x")), thinking=THINKING), "messages[1].role"),
    (
        "calls without their thinking",
        request(USER, answer(use()), user(result()), thinking=THINKING),
        "messages[1].content[0].type",
    ),
    ("unsigned thinking", request(USER, answer(thought(signature="")), USER), "messages[1].content[0].signature"),
    ("thinking of the user", request(user(thought())), "messages[0].content[0].type"),
    # Models
    ("a temperature for a late model", request(model="claude-opus-4-7", temperature=1), "temperature"),
    ("top_k for a late model", request(model="claude-sonnet-5", top_k=1), "top_k"),
    ("a budget for a late model", request(model="claude-opus-5-5", thinking=THINKING), "thinking.type"),
    ("no budget for an early model", request(model="claude-haiku-4-5", thinking=ADAPTIVE), "thinking.type"),
    ("temperature and top_p", request(temperature=0, top_p=1), "top_p"),
    ("a begun answer for a late model", request(USER, answer(text("x")), model="claude-opus-4-6"), "messages[1].role"),
    ("a system message for an early model", request(USER, {"role": "system", "content": "x"}), "messages[1].role"),
    (
        "a system message first",
        request({"role": "system", "content": "x"}, USER, model="claude-opus-5"),
        "messages[0].role",
    ),
    (
        "a system message behind an answer",
        request(USER, answer(text("x")), {"role": "system", "content": "x"}, model="claude-opus-5"),
        "messages[2].role",
    ),
    (
        "a system message before the user",
        request(USER, {"role": "system", "content": "x"}, USER, model="claude-opus-5"),
        "messages[1].role",
    ),
    # Options
    ("a hot temperature", request(temperature=1.1), "temperature"),
    ("a negative top_k", request(top_k=-1), "top_k"),
    ("a blank stop", request(stop_sequences=["\n"]), "stop_sequences[0]"),
    ("an unknown tier", request(service_tier="fast"), "service_tier"),
    ("an unknown effort", request(output_config={"effort": "none"}), "output_config.effort"),
    (
        "a format that is open",
        request(output_config={"format": {"type": "json_schema", "schema": OBJECT}}),
        "output_config.format.schema.additionalProperties",
    ),
    ("metadata of one's own", request(metadata={"session": "x"}), "metadata.session"),
    ("a system prompt of parts", request(system=[image()]), "system[0].type"),
    # The cache
    ("five marks", request(user(*[text(str(n), cache_control=MARK) for n in range(5)])), "body"),
    (
        "four marks and one for all",
        request(user(*[text(str(n), cache_control=MARK) for n in range(4)]), cache_control=MARK),
        "body",
    ),
    (
        "a mark of no kind",
        request(user(text("x", cache_control={"type": "forever"}))),
        "messages[0].content[0].cache_control.type",
    ),
    (
        "a mark for a day",
        request(user(text("x", cache_control={**MARK, "ttl": "1d"}))),
        "messages[0].content[0].cache_control.ttl",
    ),
    (
        "an hour behind minutes",
        request(user(text("x", cache_control={**MARK, "ttl": "1h"})), system=[text("x", cache_control=MARK)]),
        "messages[0].content[0].cache_control.ttl",
    ),
    (
        "a mark on thinking",
        request(USER, answer({**thought(), "cache_control": MARK}), USER),
        "messages[1].content[0].cache_control",
    ),
    # Tools
    ("a tool without a schema", request(tools=[{"name": "a"}]), "tools[0].input_schema"),
    ("a tool of another vendor", request(tools=[{"type": "function", "function": {}}]), "tools[0].type"),
    ("a long name", request(tools=[{**TOOL, "name": "x" * 65}]), "tools[0].name"),
    ("a description that is no text", request(tools=[{**TOOL, "description": ["x"]}]), "tools[0].description"),
    ("one name for two tools", request(tools=[TOOL, TOOL]), "tools[1].name"),
    ("tool_choice without tools", request(tool_choice={"type": "auto"}), "tool_choice"),
    ("a choice in a word", request(tools=[TOOL], tool_choice="auto"), "tool_choice"),
    (
        "a tool that is not there",
        request(tools=[TOOL], tool_choice={"type": "tool", "name": "other"}),
        "tool_choice.name",
    ),
    # Media
    ("an image of another type", request(user(image("image/jpeg"))), "messages[0].content[0].source.data"),
    ("an image of no known type", request(user(image("image/bmp"))), "messages[0].content[0].source.media_type"),
    ("an image of no bytes", request(user(image(data=""))), "messages[0].content[0].source.data"),
    (
        "an image as a data URL",
        request(user(image(data=f"data:image/png;base64,{PNG}"))),
        "messages[0].content[0].source.data",
    ),
    ("an image in an answer", request(USER, answer(image()), USER), "messages[1].content[0].type"),
    (
        "a document of words",
        request(user({"type": "document", "source": {"type": "base64", "media_type": "text/plain", "data": PNG}})),
        "messages[0].content[0].source.media_type",
    ),
]


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize("body", TAKEN)
def test_what_the_vendor_takes_is_taken(body: Json) -> None:
    check_anthropic(body)
    check_anthropic(encoded(body))


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize(("body", "path"), [pytest.param(body, path, id=name) for name, body, path in REFUSED])
def test_what_the_vendor_refuses_is_refused_at_its_place(body: Json, path: str) -> None:
    assert refused(check_anthropic, body).path == path


@pytest.mark.requirement("D-shapes")
def test_signed_thinking_comes_back_as_it_was_issued() -> None:
    check_anthropic(FULL, issued=ISSUED)

    def changed(**block: str) -> str:
        body = replaced(FULL, ("messages", 1, "content", 0), {**thought(), **block})
        with pytest.raises(ShapeError) as caught:
            check_anthropic(body, issued=ISSUED)
        return caught.value.path

    assert changed(thinking="Let me") == "messages[1].content[0].thinking"
    assert changed(signature="S2") == "messages[1].content[0].signature"
    with pytest.raises(ShapeError) as caught:
        check_anthropic(FULL, issued={"S1": "Let me see."})
    assert caught.value.path == "messages[1].content[1].data"


@pytest.mark.requirement("D-shapes")
def test_thinking_may_be_left_out() -> None:
    body = request(USER, answer(text("Sunny.")), USER)
    check_anthropic(body, issued=ISSUED)


@pytest.mark.requirement("D-shapes")
def test_a_lone_surrogate_is_refused_where_it_stands() -> None:
    body = json.dumps(request(user(text("x\ud800y")))).encode()
    assert refused(check_anthropic, body).path == "messages[0].content[0].text"


@pytest.mark.requirement("D-shapes")
def test_a_refusal_shows_names_and_ids_but_no_content() -> None:
    body = request(USER, answer(use("t1"), use("t2")), user(result("t1", "a secret plan")))
    assert str(refused(check_anthropic, body)) == (
        "messages[2].content: expected a tool_result for each tool_use of messages[1] (t1, t2), got none for t2"
    )


@pytest.mark.requirement("D-shapes")
@given(values)
def test_any_value_is_taken_or_refused(value: Any) -> None:
    taken_or_refused(check_anthropic, value)
    taken_or_refused(check_anthropic, encoded(value))


@pytest.mark.requirement("D-shapes")
@given(st.sampled_from(list(places(FULL))), values)
def test_a_request_that_is_wrong_at_one_place_is_taken_or_refused(path: tuple[Any, ...], value: Any) -> None:
    taken_or_refused(check_anthropic, replaced(FULL, path, value))


@pytest.mark.requirement("D-shapes")
@given(st.permutations(range(4)), st.integers(0, 4))
def test_results_come_in_any_order_but_before_everything_else(order: list[int], behind: int) -> None:
    blocks = [result(f"t{number}") for number in order]
    blocks.insert(behind, text("Well?"))
    body = request(USER, answer(*[use(f"t{number}") for number in range(4)]), user(*blocks))
    if behind == 4:
        check_anthropic(body)
    else:
        assert refused(check_anthropic, body).path == f"messages[2].content[{behind + 1}]"
