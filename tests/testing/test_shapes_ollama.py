"""What Ollama refuses or reads wrong, each by its place."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.testing import check_ollama
from testing.shapes import OBJECT, PNG, Json, encoded, places, refused, replaced, taken_or_refused, values

USER = {"role": "user", "content": "Weather?"}
TOOL = {"type": "function", "function": {"name": "weather", "description": "Now.", "parameters": OBJECT}}


def said(content: str = "", *calls: Json, **more: Any) -> Json:
    return {"role": "assistant", "content": content, **({"tool_calls": list(calls)} if calls else {}), **more}


def call(id: str = "c1", arguments: Any = None, **more: Any) -> Json:
    return {"id": id, "function": {"name": "weather", "arguments": {} if arguments is None else arguments}, **more}


def result(id: str = "c1", name: str = "weather", **more: Any) -> Json:
    return {"role": "tool", "content": "21", "tool_name": name, "tool_call_id": id, **more}


def request(*messages: Json, **more: Any) -> Json:
    return {"model": "qwen3", "messages": list(messages or (USER,)), **more}


FULL = request(
    {"role": "system", "content": "Be brief."},
    {**USER, "images": [PNG]},
    said("", call(), call("c2"), thinking="hm"),
    result(),
    result("c2", images=[PNG]),
    said("21."),
    {"role": "system", "content": "Go on."},
    USER,
    stream=True,
    truncate=False,
    shift=False,
    think="low",
    tools=[TOOL],
    keep_alive="5m",
    options={"temperature": 0.1, "num_ctx": 4096, "num_predict": -1, "seed": 7, "stop": ["a"], "top_k": 3},
)

REFUSED = [
    # Messages
    (request({"role": "developer", "content": "a"}), "messages[0].role"),
    (request({"role": "user", "content": " "}), "messages[0]"),
    (request({"role": "user", "content": [{"type": "text"}]}), "messages[0].content"),
    (request({**USER, "thinking": "hm"}), "messages[0].thinking"),
    (request({**USER, "tool_calls": [call()]}), "messages[0].tool_calls"),
    (request({**USER, "images": ["data:image/png;base64,aa"]}), "messages[0].images[0]"),
    (request(USER, said("a", call())), "messages"),
    (request(USER, said("a", call()), USER), "messages[2]"),
    (request(USER, result()), "messages[1].role"),
    (request(USER, said("", call()), result("c2")), "messages[2].tool_call_id"),
    (request(USER, said("", call()), result(name="other")), "messages[2].tool_name"),
    (request(USER, said("", call(), call("c2")), result("c2"), result()), "messages[2].tool_call_id"),
    (request(USER, said("", call(arguments="{}")), result()), "messages[1].tool_calls[0].function.arguments"),
    (request(USER, said("", {"name": "weather"}), result()), "messages[1].tool_calls[0].name"),
    ({"model": "m", "messages": []}, "messages"),
    # The rest
    ({"messages": [USER]}, "model"),
    (request(tools=[TOOL, TOOL]), "tools[1].function.name"),
    (request(tools=[{**TOOL, "type": "custom"}]), "tools[0].type"),
    (request(tools=[TOOL], format="json"), "format"),
    (request(format="xml"), "format"),
    (request(think="off"), "think"),
    (request(stream="yes"), "stream"),
    (request(options={"max_tokens": 3}), "options.max_tokens"),
    (request(options={"num_ctx": 0}), "options.num_ctx"),
    (request(options={"top_p": 2}), "options.top_p"),
    (request(options={"stop": [""]}), "options.stop[0]"),
    (request(temperature=1), "temperature"),
]


@pytest.mark.requirement("D-shapes")
def test_what_the_server_reads_as_it_is_meant_is_taken() -> None:
    for body in (FULL, encoded(FULL), request(), request(format=OBJECT), request(think=False)):
        check_ollama(body)


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize(("body", "path"), REFUSED)
def test_what_it_does_not_is_refused_at_its_place(body: Json, path: str) -> None:
    assert refused(check_ollama, body).path == path


@pytest.mark.requirement("D-shapes")
@given(values)
def test_any_value_is_taken_or_refused(value: Any) -> None:
    taken_or_refused(check_ollama, value)
    taken_or_refused(check_ollama, encoded(value))


@pytest.mark.requirement("D-shapes")
@given(st.sampled_from(list(places(FULL))), values)
def test_a_request_that_is_wrong_at_one_place_is_taken_or_refused(path: tuple[Any, ...], value: Any) -> None:
    taken_or_refused(check_ollama, replaced(FULL, path, value))
