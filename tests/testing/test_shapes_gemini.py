"""What Gemini refuses, each by the place that is wrong."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ore.testing import ShapeError, check_gemini
from testing.shapes import OBJECT, PNG, Json, encoded, places, refused, replaced, taken_or_refused, values


def content(role: str, *parts: Any) -> Json:
    return {"role": role, "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def call(name: str = "weather", id: str | None = None, **more: Any) -> Json:
    return {"functionCall": {"name": name, "args": {"city": "Lisbon"}, **({"id": id} if id else {})}, **more}


def response(name: str = "weather", id: str | None = None) -> Json:
    return {"functionResponse": {"name": name, "response": {"output": "21"}, **({"id": id} if id else {})}}


def request(*contents: Json, **more: Any) -> Json:
    return {"contents": list(contents or (content("user", "Hi"),)), **more}


def config(**fields: Any) -> Json:
    return request(generationConfig=fields)


def tools(*functions: Json, **more: Any) -> Json:
    return request(tools=[{"functionDeclarations": list(functions)}], **more)


FUNCTION = {"name": "weather", "description": "Now.", "parametersJsonSchema": OBJECT}
ASKED = (
    content("user", "Weather?"),
    content("model", {"text": "hm", "thought": True, "thoughtSignature": "T"}, call()),
)

FULL = request(
    content("user", "Look.", {"inlineData": {"mimeType": "image/png", "data": PNG}}),
    content(
        "model", {"text": "hm", "thought": True, "thoughtSignature": "T"}, call(id="a", thoughtSignature="A"), call()
    ),
    content("user", response(id="a"), response(), {"fileData": {"fileUri": "https://a.b/c.pdf"}}),
    content(
        "model",
        {"executableCode": {"language": "PYTHON", "code": "1"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK"}},
        {"text": "", "thoughtSignature": "E"},
    ),
    content("user", "And now?"),
    systemInstruction={"parts": [{"text": "Be brief."}]},
    tools=[{"functionDeclarations": [FUNCTION, {"name": "now", "description": "Time."}]}, {"googleSearch": {}}],
    toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]}},
    generationConfig={
        "temperature": 0,
        "topP": 0.5,
        "topK": 40,
        "seed": -1,
        "maxOutputTokens": 10,
        "stopSequences": ["a"],
        "responseMimeType": "application/json",
        "responseJsonSchema": OBJECT,
        "responseModalities": ["TEXT"],
        "thinkingConfig": {"thinkingBudget": -1, "includeThoughts": True},
    },
)

PART, THIRD = "contents[0].parts[0]", "contents[2].parts[0].functionResponse"
DECLARED = "tools[0].functionDeclarations[0]"
UNREADABLE = {"inlineData": {"mimeType": "image/png", "data": "§"}}
NO_OBJECT = {"functionResponse": {"name": "weather", "response": "21"}}
NO_NAME = (content("user", "a"), content("model", call("1st")), content("user", response("1st")))

REFUSED = [
    # Who speaks
    (request(content("model", "Hi")), "contents[0].role"),
    (request(content("user", "a"), content("user", "b")), "contents[1].role"),
    (request(content("user", "a"), content("model", "b")), "contents[1].role"),
    (request(content("system", "a")), "contents[0].role"),
    ({"contents": []}, "contents"),
    ({}, "contents"),
    (request(content("user")), "contents[0].parts"),
    # What parts hold
    (request(content("user", " ")), f"{PART}.text"),
    (request(content("user", {})), PART),
    (request(content("user", {"text": "a", "inlineData": {"mimeType": "a/b", "data": PNG}})), PART),
    (request(content("user", {"words": "a"})), f"{PART}.words"),
    (request(content("user", UNREADABLE)), f"{PART}.inlineData.data"),
    (request(content("user", {"fileData": {"fileUri": "file:///a"}})), f"{PART}.fileData.fileUri"),
    (request(content("user", {"text": "a", "thoughtSignature": "S"})), f"{PART}.thoughtSignature"),
    (request(content("user", call())), f"{PART}.functionCall"),
    (request(*ASKED, content("user", response("other"))), f"{THIRD}.name"),
    (request(*ASKED, content("user", response(id="x"))), f"{THIRD}.id"),
    (request(*ASKED, content("user", "a")), "contents[2].parts"),
    (request(*ASKED, content("user", response(), response())), "contents[2].parts"),
    (request(content("user", response())), "contents[0].parts"),
    (request(*ASKED, content("user", NO_OBJECT)), f"{THIRD}.response"),
    (request(*NO_NAME), "contents[1].parts[0].functionCall.name"),
    # Tools
    (tools(FUNCTION, FUNCTION), "tools[0].functionDeclarations[1].name"),
    (tools({**FUNCTION, "name": "a" * 65}), f"{DECLARED}.name"),
    (tools({**FUNCTION, "parametersJsonSchema": {"type": "object"}}), f"{DECLARED}.parametersJsonSchema.properties"),
    (tools({**FUNCTION, "parameters": OBJECT}), f"{DECLARED}.parameters"),
    (tools({"name": "now"}), f"{DECLARED}.description"),
    (request(tools=[{}]), "tools[0]"),
    (request(toolConfig={"functionCallingConfig": {"mode": "ANY"}}), "toolConfig.functionCallingConfig.mode"),
    (
        tools(FUNCTION, toolConfig={"functionCallingConfig": {"allowedFunctionNames": ["weather"]}}),
        "toolConfig.functionCallingConfig.allowedFunctionNames",
    ),
    # How it answers
    (config(temperature=2.1), "generationConfig.temperature"),
    (config(topK=0), "generationConfig.topK"),
    (config(maxOutputTokens=0), "generationConfig.maxOutputTokens"),
    (config(stopSequences=list("abcdef")), "generationConfig.stopSequences"),
    (config(thinkingConfig={"thinkingBudget": 1, "thinkingLevel": "LOW"}), "generationConfig.thinkingConfig"),
    (config(thinkingConfig={"thinkingLevel": "OFF"}), "generationConfig.thinkingConfig.thinkingLevel"),
    (config(responseJsonSchema=OBJECT), "generationConfig.responseJsonSchema"),
    (config(max_output_tokens=1), "generationConfig.max_output_tokens"),
    (request(systemInstruction={"parts": []}), "systemInstruction.parts"),
    (request(model="gemini"), "model"),
]  # fmt: skip


@pytest.mark.requirement("D-shapes")
def test_what_the_vendor_takes_is_taken() -> None:
    for body in (FULL, encoded(FULL), request()):
        check_gemini(body)
    check_gemini(FULL, wants_signatures=True, issued=["T", "A", "E"])


@pytest.mark.requirement("D-shapes")
@pytest.mark.parametrize(("body", "path"), REFUSED)
def test_what_the_vendor_refuses_is_refused_at_its_place(body: Json, path: str) -> None:
    assert refused(check_gemini, body).path == path


@pytest.mark.requirement("D-shapes")
def test_a_step_needs_the_signature_of_its_first_call_and_only_one_that_was_given() -> None:
    body = request(*ASKED, content("user", response()))
    check_gemini(body)
    with pytest.raises(ShapeError) as unsigned:
        check_gemini(body, wants_signatures=True)
    with pytest.raises(ShapeError) as foreign:
        check_gemini(body, issued=["another"])
    paths = [caught.value.path for caught in (unsigned, foreign)]
    assert paths == ["contents[1].parts[1].thoughtSignature", "contents[1].parts[0].thoughtSignature"]
    ours = request(
        ASKED[0],
        content("model", call(thoughtSignature="skip_thought_signature_validator")),
        content("user", response()),
    )
    check_gemini(ours, wants_signatures=True, issued=())


@pytest.mark.requirement("D-shapes")
@given(values)
def test_any_value_is_taken_or_refused(value: Any) -> None:
    taken_or_refused(check_gemini, value)
    taken_or_refused(check_gemini, encoded(value))


@pytest.mark.requirement("D-shapes")
@given(st.sampled_from(list(places(FULL))), values)
def test_a_request_that_is_wrong_at_one_place_is_taken_or_refused(path: tuple[Any, ...], value: Any) -> None:
    taken_or_refused(check_gemini, replaced(FULL, path, value))
    taken_or_refused(lambda body: check_gemini(body, wants_signatures=True, issued=["T"]), replaced(FULL, path, value))
