"""What a provider of one's own gets wrong, in words that name what was expected."""

import inspect
from collections.abc import AsyncGenerator, Sequence
from types import AsyncGeneratorType

from ore.artifact import Artifact
from ore.ledger import State
from ore.models import Spec
from ore.provider.options import Option
from ore.provider.provider import Batch, Provider

__all__ = ["invoked", "misfit"]

_SHAPE = "async def invoke(self, state, spec, *options), which yields lists of artifacts"


def invoked(provider: Provider, state: State, spec: Spec, options: Sequence[Option]) -> AsyncGenerator[Batch, None]:
    """Ask a provider; nothing has begun yet.

    Raises:
        TypeError: Its `invoke` takes something else, or returns no generator.
    """
    try:
        found = provider.invoke(state, spec, *options)
    except TypeError:
        if _takes(provider, state, spec, options):
            raise
        raise TypeError(f"provider {provider.name!r}: expected {_SHAPE}; this one takes other arguments") from None
    if type(found) is AsyncGeneratorType or (hasattr(found, "__anext__") and hasattr(found, "aclose")):
        return found
    if inspect.iscoroutine(found):
        found.close()
    raise TypeError(f"provider {provider.name!r}: expected {_SHAPE}; this one returns a {type(found).__name__}")


def misfit(provider: Provider, batch: object) -> TypeError | None:
    """What is wrong with something that a provider yielded; `None` where nothing is."""
    expected = f"provider {provider.name!r}: expected it to yield lists of artifacts such as [TextDelta(content='Hi')]"
    if isinstance(batch, str | bytes) or not isinstance(batch, Sequence):
        return TypeError(f"{expected}, got {_kind(batch)}")
    wrong = [one for one in batch if not isinstance(one, Artifact)]
    return TypeError(f"{expected}, got a {type(batch).__name__} that holds {_kind(wrong[0])}") if wrong else None


def _takes(provider: Provider, state: State, spec: Spec, options: Sequence[Option]) -> bool:
    try:
        inspect.signature(provider.invoke).bind(state, spec, *options)
    except TypeError:
        return False
    except ValueError:  # one that has no signature
        return True
    return True


def _kind(value: object) -> str:
    """What somebody has there, without what it says."""
    if isinstance(value, Artifact):
        return f"one artifact, a {type(value).__name__}, that is in no list"
    return "None" if value is None else f"a {type(value).__name__}"
