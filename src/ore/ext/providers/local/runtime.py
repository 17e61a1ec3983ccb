"""`Runtime`: llama.cpp inside the process, one engine per model file."""

import atexit
import importlib
import logging
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from ore._extras import install_line
from ore.errors import BadRequestError, ModelNotFoundError
from ore.ext.providers.local.slots import Slots
from ore.ext.providers.local.weights import check

__all__ = ["Engine", "Load", "OnChunk", "Runtime", "Runtimes", "Settings", "load_engine", "shared_runtimes"]

log = logging.getLogger(__name__)

BATCH_TOKENS = 8
"""Prompt tokens between two looks at whether the call was cancelled: about 0.1 s
on one busy thread, where 512 would be 7 s and read a prompt a sixth faster."""

CACHE_MIB = 128
"""Memory for prompts of conversations that lost their slot, so that they need not be read again."""

OnChunk = Callable[[Mapping[str, Any]], bool]
"""Gets each chunk of an answer, in the worker's thread; true cancels the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model is loaded; one engine serves all who load a file the same way.

    Attributes:
        window: Tokens that prompt and answer may have together, in each slot.
            SmolLM2 was trained on 8192; 4096 in two slots are 190 MB of memory.
        slots: Inferences at once; others wait in order.
        threads: One by default: on a machine that has anything else to do, two
            are several times slower.
    """

    window: int = 4096
    slots: int = 2
    threads: int = 1


class Engine(Protocol):
    """What is used of `xllamacpp.Server`; freed when nothing refers to it."""

    def handle_chat_completions(self, request: Mapping[str, Any], on_chunk: OnChunk, /) -> Any:
        """Answer one request in chunks; blocks until the end, without the interpreter's lock.

        Raises:
            ValueError: The request cannot be understood.
        """
        ...


Load = Callable[[Path, Settings], Engine]
"""Loads a model file; blocks. May raise `ModelNotFoundError`."""


def load_engine(path: Path, settings: Settings) -> Engine:
    """Load a model with llama.cpp; blocks for half a second and more.

    Raises:
        ModelNotFoundError: The runtime is not installed, or cannot read the file.
    """
    try:
        llama: Any = importlib.import_module("xllamacpp")
    except ImportError as exc:
        raise ModelNotFoundError(
            f"the runtime of the embedded model is not installed: run `{install_line('local')}`",
            provider="local",
        ) from exc
    params = llama.CommonParams()
    params.model.path = str(path)
    params.n_ctx = settings.window * settings.slots
    params.n_parallel = settings.slots
    params.n_batch = params.n_ubatch = max(BATCH_TOKENS, settings.slots)
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
    params.cache_ram_mib = CACHE_MIB
    params.verbosity = -1
    params.warmup = False
    # It opens a port on loopback, like it or not: nobody knows its key.
    params.api_keys = [secrets.token_urlsafe(32)]
    params.ui = False
    params.n_threads_http = 1
    try:
        engine: Engine = llama.Server(params)
    except RuntimeError as exc:
        raise ModelNotFoundError(f"{path.name} cannot be loaded: {exc}", provider="local") from exc
    return engine


class Runtime:
    """One model file and its engine, loaded when first needed; safe from any thread.

    Args:
        path: The model file.
        settings: How it is loaded.
        sha256: What the file must hash to; `None` when nobody knows.
        load: Loads it.
    """

    def __init__(self, path: Path, settings: Settings, sha256: str | None, load: Load) -> None:
        self.slots = Slots(settings.slots)
        self._path = path
        self._settings = settings
        self._sha256 = sha256
        self._load = load
        self._lock = threading.Lock()
        self._engine: Engine | None = None

    def answer(self, request: Mapping[str, Any], on_chunk: OnChunk) -> None:
        """Answer in chunks, loading the model first where that was not done; blocks.

        Raises:
            ModelNotFoundError: The file or the runtime is not there.
            BadRequestError: The request cannot be understood.
        """
        engine = self._loaded()
        try:
            engine.handle_chat_completions(request, on_chunk)
        except ValueError as exc:
            raise BadRequestError(f"llama.cpp refused the request: {str(exc)[:300]}", provider="local") from exc
        except RuntimeError:  # its text quotes the request
            raise BadRequestError("llama.cpp could not read the request", provider="local") from None

    def free(self) -> None:
        """Give the memory back once running calls are over; the next call loads again.

        Blocks while the model is being loaded.
        """
        with self._lock:
            self._engine = None

    def _loaded(self) -> Engine:
        with self._lock:
            if self._engine is None:
                if self._sha256 is not None:
                    check(self._path, self._sha256)
                log.debug("loading %s", self._path.name)
                self._engine = self._load(self._path, self._settings)
            return self._engine


class Runtimes:
    """Runtimes by file and settings, so that one model is in memory once; safe from any thread.

    Args:
        load: Loads a model file; a test may bring its own.
    """

    def __init__(self, load: Load = load_engine) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._found: dict[tuple[Path, Settings], Runtime] = {}

    def get(self, path: Path, settings: Settings, *, sha256: str | None = None) -> Runtime:
        """The runtime of a file; loads nothing yet."""
        key = (path.resolve(), settings)
        with self._lock:
            if key not in self._found:
                self._found[key] = Runtime(key[0], settings, sha256, self._load)
            return self._found[key]

    def free(self) -> None:
        """Give all memory back; whoever calls next loads again."""
        with self._lock:
            found = list(self._found.values())
        for runtime in found:
            runtime.free()


@cache
def shared_runtimes() -> Runtimes:
    """This process's runtimes: memory is the process's, however many providers there are.

    Freed when the interpreter ends, before its modules go.
    """
    runtimes = Runtimes()
    atexit.register(runtimes.free)
    return runtimes
