"""Turns as the `input` of a request.

- System turns in front of all others are the `instructions`, joined by empty
  lines; those with more than text in them, and later ones, keep their place as
  messages of the dialect's system role.
- Adjacent turns of the user are one message.
- The outputs of calls stand right behind the answer with the calls, in their
  order. A call without a result gets one that says so; a result without its
  call is text of the user.
- Images and files in an answer that the vendor's own items do not hold are shown
  to the model in a message of the user, since an answer cannot hold any.
- In the place of images, files and sounds that cannot be taken stands a text.
"""

from collections.abc import Sequence
from typing import Any

from ore.artifact import ToolResult, to_json
from ore.ext.wires.answered import answered
from ore.ext.wires.openai_responses.answers import AnswerItems
from ore.ext.wires.openai_responses.content import asked_parts, result_output, text_part, words_of
from ore.ext.wires.openai_responses.issued import Form
from ore.ledger import Role, Turn

__all__ = ["encode_unit", "goes_on", "head_of", "instructions"]

Item = dict[str, Any]


def goes_on(before: Turn, turn: Turn) -> bool:
    """Whether a turn belongs to the unit of the one before it: users' turns, or an answer and its results."""
    match turn.role:
        case Role.TOOL:
            return True
        case Role.SYSTEM:  # results may still follow it
            return before.role is not Role.USER
        case Role.USER:
            return before.role is Role.USER
        case _:
            return False


def head_of(turns: Sequence[Turn]) -> int:
    """How many turns in front are instructions."""
    for place, turn in enumerate(turns):
        if turn.role is not Role.SYSTEM or not all(words_of(artifact) for artifact in turn.artifacts):
            return place
    return len(turns)


def instructions(turns: Sequence[Turn]) -> str:
    """What system turns in front say."""
    return "\n\n".join(words_of(artifact) for turn in turns for artifact in turn.artifacts)


def encode_unit(unit: Sequence[Turn], form: Form) -> bytes:
    """The items of a unit, joined by commas; empty when nothing of it can be sent."""
    items = _items(unit, form)
    return to_json(items)[1:-1] if items else b""


def _items(unit: Sequence[Turn], form: Form) -> list[Item]:
    items: list[Item] = []
    beside: list[Item] = []
    calls: list[tuple[Any, str]] = []
    for turn in unit:
        if turn.role is Role.ASSISTANT:
            answer = AnswerItems(turn, form)
            items += answer.items
            calls = answer.calls
            beside += asked_parts(answer.shown, form.dialect)
    results = [artifact for turn in unit if turn.role is Role.TOOL for artifact in turn.artifacts]
    paired = answered([call for call, _ in calls], [result for result in results if isinstance(result, ToolResult)])
    for (call, kind), result in zip(calls, paired.results, strict=True):
        items.append({"type": kind, "call_id": call.id, "output": result_output(result, form.dialect)})
    beside += asked_parts([artifact for artifact in results if not isinstance(artifact, ToolResult)], form.dialect)
    beside += [text_part(f"A result without its call: {result.content}") for result in paired.others]
    asked = [artifact for turn in unit if turn.role is Role.USER for artifact in turn.artifacts]
    items += _message("user", [*asked_parts(asked, form.dialect), *beside])
    for turn in unit:
        if turn.role is Role.SYSTEM:
            items += _message(form.dialect.system_role, asked_parts(turn.artifacts, form.dialect))
    return items


def _message(role: str, parts: list[Item]) -> list[Item]:
    return [{"type": "message", "role": role, "content": parts}] if parts else []
