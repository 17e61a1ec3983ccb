"""Calls and results find each other, and nothing is sent that a vendor would refuse."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.artifact import ToolCall, ToolResult
from ore.ext.wires.answered import answered, arguments_object
from strategies import json_values, strings


def call(id: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(id=id, name="tool", arguments=arguments)


def result(id: str, content: str) -> ToolResult:
    return ToolResult(tool_call_id=id, content=content)


def test_results_come_in_the_order_of_the_calls() -> None:
    one, two = result("a", "1"), result("b", "2")
    assert answered([call("a"), call("b")], [two, one]).results == [one, two]


def test_results_of_ids_that_repeat_pair_by_their_places() -> None:
    one, two = result("a", "1"), result("a", "2")
    assert answered([call("a"), call("a")], [one, two]).results == [one, two]


def test_a_call_without_a_result_gets_one_that_says_so_and_a_result_without_a_call_is_kept_apart() -> None:
    other = result("b", "2")
    found = answered([call("a")], [other])
    assert [(one.tool_call_id, one.is_error) for one in found.results] == [("a", True)]
    assert found.others == [other]


@settings(max_examples=40)
@given(st.dictionaries(st.text(), json_values()))
def test_arguments_that_are_an_object_go_as_they_stand(value: dict[str, object]) -> None:
    text = json.dumps(value, indent=1)
    assert bytes(arguments_object(call("a", text))).decode() == text


@pytest.mark.parametrize("text", ["", "[1]", '{"a": 1', '{"a": 1} x', "null", "{" * 100_000, '{"a":' * 100_000])
def test_arguments_that_are_none_are_an_empty_object(text: str) -> None:
    assert bytes(arguments_object(call("a", text))) == b"{}"


@given(strings())
def test_whatever_the_arguments_are_an_object_goes_out(text: str) -> None:
    for arguments in (text, json.dumps({"a": text})):
        assert isinstance(msgspec.json.decode(bytes(arguments_object(call("a", arguments)))), dict)
