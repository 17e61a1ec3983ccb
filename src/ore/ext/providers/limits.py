"""`Limited`: so much at once and in a minute, for all who use a provider."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from ore.artifact import Usage
from ore.ext.providers.pace import Pace
from ore.ext.providers.turnstile import Turnstile
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["Limited"]


class Limited:
    """A provider that is asked only so often.

    All sessions, event loops and threads that use this object share the
    limits, first come first served. Waiting can be cancelled. Around a
    provider that retries, an inference with its retries counts once.

    Args:
        provider: Who is asked.
        concurrency: Inferences at once; `None` for any number.
        requests_per_minute: Inferences that begin in any minute; `None` for any number.
        tokens_per_minute: Tokens of prompts and answers; `None` for any number.
        pace: Keeps count instead, with a clock of its own; for tests.

    Raises:
        ValueError: A limit is below 1.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        concurrency: int | None = None,
        requests_per_minute: int | None = None,
        tokens_per_minute: int | None = None,
        pace: Pace | None = None,
    ) -> None:
        limits = {
            "concurrency": concurrency,
            "requests_per_minute": requests_per_minute,
            "tokens_per_minute": tokens_per_minute,
        }
        for name, value in limits.items():
            if value is not None and value < 1:
                raise ValueError(f"{name}: expected at least 1 or None, got {value!r}")
        self._provider = provider
        self._places = Turnstile(concurrency) if concurrency is not None else None
        self._pace = pace or Pace(requests_per_minute, tokens_per_minute)

    @property
    def name(self) -> str:
        """The name of who is asked."""
        return self._provider.name

    def __repr__(self) -> str:
        return f"Limited({self._provider!r})"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer once there is room; closing gives the place to the next.

        Raises:
            ProviderError: The call failed.
        """
        if self._places is not None:
            await self._places.enter()
        try:
            await self._pace.admit()
            async with aclosing(self._provider.invoke(state, spec, *options)) as batches:
                async for batch in batches:
                    last = batch[-1]
                    if type(last) is Usage:
                        self._pace.use(_tokens(last))
                    yield batch
        finally:
            if self._places is not None:
                self._places.leave()


def _tokens(usage: Usage) -> int:
    if usage.total_tokens is not None:
        return usage.total_tokens
    return (usage.prompt_tokens or 0) + (usage.completion_tokens or 0)
