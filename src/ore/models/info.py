"""`ModelInfo`: what is known of a model."""

from decimal import Decimal

import msgspec

__all__ = ["ModelInfo", "Price", "PriceTier"]


class PriceTier(msgspec.Struct, frozen=True, kw_only=True):
    """Prices of an inference whose prompt has more than `over_tokens` tokens; they hold for all of its tokens."""

    over_tokens: int
    input_usd: Decimal | None = None
    output_usd: Decimal | None = None
    cache_read_usd: Decimal | None = None
    cache_write_usd: Decimal | None = None


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens; `None` is unknown.

    Attributes:
        tiers: Of long prompts, the shortest first.
    """

    input_usd: Decimal | None = None
    output_usd: Decimal | None = None
    cache_read_usd: Decimal | None = None
    cache_write_usd: Decimal | None = None
    tiers: tuple[PriceTier, ...] = ()


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a model; `None` is unknown, never no.

    Attributes:
        window: Tokens that prompt and answer may have together.
        abilities: What it is known to do: `tools`, `thinking`, `temperature`,
            `structured_output`; `vision`, `audio`, `video`, `files` are what it
            takes, `image_output`, `audio_output` what it makes.
        lacks: What it is known not to do. What stands in neither is unknown.
    """

    name: str
    provider: str
    window: int | None = None
    max_output_tokens: int | None = None
    price: Price | None = None
    abilities: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
