"""`check_openai_responses`: what OpenAI's Responses would refuse.

Fields, ranges and lengths by "Create a model response" of the vendor's API
reference and by the official client's types (version 3.57.0, read 2026-11);
pairing by the errors that the vendor answers with.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from ore.testing.shapes.at import At, Body, reading
from ore.testing.shapes.openai_models import check_model_takes
from ore.testing.shapes.openai_options import EFFORTS, check_options, check_streaming
from ore.testing.shapes.responses_issued import check_issued
from ore.testing.shapes.responses_items import check_items
from ore.testing.shapes.schema import LOOSE, OPENAI_STRICT, check_schema
from ore.testing.shapes.tools import NAME

__all__ = ["check_openai_responses"]

_FIELDS: Final = (
    "access_programs background background_options context_management conversation image include input instructions "
    "max_output_tokens max_tool_calls metadata moderation parallel_tool_calls previous_response_id prompt "
    "prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store "
    "stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user"
)
_INCLUDABLE: Final = (
    *("code_interpreter_call.outputs", "computer_call_output.output.image_url", "file_search_call.results"),
    *("message.input_image.image_url", "message.output_text.logprobs", "reasoning.encrypted_content"),
    *("web_search_call.action.sources", "web_search_call.results"),
)
_MODES: Final = ("none", "auto", "required")


def check_openai_responses(
    body: Body, *, issued: Sequence[Sequence[Mapping[str, Any]]] = (), extra: Collection[str] = ()
) -> None:
    """Check a request against what OpenAI's Responses insist on.

    Every output of a call has its call before it and every call exactly one
    output, unless the conversation is kept by the vendor. A reasoning item is
    followed by the item it belonged to, and carries its encrypted content
    where nothing is stored. Ids begin as the vendor's do; arguments are text
    that holds a JSON object.

    Args:
        body: The bytes, or what they decode to.
        issued: What was answered before: the `output` of each response. An
            item that comes back under its id has to be what was issued, and
            an item that followed reasoning has to follow it again.
        extra: Fields that a gateway takes beside the vendor's.

    Raises:
        ShapeError: The vendor would answer 400.
    """
    with reading(body) as at:
        fields = at.fields("model", _FIELDS, extra=extra)
        fields["model"].text(least=1)
        check_options(fields)
        check_streaming(fields, "include_obfuscation")
        _continuing(at, fields)
        _tools(fields)
        _configured(fields)
        check_model_takes(fields)
        if isinstance(at.key("input").value, list):
            is_kept = "previous_response_id" in fields or "conversation" in fields
            is_stored = "store" not in fields or bool(fields["store"].value)
            check_items(fields["input"], is_kept=is_kept, is_stored=is_stored)
            check_issued(fields["input"], issued)


def _continuing(at: At, fields: dict[str, At]) -> None:
    """What the conversation is: its items, or the vendor's memory of them."""
    if "input" in fields and not isinstance(fields["input"].value, list):
        fields["input"].text(least=1)
    if not {"input", "previous_response_id", "prompt", "conversation"} & set(fields):
        at.key("input").refuse("text or a list of items")
    if "previous_response_id" in fields:
        if not fields["previous_response_id"].text().startswith("resp"):
            fields["previous_response_id"].refuse("an id that begins with resp", repr(at.value["previous_response_id"]))
        if "conversation" in fields:
            fields["conversation"].refuse("only one of conversation and previous_response_id", "both")
    if "instructions" in fields:
        fields["instructions"].text()


def _configured(fields: dict[str, At]) -> None:
    if "include" in fields:
        for item in fields["include"].items():
            item.one_of(*_INCLUDABLE)
    if "reasoning" in fields:
        reasoning = fields["reasoning"].fields("", "effort summary generate_summary context mode")
        if "effort" in reasoning:
            reasoning["effort"].one_of(*EFFORTS)
        if "summary" in reasoning:
            reasoning["summary"].one_of("auto", "concise", "detailed")
    if "text" in fields:
        text = fields["text"].fields("", "format verbosity")
        if "verbosity" in text:
            text["verbosity"].one_of("low", "medium", "high")
        if "format" in text:
            _format(text["format"])


def _format(at: At) -> None:
    if at.kind("text", "json_object", "json_schema") != "json_schema":
        at.fields("type")
        return
    fields = at.fields("type name schema", "description strict")
    fields["name"].name(NAME)
    is_strict = "strict" in fields and fields["strict"].boolean()
    check_schema(at.key("schema"), OPENAI_STRICT if is_strict else LOOSE)


def _tools(fields: dict[str, At]) -> None:
    names: list[str] = []
    for tool in fields["tools"].items(most=128) if "tools" in fields else ():
        tool.object()
        kind = tool.key("type").text(least=1)
        if kind not in ("function", "custom"):
            continue  # run by the vendor; each of these has fields of its own
        name = tool.key("name").name(NAME)
        if name in names:
            tool.key("name").refuse("another name for each tool", repr(name))
        names.append(name)
        if kind == "function":
            _function(tool)
    if "tool_choice" in fields:
        _tool_choice(fields["tool_choice"], names, "tools" in fields)


def _function(tool: At) -> None:
    fields = tool.fields("type name", "parameters strict description allowed_callers defer_loading output_schema")
    if "description" in fields:
        fields["description"].text()
    is_strict = "strict" in fields and fields["strict"].boolean()
    if "parameters" in fields:
        check_schema(fields["parameters"], OPENAI_STRICT if is_strict else LOOSE)


def _tool_choice(at: At, names: Sequence[str], has_tools: bool) -> None:
    if isinstance(at.value, str):
        at.one_of(*_MODES)
        if at.value == "required" and not has_tools:
            at.refuse("required only beside tools", "it without them")
        return
    at.object()
    kind = at.key("type").text(least=1)
    if kind in ("function", "custom") and at.key("name").text() not in names:
        at.key("name").refuse("the name of a tool of this request", repr(at.key("name").value))
