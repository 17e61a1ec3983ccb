"""`Spent`: tokens, money and inferences that were used, or may be."""

from decimal import Decimal

import msgspec

__all__ = ["Spent"]


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens, money and inferences that were used, or may be."""

    tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    calls: int = 0

    def __add__(self, other: "Spent") -> "Spent":
        """Both together."""
        return Spent(
            tokens=self.tokens + other.tokens, cost_usd=self.cost_usd + other.cost_usd, calls=self.calls + other.calls
        )

    def __sub__(self, other: "Spent") -> "Spent":
        """What is left without the other."""
        return Spent(
            tokens=self.tokens - other.tokens, cost_usd=self.cost_usd - other.cost_usd, calls=self.calls - other.calls
        )
