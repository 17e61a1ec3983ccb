"""`check_anthropic`: what Anthropic's messages would refuse.

Fields, ranges and rules by "Create a Message", "Claude API errors", "Handle
tool calls", "Extended thinking", "Prompt caching" and "Vision" of the vendor's
platform documentation and by the official client's types (version 2.14.0,
read 2026-11).
"""

from collections.abc import Callable, Collection, Mapping
from typing import Final

from ore.testing.shapes.anthropic_cache import check_cache_marks
from ore.testing.shapes.anthropic_messages import check_conversation, check_text
from ore.testing.shapes.anthropic_thinking import check_thinking
from ore.testing.shapes.anthropic_tools import check_tools
from ore.testing.shapes.at import At, Body, reading
from ore.testing.shapes.claude_models import check_model_takes
from ore.testing.shapes.schema import ANTHROPIC_STRICT, check_schema

__all__ = ["check_anthropic"]

_FIELDS: Final = (
    "cache_control container diagnostics inference_geo metadata output_config service_tier speed stop_sequences "
    "stream system temperature thinking tool_choice tools top_k top_p"
)
_MOST_MESSAGES: Final = 100_000


def check_anthropic(body: Body, *, issued: Mapping[str, str] | None = None, extra: Collection[str] = ()) -> None:
    """Check a request against what Anthropic's messages insist on.

    Each `tool_use` is answered by one `tool_result` in the very next message,
    in front of everything else there; no result comes without its call. No
    text is empty or blank, roles and blocks stand where they may, a budget
    for thinking is at least 1,024 tokens and below `max_tokens`, thinking
    goes with no other temperature than 1 and with no forced tool, at most
    four blocks are marked for the cache, no field is unknown.

    Args:
        body: The bytes, or what they decode to.
        issued: Signatures that were issued, each with the thinking that it
            signs; for redacted thinking its data, with an empty string.
            Thinking that comes back has to be among them, unchanged. `None`
            takes any signature.
        extra: Fields of the request that a gateway takes beside the vendor's.

    Raises:
        ShapeError: The vendor would answer 400.
    """
    with reading(body) as at:
        fields = at.fields("model max_tokens messages", _FIELDS, extra=extra)
        fields["model"].text(least=1)
        fields["max_tokens"].integer(0)
        at.key("messages").items(least=1, most=_MOST_MESSAGES)
        for name, check in _OPTIONS.items():
            if name in fields:
                check(fields[name])
        check_tools(fields)
        check_conversation(fields["messages"], fields["model"].text())
        check_thinking(fields, issued)
        check_cache_marks(at)
        check_model_takes(fields)


def _output_config(at: At) -> None:
    fields = at.fields("", "effort format")
    if "effort" in fields:
        fields["effort"].one_of("low", "medium", "high", "xhigh", "max")
    if "format" in fields:
        fields["format"].kind("json_schema")
        check_schema(fields["format"].fields("type schema")["schema"], ANTHROPIC_STRICT)


def _system(at: At) -> None:
    for block in () if isinstance(at.value, str) else at.items():
        block.kind("text")
        check_text(block.fields("type text", "cache_control citations")["text"])


def _stop_sequences(at: At) -> None:
    for item in at.items():
        check_text(item)


def _metadata(at: At) -> None:
    for label in at.fields("", "user_id").values():
        label.text(most=512)


_OPTIONS: Final[Mapping[str, Callable[[At], object]]] = {
    "metadata": _metadata,
    "output_config": _output_config,
    "service_tier": lambda at: at.one_of("auto", "standard_only"),
    "speed": lambda at: at.one_of("standard", "fast"),
    "stop_sequences": _stop_sequences,
    "stream": At.boolean,
    "system": _system,
    "temperature": lambda at: at.number(0, 1),
    "top_k": lambda at: at.integer(0),
    "top_p": lambda at: at.number(0, 1),
}
