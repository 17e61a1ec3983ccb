"""Conversations with parallel calls, and what vendors say of what a model is shown of them."""

from collections.abc import Sequence
from typing import Any

from ore.artifact import Artifact, Reasoning, ResultStatus, StopReason, Text, ToolCall, ToolResult
from ore.ext.wires.anthropic import AnthropicMessages
from ore.ext.wires.openai_chat import OPENAI, OpenAIChat
from ore.ext.wires.openai_responses import OPENAI as RESPONSES
from ore.ext.wires.openai_responses import OpenAIResponses
from ore.ext.wires.wire import Ask
from ore.ledger import Role, State, Thread, Turn
from ore.models import Spec
from ore.provider import WithTools
from ore.testing import check_anthropic, check_openai_chat, check_openai_responses
from ore.testing.sendable import check_sendable
from ore.tool import tool

ISSUED = {f"c2lnbmVk{n:04}": f"hm {n}" for n in range(40)}
"""What the vendor signed, by the signatures."""


def look(place: str) -> str:
    """Look somewhere."""
    return place


LOOK = tool(look, read_only=True)


def call(id: str, place: str = "here") -> ToolCall:
    return ToolCall(id=id, name="look", arguments=f'{{"place": "{place}"}}')


def result(id: str, content: str = "nothing", *, status: ResultStatus = ResultStatus.OK) -> ToolResult:
    return ToolResult(tool_call_id=id, content=content, is_error=status is not ResultStatus.OK, status=status)


def says(*artifacts: str | Artifact) -> tuple[Artifact, ...]:
    return tuple(Text(content=one) if isinstance(one, str) else one for one in artifacts)


def conversation(rounds: int = 3, *, long: int = 0) -> Thread:
    """Users' messages, each answered behind rounds of parallel calls; results in one turn, or a turn each.

    Args:
        rounds: How many messages.
        long: Characters of each result.
    """
    thread = Thread()
    for n, (signature, thought) in zip(range(rounds), ISSUED.items(), strict=False):
        thread.add(Role.USER, *says(f"question {n}"))
        signed = {"provider": "anthropic", "model": "claude-opus-4-5", "signature": signature}
        thinks = Reasoning(content=thought, provider_data=signed)
        thread.add(Role.ASSISTANT, thinks, *says(f"let me look {n}", call(f"a{n}"), call(f"b{n}")))
        thread.add(Role.TOOL, result(f"a{n}", "x" * long or "one"), result(f"b{n}", status=ResultStatus.ERROR))
        thread.add(Role.ASSISTANT, call(f"c{n}"), call(f"d{n}"))
        thread.add(Role.TOOL, result(f"c{n}", "y" * long or "two"))
        thread.add(Role.TOOL, result(f"d{n}"))
        thread.add(Role.ASSISTANT, *says(f"answer {n}"), StopReason(reason="stop"))
    return thread


def ask(turns: Sequence[Turn], provider: str, model: str, **more: Any) -> Ask:
    return Ask(turns=turns, spec=Spec(name=model, **more), options=(WithTools((LOOK,)),), provider=provider)


def check_vendors(turns: Sequence[Turn]) -> None:
    """Check what each vendor would be sent, through the wire itself.

    Raises:
        AssertionError: One of them would answer 400.
    """
    check_sendable(turns)
    claude = ask(turns, "anthropic", "claude-opus-4-5", max_output_tokens=2_000)
    check_anthropic(AnthropicMessages().request(claude).body, issued=ISSUED)
    check_openai_chat(OpenAIChat(OPENAI).request(ask(turns, "openai", "gpt-5")).body)
    check_openai_responses(OpenAIResponses(RESPONSES).request(ask(turns, "openai", "gpt-5")).body)


def texts(state: State | Sequence[Turn]) -> list[str]:
    """What is said in each turn, in words."""
    turns = state if isinstance(state, Sequence) else state.turns
    return [" ".join(_word(artifact) for artifact in turn.artifacts if _word(artifact)) for turn in turns]


def _word(artifact: Artifact) -> str:
    if isinstance(artifact, ToolCall):
        return f"→{artifact.id}"
    if isinstance(artifact, ToolResult):
        return f"←{artifact.tool_call_id}"
    return artifact.content if isinstance(artifact, Text) else ""
