"""`Vendor` and `Endpoint`: who is played, and one interface of theirs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ore.ext.mock.asked import Asked
from ore.ext.mock.playing import Step
from ore.ext.providers.script import Failure, Item

__all__ = ["Endpoint", "Refusal", "Vendor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer that is an error.

    Attributes:
        status: HTTP status.
        body: JSON, as the vendor writes errors.
        headers: Beside those that each answer has.
    """

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


class Endpoint(Protocol):
    """One interface of a vendor; an object serves one server, and may remember what it issued."""

    @property
    def paths(self) -> Sequence[str]:
        """Where it is posted to."""
        ...

    def check(self, body: bytes) -> None:
        """Look at a request.

        Raises:
            ShapeError: The vendor would refuse it.
        """
        ...

    def stream(self, items: Sequence[Item], asked: Asked) -> Sequence[Step]:
        """The answer as events, from the first byte to the last; a break stands where it happens, and ends them."""
        ...

    def whole(self, items: Sequence[Item], asked: Asked) -> Mapping[str, Any]:
        """The answer as one object."""
        ...


class Vendor(Protocol):
    """Who is played: the interfaces, and what all of them share."""

    @property
    def endpoints(self) -> Sequence[Endpoint]:
        """The interfaces."""
        ...

    def unfit(self, headers: Mapping[str, str], api_key: str | None) -> Failure | None:
        """What is wrong with a request by its headers, such as one without the key.

        Args:
            headers: With names in lower case.
            api_key: The only key that is taken; `None` takes any, or none.
        """
        ...

    def refusal(self, failure: Failure, number: int) -> Refusal:
        """An error before the answer began; the how manieth request it was is part of some."""
        ...

    def headers(self, number: int) -> Mapping[str, str]:
        """What stands in the head of each answer."""
        ...
