"""`Tally`: the usage of one answer, with the one meaning that it has for every vendor."""

from typing import Final

from ore.artifact import Usage
from ore.ext.wires.anthropic.structs import Counts

__all__ = ["Tally"]

_NAMES: Final = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class Tally:
    """Counts as they come: they are cumulative, so the last one that says a number holds."""

    __slots__ = ("_counts", "_thinking")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._thinking: int | None = None

    def take(self, counts: Counts | None) -> None:
        """Note what an event says; nothing is added up."""
        if counts is None:
            return
        for name in _NAMES:
            value = getattr(counts, name)
            if value is not None:
                self._counts[name] = value
        details = counts.output_tokens_details
        if details is not None and details.thinking_tokens is not None:
            self._thinking = details.thinking_tokens

    def usage(self) -> Usage | None:
        """The counts; `None` when the vendor gave none.

        Anthropic counts what was read from its cache and written to it beside
        the other input: the prompt is all three.
        """
        if not self._counts:
            return None
        given, completion = self._counts.get("input_tokens"), self._counts.get("output_tokens")
        read = self._counts.get("cache_read_input_tokens")
        written = self._counts.get("cache_creation_input_tokens")
        prompt = None if given is None else given + (read or 0) + (written or 0)
        return Usage(
            prompt_tokens=prompt,
            completion_tokens=completion,
            total_tokens=None if prompt is None or completion is None else prompt + completion,
            cache_read_tokens=read,
            cache_write_tokens=written,
            reasoning_tokens=self._thinking,
        )
