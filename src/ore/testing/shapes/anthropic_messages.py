"""The messages of an Anthropic request: roles, blocks, and calls with their results."""

from collections.abc import Sequence
from typing import Final

from ore.testing.shapes.anthropic_blocks import check_block, check_text
from ore.testing.shapes.at import At
from ore.testing.shapes.claude_models import takes_prefill, takes_system_messages

__all__ = ["check_conversation", "check_text"]

_SERVER_CALLS: Final = ("server_tool_use", "mcp_tool_use")


def check_conversation(at: At, model: str) -> None:
    """Check messages, each alone and in their order.

    Raises:
        ShapeError: One is none, or calls and results are not paired.
    """
    messages = at.items(least=1)
    for place, message in enumerate(messages):
        message.object()
        message.key("role").one_of("user", "assistant", "system")
        message.fields("role content")
        _content(message, is_last=place == len(messages) - 1)
    if messages[0].key("role").value != "user":
        messages[0].key("role").refuse("user first", repr(messages[0].key("role").value))
    _system_messages(messages, model)
    _paired(messages)
    _ending(messages[-1], model)


def _content(message: At, *, is_last: bool) -> None:
    role, content = message.key("role").text(), message.key("content")
    if role == "assistant" and is_last and content.value in ("", []):
        return  # the vendor takes an empty beginning of an answer
    if not isinstance(content.value, list):
        if not isinstance(content.value, str):
            content.refuse("a string or a list of blocks")
        check_text(content)
        return
    for block in content.items(least=1):
        check_block(block, role)


def _system_messages(messages: Sequence[At], model: str) -> None:
    """Directly behind the user, and before an answer or at the end."""
    for place, message in enumerate(messages):
        role = message.key("role")
        if role.value != "system":
            continue
        if not takes_system_messages(model):
            role.refuse(f"user or assistant for {model!r}", "'system'")
        if messages[place - 1].key("role").value != "user":
            role.refuse("a system message only right behind one of the user", "it elsewhere")
        if place + 1 < len(messages) and messages[place + 1].key("role").value != "assistant":
            role.refuse("an answer, or nothing, behind a system message", "another message")


def _paired(messages: Sequence[At]) -> None:
    seen: set[str] = set()
    due: list[str] = []
    caller = messages[0]
    for message in messages:
        blocks = _blocks(message)
        _results(message, blocks, due, caller)
        due, caller = _calls(blocks, seen), message
        _server_results(blocks)
    if due:
        caller.key("content").refuse(f"a tool_result for each tool_use ({_names(due)})", "the end of the messages")


def _results(message: At, blocks: Sequence[At], due: Sequence[str], caller: At) -> None:
    """Check the results in front of a message, which have to be those that are due."""
    left, is_past = list(due), False
    for block in blocks:
        if block.key("type").value != "tool_result":
            is_past = True
            continue
        id = block.key("tool_use_id")
        if id.value not in left:
            id.refuse("the id of a tool_use in the message before, once", repr(id.value))
        if is_past:
            block.refuse("every tool_result in front of other blocks", "one behind them")
        left.remove(id.text())
    if left:
        message.key("content").refuse(
            f"a tool_result for each tool_use of {caller.path} ({_names(due)})", f"none for {_names(left)}"
        )


def _calls(blocks: Sequence[At], seen: set[str]) -> list[str]:
    ids = []
    for block in blocks:
        if block.key("type").value == "tool_use":
            id = block.key("id")
            if id.text() in seen:
                id.refuse("another id for each tool_use", repr(id.value))
            seen.add(id.text())
            ids.append(id.text())
    return ids


def _server_results(blocks: Sequence[At]) -> None:
    """What the vendor ran itself stands behind its call, in the same message."""
    called: set[str] = set()
    for block in blocks:
        kind = str(block.key("type").value)
        if kind in _SERVER_CALLS:
            called.add(block.key("id").text())
        elif kind.endswith("_tool_result") and block.key("tool_use_id").value not in called:
            id = block.key("tool_use_id")
            id.refuse("the id of a server_tool_use before it", repr(id.value))


def _ending(last: At, model: str) -> None:
    """An answer that is begun for the model, where it takes one."""
    if last.key("role").value != "assistant":
        return
    if not takes_prefill(model):
        last.key("role").refuse(f"a message of the user at the end, for {model!r}", "'assistant'")
    content = last.key("content")
    blocks = _blocks(last)
    text = content if isinstance(content.value, str) else blocks[-1].key("text") if blocks else content
    if isinstance(text.value, str) and text.value != text.value.rstrip():
        text.refuse("no white space at the end of an answer that is begun")


def _blocks(message: At) -> Sequence[At]:
    content = message.key("content")
    return content.items() if isinstance(content.value, list) else ()


def _names(ids: Sequence[str]) -> str:
    return ", ".join(ids[:4]) + (", …" if len(ids) > 4 else "")
