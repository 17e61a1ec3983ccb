"""`Tracer`: spans, for whoever wants them."""

from contextlib import AbstractContextManager
from typing import Protocol

__all__ = ["Attribute", "Span", "Tracer"]

Attribute = str | int | float | bool


class Span(Protocol):
    """A piece of work that is being timed."""

    def set(self, name: str, value: Attribute) -> None:
        """Note a fact. Never content, never a key."""
        ...

    def fail(self, error: BaseException) -> None:
        """Note that it failed."""
        ...


class Tracer(Protocol):
    """Makes spans; the current one is the parent of those begun inside it."""

    def span(self, name: str, **attributes: Attribute) -> AbstractContextManager[Span]:
        """Begin a span that ends with the block; never held open across a yield."""
        ...
