"""`ModelInfo`: what is known of a model."""

from decimal import Decimal

import msgspec

__all__ = ["ModelInfo", "Price"]


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens; `None` is unknown."""

    input_usd: Decimal | None = None
    output_usd: Decimal | None = None
    cache_read_usd: Decimal | None = None
    cache_write_usd: Decimal | None = None


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a model; `None` is unknown, never no.

    Attributes:
        abilities: Such as `tools`, `vision`, `thinking`.
    """

    name: str
    provider: str
    window: int | None = None
    max_output_tokens: int | None = None
    price: Price | None = None
    abilities: frozenset[str] = frozenset()
