"""`Row`: one model, as the file of figures has it."""

from datetime import date

import msgspec

from ore.models import ModelInfo, Price

__all__ = ["Row"]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One model.

    Attributes:
        names: What else it is called, in small letters.
        output: Tokens of an answer at most.
        can: Its abilities, with blanks between.
        cannot: What it lacks.
        later: Prices by the day on which they begin.
    """

    name: str
    names: tuple[str, ...] = ()
    window: int | None = None
    output: int | None = None
    can: str = ""
    cannot: str = ""
    price: Price | None = None
    later: dict[date, Price] = {}

    def info(self, provider: str, today: date) -> ModelInfo:
        """What is known of the model, with the prices of a day."""
        begun = [day for day in self.later if day <= today]
        return ModelInfo(
            name=self.name,
            provider=provider,
            window=self.window,
            max_output_tokens=self.output,
            price=self.later[max(begun)] if begun else self.price,
            abilities=frozenset(self.can.split()),
            lacks=frozenset(self.cannot.split()),
        )
