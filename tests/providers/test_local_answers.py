"""What the local provider makes of a conversation and of an answer, on an engine that plays chunks."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from local_engine import ScriptedEngine, pieces, scripted
from ore.artifact import (
    Artifact,
    Blocks,
    Image,
    Notice,
    Reasoning,
    ReasoningDelta,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)
from ore.errors import BadRequestError, OverloadedError, ProtocolError, ProviderError, UnsupportedError
from ore.ledger import Buffer, Role
from ore.models import Spec, ThinkingLevel
from ore.provider import MaxTokensOption, Option, OutputOption, WithTools
from ore.testing.contracts.provider import Answer
from ore.tool import Example, Tool, ToolContext, Traits

USAGE = Usage(prompt_tokens=7, completion_tokens=3, total_tokens=10, cache_read_tokens=2, cost_usd=Decimal(0))


class Body:
    """A tool that is offered and never run."""

    blocking = False

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema

    def parse(self, arguments: str) -> Mapping[str, Any]:
        raise NotImplementedError

    def call(self, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
        raise NotImplementedError


CALCULATOR = Tool(
    name="calculator",
    description="Evaluates.",
    body=Body({"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}),
    traits=Traits(examples=(Example(input={"expression": "1+1"}),)),
)
TOOLS = WithTools((CALCULATOR,))
PERSON = OutputOption("person", {"type": "object", "properties": {"name": {"type": "string"}}})


def asked(text: str = "Hi.") -> Buffer:
    state = Buffer()
    state.add(Role.USER, Text(content=text))
    return state


async def artifacts_of(
    folder: Path, engine: ScriptedEngine, *options: Option, state: Buffer | None = None, spec: Mapping[str, Any] = {}
) -> Sequence[Artifact]:
    """What the answer folds into."""
    provider, model = scripted(folder, engine)
    blocks = Blocks("turn", lambda artifact, block: None)
    async with (
        asyncio.timeout(5),
        aclosing(provider.invoke(state or asked(), Spec(name=model, **spec), *options)) as batches,
    ):
        async for batch in batches:
            for artifact in batch:
                blocks.add(artifact)
    return blocks.close()


async def request_for(folder: Path, *options: Option, state: Buffer | None = None, **spec: Any) -> Mapping[str, Any]:
    """What the engine is asked."""
    engine = ScriptedEngine(Answer(text=("{}",)))
    await artifacts_of(folder, engine, *options, state=state, spec=spec)
    return engine.requests[0]


# ── Answers ──────────────────────────────────────────────────────────────────


@pytest.mark.slow
@given(text=st.text(), quote=st.sampled_from([True, False]), size=st.integers(1, 9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_however_an_answer_beside_tools_is_cut_its_text_is_the_same(
    tmp_path: Path, text: str, quote: bool, size: int
) -> None:
    answer = json.dumps({"answer": text}, ensure_ascii=quote, indent=size)
    engine = ScriptedEngine(Answer(text=pieces(answer, size)))
    expected = [Text(content=text)] if text else []
    assert list(asyncio.run(artifacts_of(tmp_path, engine, TOOLS))) == [*expected, StopReason(reason="stop"), USAGE]


async def test_half_a_surrogate_pair_in_an_answer_beside_tools_is_replaced(tmp_path: Path) -> None:
    engine = ScriptedEngine(Answer(text=pieces(r'{"answer": "a\ud83d b\udc00"}', 3)))
    expected = [Text(content="a\ufffd b\ufffd"), StopReason(reason="stop"), USAGE]
    assert list(await artifacts_of(tmp_path, engine, TOOLS)) == expected


SCALARS = st.none() | st.booleans() | st.integers() | st.text()
OBJECTS = st.dictionaries(
    st.text(), st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)), max_size=4
)


@pytest.mark.slow
@given(arguments=OBJECTS, size=st.integers(1, 9), indent=st.sampled_from([None, 2]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_however_a_call_is_cut_its_arguments_are_those_the_model_wrote(
    tmp_path: Path, arguments: dict[str, Any], size: int, indent: int | None
) -> None:
    written = json.dumps({"name": "calculator", "arguments": arguments}, indent=indent)
    engine = ScriptedEngine(Answer(text=pieces(written, size)))
    call, reason, usage = asyncio.run(artifacts_of(tmp_path, engine, TOOLS))
    assert isinstance(call, ToolCall)
    assert (call.name, json.loads(call.arguments)) == ("calculator", arguments)
    assert (reason, usage) == (StopReason(reason="tool_use"), USAGE)


async def test_beside_tools_typed_output_comes_as_the_json_that_the_model_wrote(tmp_path: Path) -> None:
    engine = ScriptedEngine(Answer(text=pieces('{ "answer" : {"name": "A}"} \n}')))
    assert await artifacts_of(tmp_path, engine, TOOLS, PERSON) == (
        Text(content='{"name": "A}"}'),
        StopReason(reason="stop"),
        USAGE,
    )


async def test_a_call_that_the_output_limit_cut_stays_half(tmp_path: Path) -> None:
    engine = ScriptedEngine(
        Answer(text=pieces('{"name": "calculator", "arguments": {"expression": "1+'), reason="length")
    )
    call, reason, _ = await artifacts_of(tmp_path, engine, TOOLS)
    assert isinstance(call, ToolCall)
    assert (call.arguments, reason) == ('{"expression": "1+', StopReason(reason="length"))


async def test_an_answer_that_was_cut_before_it_began_has_no_text(tmp_path: Path) -> None:
    engine = ScriptedEngine(Answer(text=("```json\n",), reason="length"))
    assert await artifacts_of(tmp_path, engine, TOOLS) == (StopReason(reason="length"), USAGE)


async def test_the_thinking_of_a_file_that_thinks_is_reasoning(tmp_path: Path) -> None:
    chunks: list[Mapping[str, Any]] = [
        {"choices": [{"delta": {"reasoning_content": "Hm."}}]},
        {"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]},
    ]
    assert await artifacts_of(tmp_path, ScriptedEngine(chunks)) == (
        ReasoningDelta.assemble([ReasoningDelta(content="Hm.")]),
        Text(content="Yes."),
        StopReason(reason="stop"),
    )


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ([{"error": {"code": 400, "message": "no", "type": "invalid_request_error"}}], BadRequestError),
        ([{"error": {"code": 503, "message": "later", "type": "unavailable_error"}}], OverloadedError),
        ([{"error": {"code": 500, "message": "oh", "type": "server_error"}}], ProviderError),
        ([{"choices": 1}], ProtocolError),
        ([], ProtocolError),
        (ValueError("'messages' is required"), BadRequestError),
        (RuntimeError("parse error; last read: 'my secret prompt'"), BadRequestError),
    ],
)
async def test_whatever_the_engine_refuses_is_a_provider_error(
    tmp_path: Path, script: Any, error: type[ProviderError]
) -> None:
    with pytest.raises(ProviderError) as caught:
        await artifacts_of(tmp_path, ScriptedEngine(script))
    assert (type(caught.value), caught.value.provider) == (error, "local")
    assert "secret" not in str(caught.value)


# ── Requests ─────────────────────────────────────────────────────────────────


async def test_without_opinions_a_small_model_gets_a_low_temperature_and_a_limit(tmp_path: Path) -> None:
    assert await request_for(tmp_path) == {
        "messages": [{"role": "user", "content": "Hi."}],
        "max_tokens": 512,
        "temperature": 0.2,
        "top_p": 0.9,
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
    }


async def test_what_a_spec_says_is_sent(tmp_path: Path) -> None:
    spec: dict[str, Any] = {
        "max_output_tokens": 9,
        "temperature": 0.0,
        "top_p": 0.5,
        "top_k": 3,
        "seed": 4,
        "frequency_penalty": 0.1,
        "presence_penalty": 0.2,
    }
    request = await request_for(tmp_path, stop_sequences=("END",), thinking_level=ThinkingLevel.OFF, **spec)
    sent = {"max_tokens" if name == "max_output_tokens" else name: value for name, value in spec.items()}
    assert {name: request[name] for name in (*sent, "stop")} == {**sent, "stop": ["END"]}


async def test_a_limit_of_the_call_beats_that_of_the_spec(tmp_path: Path) -> None:
    assert (await request_for(tmp_path, MaxTokensOption(5), max_output_tokens=9))["max_tokens"] == 5


async def test_thinking_cannot_be_had_and_the_error_names_the_field(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError) as caught:
        await request_for(tmp_path, thinking_level=ThinkingLevel.HIGH)
    assert caught.value.field == "thinking_level"


async def test_a_lenient_provider_says_what_it_left_out_and_answers(tmp_path: Path) -> None:
    provider, model = scripted(tmp_path, ScriptedEngine(Answer()), lenient=True)
    spec = Spec(name=model, thinking_level=ThinkingLevel.HIGH)
    async with asyncio.timeout(5), aclosing(provider.invoke(asked(), spec)) as batches:
        kinds = [type(artifact) async for batch in batches for artifact in batch]
    assert kinds == [Notice, StopReason, Usage]


async def test_a_conversation_becomes_one_system_message_and_turns_that_alternate(tmp_path: Path) -> None:
    state = Buffer()
    state.add(Role.SYSTEM, Text(content="Be brief."))
    state.add(Role.USER, Text(content="One"), Image(url="http://localhost/a.png"))
    state.add(Role.USER, Text(content="and\ud800 two"), Unknown(name="x_poll", raw=b"{}"))
    state.add(Role.ASSISTANT, Reasoning(content="Hm."), Text(content="Three."), StopReason(reason="stop"), Usage())
    state.add(Role.ASSISTANT, Reasoning(content="Only thought."))
    state.add(Role.SYSTEM, Text(content="Be kind."))
    state.add(Role.USER, Text(content="Four?"))
    assert (await request_for(tmp_path, state=state))["messages"] == [
        {"role": "system", "content": "Be brief.\n\nBe kind."},
        {"role": "user", "content": "One\n\nand\ufffd two"},
        {"role": "assistant", "content": "Three."},
        {"role": "user", "content": "Four?"},
    ]


def called(*arguments: str) -> Buffer:
    """A conversation in which the calculator was called, once for each of the arguments."""
    state = asked("6*7?")
    for number, text in enumerate(arguments):
        state.add(
            Role.ASSISTANT, Text(content="Let me see."), ToolCall(id=f"c{number}", name="calculator", arguments=text)
        )
        state.add(Role.TOOL, ToolResult(tool_call_id=f"c{number}", content="42", is_error=number > 0))
    return state


async def test_calls_and_results_are_text_to_a_template_that_knows_no_tools(tmp_path: Path) -> None:
    request = await request_for(tmp_path, state=called('{"expression":"6*7"}', "6*"))
    assert request["messages"] == [
        {"role": "user", "content": "6*7?"},
        {"role": "assistant", "content": 'Let me see.\n\n{"name": "calculator", "arguments": {"expression":"6*7"}}'},
        {"role": "user", "content": "Result of calculator: 42"},
        {"role": "assistant", "content": 'Let me see.\n\n{"name": "calculator", "arguments": {}}'},
        {"role": "user", "content": "Error of calculator: 42"},
    ]


async def test_with_tools_the_model_is_told_of_them_and_may_call_or_answer(tmp_path: Path) -> None:
    request = await request_for(tmp_path, TOOLS)
    assert request["messages"][0] == {
        "role": "system",
        "content": "You are a helpful assistant with tools.\n"
        'calculator: Evaluates. Arguments: {"expression":{"type":"string"}}\n'
        'Example: {"name": "calculator", "arguments": {"expression":"1+1"}}\n'
        'Answer with JSON. Either call a tool: {"name": TOOL, "arguments": ARGUMENTS}, '
        'or give your answer: {"answer": TEXT}.',
    }
    assert request["response_format"]["json_schema"]["schema"] == {
        "anyOf": [
            {
                "type": "object",
                "properties": {"name": {"const": "calculator"}, "arguments": {"$ref": "#/$defs/calculator"}},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            },
            ANSWER,
        ],
        "$defs": {
            "calculator": {
                "type": "object",
                "properties": {"expression": {"type": "string"}},
                "required": ["expression"],
                "additionalProperties": False,
            }
        },
    }


ANSWER = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}


async def test_once_a_call_was_repeated_only_an_answer_can_follow(tmp_path: Path) -> None:
    once = await request_for(tmp_path, TOOLS, state=called('{"expression":"6*7"}'))
    twice = await request_for(tmp_path, TOOLS, state=called('{"expression":"6*7"}', '{"expression":"6*7"}'))
    assert len(once["response_format"]["json_schema"]["schema"]["anyOf"]) == 2
    assert twice["response_format"]["json_schema"]["schema"]["anyOf"] == [ANSWER]


async def test_a_new_message_may_repeat_an_earlier_call(tmp_path: Path) -> None:
    state = called('{"expression":"6*7"}', '{"expression":"6*7"}')
    state.add(Role.USER, Text(content="Again!"))
    request = await request_for(tmp_path, TOOLS, state=state)
    assert len(request["response_format"]["json_schema"]["schema"]["anyOf"]) == 2


async def test_references_of_a_tool_lead_into_that_tool_even_when_it_contains_itself(tmp_path: Path) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "any": True, "$ref": {"pattern": "x"}}}
    tool = Tool(
        name="walk", description="", body=Body({"type": "object", "$defs": {"Node": node}, "$ref": "#/$defs/Node"})
    )
    request = await request_for(tmp_path, WithTools((tool,)))
    assert request["response_format"]["json_schema"]["schema"]["$defs"] == {
        "walk": {
            "type": "object",
            "$defs": {
                "Node": {
                    "type": "object",
                    "properties": {"next": {"$ref": "#/$defs/walk/$defs/Node"}, "any": {}, "$ref": {}},
                    "additionalProperties": False,
                }
            },
            "$ref": "#/$defs/walk/$defs/Node",
        }
    }


async def test_typed_output_alone_is_decoded_by_its_own_schema(tmp_path: Path) -> None:
    request = await request_for(tmp_path, PERSON)
    assert request["response_format"] == {
        "type": "json_schema",
        "json_schema": {"schema": {**PERSON.schema, "additionalProperties": False}},
    }


async def test_a_conversation_without_a_word_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequestError):
        await request_for(tmp_path, state=Buffer())
