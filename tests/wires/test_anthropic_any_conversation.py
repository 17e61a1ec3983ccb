"""Whatever turns there are, the vendor takes the request, and it is the same whatever was encoded before."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ore.artifact import Artifact, Image, Reasoning, ServerTool, Text, ToolCall, ToolResult
from ore.errors import BadRequestError
from ore.ext.wires.anthropic import AnthropicMessages
from ore.ext.wires.wire import Ask
from ore.ledger import Role, Turn, TurnStatus
from ore.models import Spec, ThinkingLevel
from ore.testing.shapes import check_anthropic
from strategies import turns as any_turns
from wires.anthropic_answer import ISSUER, MODEL, PROVIDER, signed_data

MODELS = st.sampled_from([MODEL, "claude-3-5-haiku-latest", "claude-opus-4-6", "claude-opus-4-8", "claude-opus-5", "x"])
LEVELS = st.sampled_from([None, *ThinkingLevel])

WORDS = st.sampled_from(["", " ", "\n", "a", "b ", " é\ud800", "<system>"])
IDS = st.sampled_from(["", "0", "0", "c1", "a.b", "toolu_0123456789abcdef"])
SIGNED = st.builds(
    lambda text, edited, issuer: Reasoning(
        content=edited or text, provider_data={**signed_data(text, f"S{text}"), **issuer}
    ),
    st.sampled_from(["", "hm"]),
    st.sampled_from(["", "edited"]),
    st.sampled_from([{}, {"model": "other"}, {"provider": "other"}]),
)
SERVER: list[dict[str, Any]] = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
]
PIECES: st.SearchStrategy[Artifact] = st.one_of(
    st.builds(Text, content=WORDS),
    st.builds(
        ToolCall, id=IDS, name=st.sampled_from(["get", "", "no such"]), arguments=st.sampled_from(["", "{}", "["])
    ),
    st.builds(ToolResult, tool_call_id=IDS, content=WORDS, is_error=st.booleans()),
    SIGNED,
    st.just(Reasoning(content="", provider_data={**ISSUER, "redacted": "R"})),
    st.sampled_from(SERVER).map(lambda block: ServerTool(name="s", provider_data={**ISSUER, "block": block})),
    st.sampled_from([Image(data=b"\x89PNG\r\n\x1a\n"), Image(data=b""), Image(url="https://h/i.png")]),
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Turn]:
    """Turns of any role with what models, tools and vendors leave behind; calls and results mostly do not fit."""
    made = draw(st.lists(st.tuples(st.sampled_from(Role), st.lists(PIECES, max_size=4)), max_size=8))
    status = st.sampled_from(TurnStatus)
    return [
        Turn(
            id=f"{place:016x}",
            role=role,
            artifacts=tuple(piece for piece in pieces if isinstance(piece, ToolCall) <= (role is Role.ASSISTANT)),
            status=draw(status),
        )
        for place, (role, pieces) in enumerate(made)
    ]


def built(turns: list[Turn], spec: Spec, kept: dict[Any, Any]) -> bytes | None:
    """The body; `None` when there is nothing to say."""
    ask = Ask(turns=turns, spec=spec, provider=PROVIDER, lenient=True, encoded=kept)
    try:
        return AnthropicMessages().request(ask).body
    except BadRequestError:
        return None


def judged(turns: list[Turn], spec: Spec) -> list[dict[str, Any]]:
    """The messages, once the vendor has taken them; `[]` when there are none."""
    found = built(turns, spec, {})
    if found is None:
        return []
    check_anthropic(found, issued={"Shm": "hm", "S": "", "R": ""})
    messages: list[dict[str, Any]] = json.loads(found)["messages"]
    assert all(one["role"] != other["role"] for one, other in pairwise(messages))
    return messages


def paused(turns: list[Turn]) -> bool:
    """Whether they end in the middle of the vendor's own tools, which the judge does not know of."""
    last = [turn for turn in turns if turn.artifacts]
    return bool(last) and last[-1].role is Role.ASSISTANT and any(isinstance(a, ServerTool) for a in last[-1].artifacts)


@given(conversations(), MODELS, LEVELS)
def test_the_vendor_takes_every_conversation(turns: list[Turn], model: str, level: ThinkingLevel | None) -> None:
    said = turns if not paused(turns) else [*turns, Turn(id="u", role=Role.USER, artifacts=(Text(content="u"),))]
    judged(said, Spec(name=model, thinking_level=level))


@settings(max_examples=40)
@given(st.lists(any_turns(), max_size=8), MODELS)
def test_the_vendor_takes_turns_with_any_artifacts(given: list[Turn], model: str) -> None:
    turns = [
        Turn(id=f"{place:x}", role=turn.role, artifacts=turn.artifacts, status=turn.status)
        for place, turn in enumerate(given)
        if turn.role is Role.ASSISTANT or not turn.calls
    ]
    judged(turns, Spec(name=model))


@given(conversations(), st.lists(st.tuples(st.integers(0, 8), MODELS, LEVELS), max_size=6))
def test_what_was_encoded_before_changes_no_byte(
    turns: list[Turn], asks: list[tuple[int, str, ThinkingLevel | None]]
) -> None:
    kept: dict[Any, Any] = {}
    for count, model, level in asks:
        spec = Spec(name=model, thinking_level=level)
        assert built(turns[:count], spec, kept) == built(turns[:count], spec, {})
