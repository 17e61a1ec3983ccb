"""Whatever an answer held and whoever gave it, the vendor takes the conversation that goes on from it."""

import base64
import json
from collections.abc import Mapping
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ore.artifact import Artifact, Text, ToolCall, ToolResult
from ore.errors import BadRequestError
from ore.ext.wires.anthropic import AnthropicMessages
from ore.ext.wires.gemini import Gemini
from ore.ext.wires.openai_chat import OpenAIChat
from ore.ext.wires.openai_responses import AZURE, COMPATIBLE, OpenAIResponses
from ore.ext.wires.wire import Ask, Wire
from ore.ledger import Role, Turn, TurnStatus, decode_turn, encode_turn
from ore.models import Spec
from ore.testing.shapes import check_openai_responses
from strategies import turns as any_turns
from wires.corpus import Transcript, an_ask, decode, recordings
from wires.responses_answer import (
    ISSUER,
    MODEL,
    PROVIDER,
    added,
    completed,
    created,
    delta,
    done,
    function_call,
    incomplete,
    message,
    outcome,
    sse,
    thinking,
)

WORDS = st.sampled_from(["", "a", "It rains.", "é👋", "\n\n"])
ARGUMENTS = st.sampled_from(["{}", '{"a": 1}', "", "[1]", '{"a'])
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n and so on").decode()


@st.composite
def items(draw: st.DrawFn, serial: str) -> dict[str, Any]:
    """One item of an answer, with an id that no other one has."""
    id = draw(st.sampled_from([f"_{serial}", f"_{serial}", f"_{serial}", f".{serial}"]))
    alien = draw(st.booleans()) and draw(st.booleans())
    match draw(st.integers(0, 6)):
        case 0 | 1:
            encrypted = draw(st.sampled_from(["gAAA", "gBBB", "", None]))
            summaries = draw(st.lists(WORDS, max_size=2))
            return thinking("item" + id if alien else "rs" + id, *summaries, encrypted=encrypted)
        case 2:
            phase = draw(st.sampled_from([{}, {"phase": "commentary"}]))
            return message("item" + id if alien else "msg" + id, *draw(st.lists(WORDS, max_size=2)), **phase)
        case 3:
            call_id = draw(st.sampled_from([f"call_{serial}", "search:1"]))
            return function_call("item" + id if alien else "fc" + id, call_id, "get", draw(ARGUMENTS))
        case 4:
            base = {"type": "custom_tool_call", "id": "ctc" + id, "call_id": f"call_{serial}", "name": "sql"}
            return {**base, "input": draw(WORDS), "status": "completed"}
        case 5:
            return {"type": "web_search_call", "id": f"ws{id}", "status": "completed", "action": {"type": "search"}}
        case _:
            return {"type": "image_generation_call", "id": f"ig{id}", "status": "completed", "result": PNG}


@st.composite
def answers(draw: st.DrawFn, serial: str) -> tuple[list[dict[str, Any]], Turn]:
    """An answer as the vendor gave it, whole or cut, and the turn that came of it."""
    came = [draw(items(f"{serial}{place}")) for place in range(draw(st.integers(0, 5)))]
    events = [event for place, item in enumerate(came) for event in (added(place, item), done(place, item))]
    end = draw(st.sampled_from(["whole", "whole", "cut", "broken"]))
    if end != "whole":
        half = draw(
            st.sampled_from([message(f"msg_{serial}h"), function_call(f"fc_{serial}h", f"call_{serial}h", "get", "")])
        )
        kind = "output_text" if half["type"] == "message" else "function_call_arguments"
        events += [added(len(came), half), delta(len(came), kind, '{"Half')]
    last = {"whole": [completed()], "cut": [incomplete("max_output_tokens")], "broken": []}[end]
    found = outcome(sse(created(), *events, *last))
    half_calls = end == "broken"
    kept = [
        artifact for artifact in found.artifacts if not (half_calls and getattr(artifact, "arguments", "") == '{"Half')
    ]
    status = TurnStatus.FAILED if end == "broken" else TurnStatus.COMPLETE
    return came, Turn(id=f"{serial:0>16}", role=Role.ASSISTANT, artifacts=tuple(kept), status=status)


def results_of(turn: Turn) -> Turn:
    made = tuple(ToolResult(tool_call_id=call.id, content=f"{place}") for place, call in enumerate(turn.calls))
    return Turn(id=f"t{turn.id}", role=Role.TOOL, artifacts=made)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[list[list[dict[str, Any]]], list[Turn]]:
    """What was answered, and turns with all of it, some of it transformed away or edited."""
    issued: list[list[dict[str, Any]]] = []
    turns = [Turn(id="u", role=Role.USER, artifacts=(Text(content="Hi"),))]
    for number in range(draw(st.integers(1, 3))):
        came, turn = draw(answers(f"{number}"))
        issued.append(came)
        match draw(st.integers(0, 5)):
            case 0 if turn.artifacts:
                lost = draw(st.integers(0, len(turn.artifacts) - 1))
                left = (*turn.artifacts[:lost], *turn.artifacts[lost + 1 :])
                turn = msgspec.structs.replace(turn, artifacts=left)
            case 1:
                turn = msgspec.structs.replace(turn, artifacts=tuple(map(edited, turn.artifacts)))
            case 2:
                turn = decode_turn(encode_turn(turn))
        turns += [turn, results_of(turn), Turn(id=f"u{number}", role=Role.USER, artifacts=(Text(content="Go on"),))]
    return issued, turns


