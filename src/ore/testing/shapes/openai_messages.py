"""The messages of a chat completion: roles, parts, and calls with their results."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from ore.testing.shapes.at import At
from ore.testing.shapes.media import check_base64, check_image_url
from ore.testing.shapes.tools import NAME, check_arguments

__all__ = ["check_messages"]

_ROLES: Final = ("developer", "system", "user", "assistant", "tool")
_AUTHOR: Final = re.compile(r"[^\s<|\\/>]{1,64}")
_ID_CHARACTERS: Final = 40
"""Longer ids of calls are refused by name."""

_PARTS: Final = {
    "developer": ("text",),
    "system": ("text",),
    "user": ("text", "image_url", "input_audio", "file"),
    "assistant": ("text", "refusal"),
    "tool": ("text",),
}


def check_messages(at: At, extra: Collection[str]) -> None:
    """Check messages, each alone and in their order.

    Raises:
        ShapeError: One is none, or calls and results are not paired.
    """
    due: list[str] = []
    caller = at
    for message in at.items(least=1):
        message.object()
        role = message.key("role").one_of(*_ROLES)
        if role == "tool":
            _answer(message, due, extra)
            continue
        if due:
            message.key("role").refuse(f"a tool message for each call of {caller.path} ({_names(due)})", repr(role))
        _check(message, role, extra)
        due, caller = _calls(message), message
    if due:
        caller.key("tool_calls").refuse(f"a tool message for each call ({_names(due)})", "the end of the messages")


def _check(message: At, role: str, extra: Collection[str]) -> None:
    if role == "assistant":
        _assistant(message, extra)
        return
    fields = message.fields("role content", "name", extra=extra)
    if "name" in fields:
        fields["name"].name(_AUTHOR)
    _content(message.key("content"), role, extra)


def _assistant(message: At, extra: Collection[str]) -> None:
    fields = message.fields("role", "content name refusal tool_calls audio function_call", extra=extra)
    if "name" in fields:
        fields["name"].name(_AUTHOR)
    if "refusal" in fields:
        fields["refusal"].text()
    if "content" in fields:
        _content(fields["content"], "assistant", extra)
    elif not {"tool_calls", "refusal", "audio", "function_call"} & set(fields):
        message.key("content").refuse("content, or calls, in an assistant message")
    if "tool_calls" in fields:
        for call in fields["tool_calls"].items(least=1, most=128):
            _call(call, extra)


def _call(call: At, extra: Collection[str]) -> None:
    kind = call.kind("function", "custom")
    fields = call.fields(f"id type {kind}", extra=extra)
    fields["id"].text(least=1, most=_ID_CHARACTERS)
    if kind == "custom":
        inside = fields["custom"].fields("name input")
        inside["input"].text()
    else:
        inside = fields["function"].fields("name arguments")
        check_arguments(inside["arguments"])
    inside["name"].name(NAME)


def _calls(message: At) -> list[str]:
    """The ids of a message's calls, each once."""
    ids: list[str] = []
    calls = message.key("tool_calls")
    for call in calls.items() if calls.value else ():
        if call.key("id").text() in ids:
            call.key("id").refuse("another id for each call of a message", repr(call.key("id").value))
        ids.append(call.key("id").text())
    return ids


def _answer(message: At, due: list[str], extra: Collection[str]) -> None:
    fields = message.fields("role content tool_call_id", "", extra=extra)
    _content(message.key("content"), "tool", extra)
    id = fields["tool_call_id"].text(least=1) if "tool_call_id" in fields else ""
    if id not in due:
        expected = f"the id of an open call ({_names(due)})" if due else "a message with tool_calls before it"
        message.key("tool_call_id").refuse(expected, repr(id))
    due.remove(id)


def _content(at: At, role: str, extra: Collection[str]) -> None:
    if isinstance(at.value, str):
        return
    if not isinstance(at.value, list):
        at.refuse("a string or a list of parts")
    for part in at.items(least=1):
        kind = part.kind(*_PARTS[role])
        fields = part.fields(f"type {kind}", "prompt_cache_breakpoint", extra=extra)
        _part(kind, fields[kind] if kind in fields else part.key(kind))


def _part(kind: str, at: At) -> None:
    if kind in ("text", "refusal"):
        at.text(least=1)
    elif kind == "image_url":
        fields = at.fields("url", "detail")
        check_image_url(fields["url"])
        if "detail" in fields:
            fields["detail"].one_of("auto", "low", "high", "original")
    elif kind == "input_audio":
        check_base64(at.fields("data format")["data"])
        at.key("format").one_of("wav", "mp3")
    else:
        _file(at)


def _file(at: At) -> None:
    fields = at.fields("", "file_data file_id filename")
    if ("file_data" in fields) == ("file_id" in fields):
        at.refuse("one of file_data and file_id", ", ".join(fields) or "none")
    if "file_data" in fields:
        fields["file_data"].text(least=1)
        if "filename" not in fields:
            at.key("filename").refuse("a name beside file_data", "nothing")


def _names(ids: Sequence[str]) -> str:
    return ", ".join(ids[:4]) + (", …" if len(ids) > 4 else "")
