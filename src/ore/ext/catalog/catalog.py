"""`Catalog`: what is known of the models of the world."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache
from typing import Final

import msgspec

from ore.ext.catalog.listing import Listing, Source
from ore.ext.catalog.names import list_of
from ore.models import ModelInfo, split_name

__all__ = ["Catalog", "shared_catalog"]

_OWN_WEIGHTS: Final = frozenset({"local", "ollama", "scripted"})
"""Who serves what its user put there: a name says nothing about window, abilities or price."""

_AT_LIST_PRICE: Final = frozenset({"vercel"})
"""Gateways that bill what the vendor does (docs.docker.com/ai/docker-agent/providers/vercel, read 2026-11-30)."""

_HOSTS: Final = frozenset({"azure", "cerebras", "groq", "openrouter"})
"""Who serves models that others made, at prices of their own."""

MOST_KNOWN: Final = 256
"""Names that were looked up today: every answer's price asks for one."""


class Catalog:
    """Finds what is known of a model; never asks anybody outside.

    Args:
        listing: The figures.
        today: Says the day, since some prices begin on one.
    """

    def __init__(self, listing: Listing | None = None, *, today: Callable[[], date] = date.today) -> None:
        self._listing = listing or Listing()
        self._today = today
        self._known: dict[tuple[str | None, str, str | None], ModelInfo | None] = {}
        self._day: date | None = None

    @property
    def read(self) -> date:
        """The day on which the figures were taken."""
        return self._listing.read

    @property
    def sources(self) -> Sequence[Source]:
        """Where each figure comes from."""
        return self._listing.sources

    def find(self, provider: str | None, model: str, *, base_url: str | None = None) -> ModelInfo | None:
        """What is known of a model; `None` when nothing is.

        Its name may be a dated one, another that its vendor takes, or begin
        with its vendor as gateways have it (`anthropic/claude-opus-4.5`). A
        model that a gateway lists has the gateway's prices; of one that only
        its vendor lists the price is unknown, unless the gateway bills as the
        vendor does.

        Args:
            provider: As it is registered, such as `openai-responses`; `None`
                looks at those who make models.
            base_url: Where it is asked, when that is not the vendor's own
                address. One that belongs to another vendor says whose models
                these are. At an address that nobody here knows, such as a
                proxy, a model is taken for the provider's own.
        """
        if (day := self._today()) != self._day or len(self._known) >= MOST_KNOWN:
            self._day, self._known = day, {}
        key = (provider, model, base_url)
        if key not in self._known:
            self._known[key] = self._looked_up(provider, model, base_url)
        return self._known[key]

    def _looked_up(self, provider: str | None, model: str, base_url: str | None) -> ModelInfo | None:
        if provider is None:
            return next(self._anywhere(model), None)
        if provider in _OWN_WEIGHTS:
            return None
        keeper = list_of(provider)
        if base_url is not None:
            keeper = self._listing.at(base_url, keeper) or keeper
        return self._listed(keeper, model) or self._passed_on(keeper, model)

    def named(self, name: str) -> ModelInfo | None:
        """What is known of a model by its name with or without a provider, as `--model` takes it."""
        provider, model = split_name(name)
        return self.find(provider, model)

    def search(self, text: str = "") -> Sequence[ModelInfo]:
        """The models in whose provider and names every word of `text` stands, in order."""
        words = text.lower().split()
        return [
            row.info(provider, self._today())
            for provider in self._listing.providers
            for row in self._listing.rows(provider)
            if _has(f"{provider}:{row.name} {' '.join(row.names)}".lower(), words)
        ]

    def _listed(self, keeper: str, model: str) -> ModelInfo | None:
        row = self._listing.find(keeper, model)
        return row.info(keeper, self._today()) if row else None

    def _passed_on(self, keeper: str, model: str) -> ModelInfo | None:
        """A vendor's model behind a gateway."""
        prefix, _, rest = model.partition("/")
        vendor = list_of(prefix)
        found = self._listed(vendor, rest) if rest else None
        if found is None or vendor == keeper or keeper in _AT_LIST_PRICE:
            return found
        return msgspec.structs.replace(found, price=None)

    def _anywhere(self, model: str) -> Iterator[ModelInfo]:
        for provider in self._listing.providers:
            found = None if provider in _HOSTS else self._listed(provider, model)
            if found is not None:
                yield found


@cache
def shared_catalog() -> Catalog:
    """The catalog of this process; making it reads nothing."""
    return Catalog()


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word in text for word in words)
