"""`Fallback`: another model answers when one cannot."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

import msgspec

from ore.artifact import Artifact, Notice, Restart, Severity
from ore.errors import (
    BadRequestError,
    ContentFilterError,
    InputError,
    ProviderError,
    UnsupportedError,
    describe,
)
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["Candidate", "Fallback", "helps"]

Candidate = tuple[Provider, str | None]
"""Who may answer, and the model's name there; `None` is the one that the session asks for."""

_HOPELESS: Final = (BadRequestError, UnsupportedError, ContentFilterError)


def helps(error: ProviderError) -> bool:
    """Whether another model may do better; not where the request itself was refused."""
    return not isinstance(error, _HOPELESS)


@dataclass(slots=True)
class _Attempts:
    """Counts the beginnings of one answer: they only rise, whoever begins again."""

    last: int = 1
    below: int = 0

    def next(self, model: str | None) -> Restart:
        self.last += 1
        self.below = self.last - 1
        return Restart(attempt=self.last, model=model)

    def passed(self, artifact: Artifact) -> Artifact:
        """What a candidate yields, with its own beginnings counted behind those before it."""
        if type(artifact) is not Restart:
            return artifact
        self.last = max(self.last, self.below + artifact.attempt)
        return msgspec.structs.replace(artifact, attempt=self.last)


class Fallback:
    """Asks one model after the other until one answers, also in the middle of an answer.

    The first that answers to the end is the turn's model. When one fails
    behind its first words, those are void: a `turn_restarted` event says so,
    and the next one begins anew, so that no text comes twice. Each change is
    announced by a notice. Where a candidate retries itself it does that first.

    Args:
        candidates: Who may answer, in order.
        when: Whether a failure is one for which another model shall be asked.

    Raises:
        InputError: There is no candidate.
    """

    def __init__(self, *candidates: Candidate, when: Callable[[ProviderError], bool] = helps) -> None:
        if not candidates:
            raise InputError("fallback: expected at least one model, got none")
        self._candidates = candidates
        self._when = when

    @property
    def name(self) -> str:
        """The name of who is asked first."""
        return self._candidates[0][0].name

    def __repr__(self) -> str:
        return f"Fallback({', '.join(_label(provider, name) for provider, name in self._candidates)})"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer of the first model that gives one.

        Raises:
            ProviderError: That of the last candidate, or one that no other model helps against.
        """
        attempts = _Attempts()
        left = len(self._candidates)
        for provider, name in self._candidates:
            left -= 1
            asked = spec if name is None else msgspec.structs.replace(spec, name=name)
            if left < len(self._candidates) - 1:
                yield (attempts.next(_label(provider, asked.name)),)
            try:
                async with aclosing(provider.invoke(state, asked, *options)) as batches:
                    async for batch in batches:
                        yield [attempts.passed(artifact) for artifact in batch] if _restarts(batch) else batch
                return
            except ProviderError as error:
                if not left or not self._when(error):
                    raise
                failure = describe(error).code
            following, model = self._candidates[-left]
            content = f"{_label(provider, asked.name)} failed ({failure}); {_label(following, model)} is asked"
            yield (Notice(content=content, severity=Severity.WARN),)


def _restarts(batch: Sequence[Artifact]) -> bool:
    return Restart in map(type, batch)


def _label(provider: Provider, name: str | None) -> str:
    return f"{provider.name}:{name}" if name else provider.name
