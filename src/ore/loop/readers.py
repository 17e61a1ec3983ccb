"""`Readers`: those who read a log, for as long as somebody holds them."""

from typing import TYPE_CHECKING
from weakref import ref

if TYPE_CHECKING:
    from ore.loop.subscription import Subscription

__all__ = ["Readers"]


class Readers(dict[int, "ref[Subscription]"]):
    """Readers, held weakly; looking whether there are any costs no call, so it may count some that are gone."""

    def add(self, reader: "Subscription") -> None:
        """One more."""
        self[id(reader)] = ref(reader)

    def discard(self, reader: "Subscription") -> None:
        """One less; it need not be there."""
        self.pop(id(reader), None)

    def alive(self) -> "list[Subscription]":
        """Those that are still there; the others are forgotten."""
        found = [reader for one in self.values() if (reader := one()) is not None]
        if len(found) < len(self):
            for key in [key for key, one in self.items() if one() is None]:
                del self[key]
        return found
