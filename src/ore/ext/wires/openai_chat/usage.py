"""`usage_of`: a vendor's counts with the one meaning that ore gives them."""

from ore.artifact import Usage
from ore.ext.wires.openai_chat.structs import Counts, Details

__all__ = ["usage_of"]

_NONE = Details()


def usage_of(counts: Counts) -> Usage | None:
    """The usage that an answer reports; `None` when it reports none.

    Prompts include what was read from and written to a cache, as OpenAI's
    do. Where the total says that thinking is not among the completion tokens,
    as xAI's does, it is added.
    """
    prompt, completion, total = counts.prompt_tokens, counts.completion_tokens, counts.total_tokens
    if prompt is None and completion is None:
        return None
    inputs = counts.prompt_tokens_details or _NONE
    thinking = (counts.completion_tokens_details or _NONE).reasoning_tokens
    if prompt is not None and completion is not None:
        if thinking and total == prompt + completion + thinking:
            completion += thinking
        total = prompt + completion if total is None else total
    read = (counts.cache_read_input_tokens, inputs.cached_tokens, counts.prompt_cache_hit_tokens)
    written = (counts.cache_creation_input_tokens, inputs.cache_write_tokens)
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=total,
        cache_read_tokens=next((count for count in read if count is not None), None),
        cache_write_tokens=next((count for count in written if count is not None), None),
        reasoning_tokens=thinking,
    )
