"""What a model issued goes back to it as it came, beside its neighbours, and to no other."""

import base64
from typing import Any

import msgspec
import pytest

from ore.artifact import Artifact, Image, Reasoning, ServerTool, Text, ToolCall
from ore.ext.wires.openai_responses import COMPATIBLE
from ore.ledger import Turn, TurnStatus, decode_turn, encode_turn
from ore.testing.shapes import check_openai_responses
from wires.responses_answer import (
    ISSUER,
    added,
    completed,
    created,
    delta,
    done,
    function_call,
    message,
    outcome,
    sse,
    thinking,
)
from wires.responses_request import answered, asked, call, items, output, request, result, said_by, turn

RS_1 = thinking("rs_1", "Both at once.")
M_1 = message("msg_1", "I look.", phase="commentary")
FC_1 = function_call("fc_1", "call_1", "weather", '{"city": "Porto"}')
FC_2 = function_call("fc_2", "call_2", "weather", '{"city":"Lisbon"}')
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "x"}}
RESULTS = turn("t", result("call_1", "rain"), result("call_2", "sun"))


def sent(text: dict[str, Any]) -> dict[str, Any]:
    """A message as it goes back: what the artifact holds, and no logprobs."""
    parts = [{name: part[name] for name in ("type", "text", "annotations")} for part in text["content"]]
    return {**text, "content": parts}


def reloaded(said: Turn) -> Turn:
    """A turn from the store."""
    return decode_turn(encode_turn(said))


@pytest.mark.requirement("B23")
def test_items_come_back_in_the_order_in_which_they_came_with_their_ids() -> None:
    """Also from the store."""
    answer = answered(RS_1, M_1, FC_1, FC_2)
    expected = [RS_1, sent(M_1), FC_1, FC_2, output("call_1", "rain"), output("call_2", "sun")]
    for said in (answer, reloaded(answer)):
        assert items(turn("u", "Where?"), said, RESULTS)[1:] == expected
        found = request(asked([turn("u", "Where?"), said, RESULTS]))
        check_openai_responses(found.body, issued=[[RS_1, M_1, FC_1, FC_2]])


def test_each_reasoning_stands_before_what_it_led_to() -> None:
    second = thinking("rs_2")
    expected = [RS_1, FC_1, second, FC_2, output("call_1", "rain"), output("call_2", "sun")]
    assert items(answered(RS_1, FC_1, second, FC_2), RESULTS) == expected
    third = thinking("rs_3")
    assert items(answered(RS_1, second, third, M_1)) == [RS_1, second, third, sent(M_1)]


