"""`CompactionSettings`: when a conversation is compacted, and how far."""

from dataclasses import dataclass
from typing import Final

from ore.errors import InputError
from ore.ext.transforms.compaction.prompt import PROMPT
from ore.models import Spec
from ore.provider import Provider

__all__ = ["CompactionSettings"]

_SHORTEST: Final = 64
_LONGEST: Final = 8_192
"""8,192 tokens: what the original recommends for a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionSettings:
    """When a conversation is compacted, and how far.

    Attributes:
        automatic: Whether it happens by itself; else only when somebody asks for it.
        share: Of the window: a longer prompt is compacted before it is sent.
        keep: Of the window: about so much of the latest turns stays as it is.
        output_bytes: What is shown of a long output of a tool in an earlier
            turn; it counts as long from twice as many bytes on.
        summary_tokens: The longest summary; an eighth of the window by
            default, 8,192 at most.
        window: Tokens of the model's window, where neither its spec nor the
            catalog says it. Where nobody does, a conversation is compacted
            when the model refuses it as too long.
        summarizer: Who sums up; whoever answers by default.
        prompt: What that model is asked.

    Raises:
        InputError: A share or a size with which nothing would be left, or nothing would go.
    """

    automatic: bool = True
    share: float = 0.8
    keep: float = 0.25
    output_bytes: int = 1_000
    summary_tokens: int | None = None
    window: int | None = None
    summarizer: tuple[Provider, Spec] | None = None
    prompt: str = PROMPT

    def __post_init__(self) -> None:
        if not 0 < self.keep < self.share <= 1:
            raise InputError(
                f"expected 0 < keep < share <= 1, as shares of the window; got keep={self.keep:g}, share={self.share:g}"
            )
        for name in ("output_bytes", "summary_tokens", "window"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name}: expected at least 1, got {value!r}")

    def limit(self, window: int, spec: Spec) -> int:
        """The longest prompt that is sent, in tokens: its share of the window, or less where the answer needs more."""
        answer = min(spec.max_output_tokens or 0, window // 2)
        return max(min(round(window * self.share), window - answer), 1)

    def last_limit(self, window: int, spec: Spec) -> int:
        """The longest prompt when no summary can be had: all of the window but what an answer needs."""
        answer = min(spec.max_output_tokens or window // 8, window // 2)
        return max(window - answer, self.limit(window, spec))

    def longest_summary(self, window: int) -> int:
        """Tokens of a summary at most."""
        return self.summary_tokens or min(max(window // 8, _SHORTEST), _LONGEST)
