"""`check_sendable`: whether every vendor would take a history, as far as turns can show it."""

from collections.abc import Iterable, Sequence

from ore.artifact import Reasoning, Text, ToolCall, ToolResult, encode
from ore.ledger import Role, Turn
from ore.tool import is_wire_name

__all__ = ["check_sendable"]


def check_sendable(turns: Iterable[Turn]) -> None:
    """Check an active path that is at rest against what Anthropic's and OpenAI's interfaces insist on.

    Every call has exactly one result before the next user or assistant turn,
    in call order, and no result comes without its call. Calls stand in
    assistant turns, results in tool turns. Within a turn the calls' ids are
    there and differ; names are legal on the wire. No text block is empty,
    unless it carries what its vendor wants back; no turn is without content.
    Every string is valid Unicode. Arguments may be any text: a wire sends `{}`
    for what is no JSON object.

    Raises:
        AssertionError: A vendor would refuse it; the message shows where.
    """
    path = list(turns)
    open_calls: list[ToolCall] = []
    for place, turn in enumerate(path):
        fault = _own_fault(turn) or _order_fault(turn, open_calls)
        if fault:
            raise AssertionError(f"turn {turn.id!r} is not sendable: {fault}\n{_story(path, place)}")
    if open_calls:
        raise AssertionError(f"calls without a result: {_names(open_calls)}\n{_story(path, len(path))}")


def _order_fault(turn: Turn, open_calls: list[ToolCall]) -> str | None:
    """What is wrong with its place; notes in `open_calls` what has to be answered behind it."""
    if turn.role is Role.SYSTEM:  # no part of the exchange
        return None
    if turn.role is not Role.TOOL:
        left = list(open_calls)
        open_calls[:] = turn.calls
        return f"it comes before the results of {_names(left)}" if left else None
    for result in _results(turn):
        if not open_calls:
            return f"the result of {result.tool_call_id!r} answers no call"
        call = open_calls.pop(0)
        if call.id != result.tool_call_id:
            return f"expected the result of {call.id!r} ({call.name}), got that of {result.tool_call_id!r}"
    return None


def _own_fault(turn: Turn) -> str | None:
    return _kind_fault(turn) or _call_fault(turn.calls) or _text_fault(turn)


def _kind_fault(turn: Turn) -> str | None:
    if turn.calls and turn.role is not Role.ASSISTANT:
        return f"a call in a {turn.role.value} turn"
    if _results(turn) and turn.role is not Role.TOOL:
        return f"a result in a {turn.role.value} turn"
    if turn.role is Role.TOOL and not _results(turn):
        return "a tool turn without a result"
    return None


def _call_fault(calls: Sequence[ToolCall]) -> str | None:
    ids = [call.id for call in calls]
    for call in calls:
        if not call.id or ids.count(call.id) > 1:
            return f"the id {call.id!r} of a call is empty or used twice"
        if not is_wire_name(call.name):
            return f"no vendor takes the tool name {call.name!r}"
    return None


def _text_fault(turn: Turn) -> str | None:
    for artifact in turn.artifacts:
        if isinstance(artifact, Text) and not artifact.content and artifact.provider_data is None:
            return "an empty text block"
        if not _is_unicode(artifact):
            return f"a lone surrogate in its {artifact.kind}"
    if turn.role in (Role.USER, Role.ASSISTANT) and not any(map(_is_content, turn.artifacts)):
        return "it has no content"
    return None


def _is_content(artifact: object) -> bool:
    if isinstance(artifact, Reasoning):
        return artifact.provider_data is not None
    return getattr(artifact, "kind", "") not in ("stop_reason", "usage")


def _is_unicode(artifact: object) -> bool:
    texts = [getattr(artifact, name, None) for name in ("content", "arguments", "id", "name", "tool_call_id")]
    try:
        "".join([text for text in texts if isinstance(text, str)]).encode()
    except UnicodeEncodeError:
        return False
    return True


def _results(turn: Turn) -> list[ToolResult]:
    return [artifact for artifact in turn.artifacts if isinstance(artifact, ToolResult)]


def _names(calls: Sequence[ToolCall]) -> str:
    return ", ".join(f"{call.id!r} ({call.name})" for call in calls)


def _story(path: Sequence[Turn], place: int) -> str:
    """The turns around the fault, for whoever has to find it."""
    shown = path[max(place - 4, 0) : place + 2]
    return "\n".join(
        f"  {turn.id:>16} {turn.role.value:<9} {turn.status.value:<11} {b' '.join(map(encode, turn.artifacts))[:240]!r}"
        for turn in shown
    )