@pytest.mark.requirement("B23", "B27")
@pytest.mark.parametrize("other", [{"provider": "azure"}, {"model": "gpt-5.1"}])
def test_nothing_that_was_issued_goes_to_another_provider_or_model(other: dict[str, Any]) -> None:
    """And it is all there again when the first one is asked again."""
    answer = answered(RS_1, SEARCH, M_1, FC_1)
    plain = {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": FC_1["arguments"]}
    said = (answer, turn("t", result("call_1", "rain")))
    assert items(*said, **other) == [said_by("assistant", "I look."), plain, output("call_1", "rain")]
    kept: dict[Any, Any] = {}
    first = request(asked(said, encoded=kept)).body
    assert b"rs_1" not in request(asked(said, encoded=kept, **other)).body
    assert request(asked(said, encoded=kept)).body == first
    assert b"rs_1" in first


def test_data_of_another_protocol_under_the_same_names_is_nothing_to_go_by() -> None:
    odd: list[dict[str, Any]] = [
        {"signature": "S"},
        {"item": "x"},
        {"item": {"type": 5}},
        {"item": {"type": "reasoning"}},
    ]
    for data in odd:
        found = [
            Reasoning(content="a", provider_data={**ISSUER, **data}),
            Text(content="b", provider_data={**ISSUER, **data}),
        ]
        assert items(turn("a", *found)) == [said_by("assistant", "b")]


@pytest.mark.requirement("B25")
@pytest.mark.parametrize("edited", ["", "Both at once", "[hidden]"])
def test_reasoning_that_was_edited_does_not_go_back_and_what_it_led_to_is_not_known_again(edited: str) -> None:
    answer = answered(RS_1, FC_1)
    thought, *rest = answer.artifacts
    changed = turn("a", msgspec.structs.replace(thought, content=edited), *rest)
    plain = {name: value for name, value in FC_1.items() if name not in ("id", "status")}
    assert items(changed, turn("t", result("call_1"))) == [plain, output("call_1")]


@pytest.mark.parametrize("lost", [0, 1])
def test_reasoning_and_what_it_led_to_go_together_or_not_at_all(lost: int) -> None:
    """Whichever of them a transform took away."""
    answer = answered(RS_1, M_1, FC_1)
    left = [artifact for place, artifact in enumerate(answer.artifacts) if place != lost]
    first = [] if lost else [{**said_by("assistant", "I look."), "phase": "commentary"}]
    assert items(turn("a", *left), turn("t", result("call_1"))) == [*first, FC_1, output("call_1")]


def test_reasoning_that_led_to_nothing_is_not_sent() -> None:
    """An answer that was cut behind it."""
    assert items(turn("u", "Hi"), answered(RS_1), turn("u", "And?"))[1:] == [said_by("user", "And?")]
    cut = outcome(
        sse(created(), added(0, RS_1), done(0, RS_1), added(1, M_1), delta(1, "output_text", "I lo", content_index=0))
    )
    said = turn("a", *cut.artifacts, status=TurnStatus.INTERRUPTED)
    assert items(said) == [said_by("assistant", "I lo")]


def test_reasoning_that_was_not_encrypted_stays_here() -> None:
    """The vendor stores nothing, so it would not find it by its id."""
    bare = thinking("rs_1", "Hm.", encrypted=None)
    assert items(answered(bare, M_1)) == [{**said_by("assistant", "I look."), "phase": "commentary"}]


def test_a_server_that_does_not_encrypt_gets_reasoning_back_as_text() -> None:
    bare = {**thinking("rs_1", encrypted=""), "content": []}
    text = message("msg_1", "Hi")
    stream = sse(
        created(),
        added(None, bare),
        delta(None, "reasoning_text", "Hm.", item_id="rs_1"),
        added(None, {**text, "content": [], "status": "in_progress"}),
        delta(None, "output_text", "Hi", item_id="msg_1"),
        done(None, text),
        completed(),
    )
    answer = turn("a", *outcome(stream, dialect=COMPATIBLE).artifacts)
    thought = {"id": "rs_1", "type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}
    assert items(answer, dialect=COMPATIBLE) == [thought, sent(text)]


@pytest.mark.parametrize("id", ["capture-id-7", "rs_1", "msg_" + "x" * 61, "msg_a.b", ""])
def test_an_id_that_openai_would_refuse_is_left_out_and_others_get_it_back(id: str) -> None:
    text = message(id, "Hi")
    assert items(answered(text)) == [said_by("assistant", "Hi")]
    [found] = items(answered(text), dialect=COMPATIBLE)
    assert found.get("id", "") == id


def test_a_custom_tool_s_free_text_goes_back_as_it_was_and_its_result_beside_it() -> None:
    sql = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "sql", "input": "SELECT 1"}
    said = (answered(sql), turn("t", result("call_1", "1")))
    assert items(*said) == [sql, output("call_1", "1", "custom_tool_call_output")]
    plain = {"type": "function_call", "call_id": "call_1", "name": "sql", "arguments": "{}"}
    assert items(*said, model="gpt-4o") == [plain, output("call_1", "1")]


def test_what_the_vendor_ran_goes_back_whole_and_in_its_place() -> None:
    """Fields that nobody here knows as well."""
    new = {"type": "time_travel_call", "id": "tt_1", "years": [1, {"b": None, "a": 2.0}]}
    text = message("msg_2", "1998.")
    assert items(answered(M_1, SEARCH, text, RS_1, new)) == [sent(M_1), SEARCH, sent(text), RS_1, new]


def test_what_the_vendor_ran_goes_only_with_its_reasoning_and_its_other_half() -> None:
    answer = answered(RS_1, SEARCH, M_1)
    assert items(turn("a", *answer.artifacts[1:])) == [sent(M_1)]
    shell: dict[str, Any] = {"type": "shell_call", "id": "sh_1", "call_id": "call_9", "action": {"commands": ["ls"]}}
    done_: dict[str, Any] = {"type": "shell_call_output", "id": "sho_1", "call_id": "call_9", "output": []}
    assert items(answered(shell, done_, M_1)) == [shell, done_, sent(M_1)]
    assert items(answered(shell, M_1)) == items(answered(done_, M_1)) == [sent(M_1)]


def test_an_image_that_the_vendor_made_goes_back_with_its_bytes() -> None:
    """Without them, its item is nothing that it would take; another model is shown the image."""
    data = b"\x89PNG\r\n\x1a\n cat"
    encoded = base64.b64encode(data).decode()
    made = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": encoded}
    answer = answered(RS_1, made, M_1)
    assert items(answer) == [RS_1, made, sent(M_1)]
    assert items(reloaded(answer)) == [RS_1, made, sent(M_1)]
    without = [artifact for artifact in answer.artifacts if not isinstance(artifact, Image)]
    assert items(turn("a", *without)) == [sent(M_1)]
    shown = {"type": "input_image", "image_url": f"data:image/png;base64,{encoded}"}
    plain = {**said_by("assistant", "I look.")}
    assert items(answer, model="gpt-4o") == [plain, {"type": "message", "role": "user", "content": [shown]}]


def test_parts_of_one_message_are_one_item_again_citations_and_refusals_too() -> None:
    cited = [{"type": "url_citation", "url": "https://example.org", "title": "t", "start_index": 0, "end_index": 2}]
    text = message("msg_1", "Hi", "Ho")
    text["content"][1]["annotations"] = cited
    text["content"].append({"type": "refusal", "refusal": "No more."})
    parts = [
        {"type": "output_text", "text": "Hi", "annotations": []},
        {"type": "output_text", "text": "Ho", "annotations": cited},
        {"type": "refusal", "refusal": "No more."},
    ]
    assert items(answered(text)) == [{**text, "content": parts}]


def test_a_call_whose_arguments_cannot_be_sent_as_they_are_is_not_known_again() -> None:
    """The vendor compares what it issued."""
    broken = function_call("fc_1", "call_1", "weather", '{"city": "Po')
    plain = {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"}
    assert items(answered(RS_1, broken), turn("t", result("call_1"))) == [plain, output("call_1")]
    assert items(turn("a", call("call_1", "no such.tool")), turn("t", result("call_1")))[0]["name"].startswith(
        "no_such"
    )


def test_what_a_vendor_adds_to_a_call_comes_back() -> None:
    caller = {"type": "program", "caller_id": "prog_1"}
    found = function_call("fc_1", "call_1", "weather", "{}", caller=caller, namespace="n")
    program = {"type": "program", "id": "prog_1", "code": "await weather()"}
    assert items(answered(program, found), turn("t", result("call_1")))[:2] == [program, found]


def test_what_other_vendors_left_is_passed_over() -> None:
    foreign: list[Artifact] = [
        Reasoning(content="Hm.", provider_data={"provider": "anthropic", "model": "claude", "signature": "S"}),
        ServerTool(name="web_search", provider_data={"provider": "anthropic", "model": "claude", "block": {}}),
        Text(content="Hi", provider_data={"provider": "google", "model": "g", "signature": "S"}),
        ToolCall(id="toolu_1", name="get", arguments="{}", provider_data={"provider": "google", "model": "g"}),
    ]
    plain = {"type": "function_call", "call_id": "toolu_1", "name": "get", "arguments": "{}"}
    assert items(turn("a", *foreign), turn("t", result("toolu_1"))) == [
        said_by("assistant", "Hi"),
        plain,
        output("toolu_1"),
    ]
