"""`Retrying`: asks again where nothing was seen yet."""

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Final

from ore.artifact import Artifact, Notice, Severity
from ore.errors import ProviderError
from ore.ext.providers.backoff import Backoff
from ore.ext.providers.passing import Passing
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

    def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer; closing also ends a wait.

        Raises:
            ProviderError: The last failure, or the first that cannot be helped.
        """
        return _Attempts(lambda: self._provider.invoke(state, spec, *options), self._backoff)


class _Attempts(Passing):
    """One answer, asked for as often as it takes."""

    __slots__ = ("_ask", "_attempt", "_backoff", "_told", "_until", "_wait_s")

    def __init__(self, ask: Callable[[], AsyncGenerator[Batch, None]], backoff: Backoff) -> None:
        super().__init__(ask())
        self._ask = ask
        self._backoff = backoff
        self._told: set[Notice] = set()
        self._attempt, self._until = 1, backoff.clock() + backoff.within_s
        self._wait_s: float | None = None

    async def first(self) -> Batch:
        """The next batch, of the next attempt where one failed."""
        if self._wait_s is not None:
            wait_s, self._wait_s = self._wait_s, None
            await self._backoff.sleep(wait_s)
            self.batches = self._ask()
        while True:
            try:
                batch = await self.batches.__anext__()
            except ProviderError as error:
                return (self._again(error),)
            if not batch or type(batch[0]) is Notice or type(batch[-1]) is Notice:
                batch = _news(batch, self._told)
            if batch:
                self.is_seen = type(batch[-1]) is not Notice or not all(map(_is_notice, batch))
                return batch

    def _again(self, error: ProviderError) -> Notice:
        """What is said of another attempt.

        Raises:
            ProviderError: There is none.
        """
        backoff = self._backoff
        if not error.retryable or self._attempt >= backoff.attempts or backoff.clock() > self._until:
            raise error
        self._wait_s = wait_s = backoff.wait_s(self._attempt, error.retry_after_s)
        self._attempt += 1
        return _notice(f"attempt {self._attempt}/{backoff.attempts} in {wait_s:.3g} s", wait_s, error)


def _is_notice(artifact: Artifact) -> bool:
    return type(artifact) is Notice


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
