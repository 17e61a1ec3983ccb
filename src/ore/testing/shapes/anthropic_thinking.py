"""Thinking in Anthropic's requests: what it goes with, and what comes back of it."""

from collections.abc import Mapping, Sequence
from typing import Final

from ore.testing.shapes.at import At

__all__ = ["check_thinking"]

_LEAST_BUDGET: Final = 1024
_THINKING: Final = ("thinking", "redacted_thinking")


def check_thinking(fields: dict[str, At], issued: Mapping[str, str] | None) -> None:
    """Check the option `thinking`, and the blocks of it in the messages.

    Args:
        fields: Those of the request.
        issued: What each signature signs; `None` takes any.

    Raises:
        ShapeError: The vendor would refuse it.
    """
    if "thinking" in fields:
        kind = _option(fields["thinking"], fields["max_tokens"])
        if kind in ("enabled", "adaptive"):
            _beside(fields)
        if kind == "enabled":
            _leading(fields["messages"].items())
    if issued is not None:
        for message in fields["messages"].items():
            for block in _blocks(message):
                _unchanged(block, issued)


def _option(at: At, limit: At) -> str:
    kind = at.kind("enabled", "adaptive", "disabled", "between_tools")
    if kind != "enabled":
        found = at.fields("type", "display block_binding" if kind == "adaptive" else "")
        if "block_binding" in found:
            found["block_binding"].fields("prefix_mismatch_behavior")
        return kind
    budget = at.fields("type budget_tokens", "display")["budget_tokens"]
    if budget.integer(_LEAST_BUDGET) >= limit.integer(0):
        budget.refuse(f"fewer tokens than max_tokens, {limit.value}", repr(budget.value))
    return kind


def _beside(fields: dict[str, At]) -> None:
    """What thinking goes with."""
    if "temperature" in fields and fields["temperature"].value != 1:
        fields["temperature"].refuse("1, or none, beside thinking", repr(fields["temperature"].value))
    if "top_p" in fields:
        fields["top_p"].number(0.95, 1)
    if "top_k" in fields:
        fields["top_k"].refuse("no top_k beside thinking")
    if "tool_choice" in fields and fields["tool_choice"].key("type").value in ("any", "tool"):
        fields["tool_choice"].key("type").refuse(
            "auto or none beside thinking", repr(fields["tool_choice"].value["type"])
        )
    last = fields["messages"].items()[-1]
    if last.key("role").value == "assistant":
        last.key("role").refuse("a message of the user at the end, beside thinking", "'assistant'")


def _leading(messages: Sequence[At]) -> None:
    """With a budget, the message whose calls are being answered begins with its thinking."""
    for message in reversed(messages):
        blocks = _blocks(message)
        if message.key("role").value == "assistant":
            if blocks and blocks[0].key("type").value not in _THINKING:
                found = repr(blocks[0].key("type").value)
                blocks[0].key("type").refuse("thinking first in the message whose calls are answered", found)
            return
        if message.key("role").value == "user" and not any(map(_is_result, blocks)):
            return


def _is_result(block: At) -> bool:
    return bool(block.key("type").value == "tool_result")


def _blocks(message: At) -> Sequence[At]:
    content = message.key("content")
    return content.items() if isinstance(content.value, list) else ()


def _unchanged(block: At, issued: Mapping[str, str]) -> None:
    kind = block.key("type").value
    if kind not in _THINKING:
        return
    mark = block.key("signature" if kind == "thinking" else "data")
    if mark.value not in issued:
        mark.refuse("one that was issued", "another")
    if kind == "thinking" and block.key("thinking").value != issued[mark.text()]:
        block.key("thinking").refuse("the thinking that its signature signs", "another")
