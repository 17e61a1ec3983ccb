"""`Usage`: what one inference cost."""

from decimal import Decimal
from typing import Any, ClassVar

from ore.artifact.base import Artifact

__all__ = ["Usage"]


class Usage(Artifact, frozen=True, kw_only=True, tag="usage"):
    """Tokens and money of one inference, with one meaning for every vendor.

    `prompt_tokens` includes the cached and cache-written ones,
    `completion_tokens` includes reasoning. Unknown is `None`, zero is zero.
    """

    sendable: ClassVar[bool] = False

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: Decimal | None = None

    def __add__(self, other: "Usage") -> "Usage":
        """The sum, field by field; unknown only where both are unknown."""
        names = self.__struct_fields__
        return Usage(**{name: _sum(getattr(self, name), getattr(other, name)) for name in names})

    def for_human(self) -> str:
        """A short count."""
        return f"{self.prompt_tokens or 0} + {self.completion_tokens or 0} tokens"

    def for_model(self) -> str:
        """Nothing: accounts are not content."""
        return ""


def _sum(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else one + other
