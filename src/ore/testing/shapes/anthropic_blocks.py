"""The content blocks of an Anthropic message, each alone."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from ore.testing.shapes.at import At
from ore.testing.shapes.media import IMAGE_TYPES, check_base64, check_image_bytes, check_web_url
from ore.testing.shapes.tools import NAME

__all__ = ["check_block", "check_text"]

_ID: Final = re.compile("[a-zA-Z0-9_-]+")
_ASKED: Final = ("text", "image", "document", "search_result", "tool_result", "container_upload")
_ANSWERED: Final = (
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "compaction",
)
_INSIDE: Final = ("text", "image", "document", "search_result", "tool_reference")
"""What a result may hold."""


def check_block(at: At, role: str) -> None:
    """Check a block that stands in a message of a role.

    Raises:
        ShapeError: It does not belong there, or is malformed.
    """
    at.object()
    kind = at.key("type")
    if role == "assistant" and isinstance(kind.value, str) and kind.value.endswith("_tool_result"):
        at.key("tool_use_id").text(least=1)
        return
    kind.one_of(*{"user": _ASKED, "assistant": _ANSWERED}.get(role, ("text",)))
    check = _CHECKS.get(kind.text())
    if check is not None:
        check(at)


def check_text(at: At) -> None:
    """A text that says something."""
    if not at.text().strip():
        at.refuse("text that is not blank", "an empty string" if not at.value else "white space")


def _text(at: At) -> None:
    check_text(at.fields("type text", "cache_control citations")["text"])


def _thinking(at: At) -> None:
    at.fields("type thinking signature")
    at.key("thinking").text()
    at.key("signature").text(least=1)


def _redacted(at: At) -> None:
    at.fields("type data")
    at.key("data").text(least=1)


def _tool_use(at: At) -> None:
    fields = at.fields("type id name input", "cache_control caller toolset_name")
    fields["id"].name(_ID)
    fields["name"].name(NAME)
    at.key("input").object()


def _server_tool_use(at: At) -> None:
    at.key("id").name(_ID)
    at.key("name").text(least=1)
    at.key("input").object()


def _tool_result(at: At) -> None:
    fields = at.fields("type tool_use_id", "content is_error cache_control toolset_name")
    fields["tool_use_id"].name(_ID)
    is_error = "is_error" in fields and fields["is_error"].boolean()
    content = at.key("content")
    if is_error and not content.value:
        content.refuse("content, where is_error is true")
    if content.value is None or isinstance(content.value, str):
        return
    if not isinstance(content.value, list):
        content.refuse("a string or a list of blocks")
    for block in content.items():
        kind = block.kind(*(("text",) if is_error else _INSIDE))
        if kind in _CHECKS:
            _CHECKS[kind](block)


def _image(at: At) -> None:
    source = at.fields("type source", "cache_control transformations")["source"]
    kind = source.kind("base64", "url", "file")
    if kind == "base64":
        fields = source.fields("type media_type data")
        check_image_bytes(fields["data"], fields["media_type"].one_of(*IMAGE_TYPES))
    elif kind == "url":
        check_web_url(source.fields("type url")["url"])
    else:
        source.fields("type file_id")["file_id"].text(least=1)


def _document(at: At) -> None:
    source = at.fields("type source", "cache_control citations context title")["source"]
    kind = source.kind("base64", "text", "url", "content", "file")
    if kind == "base64":
        source.fields("type media_type data")["media_type"].one_of("application/pdf")
        check_base64(source.key("data"))
    elif kind == "text":
        source.fields("type media_type data")["media_type"].one_of("text/plain")
        check_text(source.key("data"))
    elif kind == "url":
        check_web_url(source.fields("type url")["url"])
    elif kind == "file":
        source.fields("type file_id")["file_id"].text(least=1)
    else:
        source.fields("type content")


_CHECKS: Final[Mapping[str, Callable[[At], None]]] = {
    "text": _text,
    "image": _image,
    "document": _document,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "server_tool_use": _server_tool_use,
}
