"""`check_openai_chat`: what OpenAI's chat completions would refuse.

Fields, ranges and lengths by "Create chat completion" of the vendor's API
reference and by the official client's types (version 3.57.0, read 2026-11);
pairing by the errors that the vendor answers with.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

from ore.testing.shapes.at import At, Body, reading
from ore.testing.shapes.openai_messages import check_messages
from ore.testing.shapes.openai_models import check_model_takes, check_tools_beside_thinking
from ore.testing.shapes.openai_options import check_options, check_streaming
from ore.testing.shapes.schema import LOOSE, OPENAI_STRICT, check_schema
from ore.testing.shapes.tools import NAME

__all__ = ["check_openai_chat"]

_FIELDS: Final = (
    "audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata "
    "modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options "
    "prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream "
    "stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options"
)
_JSON: Final = re.compile("json", re.IGNORECASE)


def check_openai_chat(body: Body, *, extra: Collection[str] = ()) -> None:
    """Check a request against what OpenAI's chat completions insist on.

    Calls and results are paired: behind an assistant message with calls
    stands one tool message for each, before anything else. Ids are unique
    within their message, arguments are text that holds a JSON object, names
    are `[a-zA-Z0-9_-]{1,64}`, roles hold what they may, no field is unknown,
    numbers are in their ranges, schemas are such, and options that go
    together do.

    Args:
        body: The bytes, or what they decode to.
        extra: Fields that a gateway takes beside the vendor's, in the request,
            its messages and their parts, such as `reasoning_content`.

    Raises:
        ShapeError: The vendor would answer 400.
    """
    with reading(body) as at:
        fields = at.fields("model messages", _FIELDS, extra=extra)
        fields["model"].text(least=1)
        check_messages(at.key("messages"), extra)
        check_options(fields)
        check_streaming(fields, "include_usage include_obfuscation")
        _pairs(fields)
        _tools(fields)
        if "response_format" in fields:
            _response_format(fields["response_format"], at.key("messages"))
        check_model_takes(fields)
        check_tools_beside_thinking(fields)


def _pairs(fields: dict[str, At]) -> None:
    """Options that need or exclude one another."""
    if "max_tokens" in fields and "max_completion_tokens" in fields:
        fields["max_tokens"].refuse("only one of max_tokens and max_completion_tokens", "both")
    if "top_logprobs" in fields and not ("logprobs" in fields and fields["logprobs"].value):
        fields["top_logprobs"].refuse("logprobs beside it", "top_logprobs alone")
    if "modalities" in fields:
        for item in fields["modalities"].items(least=1):
            item.one_of("text", "audio")


def _tools(fields: dict[str, At]) -> None:
    names: list[str] = []
    for tool in fields["tools"].items(least=1, most=128) if "tools" in fields else ():
        name = _tool(tool)
        if name.text() in names:
            name.refuse("another name for each tool", repr(name.value))
        names.append(name.text())
    for option in ("tool_choice", "parallel_tool_calls"):
        if option in fields and not names:
            fields[option].refuse(f"{option} only beside tools", "it without them")
    if "tool_choice" in fields:
        _tool_choice(fields["tool_choice"], names)


def _tool(tool: At) -> At:
    """Check a tool; gives where its name stands."""
    kind = tool.kind("function", "custom")
    inside = tool.fields(f"type {kind}")[kind]
    if kind == "custom":
        name = inside.fields("name", "description format")["name"]
        name.name(NAME)
        return name
    fields = inside.fields("name", "description parameters strict")
    fields["name"].name(NAME)
    if "description" in fields:
        fields["description"].text()
    is_strict = "strict" in fields and fields["strict"].boolean()
    if "parameters" in fields:
        check_schema(fields["parameters"], OPENAI_STRICT if is_strict else LOOSE)
    return fields["name"]


def _tool_choice(at: At, names: Sequence[str]) -> None:
    if isinstance(at.value, str):
        at.one_of("none", "auto", "required")
        return
    kind = at.kind("function", "custom", "allowed_tools")
    inside = at.fields(f"type {kind}")[kind]
    if kind == "allowed_tools":
        inside.fields("mode tools")["mode"].one_of("auto", "required")
        inside.key("tools").items(least=1)
        return
    name = inside.fields("name")["name"]
    if name.text() not in names:
        name.refuse("the name of a tool of this request", repr(name.value))


def _response_format(at: At, messages: At) -> None:
    kind = at.kind("text", "json_object", "json_schema")
    if kind != "json_schema":
        at.fields("type")
        if kind == "json_object" and not _JSON.search(str(messages.value)):
            messages.refuse("the word json in a message, where response_format is json_object", "none")
        return
    fields = at.fields("type json_schema")["json_schema"].fields("name", "description schema strict")
    fields["name"].name(NAME)
    is_strict = "strict" in fields and fields["strict"].boolean()
    if "schema" in fields:
        check_schema(fields["schema"], OPENAI_STRICT if is_strict else LOOSE)
