"""`usage_of`: the tokens of one answer, with the one meaning that they have for every vendor."""

from ore.artifact import Usage
from ore.ext.wires.gemini.structs import Counts

__all__ = ["usage_of"]


def usage_of(counts: Counts) -> Usage:
    """By "UsageMetadata" of the Gemini API reference (read 2026-11).

    The prompt includes what was read from the cache, not what the vendor's own
    tools added to it; the candidates do not include the thoughts.
    """
    return Usage(
        prompt_tokens=_sum(counts.prompt_token_count, counts.tool_use_prompt_token_count),
        completion_tokens=_sum(counts.candidates_token_count, counts.thoughts_token_count),
        total_tokens=counts.total_token_count,
        cache_read_tokens=counts.cached_content_token_count,
        reasoning_tokens=counts.thoughts_token_count,
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other
