"""`scripted:FILE`: plays a JSON file, for tests, demos and bug reports."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from ore.errors import BadRequestError, InputError
from ore.event import current_context
from ore.ext.providers.retry import Retrying
from ore.ext.providers.script import Failure, Hang, Item, Pause, Script, read_script
from ore.ledger import State
from ore.models import Spec
from ore.provider import BATCH_LIMIT, Batch, Option, Provider

__all__ = ["FileProvider", "Settings", "make"]


class Settings(Protocol):
    """What `make` needs to know."""

    @property
    def path(self) -> str | None:
        """The file, from the current folder."""
        ...


def make(settings: Settings) -> Provider:
    """The provider of `scripted:FILE`; where the script says so, one that asks again after errors.

    Raises:
        InputError: The file cannot be read, or is no script; the message says
            where inside it.
    """
    if not settings.path:
        raise InputError("model: expected the file's name behind `scripted:`, as in scripted:answers.json")
    provider = FileProvider(read_script(settings.path))
    return Retrying(provider) if provider.script.retry else provider


class FileProvider:
    """Plays a script: each inference takes the next list, counted per session."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._used: Counter[str | None] = Counter()
        self._guard = threading.Lock()

    @property
    def name(self) -> str:
        """`scripted`."""
        return "scripted"

    async def invoke(self, state: State, spec: Spec, *options: Option) -> AsyncGenerator[Batch, None]:
        """Play the next list; closing ends a pause or a hang at once.

        Raises:
            BadRequestError: There is no list left.
            ProviderError: The script says so.
        """
        for item in self._take(current_context().thread_id):
            match item:
                case Pause(seconds=seconds):
                    await asyncio.sleep(seconds)
                case Hang():
                    await asyncio.Event().wait()
                case Failure():
                    raise item.error(self.name)
                case batch:
                    for start in range(0, len(batch), BATCH_LIMIT):
                        yield batch[start : start + BATCH_LIMIT]

    def _take(self, session: str | None) -> Sequence[Item]:
        calls = self.script.calls
        with self._guard:  # inferences may run in several loops, each in its thread
            used = self._used[session]
            self._used[session] += 1
        if not calls or (used >= len(calls) and not self.script.repeat):
            raise BadRequestError(
                f"scripted file {self.script.path!r}: expected a list in `calls` for inference {used + 1} of this "
                f"session, got {len(calls)} lists; add one, or set `repeat`",
                provider=self.name,
            )
        return calls[used % len(calls)]
