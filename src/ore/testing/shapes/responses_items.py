"""The items of a Responses request: each alone, and calls with their outputs."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ore.testing.shapes.at import At
from ore.testing.shapes.media import check_base64, check_image_url, check_web_url
from ore.testing.shapes.tools import NAME, check_arguments

__all__ = ["check_items"]

_CALL_ID_CHARACTERS: Final = 64
_STATUS: Final = ("in_progress", "completed", "incomplete")
_CALLS: Final = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}
_PREFIXES: Final = {
    "message": "msg",
    "function_call": "fc",
    "function_call_output": "fc",
    "custom_tool_call": "ctc",
    "reasoning": "rs",
}
_NOT_THE_MODELS: Final = re.compile(
    "item_reference|mcp_approval_response|compaction_trigger|additional_tools|.*_output"
)
"""Items that do not come out of a model, so reasoning cannot belong to them."""


def check_items(at: At, *, is_kept: bool, is_stored: bool) -> None:
    """Check items, each alone and in their order.

    Args:
        at: The list.
        is_kept: The vendor knows what came before, so a call may stand there.
        is_stored: The vendor keeps what it answers, so ids alone find reasoning again.

    Raises:
        ShapeError: One is none, or calls and outputs are not paired.
    """
    items = at.items(least=0 if is_kept else 1)
    for item in items:
        _check(item, is_stored)
    for item, following in zip(items, (*items[1:], None), strict=True):
        if _kind(item) == "reasoning" and (following is None or not _is_the_models(following)):
            item.refuse(
                "the item that the reasoning belonged to right behind it",
                "the end of the input" if following is None else f"an item of type {_kind(following)}",
            )
    _paired(items, is_kept)


def _kind(item: At) -> str:
    item.object()
    kind = item.key("type")
    return kind.text(least=1) if kind.value is not None or item.key("role").value is None else "message"


def _is_the_models(item: At) -> bool:
    kind = _kind(item)
    if kind == "message":
        return bool(item.key("role").value == "assistant")
    return not _NOT_THE_MODELS.fullmatch(kind)


def _paired(items: Sequence[At], is_kept: bool) -> None:
    open_calls: dict[tuple[str, str], At] = {}
    seen: set[tuple[str, str]] = set()
    for item in items:
        kind, call_id = _kind(item), item.key("call_id")
        if kind in _CALLS:
            key = (_CALLS[kind], call_id.text())
            if key in seen:
                call_id.refuse("another id for each call", repr(call_id.value))
            seen.add(key)
            open_calls[key] = item
        elif kind in _CALLS.values():
            key = (kind, call_id.text())
            if open_calls.pop(key, None) is None and (not is_kept or key in seen):
                call_id.refuse("the id of a call that has no output yet", repr(call_id.value))
            seen.add(key)
    for call in open_calls.values():
        call.key("call_id").refuse("an output for the call behind it", f"none for {call.key('call_id').value!r}")


def _check(item: At, is_stored: bool) -> None:
    kind = _kind(item)
    _id(item, kind)
    if kind == "message":
        _message(item)
    elif kind == "reasoning":
        _reasoning(item, is_stored)
    elif kind == "function_call":
        fields = item.fields("type call_id name arguments", "id status caller namespace")
        fields["call_id"].text(least=1, most=_CALL_ID_CHARACTERS)
        fields["name"].name(NAME)
        check_arguments(fields["arguments"])
    elif kind == "custom_tool_call":
        fields = item.fields("type call_id name input", "id status caller namespace")
        fields["call_id"].text(least=1, most=_CALL_ID_CHARACTERS)
        fields["name"].name(NAME)
        item.key("input").text()
    elif kind in _CALLS.values():
        _output(item)


def _id(item: At, kind: str) -> None:
    id, prefix = item.key("id"), _PREFIXES.get(kind, "")
    if id.value is not None and not id.text(least=1).startswith(prefix):
        id.refuse(f"an id that begins with {prefix}", repr(id.value))


def _message(item: At) -> None:
    role = item.key("role").one_of("user", "system", "developer", "assistant")
    fields = item.fields("role content", "type id status phase")
    if "status" in fields:
        fields["status"].one_of(*_STATUS)
    content = item.key("content")
    if isinstance(content.value, str):
        return
    if not isinstance(content.value, list):
        content.refuse("a string or a list of parts")
    for part in content.items(least=1):
        _answered(part) if role == "assistant" else _asked(part)


def _answered(part: At) -> None:
    if part.kind("output_text", "refusal") == "refusal":
        part.fields("type refusal")["refusal"].text()
        return
    part.fields("type text", "annotations logprobs")["text"].text()


def _asked(part: At) -> None:
    kind = part.kind("input_text", "input_image", "input_file", "input_audio")
    optional = "prompt_cache_breakpoint"
    if kind == "input_text":
        part.fields("type text", optional)["text"].text(least=1)
    elif kind == "input_image":
        _image(part.fields("type", f"detail file_id image_url {optional}"), part)
    elif kind == "input_file":
        _file(part.fields("type", f"detail file_data file_id file_url filename {optional}"), part)
    else:
        check_base64(part.fields("type input_audio", optional)["input_audio"].fields("data format")["data"])


def _image(fields: Mapping[str, At], part: At) -> None:
    if ("image_url" in fields) == ("file_id" in fields):
        part.refuse("one of image_url and file_id", "both" if "file_id" in fields else "none")
    if "image_url" in fields:
        check_image_url(fields["image_url"])
    if "detail" in fields:
        fields["detail"].one_of("auto", "low", "high", "original")


def _file(fields: Mapping[str, At], part: At) -> None:
    given = [name for name in ("file_data", "file_id", "file_url") if name in fields]
    if len(given) != 1:
        part.refuse("one of file_data, file_id and file_url", ", ".join(given) or "none")
    if "file_url" in fields:
        check_web_url(fields["file_url"])
    if "file_data" in fields and "filename" not in fields:
        part.key("filename").refuse("a name beside file_data", "nothing")


def _reasoning(item: At, is_stored: bool) -> None:
    fields = item.fields("type id summary", "content encrypted_content status")
    for part in item.key("summary").items():
        part.kind("summary_text")
        part.fields("type text")["text"].text()
    if "encrypted_content" in fields:
        fields["encrypted_content"].text(least=1)
    elif not is_stored:
        item.key("encrypted_content").refuse("the encrypted content, where store is false", "nothing")


def _output(item: At) -> None:
    fields = item.fields("type call_id output", "id status caller name namespace")
    fields["call_id"].text(least=1, most=_CALL_ID_CHARACTERS)
    output = item.key("output")
    if isinstance(output.value, str):
        return
    if not isinstance(output.value, list):
        output.refuse("a string or a list of parts")
    for part in output.items(least=1):
        _asked(part)
