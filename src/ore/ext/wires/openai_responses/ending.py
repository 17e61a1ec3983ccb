"""Why an answer ended, and what it cost."""

from collections.abc import Mapping
from typing import Any, Final

from ore.artifact import Reason, Usage

__all__ = ["reason_of", "usage_of"]

_CUT: Final[Mapping[str, Reason]] = {"max_output_tokens": "length", "content_filter": "refusal"}
"""Why a response is incomplete: "The response object" of the vendor's API reference (read 2026-11)."""


def reason_of(response: Mapping[str, Any], status: str, *, has_calls: bool, is_refused: bool) -> Reason:
    """Why the model stopped; the vendor says it only of answers that were cut."""
    if status == "incomplete":
        details = response.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        return _CUT.get(reason, "other") if isinstance(reason, str) else "other"
    if has_calls:
        return "tool_use"
    return "refusal" if is_refused else "stop"


def usage_of(response: Mapping[str, Any]) -> Usage | None:
    """What a response reports; `None` when it reports nothing.

    The vendor counts what was read from its cache among the input, and
    reasoning among the output.
    """
    counts = response.get("usage")
    if not isinstance(counts, dict):
        return None
    prompt, completion, total = (_count(counts, name) for name in ("input_tokens", "output_tokens", "total_tokens"))
    if prompt is None and completion is None:
        return None
    if total is None and prompt is not None and completion is not None:
        total = prompt + completion
    inputs, outputs = counts.get("input_tokens_details"), counts.get("output_tokens_details")
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=total,
        cache_read_tokens=_count(inputs, "cached_tokens"),
        cache_write_tokens=_count(inputs, "cache_write_tokens"),
        reasoning_tokens=_count(outputs, "reasoning_tokens"),
    )


def _count(counts: Any, name: str) -> int | None:
    value = counts.get(name) if isinstance(counts, dict) else None
    return value if type(value) is int and value >= 0 else None
