"""The vendors that can be played, by their names."""

from collections.abc import Callable, Mapping
from typing import Final

from ore.errors import InputError
from ore.ext.mock.anthropic_vendor import Anthropic
from ore.ext.mock.openai_vendor import OpenAI
from ore.ext.mock.vendor import Vendor

__all__ = ["VENDORS", "vendor_of"]

VENDORS: Final[Mapping[str, Callable[[], Vendor]]] = {"openai": OpenAI, "anthropic": Anthropic}


def vendor_of(name: str) -> Vendor:
    """The vendor of a name.

    Raises:
        InputError: There is none.
    """
    if name not in VENDORS:
        raise InputError(f"vendor: expected one of {', '.join(VENDORS)}, got {name!r}")
    return VENDORS[name]()
