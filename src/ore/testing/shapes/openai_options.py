"""Options that OpenAI's interfaces share: types, ranges, lengths."""

from collections.abc import Callable, Mapping
from typing import Final

from ore.testing.shapes.at import At

__all__ = ["EFFORTS", "check_options", "check_streaming"]

EFFORTS: Final = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def _stop(at: At) -> None:
    for item in () if isinstance(at.value, str) else at.items(least=1, most=4):
        item.text(least=1)


def _metadata(at: At) -> None:
    """Up to 16 pairs; keys of 64 and values of 512 characters."""
    pairs = at.object()
    if len(pairs) > 16:
        at.refuse("at most 16 pairs", str(len(pairs)))
    for key in pairs:
        At(f"{at.path}, a key", key).text(least=1, most=64)
        at.key(key).text(most=512)


def _logit_bias(at: At) -> None:
    for token in at.object():
        at.key(token).number(-100, 100)


_CHECKS: Final[Mapping[str, Callable[[At], object]]] = {
    "background": At.boolean,
    "frequency_penalty": lambda at: at.number(-2, 2),
    "logit_bias": _logit_bias,
    "logprobs": At.boolean,
    "max_completion_tokens": lambda at: at.integer(1),
    "max_output_tokens": lambda at: at.integer(16),
    "max_tokens": lambda at: at.integer(1),
    "max_tool_calls": lambda at: at.integer(1),
    "metadata": _metadata,
    "n": lambda at: at.integer(1, 128),
    "parallel_tool_calls": At.boolean,
    "presence_penalty": lambda at: at.number(-2, 2),
    "prompt_cache_key": lambda at: at.text(most=64),
    "prompt_cache_retention": lambda at: at.one_of("in_memory", "24h"),
    "reasoning_effort": lambda at: at.one_of(*EFFORTS),
    "safety_identifier": lambda at: at.text(most=128),
    "seed": lambda at: at.integer(-(2**63), 2**63 - 1),
    "service_tier": lambda at: at.one_of("auto", "default", "flex", "scale", "priority", "fast"),
    "stop": _stop,
    "store": At.boolean,
    "stream": At.boolean,
    "temperature": lambda at: at.number(0, 2),
    "top_logprobs": lambda at: at.integer(0, 20),
    "top_p": lambda at: at.number(0, 1),
    "truncation": lambda at: at.one_of("auto", "disabled"),
    "user": lambda at: at.text(most=512),
    "verbosity": lambda at: at.one_of("low", "medium", "high"),
}


def check_options(fields: dict[str, At]) -> None:
    """Check each option that is there alone; which ones may be there is said elsewhere.

    Raises:
        ShapeError: One has a wrong type, or is out of its range.
    """
    for name, at in fields.items():
        if name in _CHECKS:
            _CHECKS[name](at)


def check_streaming(fields: dict[str, At], options: str) -> None:
    """Check `stream_options`, which wants `stream`.

    Args:
        fields: Those of the request.
        options: What it may hold, each name parted from the next by a space.
    """
    if "stream_options" not in fields:
        return
    if not ("stream" in fields and fields["stream"].value is True):
        fields["stream_options"].refuse("stream_options only where stream is true", "them without it")
    for option in fields["stream_options"].fields("", options).values():
        option.boolean()
