"""`cost` and `priced`: what an inference cost."""

from decimal import Context, Decimal
from typing import Final

import msgspec

from ore.artifact import Usage
from ore.ext.catalog.catalog import Catalog, shared_catalog
from ore.models import ModelInfo, Price, PriceTier
from ore.provider import Batch

__all__ = ["cost", "priced"]

_EXACT: Final = Context(prec=60)
"""Digits enough for every count of tokens at every price, whatever the caller's context rounds to."""

_NOTHING: Final = Decimal(0)

_MILLION: Final = 6
"""Decimal places that prices for a million tokens are shifted by."""


def cost(usage: Usage, info: ModelInfo | None) -> Decimal | None:
    """US dollars of an inference, exact; `None` where a count or a price is unknown.

    Cached and cache-written tokens are part of the prompt, and cost what the
    price says for them, else what the rest of the prompt does; each is counted
    once. Thinking is part of the completion. A prompt over a tier's bound has
    that tier's prices for all of its tokens. What is no token is not in it,
    such as searches that a vendor ran.
    """
    price = info.price if info is not None else None
    if price is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    rates = _rates(price, usage.prompt_tokens)
    read, write = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    parts = (
        (max(usage.prompt_tokens - read - write, 0), rates.input_usd),
        (read, rates.input_usd if rates.cache_read_usd is None else rates.cache_read_usd),
        (write, rates.input_usd if rates.cache_write_usd is None else rates.cache_write_usd),
        (usage.completion_tokens, rates.output_usd),
    )
    total = _NOTHING
    for tokens, usd in parts:
        if tokens and usd is None:
            return None
        if tokens and usd:
            total = _EXACT.fma(Decimal(tokens), usd, total)
    return _EXACT.scaleb(total, -_MILLION) if total else _NOTHING


def priced(
    batch: Batch, *, provider: str, model: str, base_url: str | None = None, catalog: Catalog | None = None
) -> Batch:
    """The batch with what it cost on each `Usage` in it; for providers, before they yield it.

    A cost that the vendor itself named stays. A batch without usage is given
    back as it came, and nothing is looked up for it.

    Args:
        provider: As it is registered.
        model: The name that was asked for.
        base_url: See `Catalog.find`.
        catalog: Other figures than those of the package.
    """
    if Usage not in map(type, batch):
        return batch
    info = (catalog or shared_catalog()).find(provider, model, base_url=base_url)
    return [_with_cost(item, info) if type(item) is Usage else item for item in batch]


def _with_cost(usage: Usage, info: ModelInfo | None) -> Usage:
    if usage.cost_usd is not None:
        return usage
    found = cost(usage, info)
    return usage if found is None else msgspec.structs.replace(usage, cost_usd=found)


def _rates(price: Price, prompt_tokens: int) -> Price | PriceTier:
    rates: Price | PriceTier = price
    for tier in price.tiers:
        if prompt_tokens > tier.over_tokens:
            rates = tier
    return rates
