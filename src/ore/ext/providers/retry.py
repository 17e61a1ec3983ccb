"""`Retrying`: asks again where nothing was seen yet."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from ore.artifact import Artifact, Notice, Severity
from ore.errors import ProviderError
from ore.ext.providers.backoff import Backoff
from ore.ledger import State
from ore.models import Spec
from ore.provider import Batch, Option, Provider

__all__ = ["Retrying"]

_REASON_CHARACTERS: Final = 80


class Retrying:
    """A provider that asks again after a failure that may pass.

    It is the only one that does: everything below asks once. Only an error
    that is retryable is followed by another attempt, and only before anything
    of the answer was passed on, so that no text comes twice. Each is announced
    by a notice. Fragments pass through as they are.

    Args:
        provider: Who is asked.
        backoff: How often, and how long to wait.
    """

    def __init__(self, provider: Provider, backoff: Backoff | None = None) -> None:
        self._provider = provider
        self._backoff = backoff or Backoff()

    @property
    def name(self) -> str:
        """The name of who is asked."""
        return self._provider.name

    def __repr__(self) -> str:
        return f"Retrying({self._provider!r})"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer; closing also ends a wait.

        Raises:
            ProviderError: The last failure, or the first that cannot be helped.
        """
        backoff = self._backoff
        told: set[Notice] = set()
        attempt, until = 1, backoff.clock() + backoff.within_s
        while True:
            seen = False
            try:
                async with aclosing(self._provider.invoke(state, spec, *options)) as batches:
                    async for batch in batches:
                        if not seen:
                            batch = _news(batch, told)
                            seen = any(type(artifact) is not Notice for artifact in batch)
                        if batch:
                            yield batch
                return
            except ProviderError as error:
                if seen or not error.retryable or attempt >= backoff.attempts or backoff.clock() > until:
                    raise
                wait_s = backoff.wait_s(attempt, error.retry_after_s)
                attempt += 1
                notice = _notice(f"attempt {attempt}/{backoff.attempts} in {wait_s:.3g} s", wait_s, error)
            yield (notice,)
            await backoff.sleep(wait_s)


def _news(batch: Batch, told: set[Notice]) -> Batch:
    """The batch without notices that an earlier attempt gave already."""
    fresh: Sequence[Artifact] = [artifact for artifact in batch if not (type(artifact) is Notice and artifact in told)]
    told.update(artifact for artifact in fresh if type(artifact) is Notice)
    return batch if len(fresh) == len(batch) else fresh


def _notice(what: str, wait_s: float, error: ProviderError) -> Notice:
    line = " ".join(str(error).partition("\n")[0].split())
    if len(line) > _REASON_CHARACTERS:
        line = f"{line[: _REASON_CHARACTERS - 1]}…"
    asked_s = error.retry_after_s
    told = f" ({asked_s:.6g} s were asked for)" if asked_s is not None and asked_s > wait_s else ""
    return Notice(content=f"{what}{told}: {line}", severity=Severity.WARN)
