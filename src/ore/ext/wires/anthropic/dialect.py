"""`Dialect`: what a server takes of this protocol beyond what all of them take."""

from dataclasses import dataclass
from typing import Final

__all__ = ["ANTHROPIC", "GATEWAY", "Dialect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a server's protocol differs.

    Attributes:
        controls_binding: Whether it can be told to drop thinking that no
            longer fits its conversation, instead of refusing all of it.
        marks: Whether it takes marks for its prompt cache.
    """

    controls_binding: bool = True
    marks: bool = True


ANTHROPIC: Final = Dialect()
"""The vendor itself."""

GATEWAY: Final = Dialect(controls_binding=False)
"""OpenRouter, MiniMax, llama.cpp's server, and others that speak it: no beta
headers. They take marks, or pass over them."""