def edited(artifact: Artifact) -> Artifact:
    return msgspec.structs.replace(artifact, content="edited") if hasattr(artifact, "content") else artifact


def built(
    turns: list[Turn], *, wire: OpenAIResponses | None = None, kept: dict[Any, Any] | None = None, **ask: Any
) -> bytes:
    names = {"provider": PROVIDER, "spec": Spec(name=MODEL), "lenient": True, **ask}
    encoded = {} if kept is None else kept
    return (wire or OpenAIResponses()).request(Ask(turns=turns, encoded=encoded, **names)).body


@given(conversations())
def test_the_vendor_takes_back_what_it_answered(found: tuple[list[list[dict[str, Any]]], list[Turn]]) -> None:
    """Unchanged under its ids, reasoning right before what it led to, every call with one output."""
    issued, turns = found
    kept: dict[Any, Any] = {}
    for length in range(1, len(turns) + 1, 3):
        body = built(turns[:length], kept=kept)
        check_openai_responses(body, issued=issued)
        assert body == built(turns[:length])


@given(conversations())
def test_another_model_takes_what_this_one_answered(found: tuple[list[list[dict[str, Any]]], list[Turn]]) -> None:
    """And nothing of it carries an id or anything encrypted."""
    _, turns = found
    for other in ({"provider": "azure"}, {"spec": Spec(name="gpt-4o")}):
        body = built(turns, **other)
        check_openai_responses(body)
        assert b"gAAA" not in body
        assert not any("id" in item for item in json.loads(body)["input"])


@given(conversations())
def test_other_servers_get_the_same_items_and_calls_in_the_same_order(
    found: tuple[list[list[dict[str, Any]]], list[Turn]],
) -> None:
    _, turns = found
    check_openai_responses(built(turns, wire=OpenAIResponses(AZURE)))
    calls = [item["call_id"] for item in json.loads(built(turns))["input"] if "call_id" in item]
    theirs = json.loads(built(turns, wire=OpenAIResponses(COMPATIBLE)))["input"]
    assert [item["call_id"] for item in theirs if "call_id" in item] == calls


FOREIGN = st.sampled_from([
    {"signature": "S"},
    {"redacted": "R"},
    {"block": {"type": "server_tool_use", "id": "srvtoolu_1"}},
    {"fields": {"caller": {}}},
    {"thought_signature": "T"},
    {"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]},
    {"field": "reasoning_content"},
    {"item": {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA"}},
    {"item": {"id": 5}},
])  # fmt: skip


@settings(max_examples=40)
@given(st.lists(any_turns(), max_size=6), FOREIGN, st.booleans())
def test_any_turns_are_taken_whoever_issued_what_is_in_them(
    turns: list[Turn], data: dict[str, Any], is_own: bool
) -> None:
    """Histories of other vendors, imports, and what no ledger would hold."""
    issuer = ISSUER if is_own else {"provider": "anthropic", "model": "claude-sonnet-4-5"}
    unique = [
        msgspec.structs.replace(
            turn,
            id=f"{place:016x}",
            artifacts=tuple(
                msgspec.structs.replace(artifact, provider_data={**issuer, **data})
                if place % 2 and hasattr(artifact, "provider_data")
                else artifact
                for artifact in turn.artifacts
            ),
        )
        for place, turn in enumerate(turns)
    ]
    kept: dict[Any, Any] = {}
    for length in range(len(unique) + 1):
        try:
            body = built(unique[:length], kept=kept)
        except BadRequestError:  # nothing in it can be sent
            continue
        check_openai_responses(body)
        assert body == built(unique[:length])


@given(st.lists(st.tuples(st.sampled_from(["c", "c", "d", "", "x" * 70]), ARGUMENTS), min_size=1, max_size=6))
def test_each_call_gets_its_own_result_whatever_their_ids(calls: list[tuple[str, str]]) -> None:
    turns = []
    for place in range(2):
        made = tuple(ToolCall(id=id, name="get", arguments=arguments) for id, arguments in calls)
        turns.append(Turn(id=f"{place}", role=Role.ASSISTANT, artifacts=made))
        turns.append(results_of(turns[-1]))
    found = json.loads(built(turns))["input"]
    ids = [item["call_id"] for item in found if item["type"] == "function_call"]
    assert len(set(ids)) == 2 * len(calls)
    outputs = [(item["call_id"], item["output"]) for item in found if item["type"] == "function_call_output"]
    assert outputs == list(zip(ids, [str(place) for place in range(len(calls))] * 2, strict=True))


OTHERS: Final[Mapping[str, Wire]] = {
    "anthropic": AnthropicMessages(),
    "gemini": Gemini(),
    "openai-chat": OpenAIChat(),
}


@pytest.mark.parametrize("transcript", [found for protocol in OTHERS for found in recordings(protocol)])
def test_a_conversation_that_another_vendor_began_goes_on_here(transcript: Transcript) -> None:
    """Also under names that its data might be mistaken for ours by."""
    wire = OTHERS[transcript.protocol]
    for provider in ("somebody", PROVIDER):
        ask = an_ask(provider=provider, model=MODEL)
        answer = decode(wire.decoder(ask), [transcript.body]).artifacts
        turn = Turn(id="a", role=Role.ASSISTANT, artifacts=tuple(answer))
        found = json.loads(built([*ask.turns, turn, results_of(turn)]))["input"]
        check_openai_responses(built([*ask.turns, turn, results_of(turn)]))
        assert [item["call_id"] for item in found if item["type"] == "function_call"] == [
            call.id for call in turn.calls
        ]
        assert not any("id" in item for item in found)
