"""`Limited`: so much at once and in a minute, for all who use a provider."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from ore.artifact import Artifact, Notice, ReasoningDelta, TextDelta, ToolCallDelta, Usage
from ore.ext.catalog import Target, estimated_tokens
from ore.ext.providers.pace import Pace
from ore.ext.providers.turnstile import Turnstile
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider, tools_of

__all__ = ["Limited"]


_CHARACTERS: Final = 4
"""Of a token, by the same rule as prompts are estimated by."""


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
            What an inference will use is estimated before it begins, by its
            prompt and the answer before, and put right when it has ended.
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
        self._usual = 0

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
            count = _Count(state, spec, options, self._provider.name) if self._pace.counts_tokens else None
            grant = await self._pace.admit(count.prompt + self._usual if count is not None else 0)
            try:
                async with aclosing(self._provider.invoke(state, spec, *options)) as batches:
                    async for batch in batches:
                        if count is not None:
                            count.take(batch)
                        yield batch
            finally:
                if count is not None:
                    self._pace.settle(grant, count.used)
                    self._usual = count.answered or self._usual
        finally:
            if self._places is not None:
                self._places.leave()


class _Count:
    """What one inference uses: by the vendor's count where it gives one, else by a rule of thumb."""

    __slots__ = ("_characters", "_usage", "prompt")

    def __init__(self, state: State, spec: Spec, options: Sequence[Option], provider: str) -> None:
        target = Target(provider=provider, model=spec.name or "")
        self.prompt = estimated_tokens(state.turns, tools_of(options), target)
        self._usage: Usage | None = None
        self._characters = 0

    def take(self, batch: Batch) -> None:
        for artifact in batch:
            if isinstance(artifact, Usage):
                self._usage = artifact if self._usage is None else self._usage + artifact
            elif not isinstance(artifact, Notice):
                self._characters += _length(artifact)

    @property
    def answered(self) -> int:
        """Tokens of the answer."""
        known = self._usage.completion_tokens if self._usage is not None else None
        return -(-self._characters // _CHARACTERS) if known is None else known

    @property
    def used(self) -> int:
        """Tokens of all of it; none where nothing of an answer came."""
        if self._usage is None and not self._characters:
            return 0
        usage = self._usage or Usage()
        if usage.total_tokens is not None:
            return usage.total_tokens
        return (self.prompt if usage.prompt_tokens is None else usage.prompt_tokens) + self.answered


def _length(artifact: Artifact) -> int:
    """Characters of what was said; what has none counts as one, since it came."""
    if isinstance(artifact, TextDelta | ReasoningDelta):
        return len(artifact.content)
    if isinstance(artifact, ToolCallDelta):
        return len(artifact.arguments or "")
    return len(artifact.for_model()) or 1
