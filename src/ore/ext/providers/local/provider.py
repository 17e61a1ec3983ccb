"""`LocalProvider`: a model inside the process, without a key and without a network."""

from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Protocol

from ore.artifact import Artifact
from ore.errors import ProviderError
from ore.ext.providers.local.call import Call
from ore.ext.providers.local.reply import Reply
from ore.ext.providers.local.request import build, unsupported
from ore.ext.providers.local.runtime import Runtime, Runtimes, Settings, shared_runtimes
from ore.ext.providers.local.weights import SMOLLM2, Weights, locate
from ore.ledger import State
from ore.models import Spec
from ore.provider import BATCH_LIMIT, Batch, Option

__all__ = ["LocalProvider", "Wishes", "make"]


class Wishes(Protocol):
    """What `make` needs to know."""

    @property
    def lenient(self) -> bool:
        """Whether to leave out what the model cannot take, with a notice."""
        ...


def make(settings: Wishes) -> "LocalProvider":
    """The provider of `local`, `local:smollm2` and `local:PATH.gguf`; loads and looks for nothing yet."""
    return LocalProvider(lenient=settings.lenient)


class LocalProvider:
    """Answers with llama.cpp in a worker's thread; `local:smollm2` or `local:PATH.gguf`.

    The default model has 135 million parameters: it talks fluently, is often
    wrong, and calls tools only because it can decode nothing else. Without
    opinions in the spec its temperature is 0.2, its top_p 0.9 and its answer at
    most 512 tokens. It costs nothing and says so.

    One object serves any number of event loops and threads. Models load on
    first use and stay; all providers of a process share them.

    Args:
        settings: Window, slots and threads.
        weights: The default model.
        lenient: Leave out what the model cannot take, with a notice, instead
            of raising `UnsupportedError`.
        runtimes: Where loaded models are; the process's own by default.
    """

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        weights: Weights = SMOLLM2,
        lenient: bool = False,
        runtimes: Runtimes | None = None,
    ) -> None:
        self._settings = settings or Settings()
        self._weights = weights
        self._lenient = lenient
        self._runtimes = runtimes or shared_runtimes()
        self._known: dict[str | None, Runtime] = {}

    @property
    def name(self) -> str:
        """`local`."""
        return "local"

    def runtime(self, model: str | None = None) -> Runtime:
        """Where a model runs, by the name it has in a spec; loads nothing.

        Raises:
            ModelNotFoundError: Its file is not there; the message says how to get it.
        """
        known = self._known.get(model)
        if known is None:
            path, sha256 = locate(model, self._weights)
            known = self._known[model] = self._runtimes.get(path, self._settings, sha256=sha256)
        return known

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Stream the answer; closing cancels it and waits until its slot is free.

        That takes about 0.1 s, or until the model is loaded, and does not
        block the loop. Inferences beyond the slots wait in order.

        Raises:
            ModelNotFoundError: Weights or runtime are not there.
            UnsupportedError: The spec wants what the model cannot do.
            ContextOverflowError: The prompt does not fit the window.
            BadRequestError: A tool's schema cannot be decoded by, or nothing was said.
        """
        notices = unsupported(spec, lenient=self._lenient)
        request, decoder = build(state.turns, spec, options)
        runtime = self.runtime(spec.name)
        if notices:
            yield notices
        reply = Reply(decoder)
        call = Call(runtime, request)
        try:
            while chunks := await call.arrived():
                for batch in _batches(reply.read(chunks)):
                    yield batch
            for batch in _batches(reply.close()):
                yield batch
        finally:
            await call.close()

    def free(self) -> None:
        """Give the memory of all loaded models back, also to those who share them; the next call loads again."""
        self._runtimes.free()


def _batches(artifacts: Iterable[Artifact]) -> Iterator[Batch]:
    """At most `BATCH_LIMIT` at once; what came before an error is not lost."""
    batch: list[Artifact] = []
    try:
        for artifact in artifacts:
            batch.append(artifact)
            if len(batch) == BATCH_LIMIT:
                yield batch
                batch = []
    except ProviderError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
