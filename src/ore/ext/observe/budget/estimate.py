"""`Estimate`: what an inference will use, before and while it runs."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, Final

from ore.artifact import Artifact, Reasoning, ReasoningDelta, Text, TextDelta, ToolCall, ToolCallDelta, Usage
from ore.ext.observe.budget.spent import Spent
from ore.ledger import State
from ore.models import Spec
from ore.provider import MaxTokensOption, Option, option, tools_of

__all__ = ["ANSWER_TOKENS", "Estimate", "answered", "bytes_of", "tokens_of"]

ANSWER_TOKENS: Final = 4_096
"""What is set aside for an answer that nobody limits: few are longer, and those are stopped where a budget ends."""

_BYTES: Final = 4
"""Of UTF-8 in a token, as in `estimated_tokens`."""

_NOTHING: Final = Decimal(0)


class Estimate:
    """What an inference will use: its prompt by a rule of thumb, its answer up to its limit.

    Args:
        provider: Who is asked, as it is registered.
        state: The conversation as it is sent.
        spec: How.
        options: With which options.
    """

    __slots__ = ("_model", "_provider", "answer_tokens", "prompt_tokens")

    def __init__(self, provider: str, state: State, spec: Spec, options: Sequence[Option]) -> None:
        self._provider = provider
        self._model = spec.name or ""
        limit = option(options, MaxTokensOption)
        given = limit.tokens if limit is not None and limit.tokens > 0 else spec.max_output_tokens
        self.answer_tokens = given or ANSWER_TOKENS
        catalog = _catalog()
        target = catalog.Target(provider=provider, model=self._model)
        self.prompt_tokens: int = catalog.estimated_tokens(state.turns, tools_of(options), target)

    def most(self, *, priced: bool) -> Spent:
        """What it may use at most; without its price where nobody asks for that."""
        cost_usd = self.cost_usd(self.answer_tokens) if priced else _NOTHING
        return Spent(tokens=self.prompt_tokens + self.answer_tokens, cost_usd=cost_usd, calls=1)

    def cost_usd(self, answer_tokens: int) -> Decimal:
        """What prompt and answer cost; nothing where the price is unknown."""
        catalog = _catalog()
        info = catalog.shared_catalog().find(self._provider, self._model) if self._model else None
        usage = Usage(prompt_tokens=self.prompt_tokens, completion_tokens=answer_tokens)
        found: Decimal | None = catalog.cost(usage, info)
        return found or _NOTHING


@cache
def _catalog() -> Any:
    """The catalog, when the first budget needs it: an agent without one does not load it."""
    return import_module("ore.ext.catalog")


def tokens_of(usage: Usage) -> int | None:
    """All tokens of an inference; `None` where nobody counted any."""
    if usage.total_tokens is not None:
        return usage.total_tokens
    if usage.prompt_tokens is None and usage.completion_tokens is None:
        return None
    return (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)


def bytes_of(artifact: Artifact) -> int:
    """How much of an answer an artifact is, in bytes of UTF-8."""
    field = _TEXTS.get(type(artifact))
    if field is None:
        return 0
    text: str = field(artifact)
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def answered(size_bytes: int) -> int:
    """Tokens of so much text."""
    return -(-size_bytes // _BYTES)


_TEXTS: Final[Mapping[type[Artifact], Callable[[Any], str]]] = {
    Reasoning: attrgetter("content"),
    ReasoningDelta: attrgetter("content"),
    Text: attrgetter("content"),
    TextDelta: attrgetter("content"),
    ToolCall: attrgetter("arguments"),
    ToolCallDelta: attrgetter("arguments"),
}
